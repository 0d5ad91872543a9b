"""Which Office file, OpenDocument file or e-book a zip package is."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from drac.errors import CorruptDocument, LimitExceeded, UnsupportedType
from drac.stages.normalize.epub import check_unprotected, is_epub

MAX_UNPACKED = 2_000_000_000
"""Bytes of a package's parts together; a larger one is refused unopened (a decompression bomb)."""

_PACKAGE = frozenset({"[Content_Types].xml", "mimetype", "META-INF/container.xml"})
"""Parts by which a package shows that it is one."""
_PART_READ = 1_000_000
"""Bytes read of a part that names the type."""

_OOXML = {
    b"wordprocessingml.document.main": "docx",
    b"wordprocessingml.template.main": "docx",
    b"ms-word.document.macroenabled": "docm",
    b"ms-word.template.macroenabledtemplate": "docm",
    b"presentationml.presentation.main": "pptx",
    b"presentationml.slideshow.main": "pptx",
    b"presentationml.template.main": "pptx",
    b"ms-powerpoint.presentation.macroenabled": "pptm",
    b"ms-powerpoint.slideshow.macroenabled": "pptm",
    b"ms-powerpoint.template.macroenabled": "pptm",
    b"spreadsheetml.sheet.main": "xlsx",
    b"spreadsheetml.template.main": "xlsx",
    b"ms-excel.sheet.macroenabled": "xlsm",
    b"ms-excel.template.macroenabled": "xlsm",
}
_OPENDOCUMENT = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
}


def package_type(path: Path, *, may_be_archive: bool = False) -> tuple[str, bool]:
    """Name of the type and whether the package is encrypted; raises DocumentError.

    `may_be_archive`: whether a zip file that is no package is an archive, `zip`, and not an error.
    """
    try:
        with zipfile.ZipFile(path) as package:
            if may_be_archive and not _PACKAGE & set(package.namelist()):
                return "zip", False
            _check_size(path, package)
            return _named(path, package)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorruptDocument(f"{path}: a damaged or truncated zip package ({error})") from error


def _named(path: Path, package: zipfile.ZipFile) -> tuple[str, bool]:
    parts = set(package.namelist())
    if "[Content_Types].xml" in parts:
        return _ooxml(path, _part(package, "[Content_Types].xml").lower()), False
    if is_epub(package):
        check_unprotected(path, package)
        return "epub", False
    if "mimetype" in parts:
        return _opendocument(path, package, parts)
    raise UnsupportedType(f"{path}: a zip archive that is no Office document", remedy="Unpack it first.")


def _ooxml(path: Path, content_types: bytes) -> str:
    found = [(content_types.find(mark), name) for mark, name in _OOXML.items() if mark in content_types]
    if not found:
        raise UnsupportedType(f"{path}: an Office package of a type that is not read")
    return min(found)[1]


def _opendocument(path: Path, package: zipfile.ZipFile, parts: set[str]) -> tuple[str, bool]:
    declared = _part(package, "mimetype").decode("latin-1").strip()
    if declared not in _OPENDOCUMENT:
        raise UnsupportedType(f"{path}: a package of type {declared[:80]!r}, which is not read")
    manifest = _part(package, "META-INF/manifest.xml") if "META-INF/manifest.xml" in parts else b""
    return _OPENDOCUMENT[declared], b"encryption-data" in manifest


def _part(package: zipfile.ZipFile, name: str) -> bytes:
    with package.open(name) as part:
        return part.read(_PART_READ)


def _check_size(path: Path, package: zipfile.ZipFile) -> None:
    unpacked = sum(part.file_size for part in package.infolist())
    if unpacked > MAX_UNPACKED:
        raise LimitExceeded(f"{path}: unpacks to {unpacked:,} bytes; the limit is {MAX_UNPACKED:,}")
