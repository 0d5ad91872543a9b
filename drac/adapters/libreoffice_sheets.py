"""Lays spreadsheets on pages so that no row is parted from its key and no cell is cut off.

Loaded by `libreoffice_bridge` into the Python that can `import uno`, with its parts `libreoffice_sheet_*`; it
stands alone. As each call takes up to a millisecond, cells are read and set in ranges.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_STRINGS = 4
"""com.sun.star.sheet.CellFlags.STRING, also as a FormulaResult."""
_GAP = 1
"""Empty rows or columns that stay between two parts of a sheet."""
_NAMED_GAP = 20
"""Longest empty stretch that is left out without a word."""
_MOST_MEASURED = 4_000
"""Columns above which all get one width."""
_LONG = 1_500
"""Characters of a cell above which its text goes on in a row of its own below."""
_MOST_RULED = 1_000
"""Tables of a sheet that get lines."""
_LINE_HEIGHT = 1.25
"""Of text, in shares of its size."""


class Result(NamedTuple):
    """What a reader of the PDF should know."""

    remarks: list[str]
    """Stretches that are left out because they are empty."""
    left_out: list[str]
    """Sheets that are left out because they are too large."""
    sheets: int
    """Sheets that are on the pages."""


class BookPrinter:
    """`parts`: the modules libreoffice_sheet_*, each by its last name, and libreoffice_tables.

    `hidden`: whether hidden sheets, rows and columns are shown; `titled`: whether pages name their sheet;
    `most`: filled cells of a sheet above which it is left out.
    """

    def __init__(self, document: Any, parts: Any, *, hidden: bool, titled: bool, most: int) -> None:
        self._document, self._parts = document, parts
        self._hidden, self._titled, self._most = hidden, titled, most
        self._views = parts.cells.views(document)

    def run(self) -> Result:
        """Change all sheets; what is not to be seen gets no pages."""
        result = Result([], [], 0)
        sheets = self._document.getSheets()
        for number, name in enumerate(sheets.getElementNames()):
            sheet = sheets.getByName(name)
            if self._hidden:
                sheet.IsVisible = True
            printed = sheet.IsVisible and self._sheet(sheet, number, name, result)
            if printed:
                result = result._replace(sheets=result.sheets + 1)
            else:
                sheet.setPrintAreas(())
        return result

    def _sheet(self, sheet: Any, number: int, name: str, result: Result) -> bool:
        cells, layout = self._parts.cells, self._parts.layout
        cells.unprotect(sheet)
        if self._hidden:
            cells.show(sheet, layout, cells.content(sheet, layout))
        content = cells.content(sheet, layout)
        filled = sum((one.right - one.left + 1) * (one.bottom - one.top + 1) for one in content)
        if filled > self._most:
            result.left_out.append(
                f"sheet {name!r} has {filled:,} cells, more than the limit of {self._most:,}"
            )
            return False
        printer = SheetPrinter(self._document, sheet, self._parts, self._views.get(name, {}))
        if not printer.read(content):
            return False
        gaps = printer.lay_out(f"drac {number}", name if self._titled else "")
        if gaps:
            result.remarks.append(f"sheet {name!r}: {gaps}")
        return True


class SheetPrinter:
    """One sheet."""

    def __init__(self, document: Any, sheet: Any, parts: Any, view: dict[str, Any]) -> None:
        self._document, self._sheet, self._view = document, sheet, view
        self._parts, self._layout = parts, parts.layout
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._cells: dict[int, dict[int, Any]] = {}
        self._gaps = ""

    def read(self, content: Sequence[Any]) -> bool:
        """What there is to print; False: nothing."""
        found = self._parts.cells
        self._objects = list(found.objects(self._sheet, self._layout))
        if not content and not self._objects:
            return False
        box = self._layout.union([*content, *self._objects])
        rows, columns = found.shown(self._sheet, box, self._layout)
        self._cells = found.filled(self._sheet, content, rows, columns, self._layout)
        if self._part_long_texts():
            return self.read(found.content(self._sheet, self._layout))
        area = self._sheet.getCellRangeByPosition(*box)
        self._merged = found.merged(self._sheet, self._layout, area)
        whole = self._layout.union([box, *self._merged_areas()])
        rows, columns = found.shown(self._sheet, whole, self._layout)
        self._leave_gaps_out(rows, columns)
        return bool(self._rows and self._columns)

    def lay_out(self, style: str, title: str) -> str:
        """Set widths, heights, repeated cells and the page; returns what of emptiness is left out."""
        layout, sheet, parts = self._layout, self._sheet, self._parts
        parts.cells.set_upright(self._range())
        self._size = parts.cells.type_size(self._range())
        self._tabled = layout.tables(self._cells, self._rows, self._columns) if title else [self._area()]
        self._hide_spacers()
        self._spans = parts.spans.Spans(
            sheet, self._cells, self._merged, self._columns, self._size, self._tabled
        )
        self._wrap()
        page = self._page()
        if self._is_low(page):
            page, area = self._stacked(page)
        else:
            self._print_in_place(page)
            area = self._area()
        sheet.setPrintAreas((parts.cells.address(sheet, area),))
        parts.page.PageStyle(self._document, style, layout).give(sheet, page, title)
        return self._gaps

    def _print_in_place(self, page: Any) -> None:
        self._set_widths(page.widths)
        self._repeat(page)
        if page.starts:
            self._spans.part(page, self._repeated)
        self._set_heights(page)
        self._draw_lines()

    def _area(self) -> Any:
        return self._layout.Area(self._columns[0], self._rows[0], self._columns[-1], self._rows[-1])

    def _range(self) -> Any:
        return self._sheet.getCellRangeByPosition(*self._area())

    def _formats(self) -> Iterator[Any]:
        return iter(self._parts.cells.formats(self._range()))

    # A sheet whose parts stand below each other.

    def _is_low(self, page: Any) -> bool:
        if not page.starts or self._objects or self._merged:
            return False
        if not self._parts.stack.is_stackable(len(page.starts), self._formats()):
            return False
        lines = sum(
            max(self._wide.lines(str(text), page.widths[column]) for column, text in cells.items())
            for cells in self._cells.values()
            if cells
        )
        height = lines * self._size * self._layout.POINT * _LINE_HEIGHT
        room = self._layout.HEIGHT * 100 / page.percent
        return bool(
            self._parts.stack.is_low(self._sheet, self._area(), self._rows, self._columns, height, room)
        )

    def _stacked(self, page: Any) -> tuple[Any, Any]:
        """(the page, the area to print)."""
        sheet, area = self._sheet, self._area()
        made = self._parts.stack.stacked(
            self._columns, self._repeated, page.widths, self._layout.LANDSCAPE * 100 / page.percent
        )
        sheet.removeAllManualPageBreaks()
        sheet.setPrintTitleRows(False)
        sheet.setPrintTitleColumns(False)
        self._draw_lines()
        starts = self._parts.stack.put_below(sheet, area, made, self._formats())
        self._set_widths(made.widths)
        bottom = starts[-1] + area.bottom - area.top
        sheet.getCellRangeByPosition(0, area.top, 0, bottom).Rows.OptimalHeight = True
        high = area.bottom - area.top + 1
        self._parts.stack.break_pages(sheet, starts, high, self._layout.HEIGHT * 100 / page.percent)
        right = max(made.widths)
        return page._replace(starts=[]), self._layout.Area(area.left, area.top, right, bottom)

    # What is read, and what is too long or empty.

    def _part_long_texts(self) -> bool:
        """Put what no page has room for into new rows below; whether the sheet is another now."""
        long = {row: parts for row, cells in self._cells.items() if (parts := self._parted(cells))}
        more = {row: max(map(len, parts.values())) - 1 for row, parts in long.items()}
        if long and self._make_room(sum(more.values())):
            return True
        for row in sorted(long, reverse=True):
            self._sheet.Rows.insertByIndex(row + 1, more[row])
            for column, texts in long[row].items():
                for at, text in enumerate(texts):
                    self._sheet.getCellByPosition(column, row + at).setString(text)
        return bool(long)

    def _parted(self, cells: dict[int, Any]) -> dict[int, list[str]]:
        """The pieces of a row's long texts, by column."""
        return {
            column: self._layout.pieces(text, _LONG)
            for column, text in cells.items()
            if isinstance(text, str) and len(text) > _LONG
        }

    def _make_room(self, more: int) -> bool:
        """Take `more` empty rows out where the last ones are full, so that none can be added; whether so."""
        used = {row for row, cells in self._cells.items() if cells}
        used.update(row for one in self._objects for row in range(one.top, one.bottom + 1))
        if max(used) + more < self._sheet.Rows.getCount():
            return False
        before, after = max(itertools.pairwise([-1, *sorted(used)]), key=lambda gap: gap[1] - gap[0])
        if after - before <= more:
            return False
        self._sheet.Rows.removeByIndex(after - more, more)
        return True

    def _leave_gaps_out(self, rows: list[int], columns: list[int]) -> None:
        """Hide empty stretches, except where a chart or image stands."""
        layout = self._layout
        used_rows = {row for row, cells in self._cells.items() if cells}
        used_columns = {column for cells in self._cells.values() for column in cells}
        for one in (*self._objects, *self._merged_areas()):
            used_rows.update(range(one.top, one.bottom + 1))
            used_columns.update(range(one.left, one.right + 1))
        rows = [row for row in rows if used_rows and min(used_rows) <= row <= max(used_rows)]
        columns = [one for one in columns if used_columns and min(used_columns) <= one <= max(used_columns)]
        self._rows, dropped, gap = layout.without_gaps(rows, used_rows, _GAP)
        for first, last in layout.runs(dropped):
            self._sheet.getCellRangeByPosition(0, first, 0, last).Rows.IsVisible = False
        self._columns, spare, breadth = layout.without_gaps(columns, used_columns, _GAP)
        for first, last in layout.runs(spare):
            self._sheet.getCellRangeByPosition(first, 0, last, 0).Columns.IsVisible = False
        left_out = [
            f"{len(lines):,} empty {name}"
            for lines, longest, name in ((dropped, gap, "rows"), (spare, breadth, "columns"))
            if longest > _NAMED_GAP
        ]
        self._gaps = " and ".join(left_out) + " between its cells are left out" if left_out else ""

    def _hide_spacers(self) -> None:
        """Hide columns that are empty in all tables, but those that keep two tables apart."""
        kept = {column for cells in self._cells.values() for column in cells}
        kept.update(one for area in self._objects for one in range(area.left, area.right + 1))
        kept.update(self._layout.between(self._tabled))
        spacers = [column for column in self._columns if column not in kept]
        for first, last in self._layout.runs(spacers):
            self._sheet.getCellRangeByPosition(first, 0, last, 0).Columns.IsVisible = False
        self._columns = [column for column in self._columns if column in kept]

    def _merged_areas(self) -> Iterator[Any]:
        """Of merged cells that hold something."""
        for (column, row), (wide, high) in self._merged.items():
            if column in self._cells.get(row, ()):
                yield self._layout.Area(column, row, column + wide - 1, row + high - 1)

    # Widths and pages.

    def _wrap(self) -> None:
        """Lines of text break in their cells, but titles with room beside them."""
        area = self._range()
        for found in (area.queryContentCells(_STRINGS), area.queryFormulaCells(_STRINGS)):
            if found.getCount():
                found.IsTextWrapped = True

    def _page(self) -> Any:
        given = self._measured()
        tables = self._parts.tables
        wide = self._layout.Widths(self._size, tables.text_width, tables.longest_word)
        for row, cells in self._cells.items():
            for column, value in cells.items():
                if isinstance(value, str) and not self._spans.has_room(row, column):
                    wide.add(column, value)
        self._wide = wide
        wanted, least = self._columns_need(given)
        for columns, text, scale in self._spans.texts():
            wide.widen(wanted, columns, text, scale)
        wanted = wide.with_room(wanted)
        self._repeated = self._columns[: self._keys()]
        return self._layout.paper(wanted, least, self._repeated, self._size)

    def _measured(self) -> dict[int, tuple[float, float]]:
        """(width in the file, width that numbers need) of each column."""
        columns = self._sheet.Columns
        if len(self._columns) > _MOST_MEASURED:
            width = float(columns.getByIndex(self._columns[0]).Width)
            return dict.fromkeys(self._columns, (width, 0.0))
        before = [float(columns.getByIndex(one).Width) for one in self._columns]
        for first, last in self._layout.runs(self._columns):
            self._sheet.getCellRangeByPosition(first, 0, last, 0).Columns.OptimalWidth = True
        after = [float(columns.getByIndex(one).Width) for one in self._columns]
        return dict(zip(self._columns, zip(before, after, strict=True), strict=True))

    def _columns_need(
        self, given: dict[int, tuple[float, float]]
    ) -> tuple[dict[int, float], dict[int, float]]:
        numeric: set[int] = set()
        used: set[int] = set()
        for cells in self._cells.values():
            used.update(cells)
            numeric.update(one for one, value in cells.items() if not isinstance(value, str))
        under = {one for area in self._objects for one in range(area.left, area.right + 1)}
        wanted, least = {}, {}
        for column in self._columns:
            file, numbers = given[column]
            floor = numbers if column in numeric else 0.0
            if column in under:
                floor = max(floor, file)
            elif column not in used:
                floor = min(file, self._layout.SPACER)
            least[column] = max(floor, self._wide.least(column), 300.0)
            wanted[column] = max(floor, self._wide.wanted(column, file), 300.0)
        return wanted, least

    def _set_widths(self, widths: dict[int, float]) -> None:
        columns = self._sheet.Columns
        for column, width in widths.items():
            columns.getByIndex(column).Width = round(width)

    # Repeated rows and columns.

    def _main(self) -> Any | None:
        """The table that the sheet is about: the last, or one that holds most cells."""
        sizes = [(one.right - one.left + 1) * (one.bottom - one.top + 1) for one in self._tabled]
        if not sizes:
            return None
        largest = max(range(len(sizes)), key=sizes.__getitem__)
        alone = largest == len(sizes) - 1 or sizes[largest] > 0.8 * sum(sizes)
        return self._tabled[largest] if alone else None

    def _keys(self) -> int:
        """How many of the shown columns are repeated."""
        frozen = self._view.get("columns", 0) if self._view else 0
        titles = self._sheet.getTitleColumns() if self._sheet.getPrintTitleColumns() else None
        end = titles.EndColumn + 1 if titles else frozen
        given = self._layout.usable_keys(sum(column < end for column in self._columns))
        main = self._main()
        if given or main is None:
            return int(given or 1)
        before = sum(column < main.left for column in self._columns)
        return int(before + self._layout.key_columns(self._cells, main, self._rows))

    def _headers(self) -> tuple[int, int] | None:
        """(first, last) of the rows to be repeated."""
        main = self._main()
        if main is None:
            return None
        frozen = self._view.get("rows", 0) if self._view else 0
        titles = self._sheet.getTitleRows() if self._sheet.getPrintTitleRows() else None
        end = titles.EndRow + 1 if titles else frozen
        given = [row for row in self._rows if main.top <= row < end]
        if self._layout.usable_headers(len(given)) and end <= main.bottom:
            return main.top, end - 1
        count = self._layout.header_rows(self._cells, main, self._rows)
        rows = [row for row in self._rows if row >= main.top][:count]
        return (rows[0], rows[-1]) if rows else None

    def _repeat(self, page: Any) -> None:
        sheet, layout = self._sheet, self._layout
        sheet.removeAllManualPageBreaks()
        headers = self._headers()
        sheet.setPrintTitleRows(headers is not None)
        if headers:
            sheet.setTitleRows(self._parts.cells.address(sheet, layout.Area(0, headers[0], 0, headers[1])))
        sheet.setPrintTitleColumns(bool(page.starts))
        if page.starts:
            across = layout.Area(self._columns[0], 0, self._repeated[-1], 0)
            sheet.setTitleColumns(self._parts.cells.address(sheet, across))
        for column in page.starts:
            sheet.Columns.getByIndex(column).IsStartOfNewPage = True

    # Heights and lines.

    def _set_heights(self, page: Any) -> None:
        """Rows as high as their text; those beside charts and images only where they hold text."""
        beside = {row for one in self._objects for row in range(one.top, one.bottom + 1)}
        full = {row for row, cells in self._cells.items() if cells}
        for first, last in self._layout.runs(row for row in self._rows if row in full or row not in beside):
            self._sheet.getCellRangeByPosition(0, first, 0, last).Rows.OptimalHeight = True
        self._spans.fit(page, self._repeated, self._wide, self._layout.POINT)

    def _draw_lines(self) -> None:
        """Around the cells of all tables."""
        for table in self._tabled[:_MOST_RULED]:
            if table.right > table.left and table.bottom > table.top:
                area = self._sheet.getCellRangeByPosition(*table)
                self._parts.lines.draw(area, self._parts.cells.formats(area))
