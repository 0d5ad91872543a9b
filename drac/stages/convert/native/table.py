"""A table element to the grid that row sentences are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from xml.etree.ElementTree import Element

from drac.records import Box, Cell
from drac.stages.convert.header import header_rows
from drac.stages.convert.native.inline import alternative, text_of
from drac.stages.convert.native.tree import name_of
from drac.stages.convert.page import Line, Word

_MOST_SPANNED = (65_534, 1_000)
"""Rows and columns that a cell may cover (WHATWG HTML, 4.9.11)."""
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
    taken: set[tuple[int, int]] = set()
    placed = []
    for at, (row, in_head) in enumerate(rows):
        column = 0
        for element in row:
            while (at, column) in taken:
                column += 1
            cell = _cell(element, at, column, len(rows), sentence_of)
            covered = range(column, column + cell.column_span)
            taken |= {(r, c) for r in range(at, at + cell.row_span) for c in covered}
            placed.append(_Placed(cell, element, in_head))
            column += cell.column_span
    return placed


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
    rows = {at: n for n, at in enumerate(sorted({one.cell.row for one in texts}))}
    columns = {at: n for n, at in enumerate(sorted({one.cell.column for one in texts}))}
    kept = []
    for one in placed:
        cell = one.cell
        down = [rows[at] for at in range(cell.row, cell.row + cell.row_span) if at in rows]
        across = [columns[at] for at in range(cell.column, cell.column + cell.column_span) if at in columns]
        if down and across:
            moved = replace(cell, row=down[0], column=across[0], row_span=len(down), column_span=len(across))
            kept.append(_Placed(moved, one.element, one.in_head))
    return kept, len(rows), len(columns)


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
