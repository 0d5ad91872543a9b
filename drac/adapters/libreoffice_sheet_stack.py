"""Puts the parts of a wide and low sheet below each other, where each would leave its page nearly empty.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it stands alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

_FORMULA = 16
"""com.sun.star.sheet.CellFlags."""
_GAP = 1
"""Empty rows between two parts."""
_MOST_COPIED, _MOST_PARTS = 200, 5_000
"""Parts that are copied with their formats, and those that are written as values."""
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


def is_stackable(parts: int, formats: Iterable[Any]) -> bool:
    """Whether so many parts are put below each other in bounded time, given the cells by their formats."""
    return parts <= _MOST_COPIED or (parts <= _MOST_PARTS and _is_plain(formats))


def _is_plain(formats: Iterable[Any]) -> bool:
    """Whether all values are shown as they are: no formats of numbers, no colours, no bold type."""
    return all(
        not ranges.NumberFormat and ranges.CellBackColor == -1 and ranges.CharWeight <= 100
        for ranges in formats
    )


def put_below(sheet: Any, area: Any, stack: Stack, formats: Iterable[Any]) -> list[int]:
    """Put all parts but the first on new rows below, with their keys; returns the first row of each part."""
    high = area.bottom - area.top + 1
    starts = [area.top + (high + _GAP) * place for place in range(len(stack.parts))]
    if len(stack.parts) > _MOST_COPIED or _is_plain(formats):
        _write(sheet, area, stack, starts)
    else:
        _copy(sheet, area, stack, starts)
    return starts


def _copy(sheet: Any, area: Any, stack: Stack, starts: Sequence[int]) -> None:
    """With their formats; each part takes a tenth of a second."""
    for part, top in zip(stack.parts[1:], starts[1:], strict=True):
        for source in filter(None, (stack.keys, part)):
            across = stack.keys if source is stack.keys else stack.parts[0]
            copied = sheet.getCellRangeByPosition(source[0], area.top, source[-1], area.bottom)
            target = sheet.getCellByPosition(across[0], top).getCellAddress()
            sheet.copyRange(target, copied.getRangeAddress())


def _write(sheet: Any, area: Any, stack: Stack, starts: Sequence[int]) -> None:
    """All values in one call, then the lines of each part."""
    whole = sheet.getCellRangeByPosition(*area)
    data, border = whole.getDataArray(), whole.TableBorder2
    across = [*stack.keys, *stack.parts[0]]
    rows: list[tuple[Any, ...]] = []
    for part in stack.parts[1:]:
        taken = [column - area.left for column in (*stack.keys, *part)]
        spare = ("",) * (len(across) - len(taken))
        rows += [("",) * len(across)] * _GAP
        rows += [(*(line[one] for one in taken), *spare) for line in data]
    below = sheet.getCellRangeByPosition(across[0], area.bottom + 1, across[-1], area.bottom + len(rows))
    below.setDataArray(tuple(rows))
    below.IsTextWrapped = True
    for part, top in zip(stack.parts[1:], starts[1:], strict=True):
        right = across[len(stack.keys) + len(part) - 1]
        bottom = top + area.bottom - area.top
        sheet.getCellRangeByPosition(across[0], top, right, bottom).TableBorder2 = border


def break_pages(sheet: Any, starts: Sequence[int], high: int, page: float) -> None:
    """Let a part that the page's end would cut begin the next page."""
    begun = sheet.getCellByPosition(0, starts[0]).Position.Y
    for start in starts[1:]:
        end = sheet.getCellByPosition(0, start + high).Position.Y
        if end - begun > page:
            sheet.Rows.getByIndex(start).IsStartOfNewPage = True
            begun = sheet.getCellByPosition(0, start).Position.Y
