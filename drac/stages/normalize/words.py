"""Whether a PDF that was made of a document plausibly holds its text.

A rough check against PDFs that are empty or of another document, not a count of what is missing.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import ParseError, iterparse

IMPLAUSIBLE = 0.05
"""Share of words found below which a PDF is not believed; hidden and overflowing text may be half."""
_ENOUGH = 20
"""Different words below which a document says too little to judge by."""
_MOST = 50_000_000
"""Bytes read of a part."""

_BODY = {
    ".docx": r"word/document\d*\.xml",
    ".pptx": r"ppt/slides/slide\d+\.xml",
    ".odt": r"content\.xml",
    ".odp": r"content\.xml",
}
"""Parts that hold the text. Workbooks are left out: hidden sheets and number formats prove nothing."""
_SAME = {".docm": ".docx", ".pptm": ".pptx"}
_WORD = re.compile(r"[^\W\d_]{3,}")


def words_found(source: Path, suffix: str, pdf_text: str) -> float | None:
    """Share, 0.0 to 1.0, of the different words of `source` that `pdf_text` has.

    None where the source says too little, is of another type, or cannot be read here (an encrypted one).
    """
    pattern = _BODY.get(_SAME.get(suffix, suffix))
    if pattern is None:
        return None
    try:
        words = {word.casefold() for text in _texts(source, pattern) for word in _WORD.findall(text)}
    except (OSError, zipfile.BadZipFile, zlib.error, ParseError, RuntimeError, NotImplementedError):
        return None
    if len(words) < _ENOUGH:
        return None
    there = "".join(pdf_text.split()).casefold()
    return sum(word in there for word in words) / len(words)


def _texts(source: Path, pattern: str) -> Iterator[str]:
    """Text of each paragraph, whose runs may part a word."""
    with zipfile.ZipFile(source) as package:
        for name in package.namelist():
            if re.fullmatch(pattern, name):
                with package.open(name) as part:
                    yield from _paragraphs(part.read(_MOST))


def _paragraphs(data: bytes) -> Iterator[str]:
    for _, element in iterparse(io.BytesIO(data)):
        if element.tag.rpartition("}")[2] in ("p", "h"):
            yield "".join(element.itertext())
            element.clear()
