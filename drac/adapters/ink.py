"""Where the characters of a recognised line stand: the gaps in its ink nearest to where each was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

_CONTRAST = 0.45
"""Share of the way from the paper to the line's strongest ink from which a pixel is ink."""
_FAINT = 24.0
"""Grey levels from the paper below which nothing is ink."""
_EDGE = 0.12
"""Share of a line's box at its top and foot that is left out: neighbours and ruling lines reach in."""
_WORD_GAP = 0.26
"""Heights of a line's box from which a gap that the recogniser left unsaid parts words."""
_WIDER = 2.5
"""Times that such a gap must be as wide as the usual one between letters."""

_AS_SAID = 0.75
"""Share of the line's own spaces that it must be as wide as."""
_AWAY = 1.5
"""Pixels of a gap's width that a pixel between its middle and the expected one weighs as much as."""
_DENSE = 0x2E80
"""First character of scripts that are written without spaces."""

Gap = tuple[int, int]
"""First blank column of pixels, and the column after the last."""
Span = tuple[float, float]
"""Where a character starts and ends, in pixels of its line."""


def ink_columns(line: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Which columns of pixels of an image of one line hold ink, dark on light or light on dark."""
    trim = round(_EDGE * line.shape[0])
    grey = line[trim : line.shape[0] - trim].astype(np.float32).mean(axis=2)
    away = np.abs(grey - np.median(grey))
    least = max(_FAINT, _CONTRAST * float(np.quantile(away, 0.99)))
    ink: npt.NDArray[np.bool_] = np.any(away > least, axis=0)
    return ink


def gaps_of(ink: npt.NDArray[np.bool_]) -> list[Gap]:
    """Runs of columns without ink, from left to right."""
    padded = np.concatenate(([True], ink, [True]))
    turns: Any = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(start), int(end)) for start, end in zip(turns[::2], turns[1::2], strict=True)]


def glyph_spans(text: str, seen: Sequence[float], gaps: Sequence[Gap], width: int) -> list[Span]:
    """(start, end) of each character of `text`, spaces included.

    `seen` is where the recogniser saw each, in pixels; between two neighbours the widest gap parts them,
    where they touch the middle does. A space has the gap itself.
    """
    solid = [place for place, character in enumerate(text) if not character.isspace()]
    if not solid:
        return [(0.0, float(width))] * len(text)
    first, last = seen[solid[0]], seen[solid[-1]]
    start = max((end for begin, end in gaps if end <= first), default=0)
    end = min((begin for begin, end in gaps if begin >= last), default=width)
    cuts: list[Span] = []
    for left, right in pairwise(solid):
        floor = cuts[-1][1] if cuts else float(start)
        cuts.append(_cut(seen[left], seen[right], gaps, floor))
    starts = [float(start), *(cut[1] for cut in cuts)]
    ends = [*(cut[0] for cut in cuts), max(float(end), starts[-1])]
    spans = dict(zip(solid, zip(starts, ends, strict=True), strict=True))
    found: list[Span] = []
    for place, character in enumerate(text):
        behind = found[-1][1] if found else float(start)
        found.append(_gap_at(place, behind, solid, spans) if character.isspace() else spans[place])
    return found


def _gap_at(place: int, behind: float, solid: Sequence[int], spans: Mapping[int, Span]) -> Span:
    return (behind, next((spans[one][0] for one in solid if one > place), behind))


def _cut(left: float, right: float, gaps: Sequence[Gap], floor: float) -> Span:
    """The gap between two characters' places: wide, and near the middle; else the middle itself.

    A narrow letter is seen up to its own width late, so that a gap behind it may lie between the two.
    """
    middle = max((left + right) / 2, floor)
    between = [gap for gap in gaps if gap[0] >= floor and left - 1 < (gap[0] + gap[1]) / 2 < right + 2]
    if not between:
        return (middle, middle)
    start, end = max(between, key=lambda gap: gap[1] - gap[0] - _AWAY * abs((gap[0] + gap[1]) / 2 - middle))
    return (float(start), float(end))


def with_spaces(text: str, spans: Sequence[Span], height: float) -> list[int]:
    """Places in `text` before which a space is printed that the recogniser left out.

    `height` is that of the line's box. Ideographs and kana stand apart without being words of their own.
    """
    pairs = [place for place in range(1, len(spans)) if _are_letters(text[place - 1 : place + 1])]
    gaps = {place: spans[place][0] - spans[place - 1][1] for place in pairs}
    usual = float(np.median(list(gaps.values()))) if gaps else 0.0
    said = [end - start for one, (start, end) in zip(text, spans, strict=False) if one.isspace()]
    least = max(_WORD_GAP * height, _WIDER * usual, _AS_SAID * float(np.median(said)) if said else 0.0)
    return [
        place
        for place, gap in gaps.items()
        if gap > least and text[place].isalnum() and _ends(text[place - 1])
    ]


def _are_letters(pair: str) -> bool:
    return not any(one.isspace() or ord(one) >= _DENSE for one in pair)


def _ends(character: str) -> bool:
    return character.isalnum() or character in ".,;:)]!?%&"
