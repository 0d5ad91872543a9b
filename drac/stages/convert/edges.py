"""Where a table's columns start, and lines cut there that run on from one cell into the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from drac.stages.convert.page import Line, Word

_NEAR = 0.8
"""Points within which two starts are one edge; punctuation hangs out of its column by as much."""
_OPENING = "([\u201c\u2018$\u20ac\u00a3\u20b9\uffff"
"""Characters that open a text."""
_Start = tuple[float, int, bool]
"""x, row, and whether the line is the first of its cell."""
_CLOSING = ")]%\u201d\u2019"
"""Characters that close a text."""
Cells = Sequence[Sequence[Line]]
"""The lines of each cell of a row."""


def column_edges(rows: Sequence[Cells]) -> list[float]:
    """x at which the cells of columns that are set flush left start.

    An edge is where the cells of a good part of the rows start, or any line of a cell where words of most
    rows start too, though their lines run on from a cell before.
    """
    starts = sorted(
        (line.box[0], place, line is cell[0])
        for place, row in enumerate(rows)
        for cell in row
        for line in cell
    )
    words = [sorted(word.box[0] for cell in row for line in cell for word in line.words) for row in rows]
    edges = []
    for group in _clusters(starts):
        edge = median(start for start, _, _ in group)
        own = len({place for _, place, first in group if first})
        there = sum(any(abs(x - edge) <= _NEAR for x in row) for row in words)
        if own >= max(2, 0.4 * len(rows)) or (len(rows) > 2 and there > 0.6 * len(rows)):
            edges.append(edge)
    return edges


def _clusters(starts: Sequence[_Start]) -> Iterator[list[_Start]]:
    group = [starts[0]]
    for before, start in pairwise(starts):
        if start[0] - before[0] > _NEAR:
            yield group
            group = []
        group.append(start)
    yield group


def cut_at(lines: Iterable[Line], edges: Sequence[float], *, words: bool = True) -> list[Line]:
    """The lines in content order, parted where a word starts at an edge; `words`: or a text within one."""
    pieces: list[Line] = []
    for line in sorted(lines, key=lambda one: one.order):
        parts = [part for word in line.words for part in (_split(word, edges) if words else [word])]
        start = 0
        for place, word in enumerate(parts[1:], 1):
            if _at(word.box[0], edges) and any(map(str.isalnum, parts[place - 1].text)):  # or it is a bullet
                pieces.append(piece(line, parts[start:place]))
                start = place
        pieces.append(piece(line, parts[start:]) if start else line)
    return [replace(one, order=order) for order, one in enumerate(pieces)]


def piece(line: Line, words: Sequence[Word]) -> Line:
    """A part of a line that holds these words."""
    box = (words[0].box[0], line.box[1], words[-1].box[2], line.box[3])
    return replace(line, words=tuple(words), box=box, raw=" ".join(word.text for word in words))


def _split(word: Word, edges: Sequence[float]) -> Iterator[Word]:
    """The word, or its two parts where a cell ends and the next starts without a space between."""
    for place in range(1, len(word.starts)):
        x = word.starts[place]
        if _at(x, edges) and _turns(word.text[place - 1], word.text[place]):
            x0, y0, x1, y1 = word.box
            yield Word(word.text[:place], (x0, y0, x, y1), word.starts[:place])
            yield Word(word.text[place:], (x, y0, x1, y1), word.starts[place:])
            return
    yield word


def _at(x: float, edges: Sequence[float]) -> bool:
    return any(abs(x - edge) <= _NEAR for edge in edges)


def _turns(before: str, after: str) -> bool:
    """Whether one text may end and another start between two characters that touch."""
    if not before.isalnum():
        return before in _CLOSING and after.isalnum()
    if not after.isalnum():
        return after in _OPENING
    return before.isalpha() != after.isalpha() or (before.islower() and after.isupper())
