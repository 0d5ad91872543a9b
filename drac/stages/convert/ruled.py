"""Tables drawn with ruling lines on all sides of their cells: the grid is read off the rules.

Horizontal and vertical rules that touch form a mesh. Two neighbouring places of a mesh are one cell
where no rule runs between them, so that merged cells keep their spans and two ruled rows never melt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

from drac.records import Box, Cell
from drac.stages.convert.edges import piece
from drac.stages.convert.grid import Grid, piled
from drac.stages.convert.header import header_rows
from drac.stages.convert.lists import cell_text
from drac.stages.convert.page import Line, union
from drac.stages.convert.text import flow, visual_lines

_NEAR = 2.0
"""Points within which rules touch, or are one."""
_MOST = 60_000
"""Pairs of rules looked at; a drawing with more is no table."""
_FILLED = 0.3
"""Share of a mesh's cells that hold text, at least; a chart's grid lines have less between them."""
_ROOM = 5.0
"""Points that a cell is wide and high, at least; less lies between the two lines of a double border."""
_ODD = 0.25
"""Share of a mesh's cells that are no rectangles, at most; they are taken for several cells."""
_COLUMNS = 0.3
"""Share of a cell's lines with a gap, from which it holds columns."""
_GAP = 2.0
"""Font sizes between two words of a line from which they stand in different columns."""
_ASTRIDE = 0.25
"""Share of the cells below the first row that stand astride its cells, above which a table is a form."""
_FRAME_LINES = 6
"""Lines in a wide cell above which it is a part of the page's layout."""
Span = tuple[int, int, int, int]
"""First row, first column, row after the last, column after the last."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A horizontal rule's height and reach, or a vertical one's place and reach."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """Rules that hang together."""

    xs: tuple[float, ...]
    """Borders of its columns, at least three."""
    ys: tuple[float, ...]
    """Borders of its rows, at least three."""
    flat: tuple[_Rule, ...]
    """Horizontal rules."""
    steep: tuple[_Rule, ...]
    """Vertical rules."""

    @property
    def box(self) -> Box:
        """All of it, in page points."""
        return (self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])


def meshes(rules: Sequence[Box]) -> list[Mesh]:
    """The meshes on a page that have two rows and two columns or more."""
    flat = _joined(_Rule((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in rules if y1 - y0 < 3)
    steep = _joined(_Rule((x0 + x1) / 2, y0, y1) for x0, y0, x1, y1 in rules if x1 - x0 < 3 <= y1 - y0)
    if len(flat) < 3 or len(steep) < 2 or len(flat) * len(steep) > _MOST:
        return []
    found = (_mesh(*group) for group in _connected(flat, steep))
    return [mesh for mesh in found if len(mesh.xs) > 2 and len(mesh.ys) > 2]


def _joined(rules: Iterable[_Rule]) -> list[_Rule]:
    """Rules at one place and touching each other, as one."""
    groups: list[list[_Rule]] = []
    for rule in sorted(rules, key=lambda one: one.at):
        if groups and rule.at - groups[-1][-1].at <= _NEAR and rule.at - groups[-1][0].at <= 2 * _NEAR:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    return [one for group in groups for one in _end_to_end(group)]


def _end_to_end(group: Sequence[_Rule]) -> Iterator[_Rule]:
    at = sum(rule.at for rule in group) / len(group)
    start = end = None
    for rule in sorted(group, key=lambda one: one.start):
        if start is None or end is None:
            start, end = rule.start, rule.end
        elif rule.start <= end + _NEAR:
            end = max(end, rule.end)
        else:
            yield _Rule(at, start, end)
            start, end = rule.start, rule.end
    if start is not None and end is not None:
        yield _Rule(at, start, end)


def _connected(flat: Sequence[_Rule], steep: Sequence[_Rule]) -> list[tuple[list[_Rule], list[_Rule]]]:
    groups: list[tuple[list[_Rule], list[_Rule]]] = [([rule], []) for rule in flat]
    for rule in steep:
        touched = [group for group in groups if any(_crosses(one, rule) for one in group[0])]
        groups = [group for group in groups if group not in touched]
        merged_flat = [one for group in touched for one in group[0]]
        groups.append((merged_flat, [*(one for group in touched for one in group[1]), rule]))
    return [group for group in groups if group[0] and group[1]]


def _crosses(flat: _Rule, steep: _Rule) -> bool:
    wide = flat.start - _NEAR <= steep.at <= flat.end + _NEAR
    return wide and steep.start - _NEAR <= flat.at <= steep.end + _NEAR


def _mesh(flat: Sequence[_Rule], steep: Sequence[_Rule]) -> Mesh:
    """Borders are where rules run; sides that are left open end with the horizontal rules."""
    xs = sorted({rule.at for rule in steep})
    left, right = min(rule.start for rule in flat), max(rule.end for rule in flat)
    xs = [left] * (left < xs[0] - 10) + xs + [right] * (right > xs[-1] + 10)
    ys = sorted({rule.at for rule in flat})
    return Mesh(tuple(xs), tuple(ys), tuple(flat), tuple(steep))


def lines_in(mesh: Mesh, lines: Iterable[Line]) -> list[Line]:
    """The lines whose middle lies in the mesh."""
    x0, y0, x1, y1 = mesh.box
    middles = ((line, (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2) for line in lines)
    return [line for line, x, y in middles if x0 <= x <= x1 and y0 <= y <= y1]


def ruled_grid(mesh: Mesh, lines: Sequence[Line], known: Collection[str] = ()) -> Grid | None:
    """The grid of the mesh, or None where its rules part no table.

    `known` are the document's words. Rows and columns in which no filled cell starts are left out.
    """
    spans = _spans(mesh)
    if spans is None:
        return None
    held = _held(mesh, spans, lines)
    roomy = sum(_is_roomy(mesh, span) for span in set(spans.values()))
    if len(held) < _FILLED * roomy or _is_frame(mesh, held) or _is_piled(held):
        return None
    rows = sorted({span[0] for span in held})
    columns = sorted({span[1] for span in held})
    if len(rows) < 2 or len(columns) < 2:
        return None
    return _grid(mesh, held, rows, columns, known)


def _spans(mesh: Mesh) -> dict[tuple[int, int], Span] | None:
    """The cell that each place of the mesh belongs to; None where one is no rectangle."""
    cell = {
        (row, column): {(row, column)}
        for row in range(len(mesh.ys) - 1)
        for column in range(len(mesh.xs) - 1)
    }
    flat, steep = _by_place(mesh.flat), _by_place(mesh.steep)
    for row, column in list(cell):
        x, y = mesh.xs[column], mesh.ys[row]
        if column and not _covered(steep[x], y, mesh.ys[row + 1]):
            _unite(cell, (row, column), (row, column - 1))
        if row and not _covered(flat[y], x, mesh.xs[column + 1]):
            _unite(cell, (row, column), (row - 1, column))
    whole = {id(places): places for places in cell.values()}
    parts = [_rectangles(places) for places in whole.values()]
    if sum(len(one) > 1 for one in parts) > _ODD * len(parts):
        return None
    spans = [_span(places) for one in parts for places in one]
    return {
        (row, column): span
        for span in spans
        for row in range(span[0], span[2])
        for column in range(span[1], span[3])
    }


def _rectangles(places: Collection[tuple[int, int]]) -> list[set[tuple[int, int]]]:
    """The places as they are where they form a rectangle, else in rectangles from the top."""
    row, column, foot, right = _span(places)
    if len(places) == (foot - row) * (right - column):
        return [set(places)]
    left, parts = set(places), []
    while left:
        part = _rectangle(left)
        parts.append(part)
        left -= part
    return parts


def _rectangle(places: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    """The widest rectangle at the first place, then the highest."""
    row, column = min(places)
    right = next(one for one in count(column) if (row, one) not in places)
    foot = next(
        one for one in count(row) if any((one, place) not in places for place in range(column, right))
    )
    return {(one, other) for one in range(row, foot) for other in range(column, right)}


def _is_roomy(mesh: Mesh, span: Span) -> bool:
    """Whether a line of text fits into a cell."""
    wide, high = mesh.xs[span[3]] - mesh.xs[span[1]], mesh.ys[span[2]] - mesh.ys[span[0]]
    return min(wide, high) >= _ROOM


def _unite(
    cell: dict[tuple[int, int], set[tuple[int, int]]], one: tuple[int, int], other: tuple[int, int]
) -> None:
    if cell[one] is not cell[other]:
        cell[one] |= cell[other]
        for place in cell[other]:
            cell[place] = cell[one]


def _span(places: Iterable[tuple[int, int]]) -> Span:
    rows, columns = zip(*places, strict=True)
    return (min(rows), min(columns), max(rows) + 1, max(columns) + 1)


def _by_place(rules: Iterable[_Rule]) -> dict[float, list[_Rule]]:
    places: dict[float, list[_Rule]] = {}
    for rule in rules:
        places.setdefault(rule.at, []).append(rule)
    return places


def _covered(rules: Iterable[_Rule], start: float, end: float) -> bool:
    """Whether rules at one place run along most of the way."""
    parts = (min(rule.end, end) - max(rule.start, start) for rule in rules)
    return sum(part for part in parts if part > 0) > 0.5 * (end - start)


def _held(mesh: Mesh, spans: dict[tuple[int, int], Span], lines: Iterable[Line]) -> dict[Span, list[Line]]:
    """Lines by cell, those that a border parts in pieces."""
    held: dict[Span, list[Line]] = {}
    for line in lines:
        for part in _pieces(mesh, line):
            held.setdefault(spans[_place(mesh, part)], []).append(part)
    return held


def _pieces(mesh: Mesh, line: Line) -> Iterator[Line]:
    """The line cut where a vertical rule runs between two of its words."""
    y = (line.box[1] + line.box[3]) / 2
    borders = [rule.at for rule in mesh.steep if rule.start <= y <= rule.end]
    start = 0
    for place, (before, word) in enumerate(pairwise(line.words), 1):
        if line.upright and any(before.box[2] - 0.5 <= at <= word.box[0] + 0.5 for at in borders):
            yield piece(line, line.words[start:place])
            start = place
    yield piece(line, line.words[start:]) if start else line


def _place(mesh: Mesh, line: Line) -> tuple[int, int]:
    """By the middle of the line's first word, or of a line on its side."""
    box = line.words[0].box if line.upright else line.box
    x, y = (box[0] + box[2]) / 2, (line.box[1] + line.box[3]) / 2
    return _slot(mesh.ys, y), _slot(mesh.xs, x)


def _slot(borders: Sequence[float], value: float) -> int:
    return min(max(sum(border <= value for border in borders) - 1, 0), len(borders) - 2)


def _is_frame(mesh: Mesh, held: dict[Span, list[Line]]) -> bool:
    """Whether most text stands in cells of many lines that are wide or hold columns: they lay out a page."""
    width = 0.4 * (mesh.xs[-1] - mesh.xs[0])
    wide = [lines for lines in held.values() if _breadth(lines) > width or _holds_columns(lines)]
    pages = [lines for lines in wide if len(visual_lines(lines)) > _FRAME_LINES]
    whole = sum(len(line.raw) for lines in held.values() for line in lines)
    return sum(len(line.raw) for lines in pages for line in lines) > 0.5 * whole


def _holds_columns(lines: Sequence[Line]) -> bool:
    groups = visual_lines(lines)
    return sum(map(has_gap, groups)) > _COLUMNS * len(groups)


def has_gap(group: Sequence[Line]) -> bool:
    """Whether two words of a visual line stand as far apart as columns do."""
    words = sorted((word.box for line in group for word in line.words), key=lambda box: box[0])
    return any(after[0] - before[2] > _GAP * group[0].size for before, after in pairwise(words))


def _breadth(lines: Sequence[Line]) -> float:
    x0, _, x1, _ = union(line.box for line in lines)
    return x1 - x0


def _is_piled(held: dict[Span, list[Line]]) -> bool:
    """Whether rows of numbers stand in cells that no rule parts: the rules close columns, not rows."""
    rows = ([lines for span, lines in held.items() if span[0] == row] for row in {span[0] for span in held})
    return any(len(row) > 1 and piled(row, 3 if len(row) < 4 else 2) for row in rows)


def _grid(
    mesh: Mesh, held: dict[Span, list[Line]], rows: list[int], columns: list[int], known: Collection[str]
) -> Grid:
    title = _title(mesh, held, rows)
    rows = [row for row in rows if title is None or row != title[0]]
    body = {span: lines for span, lines in sorted(held.items()) if span != title}
    form = _is_form(body)
    body = {((*span[:2], span[0] + 1, span[3]) if form else span): lines for span, lines in body.items()}
    cells = tuple(_cell(span, cell_text(lines, known), rows, columns) for span, lines in body.items())
    boxes = tuple((mesh.xs[0], mesh.ys[row], mesh.xs[-1], mesh.ys[row + 1]) for row in rows)
    placed = [
        {columns.index(span[1]): lines for span, lines in body.items() if span[0] == row} for row in rows
    ]
    heads = 0 if form else _whole_header(cells, header_rows(placed, len(columns), boxes, ()))
    grid = Grid(len(rows), len(columns), heads, cells, boxes)
    if title is None:
        return grid
    lines = held[title]
    return replace(grid, title=flow(lines, known), title_box=union(line.box for line in lines))


def _is_form(spans: Collection[Span]) -> bool:
    """Whether cells stand under no columns: a form, of which each cell says something by itself, once."""
    top = min(span[0] for span in spans)
    first = [span for span in spans if span[0] == top]
    below = [span for span in spans if span[0] > top]
    astride = sum(any(_is_astride(span, one) for one in first) for span in below)
    return astride > max(1, _ASTRIDE * len(below))


def _is_astride(span: Span, head: Span) -> bool:
    """Whether a cell stands partly under another and partly beside it."""
    return span[1] < head[1] < span[3] < head[3] or head[1] < span[1] < head[3] < span[3]


def _title(mesh: Mesh, held: dict[Span, list[Line]], rows: Sequence[int]) -> Span | None:
    """The single cell over the whole width at the top, if three rows or more are filled."""
    first = [span for span in held if span[0] == rows[0]]
    whole = len(first) == 1 and first[0][1] == 0 and first[0][3] == len(mesh.xs) - 1
    return first[0] if whole and len(rows) > 2 else None


def _cell(span: Span, text: str, rows: Sequence[int], columns: Sequence[int]) -> Cell:
    row, column = rows.index(span[0]), columns.index(span[1])
    high = sum(span[0] <= one < span[2] for one in rows)
    wide = sum(span[1] <= one < span[3] for one in columns)
    return Cell(row, column, text, high, wide)


def _whole_header(cells: Sequence[Cell], rows: int) -> int:
    """Header rows down to the foot of their cells; none where a cell reaches on into the rows below.

    A first row with a cell of its own over every column is the whole header.
    """
    columns = max(cell.column + cell.column_span for cell in cells)
    if sum(cell.row == 0 for cell in cells) == columns:
        rows = min(rows, 1)
    foot = max((cell.row + cell.row_span for cell in cells if cell.row < rows), default=0)
    last = max(cell.row for cell in cells)
    crossed = any(cell.row < foot < cell.row + cell.row_span for cell in cells)
    return 0 if foot > last or crossed else foot
