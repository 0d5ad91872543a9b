"""Puts the parts of a wide and low sheet below each other, where each would leave its page nearly empty.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it stands alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_FORMULA = 16
"""com.sun.star.sheet.CellFlags."""
_GAP = 1
"""Empty rows between two parts."""
_MOST_ROWS = 30
"""Rows of a sheet above which its parts have pages of their own."""
_LOW = 0.45
"""Share of a page's height that a part may take, to stand below another."""


class Stack(NamedTuple):
    """Where the parts are to stand."""

    keys: list[int]
    """Columns that stand before each part."""
    parts: list[list[int]]
    """Columns of each part; the first stays where it is."""
    widths: dict[int, float]
    """Of the columns in which the parts stand."""


def stacked(columns: Sequence[int], keys: Sequence[int], widths: Mapping[int, float], room: float) -> Stack:
    """As many columns side by side as fit, whichever part stands in them."""
    rest = [column for column in columns if column not in keys]
    free = room - sum(widths[key] for key in keys)
    count = max(1, _first_that_fits(rest, widths, free))
    parts = [rest[at : at + count] for at in range(0, len(rest), count)]
    broad = _broadest(parts, widths)
    return Stack(list(keys), parts, {key: widths[key] for key in keys} | dict(zip(rest, broad, strict=False)))


def _first_that_fits(rest: Sequence[int], widths: Mapping[int, float], free: float) -> int:
    most = sum(total <= free for total in itertools.accumulate(sorted(widths[one] for one in rest)))
    for count in range(most, 0, -1):
        parts = [rest[at : at + count] for at in range(0, len(rest), count)]
        if sum(_broadest(parts, widths)) <= free:
            return count
    return 1


def _broadest(parts: Sequence[Sequence[int]], widths: Mapping[int, float]) -> list[float]:
    places = itertools.zip_longest(*([widths[one] for one in part] for part in parts), fillvalue=0.0)
    return [max(place) for place in places]


def is_low(
    sheet: Any, area: Any, rows: Sequence[int], columns: Sequence[int], height: float, page: float
) -> bool:
    """Whether the sheet is a plain block of values, `height` of them in 1/100 mm, that is low on a page."""
    unbroken = len(rows) == area.bottom - area.top + 1 and len(columns) == area.right - area.left + 1
    if not unbroken or len(rows) > _MOST_ROWS or height > _LOW * page:
        return False
    return not sheet.getCellRangeByPosition(*area).queryContentCells(_FORMULA).getCount()


def put_below(sheet: Any, area: Any, stack: Stack) -> list[int]:
    """Copy all parts but the first to new rows below, with their keys; returns the first row of each part."""
    high = area.bottom - area.top + 1
    starts = [area.top]
    for part in stack.parts[1:]:
        top = starts[-1] + high + _GAP
        for source in filter(None, (stack.keys, part)):
            across = stack.keys if source is stack.keys else stack.parts[0]
            copied = sheet.getCellRangeByPosition(source[0], area.top, source[-1], area.bottom)
            target = sheet.getCellByPosition(across[0], top).getCellAddress()
            sheet.copyRange(target, copied.getRangeAddress())
        starts.append(top)
    return starts


def break_pages(sheet: Any, starts: Sequence[int], high: int, page: float) -> None:
    """Let a part that the page's end would cut begin the next page."""
    begun = sheet.getCellByPosition(0, starts[0]).Position.Y
    for start in starts[1:]:
        end = sheet.getCellByPosition(0, start + high).Position.Y
        if end - begun > page:
            sheet.Rows.getByIndex(start).IsStartOfNewPage = True
            begun = sheet.getCellByPosition(0, start).Position.Y
