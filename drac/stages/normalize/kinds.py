"""The document types that are read, and which converter reads each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

ConverterName = Literal["pdf", "office", "image", "html", "epub", "mail", "archive", "native"]


@dataclass(frozen=True, slots=True)
class DocumentType:
    """What a file is by its content."""

    name: str
    """Short name, e.g. `pdf`, `docx`, `png`; the usual suffix without its dot."""
    converter: ConverterName
    """Which converter turns it into a PDF; `archive`: none, it is unpacked."""
    suffix: str
    """Usual suffix with its dot, lower case; what the converter is told."""
    encrypted: bool = False
    """Whether it opens with a password only, where that shows without opening it."""

    @property
    def artifact(self) -> str:
        """Name of the file that normalizing makes of it."""
        return f"document{self.suffix}" if self.converter == "native" else "document.pdf"


_CONVERTERS: dict[ConverterName, str] = {
    "pdf": "pdf",
    "office": "doc docx docm odt fodt rtf txt ppt pptx pptm odp fodp xls xlsx xlsm ods fods csv tsv",
    "html": "html md svg",
    "epub": "epub",
    "image": "png jpg webp bmp gif tif jp2 heic avif",
    "mail": "eml msg mhtml",
    "archive": "zip tar tgz",
}

TYPES = {
    name: DocumentType(name, converter, f".{name}")
    for converter, names in _CONVERTERS.items()
    for name in names.split()
}
"""Every type that is read, by name."""

ALIASES = {
    "htm": "html", "mht": "mhtml", "gz": "tgz", "heif": "heic",
    "jpeg": "jpg", "jfif": "jpg", "tiff": "tif", "j2k": "jp2",
}  # fmt: skip
"""Other suffixes of a type."""

NATIVE_TYPES = frozenset({"html", "md"})
"""Types that may be read as they stand, without a PDF."""

_NAMES = {name: name for name in TYPES} | ALIASES

ARCHIVE_SUFFIXES = frozenset(
    f".{name}" for name, meant in _NAMES.items() if TYPES[meant].converter == "archive"
)
"""Suffixes of archives, which are unpacked on request only."""

SUFFIXES = frozenset(f".{name}" for name in _NAMES) - ARCHIVE_SUFFIXES
"""Suffixes, lower case with dot, that a folder is searched for."""

CONTAINERS = frozenset({"eml", "msg", "zip", "tar", "tgz"})
"""Types that hold documents of their own."""

TEXT_TYPES = frozenset({"html", "md", "txt", "csv", "tsv"})
"""Types without a signature: only here does the suffix decide."""


def as_native(kind: DocumentType) -> DocumentType:
    """The type read as it stands where it may be; else as it is."""
    return replace(kind, converter="native") if kind.name in NATIVE_TYPES else kind


def named(suffix: str) -> DocumentType | None:
    """The type that a suffix (with dot, any case) declares, or None."""
    name = suffix.lower().removeprefix(".")
    return TYPES.get(ALIASES.get(name, name))
