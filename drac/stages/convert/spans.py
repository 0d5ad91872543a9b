"""Header cells that stand over several columns of a table without a mesh of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from drac.records import Box
from drac.stages.convert.page import Line, union

_BELOW = 0.9
"""Font sizes from a header cell down to the rule that shows its columns, at most."""
_CENTRED = 0.4
"""Font sizes between the middle of a header cell and that of the columns it heads, at most."""
_OFF = 1.0
"""Font sizes from the middle of a single column, at least, for a cell that heads several."""
Interval = tuple[float, float]


def header_span(
    row: Mapping[int, Sequence[Line]], column: int, columns: Sequence[Interval], rules: Sequence[Box]
) -> tuple[int, int]:
    """(first column, number of columns) that the cell at `column` of a header row stands over.

    A rule right below the cell shows it; else a cell set in the middle of several columns, and of none of
    them, heads them, as far as no other cell of the row stands there.
    """
    box = union(line.box for line in row[column])
    size = row[column][0].size
    ruled = [place for place, one in enumerate(columns) if _is_ruled(one, box, size, rules)]
    if len(ruled) > 1 and column in ruled:
        return ruled[0], len(ruled)
    middle = (box[0] + box[2]) / 2
    if any(_is_flush(box, one) or abs(sum(one) / 2 - middle) < _OFF * size for one in columns):
        return column, 1
    fits = [
        run for run in _runs(row, column, columns) if abs(_middle(columns, run) - middle) < _CENTRED * size
    ]
    return (fits[0].start, len(fits[0])) if fits else (column, 1)


def _is_ruled(column: Interval, box: Box, size: float, rules: Sequence[Box]) -> bool:
    middle = sum(column) / 2
    return any(
        rule[0] - 1 <= middle <= rule[2] + 1 and rule[0] < box[2] and rule[2] > box[0]
        for rule in rules
        if rule[3] - rule[1] < 3 and -0.2 * size < rule[1] - box[3] < _BELOW * size
    )


def _is_flush(box: Box, column: Interval) -> bool:
    return abs(box[0] - column[0]) < 1.5 or abs(box[2] - column[1]) < 1.5


def _runs(row: Mapping[int, Sequence[Line]], column: int, columns: Sequence[Interval]) -> Iterator[range]:
    """Neighbouring columns around one that no other cell of the row stands in, the fewest first."""
    for length in range(2, len(columns) + 1):
        for start in range(max(0, column - length + 1), min(column, len(columns) - length) + 1):
            if not any(other != column and start <= other < start + length for other in row):
                yield range(start, start + length)


def _middle(columns: Sequence[Interval], run: range) -> float:
    return (columns[run[0]][0] + columns[run[-1]][1]) / 2
