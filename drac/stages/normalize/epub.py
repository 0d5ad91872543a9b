"""The chapters of an e-book and their order, as its package says (EPUB 3.3, 4.2 and 5)."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from drac.errors import CorruptDocument, EncryptedDocument

EPUB = "application/epub+zip"
"""The package's `mimetype`."""
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PART_READ = 20_000_000
"""Bytes read of a part that describes the package."""
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms that hide a book's fonts and nothing else."""
_CHAPTERS = ("application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document")


@dataclass(frozen=True, slots=True)
class Chapter:
    """One document of the spine."""

    name: str
    """The part's name in the package."""
    is_picture: bool
    """Whether the part is an image, not a page."""


@dataclass(frozen=True, slots=True)
class Book:
    """A book's reading order."""

    chapters: tuple[Chapter, ...]
    """All that the spine names and the package has; auxiliary ones (`linear="no"`) too."""
    missing: tuple[str, ...]
    """What the spine names and the package lacks."""


def is_epub(package: zipfile.ZipFile) -> bool:
    """Whether a package is an e-book: by its `mimetype`, or where that is missing by its container file."""
    names = package.namelist()
    if "mimetype" in names:
        return package.read("mimetype")[:100].strip() == EPUB.encode()
    return _CONTAINER in names


def check_unprotected(path: Path, package: zipfile.ZipFile) -> None:
    """Raise EncryptedDocument for a book under digital rights management."""
    if _ENCRYPTION not in package.namelist():
        return
    root = _parsed(path, package, _ENCRYPTION)
    used = {one.get("Algorithm", "") for one in root.iter() if _local(one) == "EncryptionMethod"}
    if used - set(_FONTS_ONLY):
        raise EncryptedDocument(
            f"{path}: an e-book under copy protection (DRM)",
            remedy="Get a copy without protection from its publisher.",
        )


def read_book(path: Path, package: zipfile.ZipFile) -> Book:
    """The book's chapters in reading order; raises CorruptDocument where no list of them can be read."""
    opf = _package_document(path, package)
    root = _parsed(path, package, opf)
    items = {one.get("id"): one for one in root.iter() if _local(one) == "item"}
    order = [one.get("idref") for one in root.iter() if _local(one) == "itemref"]
    listed = [items[one] for one in order if one in items] or [
        one for one in items.values() if one.get("media-type") in _CHAPTERS
    ]
    missing = [f"idref {one}" for one in order if one not in items]
    names = {name.casefold(): name for name in package.namelist()}
    chapters = []
    for item in listed:
        named = _resolved(opf, item.get("href", ""))
        if part := names.get(named.casefold()):
            chapters.append(Chapter(part, item.get("media-type", "").startswith("image/")))
        else:
            missing.append(named)
    return Book(tuple(chapters), tuple(missing))


def _package_document(path: Path, package: zipfile.ZipFile) -> str:
    """Name of the part that lists the chapters."""
    names = package.namelist()
    if _CONTAINER in names:
        files = (one for one in _parsed(path, package, _CONTAINER).iter() if _local(one) == "rootfile")
        named = next((unquote(one.get("full-path", "")) for one in files), "")
        if named in names:
            return named
    found = sorted(name for name in names if name.lower().endswith(".opf"))
    if not found:
        raise CorruptDocument(f"{path}: an e-book without the part that lists its chapters")
    return found[0]


def _parsed(path: Path, package: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with package.open(name) as part:
        data = part.read(_PART_READ)
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise CorruptDocument(f"{path}: an e-book whose {name} cannot be read ({error})") from error


def _resolved(opf: str, href: str) -> str:
    inside = unquote(urlsplit(href).path)
    return posixpath.normpath(posixpath.join(posixpath.dirname(opf), inside)).lstrip("/")


def _local(element: ElementTree.Element) -> str:
    """The element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]
