"""Pieces of a page too large to be looked at in one: where they are cut, and what several of them see."""

from __future__ import annotations

import math
from collections.abc import Iterable

from drac.records import Box
from drac.stages.convert.page import union

_BESIDE = 0.6
"""Share of the thinner line's thickness that two boxes of one line have in common."""
_ALONG = 0.5
"""The same along the line, from which they are no neighbours that touch."""


def spans(length: int, most: int, overlap: int) -> list[tuple[int, int]]:
    """(start, end) of pieces of at most `most`, equally long, that each share `overlap` with the next."""
    if length <= most:
        return [(0, length)]
    count = math.ceil((length - overlap) / (most - overlap))
    step = (length - overlap) / count
    return [(round(n * step), min(length, round((n + 1) * step) + overlap)) for n in range(count)]


def moved(box: Box, across: float, down: float) -> Box:
    """The box shifted."""
    return (box[0] + across, box[1] + down, box[2] + across, box[3] + down)


def joined(boxes: Iterable[Box], more: Iterable[Box]) -> list[Box]:
    """`boxes` and `more`, of lines that two pieces see, as one list: boxes of one line become one."""
    kept = list(boxes)
    for box in more:
        same = [other for other in kept if _is_same_line(box, other)]
        kept = [other for other in kept if other not in same]
        kept.append(union((box, *same)))
    return kept


def _is_same_line(box: Box, other: Box) -> bool:
    """Whether the boxes lie on each other, and are about as thick."""
    if box[3] - box[1] > box[2] - box[0]:
        box, other = (box[1], box[0], box[3], box[2]), (other[1], other[0], other[3], other[2])
    along = min(box[2], other[2]) - max(box[0], other[0])
    beside = min(box[3], other[3]) - max(box[1], other[1])
    thickness = min(box[3] - box[1], other[3] - other[1])
    return along > _ALONG * thickness and beside > _BESIDE * thickness
