"""What a file is, found by its content."""

from __future__ import annotations

import codecs
import re
import struct
from dataclasses import replace
from pathlib import Path

from drac.errors import CorruptDocument, DocumentError, EmptyDocument, EncryptedDocument, UnsupportedType
from drac.stages.normalize import ole
from drac.stages.normalize.kinds import ARCHIVE_SUFFIXES, SUFFIXES, TEXT_TYPES, TYPES, DocumentType, named
from drac.stages.normalize.mail import mail_type
from drac.stages.normalize.packages import package_type
from drac.stages.normalize.text import decode, looks_like_html, looks_like_text

_HEAD = 65_536
"""Bytes that the signature or the look of a text is found in."""
_PDF_WITHIN = 1_024
"""Bytes in which viewers look for a PDF's signature (ISO 32000-1, annex H.3, note 13)."""

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
    (b"II+\x00\x08\x00\x00\x00", "tif"),
    (b"MM\x00+\x00\x08\x00\x00", "tif"),
    (b"{\\rtf", "rtf"),
    (b"\x1f\x8b\x08", "tgz"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "jp2"),
    (b"\xff\x4f\xff\x51", "jp2"),
)
_BRANDS = (
    ("avif", frozenset({b"avif", b"avis"})),
    ("heic", frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})),
)
"""Brands of HEIF files (ISO/IEC 23008-12, annex B; AVIF 1.1, section 6); `mif1` leaves the codec open."""
_BITMAP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
_OLD_OFFICE = (("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("Workbook", "xls"), ("Book", "xls"))
_OLD_NAMES = {"doc": "docx", "ppt": "pptx", "xls": "xlsx"}
_FLAT = re.compile(rb"""office:mimetype\s*=\s*["']application/vnd\.oasis\.opendocument\.(\w+)""")
_ROOT = re.compile(rb"<([A-Za-z][\w:.-]*)")
_WEB_PAGES_SAVED_AS = frozenset({".doc", ".xls", ".ppt", ""})
"""Suffixes under which programs commonly save web pages."""


def detect(path: Path, *, suffix: str | None = None, password: str | None = None) -> DocumentType:
    """The type of `path` by content; the declared suffix decides among types of plain text only.

    `suffix` stands for the path's own. Raises EmptyDocument (no bytes), CorruptDocument (damaged, or not what
    its name says), EncryptedDocument (without a `password`), UnsupportedType, or DocumentError where the file
    cannot be read.
    """
    declared = (path.suffix if suffix is None else suffix).lower()
    try:
        kind = _detect(path, declared)
    except OSError as error:
        reason = f"{path}: cannot be read: {error.strerror}"
        raise DocumentError(reason, remedy="Check the file and its permissions.") from error
    if kind.encrypted and password is None:
        raise EncryptedDocument(f"{path}: encrypted with a password")
    return kind


def _detect(path: Path, declared: str) -> DocumentType:
    head = _head(path)
    if name := _signature(head) or _pdf(head, declared):
        return TYPES[name]
    if head.startswith(ole.MAGIC):
        return _compound(path, declared)
    if head.startswith(b"PK"):
        name, encrypted = package_type(path, may_be_archive=declared not in SUFFIXES)
        return replace(TYPES[name], encrypted=encrypted)
    if name := mail_type(head, declared):
        return TYPES[name]
    return _plain_text(path, declared, head)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise EmptyDocument(f"{path}: an empty file of 0 bytes")
    return head


def _signature(head: bytes) -> str | None:
    for mark, name in _SIGNATURES:
        if head.startswith(mark):
            return name
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "webp"
    if head[257:262] == b"ustar":
        return "tar"
    if head[4:8] == b"ftyp":
        return _heif(head)
    if (
        head.startswith(b"BM")
        and len(head) >= 18
        and struct.unpack_from("<I", head, 14)[0] in _BITMAP_HEADERS
    ):
        return "bmp"
    return None


def _heif(head: bytes) -> str | None:
    """The image type that the brands of an ISO base media file name, its own brand or a compatible one."""
    box = head[8 : max(16, min(int.from_bytes(head[:4], "big"), len(head)))]
    brands = {box[at : at + 4] for at in range(0, len(box), 4) if at != 4}  # at 4 stands a version
    return next((name for name, known in _BRANDS if brands & known), None)


def _pdf(head: bytes, declared: str) -> str | None:
    leading = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    within = declared == ".pdf" and b"%PDF-" in head[:_PDF_WITHIN]
    return "pdf" if within or leading.startswith(b"%PDF-") else None


def _compound(path: Path, declared: str) -> DocumentType:
    try:
        with path.open("rb") as file:
            streams = ole.root_streams(file)
    except ValueError as error:
        raise CorruptDocument(f"{path}: {error}") from error
    if "EncryptedPackage" in streams:
        return _encrypted_package(declared)
    for stream, name in _OLD_OFFICE:
        if stream in streams:
            return TYPES[name]
    if "__properties_version1.0" in streams:
        return TYPES["msg"]
    raise UnsupportedType(f"{path}: an OLE2 file that is no Word, Excel, PowerPoint or Outlook document")


def _encrypted_package(declared: str) -> DocumentType:
    """What is inside shows after decryption only; until then its name has to do."""
    kind = named(declared)
    name = kind.name if kind and kind.converter == "office" else "docx"
    return replace(TYPES[_OLD_NAMES.get(name, name)], encrypted=True)


def _plain_text(path: Path, declared: str, head: bytes) -> DocumentType:
    if name := _marked_up(head):
        return TYPES[name]
    if not looks_like_text(head):
        raise _misnamed(path, declared, "binary data of no known type")
    kind = named(declared)
    if kind and kind.name in TEXT_TYPES:
        return kind
    if declared in _WEB_PAGES_SAVED_AS and looks_like_html(head):
        return TYPES["html"]
    raise _misnamed(path, declared, "plain text")


def _marked_up(head: bytes) -> str | None:
    """Flat OpenDocument by its mimetype, SVG by its first element."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = decode(head, partial=True).encode()
    if (
        not head.removeprefix(codecs.BOM_UTF8)
        .lstrip()
        .startswith((b"<?xml", b"<svg", b"<office:", b"<!DOCTYPE svg"))
    ):
        return None
    if found := _FLAT.search(head):
        return {b"text": "fodt", b"spreadsheet": "fods", b"presentation": "fodp"}.get(found[1])
    root = _ROOT.search(head)
    return "svg" if root and root[1].rpartition(b":")[2] == b"svg" else None


def _misnamed(path: Path, declared: str, what: str) -> DocumentError:
    if declared in SUFFIXES | ARCHIVE_SUFFIXES:
        return CorruptDocument(f"{path}: {what}, not the {declared[1:]} that its name says")
    return UnsupportedType(f"{path}: {what}; no converter reads it")
