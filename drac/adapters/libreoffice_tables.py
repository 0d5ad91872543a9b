"""Gives table columns of text documents room for their longest words, as Word does and LibreOffice does not.

Loaded by `libreoffice_bridge` into the Python that can `import uno`; it stands alone too. A column that is
too narrow breaks words and numbers at any letter, and what is broken is not found again.
"""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterator
from typing import Any

_PADDING = 400
"""1/100 mm of a cell that are not text."""
_POINT = 35.28
"""1/100 mm of a typographic point."""
_EM = {"narrow": 0.3, "normal": 0.56, "capital": 0.72, "wide": 0.95}
"""Widths of characters in shares of the font's size; somewhat more than those of common text fonts."""
_LETTERS = string.ascii_uppercase + string.ascii_lowercase
_NARROW = frozenset("iljft.,;:!|'()[]/-\u2019 ")
_WIDE = frozenset("mwMW@%\u2014")
_SMALLEST = 0.6
"""Scale of the font below which a table is not shrunk any further."""
_WIDE_SCRIPTS = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]")


def fit_tables(document: Any) -> None:
    """Widen columns in all tables of a text document whose words do not fit; others stay as they are."""
    tables = document.getTextTables()
    for name in tables.getElementNames():
        table = tables.getByName(name)
        try:
            if not _fit(document, table):
                _fit_merged(document, table)
        except Exception:  # a table in a table, or a page without a style
            continue


def _fit(document: Any, table: Any) -> bool:
    """False where cells are merged: the table has no columns as a whole."""
    try:
        separators, rows = table.TableColumnSeparators or (), table.getDataArray()
    except Exception:
        return False
    if not rows or len(rows[0]) != len(separators) + 1:
        return False
    parts = int(table.TableColumnRelativeSum)
    ends = [0, *(one.Position for one in separators), parts]
    page = _text_width(document, table.getCellByPosition(0, 0))
    total = page * table.RelativeWidth / 100 if table.IsWidthRelative else float(table.Width)
    shares = [(end - start) / parts for start, end in itertools.pairwise(ends)]
    sizes = [_font_size(table, column, len(rows)) for column in range(len(shares))]
    least = [
        max(longest_word(str(row[column])) for row in rows) * size * _POINT + _PADDING
        for column, size in enumerate(sizes)
    ]
    if sum(least) > total and total < page:
        total = page
        table.RelativeWidth, table.IsWidthRelative = 100, True
    fitted = fit([share * total for share in shares], least)
    if fitted is not None:
        _apply(table, separators, [width / total * parts for width in fitted[0]])
        _shrink(table, len(rows), len(shares), min(sizes), fitted[1])
    return True


def _fit_merged(document: Any, table: Any) -> None:
    """As `_fit`, for a table whose rows have cells of their own; edges that were in line stay so."""
    cells, rows = list(_placed(table)), table.getRows()
    separators = [rows.getByIndex(at).TableColumnSeparators or () for at in range(rows.getCount())]
    parts = int(table.TableColumnRelativeSum)
    ends = [[0, *(one.Position for one in row), parts] for row in separators]
    total = _text_width(document, cells[0][2])
    if not table.IsWidthRelative:
        total = min(total, float(table.Width))
    edges = sorted({end for row in ends for end in row})
    widths = [(end - start) / parts * total for start, end in itertools.pairwise(edges)]
    needs = [(ends[row][at], ends[row][at + 1], _need(cell)) for row, at, cell in cells]
    fitted = fit(widths, least_of_spans(edges, needs))
    if fitted is None:
        return
    places = itertools.accumulate(fitted[0], initial=0.0)
    moved = {edge: round(place / total * parts) for edge, place in zip(edges, places, strict=True)}
    for at, row in enumerate(separators):
        for one in row:
            one.Position = moved[one.Position]
        if row:
            rows.getByIndex(at).TableColumnSeparators = row
    for _, _, cell in cells if fitted[1] < 1.0 else ():
        cursor = cell.createTextCursor()
        cursor.gotoEnd(True)
        cursor.CharHeight = cursor.CharHeight * fitted[1]


def _placed(table: Any) -> Iterator[tuple[int, int, Any]]:
    """(row, place in the row, cell); one that another covers is not there.

    Raises ValueError for cells that are split into tables of their own.
    """
    for name in table.getCellNames():
        column = name.rstrip(string.digits)
        yield int(name[len(column) :]) - 1, _column(column), table.getCellByName(name)


def _column(letters: str) -> int:
    """Place from 0: A to Z, a to z, AA and so on (sw/source/core/table/swtable.cxx)."""
    number = 0
    for letter in letters:
        number = number * len(_LETTERS) + _LETTERS.index(letter) + 1
    return number - 1


def _need(cell: Any) -> float:
    """1/100 mm that the longest word takes."""
    text = cell.getString()
    if not text.strip():
        return 0.0
    return longest_word(text) * float(cell.createTextCursor().CharHeight) * _POINT + _PADDING


def least_of_spans(edges: list[int], needs: list[tuple[int, int, float]]) -> list[float]:
    """The least width between neighbouring edges that gives each cell (left, right, width) what it needs.

    Narrow cells first; what one over several lacks is added to all of them alike.
    """
    place = {edge: at for at, edge in enumerate(edges)}
    least = [0.0] * (len(edges) - 1)
    for left, right, need in sorted(needs, key=lambda one: place[one[1]] - place[one[0]]):
        span = range(place[left], place[right])
        lack = need - sum(least[at] for at in span)
        for at in span:
            least[at] += max(0.0, lack) / len(span)
    return least


def _text_width(document: Any, cell: Any) -> float:
    """1/100 mm between the margins. A table whose width is a share of it does not know its own."""
    style = cell.createTextCursor().PageStyleName
    page = document.getStyleFamilies().getByName("PageStyles").getByName(style)
    return float(page.Width - page.LeftMargin - page.RightMargin)


def _apply(table: Any, separators: Any, widths: list[float]) -> None:
    for separator, position in zip(separators, itertools.accumulate(widths), strict=False):
        separator.Position = round(position)
    if separators:
        table.TableColumnSeparators = separators


def _shrink(table: Any, rows: int, columns: int, size: float, scale: float) -> None:
    if scale < 1.0:
        table.getCellRangeByPosition(0, 0, columns - 1, rows - 1).CharHeight = size * scale


def _font_size(table: Any, column: int, rows: int) -> float:
    """Points; of the header and the first rows, the largest."""
    found = (table.getCellByPosition(column, row).createTextCursor() for row in range(min(rows, 3)))
    return max(float(one.CharHeight) for one in found)


def longest_word(text: str) -> float:
    """Width of the longest word in shares of the font's size; scripts without spaces may break anywhere."""
    return max((_width(word) for word in text.split()), default=0.0)


def text_width(line: str) -> float:
    """Width of a whole line in shares of the font's size."""
    return sum(_EM[_kind(character)] for character in line)


def _width(word: str) -> float:
    if _WIDE_SCRIPTS.search(word):
        return 1.0
    return text_width(word)


def _kind(character: str) -> str:
    if character in _NARROW:
        return "narrow"
    if character in _WIDE or ord(character) > 0x2E80:
        return "wide"
    return "capital" if character.isupper() else "normal"


def fit(widths: list[float], least: list[float]) -> tuple[list[float], float] | None:
    """(new widths with the same sum, scale of the font), or None where every column is wide enough.

    Columns get what they need at least; what is left goes to those that had more, in proportion.
    """
    if all(have >= need for have, need in zip(widths, least, strict=True)):
        return None
    total, needed = sum(widths), sum(least)
    if needed >= total:
        padding = _PADDING * len(least)
        scale = max(_SMALLEST, (total - padding) / max(needed - padding, 1.0))
        return [need * total / needed for need in least], min(1.0, scale)
    spare = [max(0.0, have - need) for have, need in zip(widths, least, strict=True)]
    share = (total - needed) / sum(spare)
    return [need + more * share for need, more in zip(least, spare, strict=True)], 1.0
