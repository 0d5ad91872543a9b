"""A table element to the grid that row sentences are made of."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from xml.etree.ElementTree import Element

from drac.errors import LimitExceeded
from drac.records import Box, Cell
from drac.stages.convert.header import header_rows
from drac.stages.convert.native.inline import alternative, text_of
from drac.stages.convert.native.tree import name_of
from drac.stages.convert.page import Line, Word

_MOST_SPANNED = (65_534, 1_000)
"""Rows and columns that a cell may cover (WHATWG HTML, 4.9.11)."""
_MOST_OPEN = 20_000
"""Cells over several rows that may stand side by side; more are no table."""
_MOST_PLACES = 5_000_000
"""Places of the grid that the cells of a table may cover, as ten sheets of the most cells."""
_SPLIT = "Split the table, or take the spans out of its cells."
_SECTIONS = ("thead", "tbody", "tfoot")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_ROW = 12.0
"""Points between two rows of a table that is not drawn; any number would do."""
Rows = list[list[Element]]


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table of data."""

    titles: tuple[str, ...]
    """Caption, then leading rows of a single cell over the whole width."""
    rows: int
    """Rows of the grid, header rows included; rows and columns without any text are left out."""
    columns: int
    """Columns of the grid."""
    header_rows: int
    """Leading rows that are headers."""
    cells: tuple[Cell, ...]
    """Row by row."""


@dataclass(slots=True)
class _Placed:
    """A cell on its way into the grid."""

    cell: Cell
    element: Element
    in_head: bool


def is_layout(table: Element) -> bool:
    """Whether a table only places things: it says so, has one column, or holds headings or several tables."""
    if table.get("role", "").lower() in ("presentation", "none"):
        return True
    names = [name_of(one) for one in _inside(table)]
    if "th" in names or "caption" in names or "thead" in names:
        return False
    inner = sum(1 for one in table.iter() if name_of(one) == "table") - 1
    widest = max((len(row) for row, _ in _rows(table)), default=0)
    drawn = table.get("border", "") not in ("", "0")
    headed = any(name_of(one) in _HEADINGS for one in table.iter())
    return widest < 2 or headed or inner > (2 if drawn else 1)


def cells_of(table: Element) -> Iterator[Element]:
    """The cells in order, for a table that is read as plain blocks."""
    for row, _ in _rows(table):
        yield from row


def read_table(table: Element, sentence_of: Callable[[Element], str]) -> HtmlTable | None:
    """The table's grid, or None where it has no text. `sentence_of` writes a table within a cell."""
    placed = _place(table, sentence_of)
    texts = [one for one in placed if one.cell.text]
    caption = [text_of(one) for one in table if name_of(one) == "caption"]
    if not texts:
        return None
    placed, rows, columns = _without_gaps(placed, texts)
    titles, placed = _titles(placed, columns)
    rows -= len(titles)
    tagged = any(map(_is_head, texts))
    heads = _header_rows(placed, rows, columns, tagged=tagged)
    cells = tuple(one.cell for one in placed)
    return HtmlTable((*filter(None, caption), *titles), rows, columns, heads, cells)


def _inside(table: Element) -> Iterator[Element]:
    """Elements of the table that are not in a table within it."""
    for child in table:
        yield child
        if name_of(child) != "table":
            yield from _inside(child)


def _rows(table: Element) -> Iterator[tuple[list[Element], bool]]:
    """Cells of each row, and whether it stands in the table's head; the head comes first, the foot last."""
    parts: dict[str, list[tuple[list[Element], bool]]] = {name: [] for name in _SECTIONS}
    for child in table:
        name = name_of(child)
        if name == "tr":
            parts["tbody"].append((_cells(child), False))
        elif name in parts:
            parts[name] += [(_cells(one), name == "thead") for one in child if name_of(one) == "tr"]
    for rows in parts.values():
        yield from rows


def _cells(row: Element) -> list[Element]:
    return [one for one in row if name_of(one) in ("td", "th")]


def _place(table: Element, sentence_of: Callable[[Element], str]) -> list[_Placed]:
    """Cells at their places, spans cut at the table's end (WHATWG HTML, 4.9.12)."""
    rows = list(_rows(table))
    taken = _Taken()
    placed = []
    for at, (row, in_head) in enumerate(rows):
        taken.turn(at)
        column = 0
        for element in row:
            column = taken.free(column)
            cell = _cell(element, at, column, len(rows), sentence_of)
            taken.add(column, cell.column_span, at + cell.row_span)
            placed.append(_Placed(cell, element, in_head))
            column += cell.column_span
        taken.spread(at)
    return placed


@dataclass(slots=True)
class _Taken:
    """Stretches of columns that cells of rows above cover."""

    stretches: list[tuple[int, int, int]] = field(default_factory=list)
    """(first column, column after the last, row after the last), from left to right."""
    new: list[tuple[int, int, int]] = field(default_factory=list)
    next: int = 0
    """Place in `stretches` of the first that the walk along the row has not passed."""

    def turn(self, row: int) -> None:
        """Begin a row: what ends above it is gone."""
        self.stretches = [one for one in self.stretches if one[2] > row]
        self.new, self.next = [], 0

    def free(self, column: int) -> int:
        """The first free column from `column` on."""
        while self.next < len(self.stretches) and self.stretches[self.next][0] <= column:
            column = max(column, self.stretches[self.next][1])
            self.next += 1
        return column

    def add(self, column: int, columns: int, end: int) -> None:
        self.new.append((column, column + columns, end))

    def spread(self, row: int) -> None:
        """End a row: its cells that go on below count for the next ones, neighbours that end alike as one."""
        merged: list[tuple[int, int, int]] = []
        for one in sorted(self.stretches + [one for one in self.new if one[2] > row + 1]):
            if merged and merged[-1][1] == one[0] and merged[-1][2] == one[2]:
                merged[-1] = (merged[-1][0], one[1], one[2])
            else:
                merged.append(one)
        self.stretches = merged
        if len(merged) > _MOST_OPEN:
            raise LimitExceeded(
                f"a table with more than {_MOST_OPEN:,} cells over several rows side by side", remedy=_SPLIT
            )


def _cell(element: Element, row: int, column: int, rows: int, sentence_of: Callable[[Element], str]) -> Cell:
    down = _span(element.get("rowspan"), 0) or rows
    across = _span(element.get("colspan"), 1) or 1
    text = _text(element, sentence_of)
    return Cell(row, column, text, min(down, rows - row), across)


def _span(given: str | None, axis: int) -> int:
    """A span as written; 0 for one that is 0, 1 for one that is missing or no number."""
    digits = (given or "").strip()
    return min(int(digits), _MOST_SPANNED[axis]) if digits.isascii() and digits.isdigit() else 1


def _text(element: Element, sentence_of: Callable[[Element], str]) -> str:
    """The cell's text on one line; tables in it as their sentences, pictures only where there is no text."""
    inner = [one for one in _inside(element) if name_of(one) == "table"]
    if not inner:
        return text_of(element) or alternative(element)
    written = " ".join(filter(None, (sentence_of(one) for one in inner)))
    for one in inner:
        tail = one.tail
        one.clear()
        one.tail = tail
    return " ".join(filter(None, (text_of(element), written)))


def _without_gaps(placed: Sequence[_Placed], texts: Sequence[_Placed]) -> tuple[list[_Placed], int, int]:
    """Leave out rows and columns in which no text begins; (cells, rows, columns)."""
    rows = sorted({one.cell.row for one in texts})
    columns = sorted({one.cell.column for one in texts})
    kept, places = [], 0
    for one in placed:
        cell = one.cell
        top, down = _within(rows, cell.row, cell.row_span)
        left, across = _within(columns, cell.column, cell.column_span)
        if down and across:
            moved = Cell(top, left, cell.text, down, across)
            kept.append(_Placed(moved, one.element, one.in_head))
        places += down * across
    if places > _MOST_PLACES:
        raise LimitExceeded(
            f"a table whose cells cover {places:,} places, more than {_MOST_PLACES:,}", remedy=_SPLIT
        )
    return kept, len(rows), len(columns)


def _within(kept: Sequence[int], first: int, span: int) -> tuple[int, int]:
    """Of rows or columns that stay: the first that a span covers, and how many."""
    at = bisect_left(kept, first)
    return at, bisect_left(kept, first + span) - at


def _titles(placed: Sequence[_Placed], columns: int) -> tuple[list[str], list[_Placed]]:
    """Leading rows that are one cell over all of several columns, and the rest moved up."""
    whole = {
        one.cell.row: one.cell.text
        for one in placed
        if columns > 1 and one.cell.column_span == columns and one.cell.row_span == 1
    }
    last = max(one.cell.row for one in placed)
    titles = [whole[at] for at in takewhile(lambda at: at in whole, range(last))]
    rest = [one for one in placed if one.cell.row >= len(titles)]
    for one in rest:
        one.cell = replace(one.cell, row=one.cell.row - len(titles))
    return titles, rest


def _header_rows(placed: Sequence[_Placed], rows: int, columns: int, *, tagged: bool) -> int:
    """Leading rows in the head, or of nothing but `th`; without any of these, as in a table that is drawn."""
    by_row: dict[int, list[_Placed]] = defaultdict(list)
    for one in placed:
        by_row[one.cell.row].append(one)
    headed = sum(1 for _ in takewhile(lambda at: all(map(_is_head, by_row[at])), range(rows)))
    if headed == rows:
        return min(1, rows - 1)
    return headed if tagged or rows < 2 else _guessed(by_row, rows, columns)


def _is_head(placed: _Placed) -> bool:
    return placed.in_head or name_of(placed.element) == "th"


def _guessed(by_row: dict[int, list[_Placed]], rows: int, columns: int) -> int:
    lines = [
        {one.cell.column: [_line(one)] for one in by_row.get(at, []) if one.cell.text} for at in range(rows)
    ]
    boxes: list[Box] = [(0.0, at * _ROW, 100.0, (at + 1) * _ROW) for at in range(rows)]
    return header_rows([one for one in lines if one], columns, boxes, ())


def _line(placed: _Placed) -> Line:
    top = placed.cell.row * _ROW
    box = (placed.cell.column * 10.0, top, placed.cell.column * 10.0 + 9.0, top + 10.0)
    return Line((Word(placed.cell.text, box),), box, 10.0, bold=_is_bold(placed.element))


def _is_bold(element: Element) -> bool:
    bold = sum(len(text_of(one)) for one in element.iter() if name_of(one) in ("b", "strong"))
    return bold > 0.5 * len(text_of(element))
