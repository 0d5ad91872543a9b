"""Stage 1: any document becomes a PDF that holds the pages its reader would see.

This package says what a file is; the adapters of `ports.PdfConverter` do the work. Types are found
by content, never by the file's name alone.
"""

from __future__ import annotations

from drac.stages.normalize.detect import detect
from drac.stages.normalize.fonts import asked_fonts, same_widths
from drac.stages.normalize.kinds import (
    ARCHIVE_SUFFIXES,
    CONTAINERS,
    SUFFIXES,
    ConverterName,
    DocumentType,
    as_native,
)
from drac.stages.normalize.stage import run
from drac.stages.normalize.words import ENOUGH, IMPLAUSIBLE, compare

NAME = "normalize"
VERSION = "4"
"""Raised whenever the same source and tools would give another PDF."""

__all__ = [
    "ARCHIVE_SUFFIXES", "CONTAINERS", "ENOUGH", "IMPLAUSIBLE", "NAME", "SUFFIXES", "VERSION", "ConverterName",
    "DocumentType", "as_native", "asked_fonts", "compare", "detect", "run", "same_widths",
]  # fmt: skip
