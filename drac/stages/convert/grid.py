"""A table's lines to its grid.

Cells come from the order in which the page's content draws the lines: writers draw a table cell by
cell, row by row, so that a line that jumps up or right starts a cell, and one that jumps left starts
a row, also where cells wrap or print over their neighbours. Where that order makes no sense (one
visual line after the other, or OCR), lines are put into rows by their height on the page, and rows
without a first cell go to the row above.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from drac.records import Box, Cell
from drac.stages.convert.edges import column_edges, cut_at
from drac.stages.convert.header import header_rows, inner_rules
from drac.stages.convert.lists import cell_text
from drac.stages.convert.page import Line, union
from drac.stages.convert.spans import header_span
from drac.stages.convert.text import flow, visual_lines

Interval = tuple[float, float]
_PADDING = 1.6
"""Font sizes from a cell's text to the next column, and a bit to spare; LaTeX leaves 12 points, Word 11."""


@dataclass(slots=True)
class Draft:
    """A cell while the grid is put together."""

    lines: list[Line] = field(default_factory=list)
    """In content order, at least one once it stands in a row."""

    @property
    def box(self) -> Box:
        """The smallest box around its lines."""
        return union(line.box for line in self.lines)


Row = list[Draft]


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells with their places."""

    rows: int
    """At least 1."""
    columns: int
    """At least 1."""
    header_rows: int
    """Leading rows that are headers."""
    cells: tuple[Cell, ...]
    """Filled cells in row-major order."""
    boxes: tuple[Box, ...]
    """One a row: where its text stands."""
    title: str = ""
    """Text of a single cell over the whole width at the top; empty if none."""
    title_box: Box = (0.0, 0.0, 0.0, 0.0)
    """Where the title stands."""


def grid_of(
    lines: Sequence[Line], rules: Sequence[Box], borders: Sequence[float] = (), known: Collection[str] = ()
) -> Grid | None:
    """The grid, or None where the lines form no table of two rows and two columns.

    `rules` are ruling lines on the page, `borders` the layout model's inner column borders (x),
    `known` the document's words.
    """
    upright = [line for line in lines if line.upright]
    if len(upright) < 2:
        return None
    if all(line.cell for line in upright):
        return _grid_by_cell(upright, rules, known)
    flat = [rule for rule in rules if rule[3] - rule[1] < 3]
    rows = _rows_by_content(upright, flat)
    if rows is not None:
        edges = column_edges([[cell.lines for cell in row] for row in rows])
        cuts = (cut_at(upright, edges, words=words) for words in (True, False))
        rows = next(filter(None, (_rows_by_content(pieces, flat) for pieces in cuts)), rows)
    else:
        rows = _rows_by_height(upright, borders, inner_rules(flat, union(line.box for line in upright)))
    rows = [part for row in rows for part in _unstacked(row)]
    columns = _columns(rows)
    title = _title_rows(rows, len(columns))
    if len(rows) - title < 2 or len(columns) < 2:
        return None
    grid = _grid(_place(rows[title:], columns), columns, rules, known)
    heads = [line for row in rows[:title] for cell in row for line in cell.lines]
    return _titled(grid, heads, known)


def _grid_by_cell(lines: Sequence[Line], rules: Sequence[Box], known: Collection[str]) -> Grid | None:
    """The grid of lines that were put into cells before; rows and columns without text are left out."""
    by_row: dict[int, dict[int, list[Line]]] = {}
    for line in sorted(lines, key=lambda one: one.order):
        row, column = line.cell or (0, 0)
        by_row.setdefault(row, {}).setdefault(column, []).append(line)
    filled = sorted({column for row in by_row.values() for column in row})
    placed = [
        {filled.index(column): own for column, own in sorted(by_row[row].items())} for row in sorted(by_row)
    ]
    title = _title_rows([[Draft(own) for own in row.values()] for row in placed], len(filled))
    if len(placed) - title < 2 or len(filled) < 2:
        return None
    starts = [[row[place] for row in placed[title:] if place in row] for place in range(len(filled))]
    columns = [_interval(cells or [lines]) for cells in starts]
    grid = _grid(placed[title:], columns, rules, known)
    heads = [line for row in placed[:title] for own in row.values() for line in own]
    return _titled(grid, heads, known)


def _interval(cells: Sequence[Sequence[Line]]) -> Interval:
    boxes = [union(line.box for line in cell) for cell in cells]
    return median(box[0] for box in boxes), median(box[2] for box in boxes)


def _titled(grid: Grid, heads: Sequence[Line], known: Collection[str]) -> Grid:
    if not heads:
        return grid
    return replace(grid, title=flow(heads, known), title_box=union(line.box for line in heads))


def _unstacked(row: Row) -> list[Row]:
    """A row of four cells or more that are piles of numbers on common baselines is several rows."""
    if len(row) < 4 or not piled([cell.lines for cell in row], 2):
        return [row]
    lines = [line for cell in row for line in cell.lines]
    return [[Draft([line]) for line in group] for group in visual_lines(lines)]


def piled(cells: Sequence[Sequence[Line]], least: int) -> bool:
    """Whether the cells of a row hold numbers on `least` or more common baselines."""
    lines = [line for cell in cells for line in cell]
    groups = visual_lines(lines)
    numbers = sum(not any(c.isalpha() for c in line.text) for line in lines)
    full = all(len(group) >= 0.6 * len(cells) for group in groups)
    return len(groups) >= least and full and numbers >= 0.6 * len(lines)


def _title_rows(rows: Sequence[Row], columns: int) -> int:
    """Leading rows of one cell over three columns or more: they name the table, not a column."""
    if columns < 3:
        return 0
    return next((place for place, row in enumerate(rows) if len(row) > 1), 0)


def _rows_by_content(lines: Sequence[Line], rules: Sequence[Box]) -> list[Row] | None:
    """Rows by content order, or None where that order is not cell by cell."""
    ordered = sorted(lines, key=lambda line: line.order)
    rows: list[Row] = [[Draft([ordered[0]])]]
    floor = ordered[0].box[1] - 1000.0
    for before, line in pairwise(ordered):
        cell = rows[-1][-1]
        if _continues(cell, before, line) and not _parted(before, line, rules):
            cell.lines.append(line)
        elif _same_row(rows[-1], line, floor):
            rows[-1].append(Draft([line]))
        else:
            floor = max(piece.box[3] for piece in rows[-1])
            rows.append([Draft([line])])
    return rows if _plausible(rows) else None


def _continues(cell: Draft, before: Line, line: Line) -> bool:
    """Whether the line stands under the one before it in the same cell."""
    down = line.baseline - before.baseline
    (x0, _, x1, _), (left, _, right, _) = cell.box, line.box
    under = _shared((x0, x1), (left, right)) > 0.3 * min(x1 - x0, right - left)
    return 0.45 * line.size < down < 1.9 * max(line.size, before.size) and under


def _parted(before: Line, line: Line, rules: Sequence[Box]) -> bool:
    """Whether a ruling line runs between two lines; one that touches the upper line underlines it."""
    top, foot = before.box[3] - 0.1 * before.size, line.box[1] + 0.3 * line.size
    half = (line.box[2] - line.box[0]) / 2
    return any(
        top < rule[1] and rule[3] < foot and min(rule[2], line.box[2]) - max(rule[0], line.box[0]) > half
        for rule in rules
    )


def _same_row(row: Row, line: Line, floor: float) -> bool:
    """Whether the line starts a cell to the right of the row's last, between `floor` and the row's foot.

    `floor` is the foot of the row above: a header whose cells end on one line starts at any height.
    """
    foot = max(cell.box[3] for cell in row)
    right = line.box[0] > row[-1].box[0] + 0.5 * line.size
    return right and line.baseline > floor and line.box[1] < foot


def _plausible(rows: Sequence[Row]) -> bool:
    """Rows must not reach into each other, and most must hold as many cells as the others."""
    if len(rows) < 2:
        return False
    boxes = [union(cell.box for cell in row) for row in rows]
    size = median(cell.lines[0].size for row in rows for cell in row)
    broken = sum(after[1] < before[3] - 0.6 * size for before, after in pairwise(boxes))
    if broken > 0.1 * len(rows):
        return False
    return not _line_by_line(rows, size)


def _line_by_line(rows: Sequence[Row], size: float) -> bool:
    """Whether every row is one line high though some rows lack their first cell: wrapped text was cut."""
    flat = all(len(cell.lines) == 1 for row in rows for cell in row)
    left = min(cell.box[0] for row in rows for cell in row)
    headless = sum(row[0].box[0] > left + 2 * size for row in rows[1:])
    return flat and headless > 0.15 * len(rows)


def _rows_by_height(lines: Sequence[Line], borders: Sequence[float], rules: Sequence[float]) -> list[Row]:
    """One row a visual line, then rows between two rules, or without a first cell, joined."""
    rows = [_split(group, borders) for group in visual_lines(lines)]
    ruled = len(rules) >= 3
    left = min(row[0].box[0] for row in rows)
    joined: list[Row] = []
    for row in rows:
        if joined and _belongs(joined[-1], row, rules if ruled else None, left):
            joined[-1] = _merge(joined[-1], row)
        else:
            joined.append(row)
    return joined


def _split(group: Sequence[Line], borders: Sequence[float]) -> Row:
    """Cells of one visual line: its pieces, those between the same two borders joined."""
    cells: Row = []
    for line in group:
        slot = sum(border < (line.box[0] + line.box[2]) / 2 for border in borders)
        last = cells[-1] if cells else None
        near = last is not None and line.box[0] - last.box[2] < 0.6 * line.size
        if last and (slot == _slot(last, borders) if borders else near):
            last.lines.append(line)
        else:
            cells.append(Draft([line]))
    return cells


def _slot(cell: Draft, borders: Sequence[float]) -> int:
    return sum(border < (cell.box[0] + cell.box[2]) / 2 for border in borders)


def _belongs(row: Row, below: Row, rules: Sequence[float] | None, left: float) -> bool:
    foot, top = max(cell.box[3] for cell in row), min(cell.box[1] for cell in below)
    middle, other = _middle(row[-1].lines[-1]), _middle(below[0].lines[0])
    if rules is not None:
        return not any(middle < rule < other for rule in rules)
    size = below[0].lines[0].size
    return top - foot < 0.7 * size and below[0].box[0] > left + 2 * size


def _middle(line: Line) -> float:
    return (line.box[1] + line.box[3]) / 2


def _merge(row: Row, below: Row) -> Row:
    """Put the lines of the lower row under the cells that they stand under."""
    merged = [Draft(list(cell.lines)) for cell in row]
    for cell in below:
        under = [one for one in merged if _shared((one.box[0], one.box[2]), (cell.box[0], cell.box[2])) > 0]
        if under:
            under[0].lines.extend(cell.lines)
        else:
            merged.append(cell)
    return sorted(merged, key=lambda one: one.box[0])


def _shared(one: Interval, other: Interval) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


def _usual_number(rows: Sequence[Row]) -> int:
    """Cells of the most usual row, larger rows counting more."""
    counts = Counter(len(row) for row in rows)
    return max(counts, key=lambda one: (counts[one] * one if one > 1 else 0, one))


def _columns(rows: Sequence[Row]) -> list[Interval]:
    """Column intervals, from the rows that hold the most usual large number of cells."""
    number = _usual_number(rows)
    template = [row for row in rows if len(row) == number]
    return [
        (median(row[place].box[0] for row in template), median(row[place].box[2] for row in template))
        for place in range(number)
    ]


def _place(rows: Sequence[Row], columns: Sequence[Interval]) -> list[dict[int, list[Line]]]:
    """Each row's lines by column."""
    return [_place_row(row, columns) for row in rows]


def _place_row(row: Row, columns: Sequence[Interval]) -> dict[int, list[Line]]:
    placed: dict[int, list[Line]] = {}
    if len(row) == len(columns):
        return {place: cell.lines for place, cell in enumerate(row)}
    for cell in row:
        span = (cell.box[0], cell.box[2])
        best = min(range(len(columns)), key=lambda place: _distance(span, columns[place]))
        placed.setdefault(best, []).extend(cell.lines)
    return placed


def _distance(span: Interval, column: Interval) -> float:
    """Smallest of the distances of left, middle and right: columns are set flush or centred."""
    left, right = abs(span[0] - column[0]), abs(span[1] - column[1])
    return min(left, right, abs(sum(span) - sum(column)) / 2)


def _grid(
    placed: Sequence[dict[int, list[Line]]],
    columns: Sequence[Interval],
    rules: Sequence[Box],
    known: Collection[str],
) -> Grid:
    boxes = tuple(union(line.box for lines in row.values() for line in lines) for row in placed)
    heads = header_rows(placed, len(columns), boxes, rules)
    rooms = [_room(placed, column) for column in range(len(columns))]
    cells = []
    for row, by_column in enumerate(placed):
        for column, lines in sorted(by_column.items()):
            upper = row < heads - 1
            first, wide = header_span(by_column, column, columns, rules) if upper else (column, 1)
            cells.append(Cell(row, first, cell_text(lines, known, rooms[column]), 1, wide))
    return Grid(len(placed), len(columns), heads, tuple(cells), boxes)


def _room(placed: Sequence[dict[int, list[Line]]], column: int) -> float | None:
    """Width of a column's text up to the next column, where both are set flush left and not justified."""
    left, right = _flush_left(placed, column), _flush_left(placed, column + 1)
    lines = [line for row in placed for line in row.get(column, [])]
    if left is None or right is None or _is_justified([row[column] for row in placed if column in row]):
        return None
    return right - left - _PADDING * lines[0].size


def _flush_left(placed: Sequence[dict[int, list[Line]]], column: int) -> float | None:
    starts = [min(line.box[0] for line in row[column]) for row in placed if column in row]
    middle = median(starts) if starts else 0.0
    aligned = sum(abs(start - middle) < 1.5 for start in starts)
    return middle if starts and aligned > 0.6 * len(starts) else None


def _is_justified(cells: Sequence[Sequence[Line]]) -> bool:
    """Whether most lines that go on in a cell end at one place."""
    ends = [line.box[2] for lines in cells for line in sorted(lines, key=lambda one: one.baseline)[:-1]]
    return len(ends) > 2 and sum(max(ends) - end < 1.0 for end in ends) > 0.6 * len(ends)
