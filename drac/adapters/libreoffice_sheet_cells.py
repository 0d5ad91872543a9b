"""Reads what a spreadsheet holds and how it is shown, in few calls: each takes up to a millisecond.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_VALUES = 23
"""com.sun.star.sheet.CellFlags: VALUE, DATETIME, STRING and FORMULA."""
_FETCH_GAP = 12
"""Empty rows and columns read in one call with those around them."""
_MOST_OBJECTS, _MOST_STYLES = 300, 3_000
"""Charts and images, and cell formats, that are looked at."""
_FROZEN = 2
"""HorizontalSplitMode of a window whose first columns do not scroll."""
_CAPTION = "com.sun.star.drawing.CaptionShape"


def unprotect(sheet: Any) -> None:
    """Only where no password is needed; what a protected sheet does not let us change stays."""
    try:
        sheet.unprotect("")
    except Exception:
        return


def content(sheet: Any, layout: Any) -> list[Any]:
    found = sheet.queryContentCells(_VALUES).getRangeAddresses()
    return [layout.Area(one.StartColumn, one.StartRow, one.EndColumn, one.EndRow) for one in found]


def show(sheet: Any, layout: Any, content: Sequence[Any]) -> None:
    if content:
        box = layout.union(content)
        area = sheet.getCellRangeByPosition(0, 0, box.right, box.bottom)
        area.Rows.IsVisible = True
        area.Columns.IsVisible = True


def shown(sheet: Any, box: Any, layout: Any) -> tuple[list[int], list[int]]:
    """Rows and columns of the box that are neither hidden nor filtered out."""
    found = sheet.getCellRangeByPosition(*box).queryVisibleCells().getRangeAddresses()
    rows = layout.members((one.StartRow, one.EndRow) for one in found)
    return rows, layout.members((one.StartColumn, one.EndColumn) for one in found)


def filled(
    sheet: Any, content: Sequence[Any], rows: list[int], columns: list[int], layout: Any
) -> dict[int, dict[int, Any]]:
    """Filled cells of the shown rows and columns, read in few large pieces."""
    cells: dict[int, dict[int, Any]] = {}
    shown_rows, shown_columns = set(rows), set(columns)
    for area in _pieces(content, layout):
        data = sheet.getCellRangeByPosition(*area).getDataArray()
        for row, values in enumerate(data, area.top):
            if row in shown_rows:
                line = cells.setdefault(row, {})
                line.update(
                    (column, 0.0 if value is None else value)
                    for column, value in enumerate(values, area.left)
                    if column in shown_columns and not _is_blank(value)
                )
    return cells


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _pieces(content: Sequence[Any], layout: Any) -> Iterator[Any]:
    """Few areas that hold all content and little else, none overlapping another."""
    spans = ((one.top, one.bottom + _FETCH_GAP) for one in content)
    for top, bottom in layout.runs(layout.members(spans)):
        inside = [one for one in content if top <= one.top <= bottom]
        across = ((one.left, one.right + _FETCH_GAP) for one in inside)
        for left, _ in layout.runs(layout.members(across)):
            group = [one for one in inside if left <= one.left <= _]
            yield layout.union(group)


def objects(sheet: Any, layout: Any) -> Iterator[Any]:
    """The cells below each chart, image and text box; comments are none."""
    page = sheet.getDrawPage()
    for index in range(min(page.getCount(), _MOST_OBJECTS)):
        shape = page.getByIndex(index)
        if shape.ShapeType == _CAPTION:
            continue
        place, size = shape.Position, shape.Size
        left, right = sorted((abs(place.X), abs(place.X) + size.Width))
        yield layout.Area(
            _at(sheet, left, True), _at(sheet, place.Y, False),
            _at(sheet, right, True), _at(sheet, place.Y + size.Height, False),
        )  # fmt: skip


def _at(sheet: Any, length: int, across: bool) -> int:
    """Index of the column or row at that distance from the sheet's corner."""
    low, high = 0, (16_383 if across else 1_048_575)
    while low < high:
        middle = (low + high + 1) // 2
        cell = sheet.getCellByPosition(middle if across else 0, 0 if across else middle)
        start = abs(cell.Position.X) if across else cell.Position.Y
        low, high = (middle, high) if start < length else (low, middle - 1)
    return low


def merged(sheet: Any, layout: Any, area: Any) -> dict[tuple[int, int], tuple[int, int]]:
    """(columns, rows) that each merged cell covers, by the (column, row) of its first."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for ranges in formats(area):
        first = ranges.getByIndex(0)
        cell = first.getCellByPosition(0, 0)
        if not cell.getIsMerged():
            continue
        cursor = sheet.createCursorByRange(cell)
        cursor.collapseToMergedArea()
        span = cursor.getRangeAddress()
        size = (span.EndColumn - span.StartColumn + 1, span.EndRow - span.StartRow + 1)
        for one in ranges.getRangeAddresses():
            for row in range(one.StartRow, one.EndRow + 1):
                for column in range(one.StartColumn, one.EndColumn + 1):
                    found[column, row] = size
    return found


def formats(area: Any) -> Iterator[Any]:
    every = area.getUniqueCellFormatRanges()
    for index in range(min(every.getCount(), _MOST_STYLES)):
        yield every.getByIndex(index)


def set_upright(area: Any) -> None:
    """Text on its side, as some headers are, would break after each letter where lines break."""
    for ranges in formats(area):
        if ranges.getByIndex(0).RotateAngle:
            ranges.RotateAngle = 0


def type_size(area: Any) -> float:
    """Points of the type in most cells."""
    sizes: dict[float, int] = {}
    for ranges in formats(area):
        cells = sum(
            (one.EndColumn - one.StartColumn + 1) * (one.EndRow - one.StartRow + 1)
            for one in ranges.getRangeAddresses()
        )
        size = float(ranges.getByIndex(0).CharHeight)
        sizes[size] = sizes.get(size, 0) + cells
    return max(sizes, key=lambda size: (sizes[size], size), default=10.0)


def address(sheet: Any, area: Any) -> Any:
    return sheet.getCellRangeByPosition(*area).getRangeAddress()


def views(document: Any) -> dict[str, dict[str, int]]:
    """By sheet: how many rows and columns do not scroll away."""
    try:
        (first,) = [dict(_pairs(one)) for one in _every(document.getViewData())][:1]
        tables = first["Tables"]
        return {name: _frozen(dict(_pairs(tables.getByName(name)))) for name in tables.getElementNames()}
    except Exception:  # a file without windows
        return {}


def _frozen(view: dict[str, Any]) -> dict[str, int]:
    return {
        name: _split(view, way) if view.get(f"{way}SplitMode") == _FROZEN else 0
        for name, way in (("columns", "Horizontal"), ("rows", "Vertical"))
    }


def _split(view: dict[str, Any], way: str) -> int:
    """Counted in columns or rows, under either name, where they do not scroll."""
    return int(view.get(f"{way}SplitPosition", view.get(f"{way}SplitPositionTwips", 0)))


def _pairs(values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    return ((one.Name, one.Value) for one in values)


def _every(container: Any) -> list[Any]:
    return [container.getByIndex(index) for index in range(container.getCount())]
