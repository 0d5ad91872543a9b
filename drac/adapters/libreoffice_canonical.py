"""Takes out of LibreOffice's PDFs what differs from run to run, so that equal documents give equal bytes.

That is the creation date, the file identifier and checksum, and in embedded Type 1 fonts a number that counts
the fonts which the process has cut so far. It relies on the plain structure that LibreOffice writes: one
classic cross-reference table, no object streams, stream lengths in objects of their own.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_DATE = re.compile(rb"(?<=/CreationDate\(D:)\d{14}[^)]{0,8}(?=\))")
_EPOCH = b"19700101000000Z'"
_RANDOM = re.compile(rb"(?<=[<>\n/ ])[0-9A-F]{32}(?=[<>\n/ ])")
_FONT = re.compile(
    rb"<</Length (\d+) 0 R\s*/Filter/FlateDecode"
    rb"\s*/Length1 (\d+)\s*/Length2 (\d+)\s*/Length3 \d+\s*>>\s*stream\n"
)
_UNIQUE = re.compile(rb"(?<=/UniqueID )\d+")
_XREF_LINE = re.compile(rb"(\d{10}) (\d{5}) n ")
_EEXEC_KEY, _EEXEC_FACTOR, _EEXEC_ADDEND = 55665, 52845, 22719
"""Encryption of Type 1 fonts (Adobe Type 1 Font Format, 7.1)."""


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    """First byte replaced."""
    end: int
    """Byte after the last."""
    new: bytes
    """What stands there instead."""


def canonical(pdf: bytes) -> bytes:
    """The same PDF with fixed date and numbers, and an identifier made of its content."""
    edits = sorted((*_dates(pdf), *_fonts(pdf)), key=lambda edit: edit.start)
    body, mark, trailer = _rebuilt(pdf, edits).rpartition(b"trailer\n")
    if not mark:
        return pdf
    identifier = hashlib.sha256(body).hexdigest()[:32].upper().encode()
    return body + mark + _RANDOM.sub(identifier, trailer)


def _dates(pdf: bytes) -> Iterator[_Edit]:
    for found in _DATE.finditer(pdf):
        yield _Edit(found.start(), found.end(), _EPOCH)


def _fonts(pdf: bytes) -> Iterator[_Edit]:
    """New streams and lengths of the Type 1 fonts."""
    for found in _FONT.finditer(pdf):
        length = re.search(rb"\n%s 0 obj\n(\d+)\n" % found[1], pdf)
        if length is None:
            continue
        end = found.end() + int(length[1])
        font = _counted_from_one(zlib.decompress(pdf[found.end() : end]), int(found[2]), int(found[3]))
        packed = zlib.compress(font)
        yield _Edit(found.end(), end, packed)
        yield _Edit(length.start(1), length.end(1), b"%d" % len(packed))


def _counted_from_one(font: bytes, clear: int, secret: int) -> bytes:
    """A Type 1 font (clear text of `clear` bytes, `secret` encrypted ones, the rest) with a fixed number."""
    head, hidden, tail = font[:clear], font[clear : clear + secret], font[clear + secret :]
    private = _fixed_number(_decrypted(hidden))
    return _fixed_number(head) + _encrypted(private) + tail


def _fixed_number(text: bytes) -> bytes:
    return _UNIQUE.sub(lambda found: b"4100000".ljust(len(found[0]), b"0")[: len(found[0])], text)


def _decrypted(data: bytes) -> bytes:
    key, out = _EEXEC_KEY, bytearray()
    for byte in data:
        out.append(byte ^ (key >> 8))
        key = ((byte + key) * _EEXEC_FACTOR + _EEXEC_ADDEND) & 0xFFFF
    return bytes(out)


def _encrypted(data: bytes) -> bytes:
    key, out = _EEXEC_KEY, bytearray()
    for byte in data:
        cipher = byte ^ (key >> 8)
        out.append(cipher)
        key = ((cipher + key) * _EEXEC_FACTOR + _EEXEC_ADDEND) & 0xFFFF
    return bytes(out)


def _rebuilt(pdf: bytes, edits: list[_Edit]) -> bytes:
    """The PDF with the edits made and the places of all objects corrected."""
    starts = [edit.start for edit in edits]
    shifts = [0, *itertools.accumulate(len(edit.new) - (edit.end - edit.start) for edit in edits)]

    def moved(offset: int) -> int:
        return offset + shifts[bisect.bisect_left(starts, offset)]

    table = pdf.rfind(b"\nxref\n") + 1
    pieces, at = [], 0
    for edit in edits:
        pieces += [pdf[at : edit.start], edit.new]
        at = edit.end
    body = b"".join([*pieces, pdf[at:table]])
    tail = _XREF_LINE.sub(lambda line: b"%010d %s n " % (moved(int(line[1])), line[2]), pdf[table:])
    return body + tail.replace(b"startxref\n%d\n" % table, b"startxref\n%d\n" % moved(table))
