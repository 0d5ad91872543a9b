"""Text that runs from right to left: what MuPDF leaves in the wrong order is put right.

MuPDF turns such a line round character by character. A ligature that stands for two letters, as that of lam
and alef, comes out with its letters swapped: first the second letter, without a width and at the right edge
of the other. The space between Arabic and digits comes at the line's start, so that only the gap tells
that there is one, and that at the line's end may come amid a word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from drac.records import Box
from drac.stages.convert.page import union

_FIRST = "\u0590"
"""No script that runs from right to left has an earlier character."""
_EDGE = 0.05
"""Points at most between a character without a width and the right edge of the glyph that it is part of."""
_TOUCH = 0.3
"""Points at most between letters of a word."""
_MIRROR = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_FLAT = 0.01
"""Points of width below which a character has none."""


def runs_left(text: str) -> bool:
    """Whether a character belongs to a script that runs from right to left."""
    return text >= _FIRST and unicodedata.bidirectional(text[:1]) in ("R", "AL")


def logical(glyphs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """MuPDF's glyphs of a span with the letters of ligatures in the order in which they are read.

    Each glyph has `c` and `bbox`.
    """
    ordered = list(_without_early_space(list(_as_printed(glyphs))))
    for place in range(len(ordered) - 1):
        first, second = ordered[place], ordered[place + 1]
        if runs_left(first["c"]) and _is_part(first, second):
            ordered[place : place + 2] = second, first
    return ordered


def _without_early_space(glyphs: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All but the space at a line's left end where it comes amid the letters of a word."""
    end = min((_at(one) for one in glyphs), default=0.0)
    for place, glyph in enumerate(glyphs):
        if glyph["c"] == " " and _at(glyph) == end and 0 < place < len(glyphs) - 1:
            before, after = glyphs[place - 1], glyphs[place + 1]
            both = runs_left(before["c"]) and runs_left(after["c"])
            if both and abs(_at(before) - after["bbox"][2]) < _TOUCH:
                continue
        yield glyph


def _as_printed(glyphs: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All but letters said of a mark's glyph, and marks said of a letter's, by LibreOffice.

    That takes what a letter and its mark stand for together, where they come first, for the meaning of each.
    """
    for place, glyph in enumerate(glyphs):
        after = glyphs[place + 1] if place + 1 < len(glyphs) else None
        before = glyphs[place - 1] if place else None
        if after and _is_mark(glyph) and _is_part(glyph, after):
            continue
        if (
            before
            and _is_mark(before)
            and _is_flat(glyph)
            and _at(glyph) == _at(before)
            and runs_left(glyph["c"])
            and glyph["c"] in _letters_beside(glyphs, place)
        ):
            continue
        yield glyph


def _letters_beside(glyphs: Sequence[dict[str, Any]], place: int) -> set[str]:
    """The letters before and after a place, past marks."""
    sides = (reversed(glyphs[:place]), glyphs[place + 1 :])
    letters = (next((one["c"] for one in side if not _is_mark(one)), "") for side in sides)
    return set(letters)


def _is_mark(glyph: dict[str, Any]) -> bool:
    return glyph["c"] >= _FIRST and unicodedata.combining(glyph["c"]) > 0 and _is_flat(glyph)


def _is_flat(glyph: dict[str, Any]) -> bool:
    return bool(glyph["bbox"][2] - glyph["bbox"][0] < _FLAT)


def _at(glyph: dict[str, Any]) -> float:
    return float(glyph["bbox"][0])


def _is_part(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether a glyph without a width stands for another character of the glyph after it."""
    edge = abs(_at(first) - second["bbox"][2]) < _EDGE
    return edge and _is_flat(first) and not _is_flat(second) and runs_left(second["c"])


def as_read(glyphs: Sequence[tuple[str, Box]]) -> list[int]:
    """Places of (character, box) of one text in the order of reading.

    MuPDF turns digits of Arabic's own round with the letters, and words that the PDF holds from left to right
    each by itself.
    """
    order = list(range(len(glyphs)))
    if is_visual(glyphs):
        order.sort(key=lambda place: -glyphs[place][1][2])
    read: list[int] = []
    for kind, run in groupby(order, key=lambda place: _digit_kind(glyphs[place][0])):
        group = list(run)
        turned = kind and all(glyphs[a][1][0] > glyphs[b][1][0] for a, b in pairwise(group))
        read += reversed(group) if turned else group
    return read


def mirrored(text: str) -> str:
    """A bracket or quotation mark as it is written in a text that runs to the left."""
    return text.translate(_MIRROR)


def is_visual(glyphs: Sequence[tuple[str, Box]]) -> bool:
    """Whether words of one script that runs to the left follow each other to the right, two or more."""
    kinds = {unicodedata.bidirectional(text[:1] or " ") for text, _ in glyphs}
    if kinds & {"L", "EN"} or not kinds & {"R", "AL"} or any(box[2] - box[0] < _FLAT for _, box in glyphs):
        return False
    parts = groupby(glyphs, key=lambda one: one[0] if one[0].isspace() else _digit_kind(one[0]))
    boxes = [union(box for _, box in part) for kind, part in parts if not kind.isspace()]
    return len(boxes) > 1 and all(a[2] <= b[0] + _TOUCH for a, b in pairwise(boxes))


def _digit_kind(text: str) -> str:
    return unicodedata.bidirectional(text) if text.isdecimal() and len(text) == 1 else ""


def wide_turns(glyphs: Sequence[tuple[str, Box]], least: float) -> list[int]:
    """Places where another column starts: the direction changes over `least` points or more."""
    if not any(runs_left(text) for text, _ in glyphs):
        return []
    return sorted(gaps(glyphs, least, digits_left=True))


def gaps(glyphs: Sequence[tuple[str, Box]], least: float, *, digits_left: bool = False) -> set[int]:
    """Places of (character, box) before which the direction changes over a gap of `least` points or more.

    `digits_left`: digits of Arabic's own count as its letters do.
    """
    runs = [list(run) for _, run in groupby(_directed(glyphs, digits_left), key=lambda one: one[1])]
    boxes = [union(glyphs[place][1] for place, _ in run) for run in runs]
    found = set()
    for before, after, run in zip(boxes, boxes[1:], runs[1:], strict=False):
        if max(before[0], after[0]) - min(before[2], after[2]) >= least:
            found.add(run[0][0])
    return found


def _directed(glyphs: Sequence[tuple[str, Box]], digits_left: bool) -> Iterator[tuple[int, bool]]:
    """(place, whether it runs to the left) of all but spaces; what has no direction follows what precedes."""
    left = False
    for place, (text, _) in enumerate(glyphs):
        if text.isspace():
            continue
        kind = unicodedata.bidirectional(text[:1])
        if kind in ("R", "AL", "L", "EN", "AN"):
            left = kind in ("R", "AL") or (digits_left and kind == "AN")
        yield place, left
