"""Glyphs that the text layer has no character for: blank ones are dropped, others are read by OCR."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from drac.adapters.pymupdf_layout import mupdf
from drac.records import Box
from drac.stages.convert.page import union

_MOST_WORDS = 40
"""Words read by OCR for the glyphs of a page, at most."""
_MOST_LOST = 0.3
"""Share of lost glyphs from which a page is read by OCR as a whole."""
_DPI = 300
"""Of a word's picture for OCR."""
_GAP = 0.15
"""Heights of a glyph that are a space between words, at least."""
UNKNOWN = "\ufffd"
"""Stands for a glyph that stays unread; at a line's start it is a bullet."""
Place = tuple[float, float]
"""A glyph's origin, to a tenth of a point."""
_Glyph = dict[str, Any]
"""MuPDF's character: c, bbox, origin."""


def is_garbage(character: str) -> bool:
    """Whether a character says nothing: a replacement, private use, unassigned or a control."""
    return character == UNKNOWN or unicodedata.category(character) in ("Co", "Cn", "Cc")


@dataclass(slots=True)
class Mender:
    """What a document's glyphs without a character are.

    Learns while the document's facts are gathered, and is `closed` then, so that a page's text does not
    depend on the pages that a process happened to read before.
    """

    known: dict[tuple[str, int], str] = field(default_factory=dict)
    """Text by font, its subset's tag included, and glyph number."""
    closed: bool = False
    """Whether nothing is remembered any more."""

    def mend(self, page: Any, blocks: Sequence[dict[str, Any]], has_ink: Callable[[Box], bool]) -> int:
        """Put texts into the page's glyphs that have none, in place; return the number of dropped ones."""
        lost = [_is_lost(glyph["c"]) for _, glyphs in _lines(blocks) for glyph in glyphs]
        if not 0 < sum(lost) <= _MOST_LOST * len(lost):
            return 0
        numbers = _glyph_numbers(page)
        blank = _drop_blank(blocks, numbers, has_ink)
        found = dict(self.known)
        asked = 0
        for _, glyphs in _lines(blocks):
            for word in _unread(glyphs):
                keys = {numbers.get(_place(glyph)) for glyph in word if _is_lost(glyph["c"])}
                if keys - found.keys() and asked < _MOST_WORDS:
                    asked += 1
                    found.update(_read(page, word, numbers))
            for glyph in glyphs:
                if _is_lost(glyph["c"]):
                    key = numbers.get(_place(glyph))
                    glyph["c"] = found.get(key, UNKNOWN) if key else UNKNOWN
        if not self.closed:
            self.known = found
        return blank


def _is_lost(character: str) -> bool:
    """A noncharacter or the replacement character: nothing tells what it was."""
    return character in (UNKNOWN, "\uffff", "\ufffe")


def _lines(blocks: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[_Glyph]]]:
    """(line, its glyphs) of the text blocks."""
    for block in blocks:
        for line in block.get("lines", ()):
            yield line, [glyph for span in line["spans"] for glyph in span["chars"]]


def _place(glyph: _Glyph) -> Place:
    x, y = glyph["origin"]
    return round(x, 1), round(y, 1)


def _glyph_numbers(page: Any) -> dict[Place, tuple[str, int]]:
    """(font, glyph number) by place."""
    tools = mupdf().TOOLS
    before = tools.set_subset_fontnames()
    tools.set_subset_fontnames(True)
    try:
        trace = page.get_texttrace()
    finally:
        tools.set_subset_fontnames(before)
    return {
        (round(x, 1), round(y, 1)): (span["font"], number)
        for span in trace
        for _, number, (x, y), _ in span["chars"]
    }


def _drop_blank(
    blocks: Sequence[dict[str, Any]], numbers: dict[Place, tuple[str, int]], has_ink: Callable[[Box], bool]
) -> int:
    """Take out lost glyphs that print nothing; those that the font has, or before a gap, are a space."""
    dropped = 0
    for line, glyphs in _lines(blocks):
        gone = set()
        for glyph, after in zip(glyphs, [*glyphs[1:], None], strict=True):
            if _is_lost(glyph["c"]) and not has_ink(_middle(glyph["bbox"])):
                lacking = numbers.get(_place(glyph), ("", 0))[1] == 0
                dropped += lacking
                glyph["c"] = " "
                if lacking and not (after and _is_gap(glyph, after)):
                    gone.add(id(glyph))
        for span in line["spans"]:
            span["chars"] = [glyph for glyph in span["chars"] if id(glyph) not in gone]
    return dropped


def _is_gap(glyph: _Glyph, after: _Glyph) -> bool:
    """Whether white that no space character accounts for stands between two glyphs."""
    height = glyph["bbox"][3] - glyph["bbox"][1]
    return not after["c"].isspace() and after["bbox"][0] - glyph["bbox"][2] > _GAP * height


def _middle(box: Box) -> Box:
    """The box without its sides, into which neighbours may reach."""
    x0, y0, x1, y1 = box
    side = 0.2 * (x1 - x0)
    return (x0 + side, y0, x1 - side, y1)


def _unread(glyphs: Sequence[_Glyph]) -> Iterator[list[_Glyph]]:
    """The words that hold a lost glyph; one that opens the line and stands alone is a bullet."""
    words: list[list[_Glyph]] = [[]]
    for glyph in glyphs:
        if glyph["c"].isspace():
            words.append([])
        else:
            words[-1].append(glyph)
    filled = [word for word in words if word]
    for place, word in enumerate(filled):
        if any(_is_lost(glyph["c"]) for glyph in word) and (place or len(word) > 1):
            yield word


def _read(
    page: Any, word: Sequence[_Glyph], numbers: dict[Place, tuple[str, int]]
) -> dict[tuple[str, int], str]:
    """The lost glyphs of a word by OCR of its picture; none where the rest of the word reads otherwise."""
    from drac.adapters.rapidocr import recognise_line

    text = recognise_line(_picture(page, union(glyph["bbox"] for glyph in word)))
    pattern = "".join("(.{1,2}?)" if _is_lost(glyph["c"]) else re.escape(glyph["c"]) for glyph in word)
    match = re.fullmatch(pattern, text.replace(" ", ""))
    if match is None:
        return {}
    lost = [numbers.get(_place(glyph)) for glyph in word if _is_lost(glyph["c"])]
    return {key: read for key, read in zip(lost, match.groups(), strict=True) if key and key[1]}


def _picture(page: Any, box: Box) -> np.ndarray[Any, np.dtype[np.uint8]]:
    pymupdf = mupdf()
    clip = pymupdf.Rect(box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2)
    pixels = page.get_pixmap(clip=clip, dpi=_DPI, colorspace=pymupdf.csRGB, alpha=False)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
