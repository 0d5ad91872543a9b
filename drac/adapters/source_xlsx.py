"""Workbooks' visible text, by openpyxl."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from drac.config import NormalizeSettings
from drac.records import Passage

_LARGE = 8_000_000
"""Bytes of a workbook's sheets above which it is read row by row, without what its rows and columns hide."""
_MOST_CELLS = 200_000
"""Cells read of a workbook; a second or two."""


def read(source: Path, suffix: str, settings: NormalizeSettings) -> Iterator[Passage]:
    """A passage for each row, sheets in order. Of numbers only those whose look is sure."""
    import openpyxl

    large = _sheet_bytes(source) > _LARGE
    with source.open("rb") as file:
        book = openpyxl.load_workbook(file, read_only=large, data_only=True)
        left = _MOST_CELLS
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible" and not settings.hidden:
                continue
            for number, cells in _rows(sheet, large or settings.hidden):
                text = " ".join(filter(None, map(_shown, cells)))
                yield Passage(text, f"sheet {sheet.title}, row {number}")
                left -= len(cells)
                if left < 0:
                    return


def _sheet_bytes(source: Path) -> int:
    with zipfile.ZipFile(source) as package:
        return sum(one.file_size for one in package.infolist() if one.filename.startswith("xl/worksheets/"))


def _rows(sheet: Any, everything: bool) -> Iterator[tuple[int, list[Any]]]:
    """Number and cells of each row, without hidden rows and columns unless `everything` is wanted."""
    hidden = frozenset() if everything else _hidden_columns(sheet)
    for number, row in _stored_rows(sheet):
        if everything or not sheet.row_dimensions[number].hidden:
            yield number, [cell for cell in row if cell.value is not None and cell.column not in hidden]


def _stored_rows(sheet: Any) -> Iterator[tuple[int, Iterable[Any]]]:
    """The cells that the file has; openpyxl's own rows have all between the first and the last one."""
    if not hasattr(sheet, "_cells"):  # read row by row
        sheet.reset_dimensions()
        yield from enumerate(sheet.iter_rows(), 1)
        return
    cells = sheet._cells
    for number, places in groupby(sorted(cells), key=itemgetter(0)):
        yield number, [cells[place] for place in places]


def _hidden_columns(sheet: Any) -> frozenset[int]:
    return frozenset(
        column
        for one in sheet.column_dimensions.values()
        if one.hidden
        for column in range(one.min or 0, (one.max or 0) + 1)
    )


def _shown(cell: Any) -> str:
    """As a reader sees it; empty where that depends on its number format."""
    value, looks = cell.value, cell.number_format
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return value if looks != ";;;" else ""
    if isinstance(value, int) and looks in ("General", "0", "@"):
        return str(value) if abs(value) < 10**10 else ""
    if isinstance(value, (int, float)) and looks in ("#,##0", "0", "#,##0.00", "0.00"):
        places = 2 if looks.endswith(".00") else 0
        return f"{value:{',' if '#' in looks else ''}.{places}f}"
    return ""
