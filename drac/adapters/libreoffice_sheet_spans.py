"""Texts of a sheet that run over several columns: where they have room, and whole on one page.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_CONTENTS = 23
"""com.sun.star.sheet.CellFlags: VALUE, DATETIME, STRING and FORMULA."""
_LINE_HEIGHT = 1.25
"""Of text, in shares of its size."""


class Spans:
    """`cells`: filled cells by row and column; `merged`: (columns, rows) of merged ones by (column, row).

    Both follow what is moved. `size`: points of the type in most cells; `tabled`: areas of tables.
    """

    def __init__(
        self, sheet: Any, cells: Any, merged: Any, columns: Sequence[int], size: float, tabled: Iterable[Any]
    ) -> None:
        self._sheet, self._cells, self._merged = sheet, cells, merged
        self._columns, self._size = columns, size
        self._inside = {row for one in tabled for row in range(one.top, one.bottom + 1)}

    def has_room(self, row: int, column: int) -> bool:
        """Whether a text is merged with other columns, or is its row's only one: it runs on to the right."""
        span = self._merged.get((column, row))
        lone = len(self._cells[row]) == 1 and column < self._columns[-1]
        return span[0] > 1 if span else lone

    def scale(self, row: int, column: int) -> float:
        """Size of a cell's type in shares of most cells'."""
        return max(1.0, float(self._sheet.getCellByPosition(column, row).CharHeight) / self._size)

    def texts(self) -> Iterator[tuple[list[int], str, float]]:
        """Texts that run over several columns, with these, and how large their type is."""
        for row, cells in self._cells.items():
            for column, value in cells.items():
                if isinstance(value, str) and self.has_room(row, column):
                    wide = self._merged.get((column, row), (len(self._columns), 1))[0]
                    yield (
                        [one for one in self._columns if column <= one < column + wide],
                        value,
                        self.scale(row, column),
                    )

    # Sheets that are parted by columns.

    def part(self, page: Any, keys: Sequence[int]) -> None:
        """Let no merged cell reach over pages: its text would be cut at the edge of each."""
        groups = _groups(self._columns, keys, page.starts)
        for (column, row), (wide, high) in list(self._merged.items()):
            if column not in self._cells.get(row, ()):
                continue
            pieces = [[one for one in group if column <= one < column + wide] for group in groups]
            pieces = [one for one in pieces if one]
            key = [one for one in keys if column <= one < column + wide]
            if len(pieces) + bool(key) > 1:
                self._divide(column, row, high, key, pieces)

    def _divide(self, column: int, row: int, high: int, key: list[int], pieces: list[list[int]]) -> None:
        """A title stands on the first page, a row's name in its key columns, a header on every page."""
        cell = self._sheet.getCellByPosition(column, row)
        self._sheet.getCellRangeByPosition(*_box(self._merged.pop((column, row)), column, row)).merge(False)
        if key:
            alone = len(self._cells[row]) == 1 and row not in self._inside
            pieces = pieces[:1] if alone else [key]
        for piece in pieces:
            self._copy(cell, column, row, piece[0])
        if not any(piece[0] == column for piece in pieces):
            self._clear(column, row)
        for piece in pieces:
            self._merge(piece, row, high)

    def _copy(self, cell: Any, column: int, row: int, to: int) -> None:
        """What the cell shows; a formula would say something else there."""
        if to == column:
            return
        target = self._sheet.getCellByPosition(to, row)
        self._sheet.copyRange(
            target.getCellAddress(),
            self._sheet.getCellRangeByPosition(column, row, column, row).getRangeAddress(),
        )
        if cell.getFormula().startswith("="):
            target.setString(cell.getString())
        self._cells[row][to] = self._cells[row][column]

    def _clear(self, column: int, row: int) -> None:
        self._sheet.getCellByPosition(column, row).clearContents(_CONTENTS)
        del self._cells[row][column]

    def _merge(self, columns: Sequence[int], row: int, high: int) -> None:
        wide = columns[-1] - columns[0] + 1
        if wide > 1 or high > 1:
            self._merged[columns[0], row] = (wide, high)
            self._sheet.getCellRangeByPosition(*_box((wide, high), columns[0], row)).merge(True)

    # Heights.

    def fit(self, page: Any, keys: Sequence[int], wide: Any, point: float) -> None:
        """Make rows high enough; `wide` estimates lines of text, `point` is one in 1/100 mm."""
        self._wide, self._point = wide, point
        for (column, row), (across, high) in list(self._merged.items()):
            text = self._cells.get(row, {}).get(column)
            if isinstance(text, str) and column in page.widths:
                width = sum(page.widths.get(one, 0.0) for one in range(column, column + across))
                self._make_room(text, width, row, high, self.scale(row, column))
        first_page = [one for one in self._columns if not page.starts or one < page.starts[0]]
        free = [one for one in first_page if one not in keys] if page.starts else []
        for row, cells in self._cells.items():
            if len(cells) == 1:
                column, text = next(iter(cells.items()))
                if isinstance(text, str) and (column, row) not in self._merged and column in first_page:
                    self._lone_text(row, column, text, first_page, free, page)

    def _lone_text(
        self, row: int, column: int, text: str, first: list[int], free: list[int], page: Any
    ) -> None:
        """A row's only text runs on to the right; where it is longer than the page it gets the whole row.

        Out of columns that are repeated on other pages it is moved: these would show its beginning.
        """
        scale = self.scale(row, column)
        if self._wide.length(text) * scale <= page.widths[column] or first[-1] == column:
            return
        columns = [one for one in first if one >= column]
        if free and column not in free:
            if row in self._inside:
                return
            columns = free
            self._copy(self._sheet.getCellByPosition(column, row), column, row, free[0])
            self._clear(column, row)
        self._sheet.getCellRangeByPosition(columns[0], row, columns[-1], row).merge(True)
        self._sheet.Rows.getByIndex(row).OptimalHeight = True
        self._make_room(text, sum(page.widths[one] for one in columns), row, 1, scale)

    def _make_room(self, text: str, width: float, row: int, high: int, scale: float) -> None:
        """LibreOffice gives merged cells no height of their own."""
        lines = self._wide.lines(text, width / scale)
        need = lines * scale * self._size * self._point * _LINE_HEIGHT + 100
        rows = [self._sheet.Rows.getByIndex(one) for one in range(row, row + high)]
        have = sum(one.Height for one in rows if one.IsVisible)
        if need > have:
            rows[-1].Height = round(rows[-1].Height + need - have)


def _groups(columns: Sequence[int], keys: Sequence[int], starts: Sequence[int]) -> list[list[int]]:
    """Columns of each page, without those that are on all."""
    groups: list[list[int]] = [[]]
    for column in columns:
        if column in starts:
            groups.append([])
        if column not in keys:
            groups[-1].append(column)
    return groups


def _box(size: tuple[int, int], column: int, row: int) -> tuple[int, int, int, int]:
    return column, row, column + size[0] - 1, row + size[1] - 1
