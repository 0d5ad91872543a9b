"""Recognised lines in the order in which a writer would have drawn them.

OCR gives lines from top to bottom, through all cells of a table. What follows reads tables by the order in
which a page's content draws them, cell by cell; so recognised lines are cut at the borders of columns, put
into rows by how their cells wrap, and numbered anew.

A line of print starts a row below a ruling line or a wider gap than the usual; else where a cell starts
again that had ended, where a cell holds nothing above, where one number stands under another, and where its
first word had found room at the end of the line above. It goes on with its row where a word is cut by a
hyphen above. With nothing in the first column, which rows under one name leave empty, it starts a row only
where several cells are filled and one starts again, or numbers stand under each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from statistics import median

from drac.records import Box
from drac.stages.convert.edges import piece
from drac.stages.convert.header import inner_rules
from drac.stages.convert.page import LayoutBox, Line, Word, overlap, union
from drac.stages.convert.text import visual_lines

_NEAR = 0.12
"""Font sizes within which a start is at an edge; a recogniser tells no italics' slant from a place."""
_WINDOW = 1.5
"""Font sizes around the layout analysis's border in which a column's edge is looked for."""
_FEW = 0.2
"""Share of a table's lines that must start a word at an edge, and at least two."""
_MANY = 0.4
"""The same where a part of the header stands over the edge."""
_SPACE = 0.3
"""Font sizes between two words of a line, and a bit to spare."""
_GAP = 1.3
"""Times that the step from line to line is longer between rows than within one, where rows stand apart."""
_HEADED = 2
"""Ruling lines across a table, at most, of which the first is the one below its header."""
_CUT = re.compile(r"\w[-\u2010/]$")
_NUMBER = re.compile(r"[^\W\d_]?\W*\d[\d.,:%\s]*\W*")
Cells = dict[int, Line]
"""What a line of print holds, by column."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Where a column starts."""

    at: float
    """x in page points."""
    flush: bool
    """Whether its text starts there; else `at` runs between it and the column before."""


def as_drawn(lines: Sequence[Line], boxes: Sequence[LayoutBox], rules: Sequence[Box]) -> tuple[Line, ...]:
    """The lines, those in tables cut into cells and ordered cell by cell; `order` and `run` count anew."""
    flat = [rule for rule in rules if rule[3] - rule[1] < 3]
    drawn: dict[int, list[Line]] = {line.order: [line] for line in lines}
    for box in boxes:
        held = [line for line in lines if line.upright and drawn[line.order] == [line] and _is_in(line, box)]
        if box.kind == "table" and box.columns and len(held) > 2:
            drawn.update({line.order: [] for line in held})
            drawn[min(line.order for line in held)] = list(_cell_by_cell(held, box, flat))
    ordered = (line for place in sorted(drawn) for line in drawn[place])
    return tuple(replace(line, order=place, run=place) for place, line in enumerate(ordered))


def torn(
    lines: Sequence[Line], boxes: Sequence[LayoutBox], rules: Sequence[Box]
) -> Iterator[tuple[Line, float]]:
    """Lines in tables that run over the edge of a column without a space there, and the edge's x.

    One cell's text runs into the next, or is printed over it.
    """
    flat = [rule for rule in rules if rule[3] - rule[1] < 3]
    for box in boxes:
        held = [line for line in lines if line.upright and _is_in(line, box)]
        if box.kind == "table" and box.columns and len(held) > 2:
            columns = _columns(held, box, flat)
            yield from ((line, x) for line in held if (x := _torn_at(line, columns)) is not None)


def _torn_at(line: Line, columns: Sequence[_Column]) -> float | None:
    edges = [column.at for column in columns if column.flush]
    inside = (
        x
        for x in edges
        for word in line.words
        if word.box[0] + 0.5 * line.size < x < word.box[2] - 0.25 * line.size
    )
    return next(inside, None)


def _is_in(line: Line, box: LayoutBox) -> bool:
    return overlap(line.box, box.box) >= 0.5


def _cell_by_cell(lines: Sequence[Line], table: LayoutBox, rules: Sequence[Box]) -> Iterator[Line]:
    columns = _columns(lines, table, rules)
    printed = [_cells(group, columns) for group in visual_lines(lines)]
    for place, row in enumerate(_rows(printed, columns, rules)):
        for column in sorted({one for cells in row for one in cells}):
            held = (cells[column] for cells in row if column in cells)
            yield from (replace(line, cell=(place, column)) for line in held)


def _columns(lines: Sequence[Line], table: LayoutBox, rules: Sequence[Box]) -> list[_Column]:
    """Where columns start by the layout analysis, and where parts of a ruled header stand apart."""
    found = list(_near_borders(lines, table.columns))
    inner = inner_rules(rules, union(line.box for line in lines))
    if not 0 < len(inner) <= _HEADED:
        return found
    heads = [line for line in lines if (line.box[1] + line.box[3]) / 2 < inner[0]]
    found = [column for column in found if not _is_amid(column, heads, lines)]
    found = sorted([*found, *_between(lines, heads, found)], key=lambda one: one.at)
    return sorted([*found, *_run_into(lines, heads, found)], key=lambda one: one.at)


def _is_amid(column: _Column, heads: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Whether a part of the header stands over the border, and few lines below start at it."""
    size = median(line.size for line in lines)
    over = any(x0 + 0.5 * size < column.at < x1 - 0.5 * size for x0, x1 in _stretches(heads, 0.8 * size))
    near = 2 * _NEAR * size
    groups = visual_lines(lines)
    own = [any(abs(x - column.at) <= near for x in _starts_apart(group)) for group in groups]
    named = [any(abs(x - column.at) <= near for x in _starts_apart(group)) for group in visual_lines(heads)]
    return over and sum(named) < 2 and sum(own) < _MANY * len(own)


def _starts_apart(group: Sequence[Line]) -> Iterator[float]:
    """Where a line of print starts anew after a gap wider than those between words."""
    end = 0.0
    for x0, _, x1, _ in sorted(word.box for line in group for word in line.words):
        if x0 - end > 0.6 * group[0].size:
            yield x0
        end = max(end, x1)


def _between(lines: Sequence[Line], heads: Sequence[Line], found: Sequence[_Column]) -> Iterator[_Column]:
    """Columns that the layout analysis took together: two parts of the header start in one."""
    size = median(line.size for line in lines)
    words = [word for line in lines for word in line.words]
    known = [column.at for column in found]
    for before, start in pairwise(_stretches(heads, 0.8 * size)):
        apart = not any(before[0] + size < x < start[1] for x in known)
        edge = _edge(words, (start[0] - size, start[0] + size), _NEAR * size, 2.0) if apart else None
        if edge is not None:
            yield _Column(edge, True)


def _run_into(lines: Sequence[Line], heads: Sequence[Line], found: Sequence[_Column]) -> Iterator[_Column]:
    """Columns under a word of the header that the column before them runs into.

    Several lines of print start a text there after a wide gap; in others the column before reaches it.
    """
    size = median(line.size for line in lines)
    groups = visual_lines([line for line in lines if line not in heads])
    words = [word for line in lines for word in line.words]
    named = sorted(word.box[0] for line in heads for word in line.words)
    edges = [min(word.box[0] for word in words), *(column.at for column in found)]
    for start, end in pairwise([*edges, max(word.box[2] for word in words)]):
        inside = (x for x in named if start + size < x < end - size)
        own = (_starts_under(groups, start, x, 2 * _NEAR * size) for x in inside)
        yield from (_Column(median(xs), True) for xs in islice(filter(None, own), 1))


def _starts_under(groups: Sequence[Sequence[Line]], start: float, x: float, near: float) -> list[float]:
    """Where texts start at x, if they do in enough lines and others hold print from `start` up to x."""
    apart = [one for group in groups for one in _starts_apart(group) if abs(one - x) <= near]
    words = [[word.box for line in group for word in line.words] for group in groups]
    both = sum(
        any(abs(box[0] - start) <= near for box in boxes)
        and any(abs(box[0] - x) <= near or box[0] + near < x < box[2] - near for box in boxes)
        for boxes in words
    )
    return apart if both > 1 and len(apart) >= max(2.0, _FEW * len(groups)) else []


def _stretches(lines: Iterable[Line], gap: float) -> list[tuple[float, float]]:
    """What words cover from left to right, over all the lines, as far as they stand `gap` apart."""
    found: list[tuple[float, float]] = []
    for x0, _, x1, _ in sorted(word.box for line in lines for word in line.words):
        if found and x0 - found[-1][1] < gap:
            found[-1] = (found[-1][0], max(found[-1][1], x1))
        else:
            found.append((x0, x1))
    return found


def _near_borders(lines: Sequence[Line], borders: Iterable[float]) -> Iterator[_Column]:
    """A column starts where most words near its border do, or else at the border."""
    size = median(line.size for line in lines)
    groups = visual_lines(lines)
    words = [word for line in lines for word in line.words]
    least = max(2.0, _FEW * len(groups))
    last = 0.0
    for border in sorted(borders):
        room = (max(last + size, border - _WINDOW * size), border + _WINDOW * size)
        edge = _edge(words, room, _NEAR * size, least)
        last = border if edge is None else edge
        yield _Column(last, edge is not None)


def _edge(words: Sequence[Word], room: tuple[float, float], near: float, least: float) -> float | None:
    """Where most texts start; those that start within a word, run into by the cell before, count half."""
    own = [word.box[0] for word in words]
    inner = [x for word in words for at, x in enumerate(word.starts) if at and turns(word.text, at)]
    best, edge = 0.0, None
    for x in sorted(x for x in own if room[0] <= x <= room[1]):
        close = [other for other in own if abs(other - x) <= near]
        weight = len(close) + 0.5 * sum(abs(other - x) <= near for other in inner)
        if weight >= least and len(close) > 1 and weight > best:
            best, edge = weight, median(close)
    return edge


def _cells(group: Sequence[Line], columns: Sequence[_Column]) -> Cells:
    """A line of print cut into cells; a word goes where it starts, one that two cells share is parted."""
    size = group[0].size
    held: dict[int, list[Word]] = {}
    words = sorted((word for line in group for word in line.words), key=lambda word: word.box[0])
    end = 0.0
    for word in words:
        apart = word.box[0] - end > 0.8 * size
        for part in _parted(word, columns, size):
            held.setdefault(_place(part, columns, size, apart), []).append(part)
        end = word.box[2]
    first = group[0]
    return {
        column: piece(first, sorted(words, key=lambda word: word.box[0])) for column, words in held.items()
    }


def _place(word: Word, columns: Sequence[_Column], size: float, apart: bool) -> int:
    """By its start, or by its middle where it stands apart from the word before: such text is centred."""
    start, middle = word.box[0] + 2 * _NEAR * size, (word.box[0] + word.box[2]) / 2
    return sum((max(start, middle) if apart or not one.flush else start) >= one.at for one in columns)


def _parted(word: Word, columns: Sequence[_Column], size: float) -> Iterator[Word]:
    """The word, or its two parts where one cell runs into the next without a space between."""
    for column in columns:
        inside = column.flush and word.box[0] + 0.5 * size < column.at < word.box[2] - 0.5 * size
        for place in range(1, len(word.starts)) if inside else ():
            x = word.starts[place]
            if abs(x - column.at) <= 2 * _NEAR * size and turns(word.text, place):
                x0, y0, x1, y1 = word.box
                yield Word(word.text[:place], (x0, y0, x, y1), word.starts[:place])
                yield from _parted(
                    Word(word.text[place:], (x, y0, x1, y1), word.starts[place:]), columns, size
                )
                return
    yield word


def turns(text: str, place: int) -> bool:
    """Whether one text may end and another start within a word: letters stay together."""
    before, after = text[place - 1], text[place]
    return not (before.isalpha() and after.isalpha() and (before.isupper() or after.islower()))


def _rows(printed: Sequence[Cells], columns: Sequence[_Column], rules: Sequence[Box]) -> list[list[Cells]]:
    whole = union(line.box for cells in printed for line in cells.values())
    inner = inner_rules(rules, whole)
    apart = _apart(printed)
    reach = _reach(printed, columns, whole)
    rows = [[printed[0]]]
    for above, cells in pairwise(printed):
        if _starts_row(rows[-1], above, cells, inner, apart, reach):
            rows.append([cells])
        else:
            rows[-1].append(cells)
    return rows


def _starts_row(
    row: Sequence[Cells],
    above: Cells,
    cells: Cells,
    inner: Sequence[float],
    apart: float | None,
    reach: Sequence[float],
) -> bool:
    top, foot = _middle(above), _middle(cells)
    if any(top < rule < foot for rule in inner):
        return True
    if 0 < len(inner) <= _HEADED and foot < inner[0]:
        return False
    if apart is not None:
        return foot - top > apart
    if _is_cut(above, cells):
        return False
    if 0 not in cells:
        return len(cells) > 1 and (_is_back(row, above, cells) or _numbers(above, cells))
    told = _begins_again(row, above, cells) or _had_room(above, cells, reach) or _numbers(above, cells)
    return told or (len(row) == 1 and len(cells) == len(above) and _all_begin(cells))


def _middle(cells: Cells) -> float:
    return median((line.box[1] + line.box[3]) / 2 for line in cells.values())


def _apart(printed: Sequence[Cells]) -> float | None:
    """The step between two lines above which they are of two rows, where rows stand apart."""
    steps = sorted(_middle(below) - _middle(above) for above, below in pairwise(printed))
    for place, (one, other) in enumerate(pairwise(steps), 1):
        if place >= 2 and len(steps) - place >= 2 and other > _GAP * one:
            return (one + other) / 2
    return None


def _reach(printed: Sequence[Cells], columns: Sequence[_Column], whole: Box) -> list[float]:
    """Where the longest text of two words or more ends in each column, short of the next column.

    A single word may be wider than its column.
    """
    limits = [*(column.at for column in columns), whole[2] + 1]
    wrapped = [
        (column, line.box[2]) for cells in printed for column, line in cells.items() if len(line.words) > 1
    ]
    return [
        max((x for column, x in wrapped if column == at and x < limit), default=0.0)
        for at, limit in enumerate(limits)
    ]


def _is_cut(above: Cells, cells: Cells) -> bool:
    return any(_CUT.search(above[column].text) for column in cells if column in above)


def _begins_again(row: Sequence[Cells], above: Cells, cells: Cells) -> bool:
    held = {column for one in row for column in one}
    return _is_back(row, above, cells) or any(column not in held for column in cells)


def _is_back(row: Sequence[Cells], above: Cells, cells: Cells) -> bool:
    """Whether a cell that had ended in this row starts again."""
    return any(column not in above and any(column in one for one in row) for column in cells)


def _had_room(above: Cells, cells: Cells, reach: Sequence[float]) -> bool:
    for column, line in cells.items():
        if column in above:
            first = line.words[0].box
            end = above[column].box[2] + _SPACE * line.size + first[2] - first[0]
            if end < reach[column]:
                return True
    return False


def _numbers(above: Cells, cells: Cells) -> bool:
    return any(
        _NUMBER.fullmatch(line.text) and column in above and _NUMBER.fullmatch(above[column].text)
        for column, line in cells.items()
    )


def _all_begin(cells: Cells) -> bool:
    """Whether each cell starts like a text of its own."""
    return all(not line.text[:1].islower() for line in cells.values())
