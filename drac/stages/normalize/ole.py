"""Which streams an OLE2 compound file (old Office, encrypted OOXML, Outlook messages) holds at its root.

Layout after [MS-CFB], "Compound File Binary File Format": header of 512 bytes, sectors in chains through the
allocation table, directory entries of 128 bytes whose siblings form a tree.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")

_NO_ENTRY = 0xFFFFFFFF
_LAST_SECTOR = 0xFFFFFFFA
_MAX_DIRECTORY = 4_096
"""Directory sectors read at most: a damaged chain may run in a circle."""


def root_streams(file: BinaryIO) -> frozenset[str]:
    """Names of the streams and storages directly under the root; raises ValueError when damaged."""
    try:
        return frozenset(_siblings(_directory(file)))
    except (struct.error, IndexError, UnicodeDecodeError, OverflowError) as error:
        raise ValueError(f"damaged compound file ({error})") from error


def _directory(file: BinaryIO) -> bytes:
    file.seek(0)
    header = file.read(512)
    exponent = struct.unpack_from("<H", header, 30)[0]
    if exponent not in (9, 12):
        raise ValueError(f"damaged compound file (sectors of 2^{exponent} bytes)")
    size = 1 << exponent
    table = _allocation(file, header, size)
    return b"".join(_sector(file, number, size) for number in _chain(table, _number(header, 48)))


def _allocation(file: BinaryIO, header: bytes, size: int) -> dict[int, int]:
    """Next sector by sector number."""
    table: dict[int, int] = {}
    per_sector = size // 4
    for at, number in enumerate(_table_sectors(file, header, size)):
        entries = struct.unpack(f"<{per_sector}I", _sector(file, number, size))
        table.update(enumerate(entries, at * per_sector))
    return table


def _table_sectors(file: BinaryIO, header: bytes, size: int) -> Iterator[int]:
    yield from (number for number in struct.unpack_from("<109I", header, 76) if number < _LAST_SECTOR)
    more = _number(header, 68)
    for _ in range(min(_number(header, 72), _MAX_DIRECTORY)):
        entries = struct.unpack(f"<{size // 4}I", _sector(file, more, size))
        yield from (number for number in entries[:-1] if number < _LAST_SECTOR)
        more = entries[-1]


def _chain(table: dict[int, int], first: int) -> Iterator[int]:
    number = first
    for _ in range(_MAX_DIRECTORY):
        if number >= _LAST_SECTOR:
            return
        yield number
        number = table.get(number, _LAST_SECTOR)
    raise ValueError("damaged compound file (endless directory)")


def _sector(file: BinaryIO, number: int, size: int) -> bytes:
    file.seek((number + 1) * size)
    data = file.read(size)
    if len(data) < size:
        raise ValueError("damaged compound file (it is cut short)")
    return data


def _siblings(directory: bytes) -> Iterator[str]:
    waiting, seen = [_number(directory, 76)], set()
    while waiting:
        entry = waiting.pop()
        if entry == _NO_ENTRY or entry in seen:
            continue
        seen.add(entry)
        start = entry * 128
        length = struct.unpack_from("<H", directory, start + 64)[0]
        yield directory[start : start + max(length - 2, 0)].decode("utf-16-le")
        waiting += [_number(directory, start + 68), _number(directory, start + 72)]


def _number(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])


def read_stream(path: Path, name: str, most: int) -> bytes:
    """The first `most` bytes of a stream at the root; raises ValueError where it is damaged or not there."""
    import olefile

    try:
        with olefile.OleFileIO(path) as file, file.openstream(name) as stream:
            return bytes(stream.read(most))
    except OSError as error:
        raise ValueError(f"{path}: no stream {name} ({error})") from error
