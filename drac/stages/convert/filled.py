"""Tables without ruling lines whose cells are filled: on slides and web pages the fills lie edge to edge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from drac.records import Box
from drac.stages.convert.page import LayoutBox, Line, area, overlap
from drac.stages.convert.ruled import Mesh, has_gap, lines_in, meshes
from drac.stages.convert.text import visual_lines

_COVERED = 0.9
"""Share of a mesh that its fills cover, at least."""


def filled_meshes(fills: Sequence[Box], boxes: Sequence[LayoutBox], lines: Sequence[Line]) -> list[Mesh]:
    """Meshes of the sides of fills that cover them, where the layout analysis sees no table.

    A fill behind a whole row of cells shows its columns by the gaps in its text; such a mesh is left out.
    """
    sides = [side for fill in fills for side in _sides(fill)]
    return [
        mesh
        for mesh in meshes(sides)
        if _covers(fills, mesh.box)
        and not any(one.kind == "table" and overlap(mesh.box, one.box) > 0.5 for one in boxes)
        and not any(map(has_gap, _lines_of_cells(fills, mesh.box, lines)))
    ]


def _sides(fill: Box) -> Iterator[Box]:
    x0, y0, x1, y1 = fill
    yield from ((x0, y, x1, y) for y in (y0, y1))
    yield from ((x, y0, x, y1) for x in (x0, x1))


def _inside(fills: Iterable[Box], box: Box) -> list[Box]:
    """Fills within a box, those left out that lie behind all of it."""
    within = (fill for fill in fills if overlap(fill, box) > 0.9)
    return [fill for fill in within if overlap(box, fill) < 0.9]


def _covers(fills: Sequence[Box], box: Box) -> bool:
    return sum(map(area, set(_inside(fills, box)))) >= _COVERED * area(box)


def _lines_of_cells(fills: Sequence[Box], box: Box, lines: Sequence[Line]) -> Iterator[list[Line]]:
    for fill in _inside(fills, box):
        yield from visual_lines(lines_in(_cell(fill), lines))


def _cell(fill: Box) -> Mesh:
    x0, y0, x1, y1 = fill
    return Mesh((x0, x1), (y0, y1), (), ())
