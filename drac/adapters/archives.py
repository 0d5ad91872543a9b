"""Files in zip and tar archives, one after the other; what cannot be taken is named, not opened."""

from __future__ import annotations

import gzip
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from drac.errors import CorruptDocument, EncryptedDocument, LimitExceeded

JUDGED = 50_000_000
"""Bytes above which a file's ratio of packed to unpacked is looked at; small texts pack well."""
_BLOCK = 1 << 20
_DRIVE = re.compile(r"[A-Za-z]:")
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, ValueError)
_AES = 99
"""Compression method by which an entry says that it is encrypted by AES."""
_ENCRYPTED = "encrypted with a password"
_UNPACK = "Unpack the archive and give the folder."


class Sink(Protocol):
    """Where a file's bytes go."""

    def write(self, data: bytes, /) -> object:
        """Take some more bytes; raises TooMuch where it is no more."""

    def restart(self) -> None:
        """Forget what was written."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one outermost mail or archive may hold."""

    parts: int
    """Files, at all levels."""
    unpacked: int
    """Bytes, at all levels."""
    ratio: int
    """Unpacked over packed size of a file larger than `JUDGED`."""
    depth: int
    """Containers within each other."""
    passwords: tuple[str, ...] = ()
    """Candidates for encrypted files."""


class TooMuch(LimitExceeded):
    """The outermost container as a whole passes a limit: nothing of it is used."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file in an archive."""

    name: str
    """Path in the archive as it says it, `/` between parts."""
    copy: Callable[[Sink], None] | None = field(default=None, repr=False)
    """Writes its bytes to a stream; raises a DocumentError. None: it is not taken."""
    reason: str = ""
    """Why it is not taken."""
    unusable: bool = False
    """Whether what is not taken may be content."""


def zip_members(path: Path, limits: Limits) -> Iterator[Member]:
    """The files of a zip archive; raises CorruptDocument or TooMuch."""
    with _named_errors(path), zipfile.ZipFile(path) as archive:
        entries = [one for one in archive.infolist() if not one.is_dir()]
        check_count(path, len(entries), limits)
        plausible = [one for one in entries if not is_bomb(one.file_size, one.compress_size, limits)]
        check_total(path, sum(one.file_size for one in plausible), limits)
        if any(one.compress_type == _AES for one in entries):
            yield from _sealed_members(path, limits)
            return
        for entry in entries:
            yield _zip_member(archive, entry, limits)


def _sealed_members(path: Path, limits: Limits) -> Iterator[Member]:
    """The same, of an archive with files in WinZip's AES encryption."""
    import pyzipper

    with pyzipper.AESZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                yield _zip_member(archive, entry, limits)


def _zip_member(archive: Any, entry: zipfile.ZipInfo, limits: Limits) -> Member:
    name = _zip_name(entry)
    if reason := _why_not(name):
        return Member(name, None, reason, unusable=True)
    if stat.S_ISLNK(entry.external_attr >> 16):
        return Member(name, None, "a link in an archive")
    return Member(name, lambda out: _copy_zipped(archive, entry, limits, out))


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """Names without the mark of UTF-8 are often UTF-8 all the same."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = entry.filename
    return name.replace("\\", "/")


def _copy_zipped(archive: Any, entry: zipfile.ZipInfo, limits: Limits, out: Sink) -> None:
    check_ratio(entry.file_size, entry.compress_size, limits)
    if not entry.flag_bits & 0x1:
        _copy(lambda: archive.open(entry), out)
        return
    for password in limits.passwords:
        with suppress(CorruptDocument):  # a wrong one may show only by what comes out
            _copy(partial(archive.open, entry, pwd=password.encode()), out)
            return
        out.restart()
    raise EncryptedDocument("encrypted, and no password given opens it" if limits.passwords else _ENCRYPTED)


def _copy(opened: Callable[[], Any], out: Sink, check: Callable[[int], None] = lambda total: None) -> None:
    """Copy a stream; `check` is told the bytes so far."""
    total = 0
    try:
        stream = opened()
        if stream is None:
            raise CorruptDocument("its archive holds no content of it")
        with stream:
            while block := stream.read(_BLOCK):
                total += len(block)
                check(total)
                out.write(block)
    except (NotImplementedError, RuntimeError) as error:
        raise CorruptDocument(f"packed in a way that is not read ({error})", remedy=_UNPACK) from error
    except _DAMAGED as error:
        raise CorruptDocument(f"damaged in its archive ({error})") from error


def tar_members(path: Path, limits: Limits) -> Iterator[Member]:
    """The files of a tar archive, packed by gzip or not, or the one file of a gzip file.

    Raises CorruptDocument or TooMuch.
    """
    with _named_errors(path):
        if not _is_tar(path):
            yield Member(path.stem, lambda out: _copy_gzipped(path, limits, out))
            return
        with tarfile.open(path, "r:*") as archive:
            yield from _tar_members(path, archive, limits)


def _copy_gzipped(path: Path, limits: Limits, out: Sink) -> None:
    packed = path.stat().st_size
    _copy(partial(gzip.open, path), out, lambda total: check_ratio(total, packed, limits))


def _is_tar(path: Path) -> bool:
    """Whether a file that may be packed by gzip is a tar archive."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else path.open("rb") as stream:
        return stream.read(262)[257:] == b"ustar"


def _tar_members(path: Path, archive: tarfile.TarFile, limits: Limits) -> Iterator[Member]:
    count = total = 0
    for entry in archive:
        total += entry.size if entry.isfile() else 0
        count += not entry.isdir()
        check_count(path, count, limits)
        check_total(path, total, limits)
        check_whole_ratio(path, total, limits)
        if not entry.isdir():
            yield _tar_member(archive, entry)
    _check_end(archive)


def _check_end(archive: Any) -> None:
    """Raise where Python's tarfile took a damaged header for the end of the archive."""
    archive.fileobj.seek(archive.offset)
    if archive.fileobj.read(tarfile.BLOCKSIZE).strip(b"\0"):
        raise tarfile.ReadError("the header of a file in it is damaged; what follows is lost")


def _tar_member(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> Member:
    name = entry.name.removeprefix("./")
    if reason := _why_not(name):
        return Member(name, None, reason, unusable=True)
    if not entry.isfile():
        return Member(name, None, "a link or device in an archive")
    return Member(name, lambda out: _copy(lambda: archive.extractfile(entry), out))


def _why_not(name: str) -> str:
    """The reason why a name cannot be taken, or nothing."""
    outside = name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/")
    return "its name leads out of the archive" if outside else ""


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        raise CorruptDocument(f"{path}: a damaged or truncated archive ({error})") from error


def is_bomb(unpacked: int, packed: int, limits: Limits) -> bool:
    """Whether a file is packed as only bombs are."""
    return unpacked > JUDGED and unpacked > limits.ratio * max(packed, 1)


def check_ratio(unpacked: int, packed: int, limits: Limits) -> None:
    """Raise LimitExceeded for a bomb."""
    if is_bomb(unpacked, packed, limits):
        raise LimitExceeded(
            f"unpacks to {unpacked:,} bytes from {packed:,}, more than {limits.ratio} times as many",
            remedy="If it is no bomb, raise normalize.max_ratio.",
        )


def check_count(path: Path, count: int, limits: Limits) -> None:
    """Raise TooMuch for more files than one container may hold."""
    if count > limits.parts:
        raise TooMuch(
            f"{path}: more than {limits.parts:,} files in it",
            remedy="Unpack it first, or raise normalize.max_parts.",
        )


def check_total(path: Path, total: int, limits: Limits) -> None:
    """Raise TooMuch for more bytes than one container may unpack to."""
    if total > limits.unpacked:
        raise TooMuch(
            f"{path}: unpacks to more than {limits.unpacked:,} bytes",
            remedy="If it is no bomb, raise normalize.max_unpacked.",
        )


def check_whole_ratio(path: Path, total: int, limits: Limits) -> None:
    """Raise TooMuch for a container that is a bomb as a whole."""
    try:
        check_ratio(total, path.stat().st_size, limits)
    except LimitExceeded as error:
        raise TooMuch(f"{path}: {error.message}", remedy=error.remedy) from error
