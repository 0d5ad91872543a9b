"""Which line of the text says which row of the second reader's grids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from drac.stages.convert.audit.excess import Excess, on_top
from drac.stages.convert.audit.sides import Grid, Line, Row, Seen, Written

_LONGEST = 4
"""Times as many words as row and headers together that a row's line may have."""
_SPARE = 12
"""Words that it may have on top."""
_MANY = 3
"""Lines, and half of the grid's rows, that have all words of a row that is a header."""
_BEST = 0.8
"""Share of a row's best score, with any line, that its own line must have: else another row has its line."""
_RESIDUE = 0.7
"""Share of a row's own words that another row's line must have left over for the two to be merged."""


@dataclass(slots=True)
class Said:
    """A row and its line."""

    grid: Grid
    """Where the row stands."""
    row: Row
    """The row."""
    line: Line
    """The line that says it."""
    merged: list[Row] = field(default_factory=list)
    """Other rows that the same line says."""
    parts: list[Row] = field(default_factory=list)
    """Rest of the row, which the second reader took for rows of their own."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """All that the line says."""
        return (self.row, *self.merged, *self.parts)

    @property
    def words(self) -> Counter[str]:
        """Words of all that the line says."""
        return sum((own(row) for row in self.rows[1:]), own(self.row))


@dataclass(slots=True)
class Rows:
    """All rows of a page."""

    said: list[Said]
    """Those with a line, in order."""
    unsaid: list[tuple[Grid, Row]]
    """Those without."""


def own(row: Row) -> Counter[str]:
    """The words of the cells that begin in a row."""
    return Counter(word for words in row.cells.values() for word in words)


def find_rows(written: Written, seen: Seen, share: float, fill: float) -> Rows:
    """Each row of two filled cells or more with its line, in order first, then wherever it stands."""
    bags = list(_bags(written, seen))
    seen.grids = [_with_headers(grid, bags) for grid in seen.grids]
    rows = [(grid, row) for grid in seen.grids for row in grid.rows if len(row.cells) > 1]
    weights = [_weights(grid) for grid, _ in rows]
    scores = [
        {at: score for at, bag in enumerate(bags) if (score := _score(grid, row, weight, bag, share)) > 0}
        for (grid, row), weight in zip(rows, weights, strict=True)
    ]
    pairs = _in_order(scores, len(bags))
    _anywhere(scores, pairs)
    pairs = {
        row: line for row, line in pairs.items() if scores[row][line] >= _BEST * max(scores[row].values())
    }
    said = [Said(*rows[at], written.lines[pairs[at]]) for at in sorted(pairs)]
    unsaid = [one for at, one in enumerate(rows) if at not in pairs]
    found = Rows(said, unsaid)
    _merge(found, written, fill)
    _take_rests(found, written)
    return found


def _bags(written: Written, seen: Seen) -> Iterator[Counter[str]]:
    """The words of each line; none of a line that the second reader has word for word, in no table."""
    prose = {
        seen.texts(line)
        for unit in seen.units
        if unit.kind not in ("row", "header")
        for line in (unit.text, *unit.text.splitlines())
    }
    for line in written.lines:
        words = written.texts(line)
        yield Counter() if tuple(words) in prose else Counter(words)


def _with_headers(grid: Grid, bags: Sequence[Counter[str]]) -> Grid:
    """The grid where its first rows are headers if many lines have all of their words."""
    many = max(_MANY, (len(grid.rows) + 1) // 2)
    heads = list(takewhile(lambda row: sum(own(row) <= bag for bag in bags) >= many, grid.rows))
    if not heads or len(heads) == len(grid.rows):
        return grid
    labels = dict(grid.labels)
    for row in heads:
        for column, words in row.cells.items():
            labels[column] = (*labels.get(column, ()), *words)
    names = grid.names.union(*(own(row) for row in heads))
    return Grid(labels, names, grid.rows[len(heads) :])


def _weights(grid: Grid) -> dict[str, float]:
    """A word that stands in few rows tells more."""
    counts = Counter(word for row in grid.rows for word in own(row))
    return {word: 1 / count for word, count in counts.items()}


def _score(grid: Grid, row: Row, weights: dict[str, float], bag: Counter[str], share: float) -> float:
    """How well a line says a row, 0 to 1; 0 where it has too few of its words, or too many others."""
    wanted = own(row)
    common = {word: min(count, bag[word]) for word, count in wanted.items() if word in bag}
    total, found = wanted.total(), sum(common.values())
    if not found or found < share * total:
        return 0.0
    if bag.total() > _LONGEST * (total + len(row.above) + len(grid.names)) + _SPARE:
        return 0.0
    heavy = sum(weights[word] * count for word, count in common.items())
    whole = sum(weights[word] * count for word, count in wanted.items())
    return 0.5 * found / total + 0.5 * heavy / whole


def _in_order(scores: Sequence[dict[int, float]], lines: int) -> dict[int, int]:
    """Line by row, both rising, each line once, with the highest sum of scores."""
    best = [[0.0] * (lines + 1) for _ in range(len(scores) + 1)]
    for row, score in enumerate(scores, 1):
        above, now = best[row - 1], best[row]
        for line in range(1, lines + 1):
            with_it = above[line - 1] + score.get(line - 1, -1.0)
            now[line] = max(above[line], now[line - 1], with_it)
    pairs, row, line = {}, len(scores), lines
    while row and line:
        if best[row][line] == best[row - 1][line]:
            row -= 1
        elif best[row][line] == best[row][line - 1]:
            line -= 1
        else:
            row, line = row - 1, line - 1
            pairs[row] = line
    return pairs


def _anywhere(scores: Sequence[dict[int, float]], pairs: dict[int, int]) -> None:
    """Give rows that are left the lines that are left, the surest first."""
    used = set(pairs.values())
    left = [
        (-score, row, line)
        for row, of_row in enumerate(scores)
        if row not in pairs
        for line, score in of_row.items()
        if line not in used
    ]
    for _, row, line in sorted(left):
        if row not in pairs and line not in used:
            pairs[row] = line
            used.add(line)


def _merge(rows: Rows, written: Written, fill: float) -> None:
    """Find rows whose words are what another row's line has left over.

    Where one of the two has fewer cells than most rows, it is what was wrapped in the cells of the other.
    """
    for grid in {id(grid): grid for grid, _ in rows.unsaid}.values():
        lines = _Lines(grid, rows, written)
        usual = _usual_cells(grid)
        for row in [row for other, row in rows.unsaid if other is grid]:
            if one := lines.holding(row):
                both = min(len(row.cells), len(one.row.cells)) >= fill * usual
                both = both and min(row.cells) == min(one.row.cells)
                (one.merged if both else one.parts).append(row)
                rows.unsaid = [other for other in rows.unsaid if other[1] is not row]


def _take_rests(rows: Rows, written: Written) -> None:
    """Rows of one cell that are the rest of the row above."""
    for grid in {id(one.grid): one.grid for one in rows.said}.values():
        lines = _Lines(grid, rows, written)
        said = {id(one.row): one for one in lines.said}
        above = None
        for row in grid.rows:
            above = said.get(id(row), above if len(row.cells) == 1 else None)
            if above and len(row.cells) == 1 and lines.holds(above, row):
                above.parts.append(row)


def _usual_cells(grid: Grid) -> int:
    """Cells that most rows have."""
    counts = Counter(len(row.cells) for row in grid.rows)
    return max(counts, key=lambda filled: (counts[filled], filled))


class _Lines:
    """The lines of a grid's rows, and what they have left over."""

    def __init__(self, grid: Grid, rows: Rows, written: Written) -> None:
        self.said = [one for one in rows.said if one.grid is grid]
        self._words = {id(one): written.texts(one.line) for one in self.said}
        self._on_top = {id(one): on_top(self._words[id(one)], own(one.row)) for one in self.said}
        self._excess = Excess(self._on_top.values())

    def holding(self, row: Row) -> Said | None:
        """The first row whose line says another one too."""
        return next((one for one in self.said if self.holds(one, row)), None)

    def holds(self, one: Said, row: Row) -> bool:
        """Whether a line has most words of another row left over, beside what the other lines have on top."""
        telling = own(row) - own(one.row)
        least = _RESIDUE * telling.total()
        rest = telling & Counter(self._words[id(one)])
        if not telling or rest.total() < least:
            return False
        mine = self._on_top[id(one)]
        spare = {word: one.words[word] - own(one.row)[word] for word in rest}
        usual = {word: max(0, self._excess.usual(word, mine)) for word in rest}
        left = {word: mine[word] - spare[word] - usual[word] for word in rest}
        return sum(max(0, min(left[word], telling[word])) for word in rest) >= least
