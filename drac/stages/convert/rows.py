"""A table's grid to sentences, by one stated template.

    Fuel Type: Petrol; Variant: Base; Price (INR lakh): 9.0.

A row is its filled cells from left to right, each as `header: value`, joined by `; ` and ended by a
full stop unless the last value ends with one of . ! ? already. A cell without a header, or over the
whole width, is its value alone. The header is the path of the header rows' cells above, joined by a
space. In a table of two columns without a header row, the first cell is the header of the second.
Values stand exactly as printed, but for the bullet of a cell's only item; an empty cell is left out, a
value that spans rows or columns is repeated in each row it covers and named once a row. The template adds
no word. Header cells that stand over no value at all are a sentence of their own (`idle_headers`).
"""

from __future__ import annotations

from collections.abc import Sequence

from drac.records import Cell


def row_sentences(cells: Sequence[Cell], rows: int, columns: int, header_rows: int) -> list[tuple[int, str]]:
    """(grid row, sentence) for each row below the header that has a filled cell."""
    at = _spread(cells)
    pairs = [(row, _parts(at, row, columns, header_rows)) for row in range(header_rows, rows)]
    return [(row, sentence(parts)) for row, parts in pairs if parts]


def idle_headers(cells: Sequence[Cell], columns: int, header_rows: int) -> list[str]:
    """Texts of header cells over columns in which no row below has a value of its own."""
    at = _spread(cells)
    used = {
        at.get((row, column))
        for cell in cells
        if cell.text and cell.row + cell.row_span > header_rows and not _is_whole(cell, columns)
        for column in range(cell.column, cell.column + cell.column_span)
        for row in range(header_rows)
    }
    heads = (cell for cell in cells if cell.row < header_rows)
    return [cell.text for cell in heads if cell.text and cell not in used]


def sentence(parts: Sequence[str]) -> str:
    """Parts joined and ended."""
    text = "; ".join(parts)
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _is_whole(cell: Cell, columns: int) -> bool:
    """Whether a cell runs over the whole width of a table of several columns."""
    return columns > 1 and cell.column_span == columns


def _spread(cells: Sequence[Cell]) -> dict[tuple[int, int], Cell]:
    """Every grid place that a cell covers."""
    return {
        (row, column): cell
        for cell in cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }


def _header(at: dict[tuple[int, int], Cell], value: Cell, columns: int, header_rows: int) -> str:
    """The header cells over a value, column by column from the top, each once."""
    if _is_whole(value, columns):
        return ""
    path: list[str] = []
    for column in range(value.column, value.column + value.column_span):
        for row in range(header_rows):
            cell = at.get((row, column))
            if cell and cell.text and cell.text not in path:
                path.append(cell.text)
    return " ".join(path)


def _parts(at: dict[tuple[int, int], Cell], row: int, columns: int, header_rows: int) -> list[str]:
    filled = []
    for column in range(columns):
        cell = at.get((row, column))
        if cell and cell.text and (column == 0 or at.get((row, column - 1)) is not cell):
            filled.append((_header(at, cell, columns, header_rows), cell.text))
    if not header_rows and columns == 2 and len(filled) == 2:
        return [_named(filled[0][1], filled[1][1])]
    return [_named(header, value) for header, value in filled]


def _named(header: str, value: str) -> str:
    header = header.rstrip(" :")
    return f"{header}: {value}" if header else value
