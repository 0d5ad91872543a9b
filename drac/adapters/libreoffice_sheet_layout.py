"""Decides how a spreadsheet is laid on pages: what is empty, which rows and columns head it, what fits.

Loaded by `libreoffice_bridge` beside `libreoffice_sheets`; it knows nothing of LibreOffice. Rows and columns
are counted from 0, lengths are 1/100 mm on paper unless said otherwise.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

Value = str | float
Rows = Mapping[int, Mapping[int, Value]]
"""Filled cells by row and column; dates and numbers are floats, everything else is text."""

PORTRAIT, LANDSCAPE = 18_450, 27_100
"""Width between the margins of A4, less what rounding takes.

Larger paper would not help: a page's image has a fixed longer side.
"""
HEIGHT = 17_300
"""Height between the margins of a page on its side, without its header."""
MARGIN = 1_200
"""Of a page, on all sides."""
POINT = 35.28
"""1/100 mm of a typographic point."""
_SMALLEST_TYPE = 6.0
"""Points on paper below which type is not shrunk; about 10 pixels of a page's image."""
_SMALLEST_SCALE = 0.6
_STILL_UPRIGHT = 0.85
"""Scale down to which the upright page is kept."""
_PARTED_SCALE = 0.7
"""Scale of a sheet that is parted by columns."""
_PADDING = 500
"""Of a cell, that is not text; with what the estimate of widths may miss."""
_WORD, _LINE, _TEXT = 6_000, 4_000, 11_000
"""Widest column for a long word; for short text that need not wrap; for long text."""
_LINES = 8
"""Lines that text takes in a cell before its column is widened."""
SPACER = 500
"""Width of an empty column."""
_KEY_SHARE = 1 / 3
"""Of the page's width, that repeated columns may take."""
_MOST_HEADERS, _MOST_KEYS = 10, 6
"""Rows and columns that a file may have repeated; more is a view of its own, not a header."""
_NEXT = 12
"""Tables before and after one that are looked at beside it."""
_PARTING = 2
"""Empty rows and titles between two parts of one table, at most."""
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*[A-Za-z%]{0,2}")


class Area(NamedTuple):
    """A rectangle of cells; all ends belong to it."""

    left: int
    top: int
    right: int
    bottom: int


class Paper(NamedTuple):
    """How a sheet is put on pages."""

    landscape: bool
    """Whether the page lies on its side."""
    percent: int
    """Scale."""
    widths: dict[int, float]
    """Width of each shown column, before scaling."""
    starts: list[int]
    """Columns, beyond the first, with which a new page starts."""


def union(areas: Iterable[Area]) -> Area:
    """The smallest area around all of `areas`, at least one."""
    left, top, right, bottom = zip(*areas, strict=True)
    return Area(min(left), min(top), max(right), max(bottom))


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Ascending numbers as (first, last) of their unbroken runs."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def members(spans: Iterable[tuple[int, int]]) -> list[int]:
    """All numbers of (first, last) spans, ascending, each once."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return [number for first, last in merged for number in range(first, last + 1)]


def without_gaps(shown: Sequence[int], used: Iterable[int], gap: int) -> tuple[list[int], list[int], int]:
    """(kept, left out, length of the longest gap): of unused stretches at most `gap` lines are kept."""
    used = set(used)
    kept: list[int] = []
    dropped: list[int] = []
    longest = waiting = 0
    for line in shown:
        waiting = 0 if line in used else waiting + 1
        longest = max(longest, waiting)
        (kept if waiting <= gap else dropped).append(line)
    return kept, dropped, longest


def tables(cells: Rows, rows: Sequence[int], columns: Sequence[int]) -> list[Area]:
    """Parts of a sheet that empty rows, or wide empty gaps between columns, keep apart; top first."""
    found: list[Area] = []
    for top, bottom in _stretches(rows, {row for row in rows if cells.get(row)}):
        used = {column for row in _between(rows, top, bottom) for column in cells.get(row, ())}
        sample = [cells.get(row, {}) for row in _sampled(rows, top, bottom)]
        for left, right in _sides(columns, used, sample):
            found += _trimmed(cells, Area(left, top, right, bottom), rows)
    return _continued(cells, found, rows)


def _sampled(rows: Sequence[int], top: int, bottom: int) -> Iterator[int]:
    """Rows of a part, and some below it: an empty row may keep a header from its table."""
    own = min(60, sum(1 for _ in _between(rows, top, bottom)))
    return itertools.islice(_between(rows, top, rows[-1]), max(own, 12))


def between(tables: Sequence[Area]) -> set[int]:
    """Columns that keep two tables beside each other apart."""
    near = (tables[max(0, place - _NEXT) : place + _NEXT] for place in range(len(tables)))
    pairs = ((a, b) for a, others in zip(tables, near, strict=True) for b in others)
    beside = ((a, b) for a, b in pairs if a.right < b.left and a.top <= b.bottom and b.top <= a.bottom)
    return {column for a, b in beside for column in range(a.right + 1, b.left)}


def _continued(cells: Rows, found: Sequence[Area], rows: Sequence[int]) -> list[Area]:
    """Tables, each with the parts below it that have no header of their own."""
    joined: list[Area] = []
    for part in found:
        above = [one for one in joined[-_NEXT:] if one.left <= part.left and part.right <= one.right]
        last = max(above, key=lambda one: one.bottom, default=None)
        if last is not None and _goes_on(cells, last, part, rows):
            joined[joined.index(last)] = last._replace(bottom=part.bottom)
        else:
            joined.append(part)
    return joined


def _goes_on(cells: Rows, table: Area, part: Area, rows: Sequence[int]) -> bool:
    """Whether few rows part them, and the lower begins with a name and numbers that are no years."""
    parting = sum(table.bottom < row < part.top for row in rows)
    first = cells.get(part.top, {})
    values = [first[column] for column in range(part.left, part.right + 1) if column in first]
    named = part.left == table.left and isinstance(first.get(part.left), str)
    numbers = [value for value in values if is_number(value)]
    return parting <= _PARTING and named and bool(numbers) and not all(map(_is_year, numbers))


def _is_year(value: Value) -> bool:
    return re.fullmatch(r"(19|20)\d\d(\.0)?", str(value).strip()) is not None


def _between(lines: Sequence[int], first: int, last: int) -> Iterator[int]:
    return (line for line in lines if first <= line <= last)


def _stretches(lines: Sequence[int], used: set[int]) -> list[tuple[int, int]]:
    """(first, last) of neighbours among `lines` that are used."""
    groups = itertools.groupby(lines, key=lambda line: line in used)
    parts = [list(group) for is_used, group in groups if is_used]
    return [(part[0], part[-1]) for part in parts]


def _sides(
    columns: Sequence[int], used: set[int], rows: Sequence[Mapping[int, Value]]
) -> list[tuple[int, int]]:
    """Side by side, each with names of its rows: other columns belong to the names to their left."""
    merged: list[tuple[int, int]] = []
    for left, right in _stretches(columns, used):
        apart = left < right and _mostly_words(rows, left) and merged and merged[-1][0] < merged[-1][1]
        if merged and not apart:
            merged[-1] = (merged[-1][0], right)
        else:
            merged.append((left, right))
    return merged


def _trimmed(cells: Rows, area: Area, rows: Sequence[int]) -> Iterator[Area]:
    """The area's parts between rows that are empty in it, without titles above and remarks below."""
    columns = range(area.left, area.right + 1)
    inside = list(_between(rows, area.top, area.bottom))
    count = {row: sum(column in cells.get(row, ()) for column in columns) for row in inside}
    for top, bottom in _stretches(inside, {row for row in inside if count[row]}):
        full = [row for row in _between(inside, top, bottom) if count[row] > 1]
        if full:
            yield Area(area.left, full[0], area.right, full[-1])


def is_number(value: Value) -> bool:
    """Whether a cell holds a number, also one that is written as text."""
    return not isinstance(value, str) or _NUMBER.fullmatch(value.strip()) is not None


def header_rows(cells: Rows, table: Area, rows: Sequence[int]) -> int:
    """Leading rows of a table that hold words where numbers follow; 1 where all is words."""
    inside = [cells.get(row, {}) for row in _between(rows, table.top, table.bottom)][:12]
    words = [not any(map(is_number, row.values())) for row in inside]
    leading = sum(1 for _ in itertools.takewhile(bool, words))
    if leading == len(words):
        return 1
    return min(leading, 3)


def key_columns(cells: Rows, table: Area, rows: Sequence[int]) -> int:
    """Leading columns of a table that say what its rows are: the first, and words before numbers."""
    sample = [cells.get(row, {}) for row in itertools.islice(_between(rows, table.top, table.bottom), 1, 60)]
    words = [_mostly_words(sample, column) for column in range(table.left, table.right + 1)]
    if sum(words[3:]) > 0.3 * len(words[3:]):
        return 2 if words[:2] == [False, True] else 1
    return max((place + 1 for place, one in enumerate(words[:3]) if one), default=1)


def _mostly_words(rows: Sequence[Mapping[int, Value]], column: int) -> bool:
    values = [row[column] for row in rows if column in row]
    return sum(_is_word(value) for value in values) > 0.5 * len(values)


def _is_word(value: Value) -> bool:
    return not is_number(value) and any(map(str.isalpha, str(value)))


class Widths:
    """How wide columns must be; `line` and `word` estimate text in shares of the type's size."""

    def __init__(self, size: float, line: Callable[[str], float], word: Callable[[str], float]) -> None:
        self._em = size * POINT * 1.08
        self._line, self._word = line, word
        self._needs: dict[int, tuple[float, float, float]] = {}

    def add(self, column: int, text: str) -> None:
        """Take a text of that column into account."""
        lines = [self._line(one) * self._em for one in text.split("\n")]
        word = self._word(text) * self._em + _PADDING
        spread = sum(max(line, 1.0) for line in lines) / _LINES * 1.15 + _PADDING
        had = self._needs.get(column, (0.0, 0.0, 0.0))
        self._needs[column] = (
            max(had[0], word), max(had[1], max(lines) + _PADDING), max(had[2], spread),
        )  # fmt: skip

    def least(self, column: int) -> float:
        """What the longest word needs."""
        return min(self._needs.get(column, (0.0,))[0], _WORD)

    def wanted(self, column: int, given: float) -> float:
        """What looks best; `given` is the width in the file."""
        word, line, spread = self._needs.get(column, (0.0, 0.0, 0.0))
        most = max(_LINE, min(given, _TEXT), min(spread, _TEXT))
        return max(min(word, _WORD), min(line, most))

    def widen(self, widths: dict[int, float], columns: Sequence[int], text: str, scale: float) -> None:
        """Make room for a text that runs over several columns, so that it takes no more lines than others."""
        needed = (
            min(scale * sum(self._line(one) * self._em for one in text.split("\n")) / _LINES, _TEXT)
            + _PADDING
        )
        have = sum(widths[column] for column in columns)
        if 0 < have < needed:
            widths.update({column: widths[column] * needed / have for column in columns})

    def with_room(self, widths: Mapping[int, float]) -> dict[int, float]:
        """What is free on an upright page goes to columns whose text would break."""
        free = PORTRAIT - sum(widths.values())
        lacking = {
            column: max(0.0, min(self.line(column), _TEXT) - width) for column, width in widths.items()
        }
        share = min(1.0, max(0.0, free) / (sum(lacking.values()) or 1.0))
        return {column: width + share * lacking[column] for column, width in widths.items()}

    def line(self, column: int) -> float:
        """What the longest text needs in one line."""
        return self._needs.get(column, (0.0, 0.0, 0.0))[1]

    def length(self, text: str) -> float:
        """Of the text in one line."""
        return max(self._line(one) for one in text.split("\n")) * self._em + _PADDING

    def lines(self, text: str, width: float) -> int:
        """Lines that the text takes in a cell of that width."""
        room = max(width - _PADDING, self._em)
        return sum(1 + int(self._line(one) * self._em * 1.1 / room) for one in text.split("\n"))


def paper(widths: Mapping[int, float], least: Mapping[int, float], keys: Sequence[int], size: float) -> Paper:
    """The page and scale on which all columns fit, else where the sheet is parted.

    `widths` are those wanted, `least` those that every column needs, `keys` the columns repeated on each
    page of a parted sheet, `size` the type's in points.
    """
    smallest = min(1.0, max(_SMALLEST_SCALE, _SMALLEST_TYPE / size))
    for tried in (widths, _narrowed(widths, least, LANDSCAPE / smallest)):
        total = sum(tried.values())
        if total * max(smallest, _STILL_UPRIGHT) <= PORTRAIT:
            return Paper(False, _percent(PORTRAIT / total), dict(tried), [])
        if total * smallest <= LANDSCAPE:
            return Paper(True, _percent(LANDSCAPE / total), dict(tried), [])
    return _parted(dict(widths), keys, max(smallest, _PARTED_SCALE))


def _percent(scale: float) -> int:
    return min(100, int(scale * 100))


def _narrowed(widths: Mapping[int, float], least: Mapping[int, float], room: float) -> Mapping[int, float]:
    """Columns that have more than they need give it, in proportion, until all fit."""
    spare = {column: max(0.0, width - least[column]) for column, width in widths.items()}
    over, have = sum(widths.values()) - room, sum(spare.values())
    if have <= 0:
        return widths
    share = min(1.0, (over + 1) / have)
    return {column: width - share * spare[column] for column, width in widths.items()}


def _parted(widths: dict[int, float], keys: Sequence[int], scale: float) -> Paper:
    room = LANDSCAPE / scale
    repeated = sum(widths[key] for key in keys)
    if repeated > _KEY_SHARE * room:
        for key in keys:
            widths[key] *= _KEY_SHARE * room / repeated
    rest = room - sum(widths[key] for key in keys)
    starts, used, first = [], 0.0, True
    for column in (one for one in widths if one not in keys):
        widths[column] = min(widths[column], rest)
        if used + widths[column] > rest and not first:
            starts.append(column)
            used = 0.0
        used, first = used + widths[column], False
    return Paper(True, int(scale * 100), widths, starts)


def pieces(text: str, most: int) -> list[str]:
    """A long text in parts of `most` characters at most, cut between words where there is one."""
    found = []
    while len(text) > most:
        cut = max(text.rfind(" ", 0, most), text.rfind("\n", 0, most))
        cut = cut if cut > most // 2 else most
        found.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*found, text]


def usable_headers(given: int) -> int:
    """Rows that the file repeats or freezes, if they are few enough to be headers; else 0."""
    return given if given <= _MOST_HEADERS else 0


def usable_keys(given: int) -> int:
    """Columns that the file repeats or freezes, if they are few enough to be keys; else 0."""
    return given if given <= _MOST_KEYS else 0
