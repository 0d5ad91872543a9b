"""Reading order of boxes: columns before rows where a gutter is clear of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from drac.records import Box
from drac.stages.convert.page import union

T = TypeVar("T")
_GUTTER = 5.0
"""Points of white between two columns, at least (measured on two-column papers: 10 to 20)."""
_COLUMN_SHARE = 0.2
"""A column's share of the width of the boxes around it, at least; less is a margin note or label."""


def reading_order(items: Sequence[T], box: Callable[[T], Box]) -> list[T]:
    """Sort `items` into reading order by recursive cuts; ties go top to bottom, left to right."""
    if len(items) < 2:
        return list(items)
    if halves := _columns(items, box):
        return [one for half in halves for one in reading_order(half, box)]
    runs = _runs(_bands(items, box), box)
    if len(runs) == 1:
        return sorted(items, key=lambda one: (box(one)[1], box(one)[0]))
    return [one for run in runs for one in reading_order(run, box)]


def _columns(items: Sequence[T], box: Callable[[T], Box]) -> tuple[list[T], list[T]] | None:
    """Cut at the widest gutter that no item crosses and that leaves two real columns."""
    by_left = sorted(items, key=lambda one: box(one)[0])
    whole = union(box(one) for one in items)
    best, reach, gap = 0, box(by_left[0])[2], _GUTTER
    for place, item in enumerate(by_left[1:], 1):
        white = box(item)[0] - reach
        wide = min(reach - whole[0], whole[2] - box(item)[0]) >= _COLUMN_SHARE * (whole[2] - whole[0])
        if white >= gap and wide:
            best, gap = place, white
        reach = max(reach, box(item)[2])
    if not best or _is_above(by_left[best:], by_left[:best], box):
        return None
    return by_left[:best], by_left[best:]


def _is_above(right: Sequence[T], left: Sequence[T], box: Callable[[T], Box]) -> bool:
    """Whether what stands on the right ends where the left begins, as a short title above its text."""
    return max(box(one)[3] for one in right) <= min(box(one)[1] for one in left)


def _bands(items: Sequence[T], box: Callable[[T], Box]) -> list[list[T]]:
    """Groups that a horizontal white line parts, top to bottom."""
    by_top = sorted(items, key=lambda one: box(one)[1])
    bands, reach = [[by_top[0]]], box(by_top[0])[3]
    for item in by_top[1:]:
        if box(item)[1] >= reach - 1.0:
            bands.append([item])
        else:
            bands[-1].append(item)
        reach = max(reach, box(item)[3])
    return bands


def _runs(bands: Sequence[list[T]], box: Callable[[T], Box]) -> list[list[T]]:
    """Neighbouring bands that share a gutter go together, so that a column is read to its end."""
    runs: list[list[T]] = []
    for band in bands:
        if runs and _columns(runs[-1] + band, box):
            runs[-1] = runs[-1] + band
        else:
            runs.append(list(band))
    return runs
