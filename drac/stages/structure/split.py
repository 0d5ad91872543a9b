"""Blocks too large for the embedding window are cut into pieces; not a character is lost.

Cuts are looked for level by level: items, nested items, sentences, lines, white space, and characters
only where one word alone is too large. A table or code goes by lines before sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil
from unicodedata import combining

from drac.records import ElementKind
from drac.stages.structure.blocks import Block, Part
from drac.stages.tokens import estimate_tokens

Stretch = tuple[int, int]
"""Start and end in the block's text, in code points, end exclusive."""

_ROOM = 0.75
"""Share of the window that a piece may fill; the rest is for the headings above it."""
_MARKER = r"(?:[-*+•]|\d{1,9}[.)])[ \t]"
_ITEMS = re.compile(rf"(?<=[\r\n])(?={_MARKER})")
_NESTED = re.compile(rf"(?<=[\r\n])(?=[ \t]*{_MARKER})")
_PARAGRAPHS = re.compile(r"\r?\n[ \t]*\r?\n")
_LINES = re.compile(r"\r\n?|\n")
_SENTENCES = re.compile(r"[.!?…]+[\"'”’)\]*_]*\s+(?=[^a-z\s])|[。！？；…]+[”’」』）]*|(?<=[:;])\s*\n")
_CLAUSES = re.compile(r"[,;:]\s+|[，、：]")
_SPACES = re.compile(r"\s+")
_LEVELS = {
    ElementKind.LIST: (_ITEMS, _NESTED, _SENTENCES, _LINES, _CLAUSES, _SPACES),
    ElementKind.CODE: (_PARAGRAPHS, _LINES, _SPACES),
}
_TEXT = (_PARAGRAPHS, _SENTENCES, _LINES, _CLAUSES, _SPACES)
_TABLE = (_LINES, _SENTENCES, _CLAUSES, _SPACES)


def split_oversize(block: Block, pages: Mapping[int, str], window: int) -> Iterator[Block]:
    """The block itself if it fits `window` estimated tokens, else its pieces, in order.

    `pages` gives the Markdown of each page. A heading too large to be one becomes a paragraph.
    """
    text = " ".join(pages[part.page][part.start : part.end] for part in block.parts)
    if len(text) <= window // 3 or estimate_tokens(text) <= window:
        yield block
        return
    kind = ElementKind.PARAGRAPH if block.kind is ElementKind.HEADING else block.kind
    levels = _TABLE if text.startswith("|") else _LEVELS.get(kind, _TEXT)
    limit = max(1, int(window * _ROOM))
    for stretch in _cut(text, (0, len(text)), levels, limit):
        if parts := tuple(_parts(block, stretch, text)):
            yield replace(block, kind=kind, level=0, parts=parts)


def _cut(text: str, whole: Stretch, levels: tuple[re.Pattern[str], ...], limit: int) -> Iterator[Stretch]:
    """Pieces of at most `limit` estimated tokens, cut at the coarsest level that makes them fit."""
    if estimate_tokens(text[slice(*whole)]) <= limit:
        yield whole
    elif not levels:
        yield from _hard_cut(text, whole, limit)
    else:
        for piece, fits in _pack(text, _at(text, whole, levels[0]), limit):
            yield from [piece] if fits else _cut(text, piece, levels[1:], limit)


def _at(text: str, whole: Stretch, level: re.Pattern[str]) -> list[Stretch]:
    start, end = whole
    ends = [match.end() for match in level.finditer(text, start, end) if start < match.end() < end]
    return list(zip([start, *ends], [*ends, end], strict=True))


def _pack(text: str, units: list[Stretch], limit: int) -> Iterator[tuple[Stretch, bool]]:
    """Neighbouring units joined into pieces of about equal size; (piece, whether it fits)."""
    sizes = [estimate_tokens(text[start:end]) for start, end in units]
    aim = sum(sizes) / max(1, ceil(sum(sizes) / limit))
    start, size = units[0][0], 0
    for (unit_start, _), unit in zip(units, sizes, strict=True):
        if size and (size + unit > limit or size + unit / 2 > aim):
            yield (start, unit_start), size <= limit
            start, size = unit_start, 0
        size += unit
    yield (start, units[-1][1]), size <= limit


def _hard_cut(text: str, whole: Stretch, limit: int) -> Iterator[Stretch]:
    """Cut one word; halves until they fit, never between a letter and its combining marks."""
    start, end = whole
    if end - start < 2 or estimate_tokens(text[start:end]) <= limit:
        yield whole
        return
    middle = (start + end) // 2
    while middle < end - 1 and combining(text[middle]):
        middle += 1
    yield from _hard_cut(text, (start, middle), limit)
    yield from _hard_cut(text, (middle, end), limit)


def _parts(block: Block, stretch: Stretch, text: str) -> Iterator[Part]:
    """The stretch of the block's text as parts on its pages, white space at their ends left out."""
    at = 0
    for part in block.parts:
        low = max(stretch[0], at)
        high = min(stretch[1], at + part.end - part.start)
        piece = text[low:high]
        if piece.strip():
            start = part.start + low - at + len(piece) - len(piece.lstrip())
            yield replace(part, start=start, end=start + len(piece.strip()))
        at += part.end - part.start + 1
