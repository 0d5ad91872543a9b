"""Lays spreadsheets on pages so that no row is parted from its key and no cell is cut off.

Loaded by `libreoffice_bridge` into the Python that can `import uno`, with `libreoffice_sheet_layout`; it
stands alone. As each call takes up to a millisecond, cells are read and set in ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

_VALUES, _STRINGS = 23, 4
"""com.sun.star.sheet.CellFlags: VALUE, DATETIME, STRING and FORMULA; STRING, also as a FormulaResult."""
_GAP = 1
"""Empty rows or columns that stay between two parts of a sheet."""
_NAMED_GAP = 20
"""Longest empty stretch that is left out without a word."""
_FETCH_GAP = 12
"""Empty rows and columns read in one call with those around them."""
_MOST_MEASURED = 4_000
"""Columns above which all get one width."""
_MOST_OBJECTS, _MOST_STYLES = 300, 3_000
"""Charts and images, and cell formats, that are looked at."""
_LONG = 1_500
"""Characters of a cell above which its text goes on in a row of its own below."""
_MOST_PARTS = 200
"""Parts of a wide sheet that are put below each other; each takes a tenth of a second."""
_LINE_HEIGHT = 1.25
"""Of text, in shares of its size."""
_HAIRLINE = 18
"""1/100 mm of the lines drawn where the file has none."""
_FROZEN = 2
"""HorizontalSplitMode of a window whose first columns do not scroll."""
_CAPTION = "com.sun.star.drawing.CaptionShape"


class Result(NamedTuple):
    """What a reader of the PDF should know."""

    remarks: list[str]
    """Stretches that are left out because they are empty."""
    left_out: list[str]
    """Sheets that are left out because they are too large."""
    sheets: int
    """Sheets that are on the pages."""


class BookPrinter:
    """`layout`, `tables` and `stack`: modules libreoffice_sheet_layout, _tables and _sheet_stack.

    `hidden`: whether hidden sheets, rows and columns are shown; `titled`: whether pages name their sheet;
    `most`: filled cells of a sheet above which it is left out.
    """

    def __init__(
        self, document: Any, layout: Any, tables: Any, stack: Any, *, hidden: bool, titled: bool, most: int
    ) -> None:
        self._document, self._layout, self._tables, self._stack = document, layout, tables, stack
        self._hidden, self._titled, self._most = hidden, titled, most
        self._views = _views(document)

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
        unprotect(sheet)
        if self._hidden:
            _show(sheet, self._layout, _content(sheet, self._layout))
        content = _content(sheet, self._layout)
        filled = sum((one.right - one.left + 1) * (one.bottom - one.top + 1) for one in content)
        if filled > self._most:
            result.left_out.append(
                f"sheet {name!r} has {filled:,} cells, more than the limit of {self._most:,}"
            )
            return False
        printer = SheetPrinter(self._document, sheet, self._layout, self._tables, self._views.get(name, {}))
        printer.stack = self._stack
        if not printer.read(content):
            return False
        gaps = printer.lay_out(f"drac {number}", name if self._titled else "")
        if gaps:
            result.remarks.append(f"sheet {name!r}: {gaps}")
        return True


class SheetPrinter:
    """One sheet."""

    def __init__(self, document: Any, sheet: Any, layout: Any, tables: Any, view: dict[str, Any]) -> None:
        self._document, self._sheet = document, sheet
        self._layout, self._tables, self._view = layout, tables, view
        self.stack: Any = None
        """Module libreoffice_sheet_stack."""
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._cells: dict[int, dict[int, Any]] = {}
        self._gaps = ""

    def read(self, content: Sequence[Any]) -> bool:
        """What there is to print; False: nothing."""
        self._objects = list(_objects(self._sheet, self._layout))
        if not content and not self._objects:
            return False
        box = self._layout.union([*content, *self._objects])
        rows, columns = _shown(self._sheet, box, self._layout)
        self._cells = _cells(self._sheet, content, rows, columns, self._layout)
        if self._part_long_texts():
            return self.read(_content(self._sheet, self._layout))
        area = self._sheet.getCellRangeByPosition(*box)
        self._merged = _merged(self._sheet, self._layout, area)
        rows, columns = _shown(self._sheet, self._layout.union([box, *self._merged_areas()]), self._layout)
        self._leave_gaps_out(rows, columns)
        return bool(self._rows and self._columns)

    def lay_out(self, style: str, title: str) -> str:
        """Set widths, heights, repeated cells and the page; returns what of emptiness is left out."""
        layout, sheet = self._layout, self._sheet
        _set_upright(self._range())
        self._size = _type_size(sheet, self._range())
        self._tabled = layout.tables(self._cells, self._rows, self._columns) if title else [self._area()]
        self._wrap()
        page = self._page()
        if self._is_low(page):
            page, area = self._stacked(page)
        else:
            self._set_widths(page.widths)
            self._repeat(page)
            self._set_heights(page)
            self._draw_lines()
            area = self._area()
        sheet.setPrintAreas((_address(sheet, area),))
        _PageStyle(self._document, style, layout).give(sheet, page, title)
        return self._gaps

    def _area(self) -> Any:
        return self._layout.Area(self._columns[0], self._rows[0], self._columns[-1], self._rows[-1])

    def _range(self) -> Any:
        return self._sheet.getCellRangeByPosition(*self._area())

    # A sheet whose parts stand below each other.

    def _is_low(self, page: Any) -> bool:
        if not 0 < len(page.starts) <= _MOST_PARTS or self._objects or self._merged:
            return False
        lines = sum(
            max(self._wide.lines(str(text), page.widths[column]) for column, text in cells.items())
            for cells in self._cells.values()
            if cells
        )
        height = lines * self._size * self._layout.POINT * _LINE_HEIGHT
        room = self._layout.HEIGHT * 100 / page.percent
        return bool(self.stack.is_low(self._sheet, self._area(), self._rows, self._columns, height, room))

    def _stacked(self, page: Any) -> tuple[Any, Any]:
        """(the page, the area to print)."""
        sheet, area = self._sheet, self._area()
        made = self.stack.stacked(
            self._columns, self._repeated, page.widths, self._layout.LANDSCAPE * 100 / page.percent
        )
        sheet.removeAllManualPageBreaks()
        sheet.setPrintTitleRows(False)
        sheet.setPrintTitleColumns(False)
        self._draw_lines()
        starts = self.stack.put_below(sheet, area, made)
        self._set_widths(made.widths)
        bottom = starts[-1] + area.bottom - area.top
        sheet.getCellRangeByPosition(0, area.top, 0, bottom).Rows.OptimalHeight = True
        high = area.bottom - area.top + 1
        self.stack.break_pages(sheet, starts, high, self._layout.HEIGHT * 100 / page.percent)
        right = max(made.widths)
        return page._replace(starts=[]), self._layout.Area(area.left, area.top, right, bottom)

    # What is read, and what is too long or empty.

    def _part_long_texts(self) -> bool:
        """Put what no page has room for into new rows below; whether there was any such text."""
        long = [
            row for row, cells in self._cells.items()
            if any(isinstance(text, str) and len(text) > _LONG for text in cells.values())
        ]  # fmt: skip
        for row in sorted(long, reverse=True):
            parts = {
                column: self._layout.pieces(text, _LONG)
                for column, text in self._cells[row].items()
                if isinstance(text, str) and len(text) > _LONG
            }
            more = max(map(len, parts.values())) - 1
            self._sheet.Rows.insertByIndex(row + 1, more)
            for column, texts in parts.items():
                for at, text in enumerate(texts):
                    self._sheet.getCellByPosition(column, row + at).setString(text)
        return bool(long)

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
        wide = self._layout.Widths(self._size, self._tables.text_width, self._tables.longest_word)
        for row, cells in self._cells.items():
            for column, value in cells.items():
                if isinstance(value, str) and not self._has_room(row, column):
                    wide.add(column, value)
        self._wide = wide
        wanted, least = self._columns_need(given)
        for columns, text, scale in self._spread_texts():
            wide.widen(wanted, columns, text, scale)
        wanted = wide.with_room(wanted)
        self._repeated = self._columns[: self._keys()]
        return self._layout.paper(wanted, least, self._repeated, self._size)

    def _spread_texts(self) -> Iterator[tuple[list[int], str, float]]:
        """Texts that run over several columns, with these, and how large their type is."""
        for row, cells in self._cells.items():
            for column, value in cells.items():
                if isinstance(value, str) and self._has_room(row, column):
                    wide = self._merged.get((column, row), (len(self._columns), 1))[0]
                    yield (
                        [one for one in self._columns if column <= one < column + wide],
                        value,
                        self._scale(row, column),
                    )

    def _scale(self, row: int, column: int) -> float:
        """Size of a cell's type in shares of most cells'."""
        return max(1.0, float(self._sheet.getCellByPosition(column, row).CharHeight) / self._size)

    def _has_room(self, row: int, column: int) -> bool:
        """Whether a text is merged with other columns, or is its row's only one: it runs on to the right."""
        span = self._merged.get((column, row))
        lone = len(self._cells[row]) == 1 and column < self._columns[-1]
        return span[0] > 1 if span else lone

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
            sheet.setTitleRows(_address(sheet, layout.Area(0, headers[0], 0, headers[1])))
        sheet.setPrintTitleColumns(bool(page.starts))
        if page.starts:
            across = layout.Area(self._columns[0], 0, self._repeated[-1], 0)
            sheet.setTitleColumns(_address(sheet, across))
        for column in page.starts:
            sheet.Columns.getByIndex(column).IsStartOfNewPage = True

    # Heights and lines.

    def _set_heights(self, page: Any) -> None:
        """Rows as high as their text; those beside charts and images only where they hold text."""
        beside = {row for one in self._objects for row in range(one.top, one.bottom + 1)}
        full = {row for row, cells in self._cells.items() if cells}
        for first, last in self._layout.runs(row for row in self._rows if row in full or row not in beside):
            self._sheet.getCellRangeByPosition(0, first, 0, last).Rows.OptimalHeight = True
        first_page = [one for one in self._columns if not page.starts or one < page.starts[0]]
        for (column, row), (wide, high) in self._merged.items():
            text = self._cells.get(row, {}).get(column)
            if isinstance(text, str) and column in page.widths:
                width = sum(page.widths.get(one, 0.0) for one in range(column, column + wide))
                self._make_room(text, width, row, high, self._scale(row, column))
        for row, cells in self._cells.items():
            if len(cells) == 1:
                self._lone_text(row, *next(iter(cells.items())), first_page, page)

    def _lone_text(self, row: int, column: int, text: Any, columns: list[int], page: Any) -> None:
        """A row's only text runs on to the right; where it is longer than the page it gets the whole row."""
        if not isinstance(text, str) or (column, row) in self._merged or column not in columns:
            return
        room = sum(page.widths[one] for one in columns if one >= column)
        scale = self._scale(row, column)
        if self._wide.length(text) * scale > page.widths[column] and columns[-1] > column:
            self._sheet.getCellRangeByPosition(column, row, columns[-1], row).merge(True)
            self._sheet.Rows.getByIndex(row).OptimalHeight = True
            self._make_room(text, room, row, 1, scale)

    def _make_room(self, text: str, width: float, row: int, high: int, scale: float) -> None:
        """LibreOffice gives merged cells no height of their own."""
        lines = self._wide.lines(text, width / scale)
        need = lines * scale * self._size * self._layout.POINT * _LINE_HEIGHT + 100
        rows = [self._sheet.Rows.getByIndex(one) for one in range(row, row + high)]
        have = sum(one.Height for one in rows if one.IsVisible)
        if need > have:
            rows[-1].Height = round(rows[-1].Height + need - have)

    def _draw_lines(self) -> None:
        """Around the cells of tables that have no line at all."""
        for table in self._tabled:
            area = self._sheet.getCellRangeByPosition(*table)
            border = area.TableBorder2
            if table.right > table.left and table.bottom > table.top and not _has_lines(border):
                area.TableBorder2 = _lined(border)


class _PageStyle:
    """The page of one sheet, with its name in the header."""

    def __init__(self, document: Any, name: str, layout: Any) -> None:
        self._layout, self._name = layout, name
        styles = document.getStyleFamilies().getByName("PageStyles")
        self._style = document.createInstance("com.sun.star.style.PageStyle")
        styles.insertByName(name, self._style)

    def give(self, sheet: Any, page: Any, title: str) -> None:
        """Set the sheet's page; `title` is empty for a sheet without a name."""
        style, margin = self._style, self._layout.MARGIN
        style.IsLandscape = page.landscape
        style.Width, style.Height = (29_700, 21_000) if page.landscape else (21_000, 29_700)
        style.LeftMargin = style.RightMargin = style.TopMargin = style.BottomMargin = margin
        style.PageScale = page.percent
        style.PrintDownFirst = True
        style.PrintAnnotations = style.PrintGrid = style.PrintHeaders = style.PrintFormulas = False
        style.FooterIsOn = False
        style.HeaderIsOn = bool(title)
        if title:
            self._head(title)
        sheet.PageStyle = self._name

    def _head(self, title: str) -> None:
        """The name as a heading on the first page, and small on those that go on."""
        style = self._style
        style.HeaderIsShared, style.FirstPageHeaderIsShared = True, False
        style.HeaderIsDynamicHeight, style.HeaderBodyDistance = True, 300
        for side, text, size in (
            ("FirstPageHeaderContent", title, 16.0),
            ("RightPageHeaderContent", f"{title} (continued)", 8.0),
        ):
            content = getattr(style, side)
            content.LeftText.setString(text)
            content.CenterText.setString("")
            content.RightText.setString("")
            cursor = content.LeftText.createTextCursor()
            cursor.gotoEnd(True)
            cursor.CharHeight, cursor.CharWeight = size, 150.0 if size > 10 else 100.0
            setattr(style, side, content)


def unprotect(sheet: Any) -> None:
    """Only where no password is needed; what a protected sheet does not let us change stays."""
    try:
        sheet.unprotect("")
    except Exception:
        return


def _content(sheet: Any, layout: Any) -> list[Any]:
    found = sheet.queryContentCells(_VALUES).getRangeAddresses()
    return [layout.Area(one.StartColumn, one.StartRow, one.EndColumn, one.EndRow) for one in found]


def _show(sheet: Any, layout: Any, content: Sequence[Any]) -> None:
    if content:
        box = layout.union(content)
        area = sheet.getCellRangeByPosition(0, 0, box.right, box.bottom)
        area.Rows.IsVisible = True
        area.Columns.IsVisible = True


def _shown(sheet: Any, box: Any, layout: Any) -> tuple[list[int], list[int]]:
    """Rows and columns of the box that are neither hidden nor filtered out."""
    found = sheet.getCellRangeByPosition(*box).queryVisibleCells().getRangeAddresses()
    rows = layout.members((one.StartRow, one.EndRow) for one in found)
    return rows, layout.members((one.StartColumn, one.EndColumn) for one in found)


def _cells(
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
                    if value != "" and column in shown_columns
                )
    return cells


def _pieces(content: Sequence[Any], layout: Any) -> Iterator[Any]:
    """Few areas that hold all content and little else, none overlapping another."""
    spans = ((one.top, one.bottom + _FETCH_GAP) for one in content)
    for top, bottom in layout.runs(layout.members(spans)):
        inside = [one for one in content if top <= one.top <= bottom]
        across = ((one.left, one.right + _FETCH_GAP) for one in inside)
        for left, _ in layout.runs(layout.members(across)):
            group = [one for one in inside if left <= one.left <= _]
            yield layout.union(group)


def _objects(sheet: Any, layout: Any) -> Iterator[Any]:
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


def _merged(sheet: Any, layout: Any, area: Any) -> dict[tuple[int, int], tuple[int, int]]:
    """(columns, rows) that each merged cell covers, by the (column, row) of its first."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for ranges in _formats(area):
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


def _formats(area: Any) -> Iterator[Any]:
    every = area.getUniqueCellFormatRanges()
    for index in range(min(every.getCount(), _MOST_STYLES)):
        yield every.getByIndex(index)


def _set_upright(area: Any) -> None:
    """Text on its side, as some headers are, would break after each letter where lines break."""
    for ranges in _formats(area):
        if ranges.getByIndex(0).RotateAngle:
            ranges.RotateAngle = 0


def _type_size(sheet: Any, area: Any) -> float:
    """Points of the type in most cells."""
    sizes: dict[float, int] = {}
    for ranges in _formats(area):
        cells = sum(
            (one.EndColumn - one.StartColumn + 1) * (one.EndRow - one.StartRow + 1)
            for one in ranges.getRangeAddresses()
        )
        size = float(ranges.getByIndex(0).CharHeight)
        sizes[size] = sizes.get(size, 0) + cells
    return max(sizes, key=lambda size: (sizes[size], size), default=10.0)


def _address(sheet: Any, area: Any) -> Any:
    return sheet.getCellRangeByPosition(*area).getRangeAddress()


_SIDES = ("TopLine", "BottomLine", "LeftLine", "RightLine", "HorizontalLine", "VerticalLine")


def _has_lines(border: Any) -> bool:
    """Whether there is one anywhere, or some cells have one and others none."""
    return any(not getattr(border, f"Is{side}Valid") or getattr(border, side).LineWidth for side in _SIDES)


def _lined(border: Any) -> Any:
    for side in _SIDES:
        line = getattr(border, side)
        line.LineWidth = line.OuterLineWidth = _HAIRLINE
        line.Color = 0x808080
        setattr(border, side, line)
        setattr(border, f"Is{side}Valid", True)
    return border


def _views(document: Any) -> dict[str, dict[str, int]]:
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
