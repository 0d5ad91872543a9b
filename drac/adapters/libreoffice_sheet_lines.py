"""Draws the lines between cells that a spreadsheet's window shows, where the file has none.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_HAIRLINE = 18
"""1/100 mm of the lines drawn."""
_GREY = 0x808080
_SIDES = ("TopLine", "BottomLine", "LeftLine", "RightLine", "HorizontalLine", "VerticalLine")
_EDGES = ("TopBorder2", "BottomBorder2", "LeftBorder2", "RightBorder2")


def draw(area: Any, formats: Iterable[Any]) -> None:
    """Around every cell of the area; the file's own lines stay. `formats`: its cells by their formats."""
    border = area.TableBorder2
    if _has_lines(border):
        for ranges in formats:
            _complete(ranges)
    else:
        area.TableBorder2 = _lined(border)


def _has_lines(border: Any) -> bool:
    """Whether there is one anywhere, or some cells have one and others none."""
    return any(not getattr(border, f"Is{side}Valid") or getattr(border, side).LineWidth for side in _SIDES)


def _lined(border: Any) -> Any:
    for side in _SIDES:
        setattr(border, side, _hairline(getattr(border, side)))
        setattr(border, f"Is{side}Valid", True)
    return border


def _complete(ranges: Any) -> None:
    """Of cells that all have the same format, the edges without a line get one."""
    cell = ranges.getByIndex(0).getCellByPosition(0, 0)
    for edge, line in zip(_EDGES, cell.getPropertyValues(_EDGES), strict=True):
        if not line.LineWidth:
            ranges.setPropertyValue(edge, _hairline(line))


def _hairline(line: Any) -> Any:
    line.LineWidth = line.OuterLineWidth = _HAIRLINE
    line.Color = _GREY
    return line
