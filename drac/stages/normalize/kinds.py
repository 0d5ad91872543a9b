"""The document types that are read, and which converter reads each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ConverterName = Literal["pdf", "office", "image", "html", "epub"]


@dataclass(frozen=True, slots=True)
class DocumentType:
    """What a file is by its content."""

    name: str
    """Short name, e.g. `pdf`, `docx`, `png`; the usual suffix without its dot."""
    converter: ConverterName
    """Which converter turns it into a PDF."""
    suffix: str
    """Usual suffix with its dot, lower case; what the converter is told."""
    encrypted: bool = False
    """Whether it opens with a password only, where that shows without opening it."""


_CONVERTERS: dict[ConverterName, str] = {
    "pdf": "pdf",
    "office": "doc docx docm odt fodt rtf txt ppt pptx pptm odp fodp xls xlsx xlsm ods fods csv tsv",
    "html": "html md svg",
    "epub": "epub",
    "image": "png jpg webp bmp gif tif",
}

TYPES = {
    name: DocumentType(name, converter, f".{name}")
    for converter, names in _CONVERTERS.items()
    for name in names.split()
}
"""Every type that is read, by name."""

ALIASES = {"htm": "html", "jpeg": "jpg", "tiff": "tif"}
"""Other suffixes of a type."""

SUFFIXES = frozenset(kind.suffix for kind in TYPES.values()) | {f".{name}" for name in ALIASES}
"""Suffixes, lower case with dot, that a folder is searched for."""

TEXT_TYPES = frozenset({"html", "md", "txt", "csv", "tsv"})
"""Types without a signature: only here does the suffix decide."""


def named(suffix: str) -> DocumentType | None:
    """The type that a suffix (with dot, any case) declares, or None."""
    name = suffix.lower().removeprefix(".")
    return TYPES.get(ALIASES.get(name, name))
