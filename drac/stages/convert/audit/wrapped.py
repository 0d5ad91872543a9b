"""Rows of the second reader's that are the lines of one row, whose cells are wrapped.

OCR sees lines of print, not rows; in a table without rules the second line of a row may pass for a row of its
own. The text under audit tells where: one of its lines has each cell of both, the lower straight after the
upper. Two rows that a model ran together look the same; so the two are one only where their cells, joined,
are more like the other cells of their columns than each is by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from drac.stages.convert.audit.sides import Grid, Row, Seen, Unit, Written
from drac.stages.convert.audit.words import is_digits

Words = tuple[str, ...]
Group = list[Row]
_MOST = 6
"""Lines of print that a row is looked for in."""
_THERE = 0.8
"""Share of the words of such rows that one line of the text must have."""
_STRAIGHT = 0.75
"""Share of the cells in several parts that stand there with their parts straight after each other."""
_USUAL = 0.75
"""Share of a column's cells that have the same number of a word, from which others should have it too."""
_CLEARLY = 2
"""Columns by which a cut must fit better than all rows by themselves; what print that goes on counts."""
_OPEN = re.compile(r"[-\u2010-\u2014/&,(]$")
"""Ends of a line of print after which its cell goes on."""
_GOES_ON = re.compile(r"^[a-z(]")
"""Beginnings of a line of print that goes on with a cell."""


def put_together(written: Written, seen: Seen) -> None:
    """Make one row of those that are one in the text under audit and fit their columns so."""
    lines = [tuple(written.texts(line)) for line in written.lines]
    seen.grids = [_with_whole_rows(grid, lines, seen) for grid in seen.grids]


def _with_whole_rows(grid: Grid, lines: Sequence[Words], seen: Seen) -> Grid:
    groups = list(_groups(grid.rows, lines))
    if len(groups) == len(grid.rows):
        return grid
    rows: list[Row] = []
    for at, group in enumerate(groups):
        others = groups[:at] + groups[at + 1 :]
        rows += [_one(run, seen) if len(run) > 1 else run[0] for run in _best_cut(group, others)]
    return replace(grid, rows=tuple(rows))


def _groups(rows: Sequence[Row], lines: Sequence[Words]) -> Iterator[Group]:
    """The rows, those together that a line of the text has as one."""
    group: Group = []
    for row in rows:
        more = [*group, row]
        if group and not (len(more) <= _MOST and any(_has(line, more) for line in lines)):
            yield group
            more = [row]
        group = more
    if group:
        yield group


def _has(line: Words, group: Group) -> bool:
    """Whether a line has the words of all rows, those of each cell together."""
    wanted = Counter(word for row in group for words in row.cells.values() for word in words)
    if (wanted & Counter(line)).total() < _THERE * wanted.total():
        return False
    parted = [parts for parts in _parts(group).values() if len(parts) > 1]
    straight = sum(_stands(sum(parts, ()), line) for parts in parted)
    return bool(parted) and straight >= _STRAIGHT * len(parted)


def _stands(phrase: Words, line: Words) -> bool:
    return any(line[at : at + len(phrase)] == phrase for at in range(len(line) - len(phrase) + 1))


def _parts(group: Group) -> dict[int, list[Words]]:
    """By column, the words that each row has there, of those that have any."""
    columns = sorted({column for row in group for column in row.cells})
    return {column: [row.cells[column] for row in group if column in row.cells] for column in columns}


def _joined(group: Group) -> dict[int, Words]:
    return {column: sum(parts, ()) for column, parts in _parts(group).items()}


def _best_cut(group: Group, others: Sequence[Group]) -> list[Group]:
    """The group in the runs that fit the columns best, and clearly better than all rows by themselves."""
    columns, apart = _Columns(others), [[row] for row in group]
    best = max(_cuts(group), key=lambda runs: (columns.fit(runs), len(runs)))
    return best if columns.fit(best) >= columns.fit(apart) + _CLEARLY else apart


def _cuts(group: Group) -> Iterator[list[Group]]:
    """All ways to cut a group into runs."""
    for marks in range(1 << (len(group) - 1)):
        runs = [[group[0]]]
        for at, row in enumerate(group[1:]):
            if marks >> at & 1:
                runs.append([row])
            else:
                runs[-1].append(row)
        yield runs


class _Columns:
    """What the cells of a table's other rows are like."""

    def __init__(self, others: Sequence[Group]) -> None:
        self._cells = [_joined(group) for group in others]
        self._ends = _texts(group[-1] for group in others)
        self._starts = _texts(group[0] for group in others)

    def fit(self, runs: Sequence[Group]) -> int:
        """Columns with what is usual in each run, less those without, and cells that go on in one."""
        cells = [_joined(run) for run in runs]
        columns = {column for one in cells for column in one}
        alike = sum(self._vote(column, [one[column] for one in cells if column in one]) for column in columns)
        return alike + _CLEARLY * sum(self._goes_on(*pair) for run in runs for pair in pairwise(run))

    def _vote(self, column: int, cells: Sequence[Words]) -> int:
        """1 where all cells have as many digit strings, and units beside them, as is usual; -1: not so."""
        others = [one[column] for one in self._cells if column in one] or cells
        if (len(others) < 2 and others is cells) or not _usual([_count(one, "") for one in others]):
            return 0
        units = {word for one in others for word in one if not is_digits(word)}
        votes = 0
        for kind in ("", *sorted(units)):
            if usual := _usual([_count(one, kind) for one in others]):
                votes += 1 if all(_count(one, kind) == usual for one in cells) else -1
        return max(-1, min(1, votes))

    def _goes_on(self, above: Row, below: Row) -> int:
        """Cells whose print goes on from one row to the next, in a way that no other cell ends or begins."""
        return sum(
            _is_only(_OPEN, above.shown[column], self._ends.get(column, ()))
            or _is_only(_GOES_ON, below.shown[column], self._starts.get(column, ()))
            for column in above.shown.keys() & below.shown.keys()
        )


def _texts(rows: Iterable[Row]) -> dict[int, list[str]]:
    texts: dict[int, list[str]] = {}
    for row in rows:
        for column, text in row.shown.items():
            texts.setdefault(column, []).append(text)
    return texts


def _is_only(pattern: re.Pattern[str], text: str, others: Sequence[str]) -> bool:
    return bool(pattern.search(text)) and not any(map(pattern.search, others))


def _usual(counts: Sequence[int]) -> int:
    """What most counts are; 0 where they differ."""
    count, times = Counter(counts).most_common(1)[0] if counts else (0, 0)
    return count if times >= _USUAL * len(counts) else 0


def _count(words: Words, kind: str) -> int:
    """How often a word stands in a cell; of the empty word: how many digit strings."""
    return sum(word == kind or (not kind and is_digits(word)) for word in words)


def _one(group: Group, seen: Seen) -> Row:
    """The rows as one; its unit is the first one's, the others are left without words."""
    units = [seen.units[row.unit] for row in group]
    first, last = units[0].first, units[-1].last
    text = " | ".join(unit.text for unit in units)
    boxes = tuple(dict.fromkeys(box for unit in units for box in unit.boxes))
    seen.units[group[0].unit] = Unit("row", text, first, last, boxes)
    for row in group[1:]:
        seen.units[row.unit] = Unit("row", "", last, last)
    above = tuple(dict.fromkeys(word for row in group for word in row.above))
    return Row(group[0].unit, _joined(group), above)
