"""Tables of contents: entries with the page that each stands on become a list, without leader dots."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise

from drac.stages.convert.block import Block
from drac.stages.convert.grid import Grid
from drac.stages.convert.lists import Item, item_of
from drac.stages.convert.page import DocumentFacts, Line, PageView, title_key
from drac.stages.convert.text import flow, line_text, visual_lines

_LEAST = 3
"""Entries on a page of contents, at least."""
_LEADER = re.compile(r"\s*(?:[.·…‥]\s?){4,}\s*")
_ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_PLACE = rf"(?:[A-Z]{{1,2}}-?)?(?:\d{{1,4}}(?:[-–.]\d{{1,4}})?|{_ROMAN})"
_LED = re.compile(rf"\S.*?{_LEADER.pattern}({_PLACE})\W?", re.IGNORECASE)
_ALONE = re.compile(rf"(?:p\.?\s?)?({_PLACE})", re.IGNORECASE)
_NAMES = frozenset((
    "contents", "tableofcontents", "inhalt", "inhaltsverzeichnis", "sommaire", "tabledesmatières",
    "tabledesmatieres", "índice", "índicedecontenidos", "indice", "sumário", "sumario", "inhoud",
    "inhoudsopgave", "spistreści", "obsah", "innehåll", "innehållsförteckning", "indhold", "innhold",
    "sisällys", "tartalom", "cuprins", "içindekiler", "содержание", "оглавление", "зміст", "περιεχόμενα",
    "目录", "目錄", "目次", "차례", "목차", "المحتويات", "فهرس", "תוכןעניינים",
))  # fmt: skip
"""Titles of such pages, as `title_key` writes them."""
_BETWEEN = " … "


def is_contents(view: PageView, facts: DocumentFacts) -> bool:
    """Whether a page lists titles with their pages: led by dots, or below a title such as "Contents".

    Without leaders the numbers must stand alone below each other, rise, and be pages of the document.
    """
    groups = visual_lines(view.lines)
    texts = [line_text(group) for group in groups]
    if sum(_LED.fullmatch(text) is not None for text in texts) >= _LEAST:
        return True
    return any(title_key(text) in _NAMES for text in texts) and _rise(groups, facts.pages)


def _rise(groups: Sequence[Sequence[Line]], pages: int) -> bool:
    numbers = [(group[-1].box[2], int(group[-1].text)) for group in groups if group[-1].text.isdecimal()]
    columns = (list(run) for _, run in groupby(sorted(numbers), key=lambda one: round(one[0] / 4)))
    widest = max(columns, key=len, default=[])
    inside = [number for right, number in numbers if (right, number) in widest]
    return len(inside) >= _LEAST and inside[-1] <= pages and all(a <= b for a, b in pairwise(inside))


def is_listing(block: Block) -> bool:
    """Whether half of a block's lines of print, or more, are entries that leaders end."""
    groups = visual_lines(block.lines)
    return 2 * sum(_ends(group) for group in groups) >= len(groups)


def _ends(group: Sequence[Line]) -> bool:
    return _LED.fullmatch(line_text(group)) is not None


def entries(lines: Sequence[Line], known: Collection[str]) -> list[Item]:
    """One item an entry; a title that wraps goes on to the line that has its page."""
    items, waiting = [], list[list[Line]]()
    for group in visual_lines(lines):
        waiting.append(list(group))
        if _ends(group):
            items.append(_entry(waiting, known))
            waiting = []
    return items + ([_entry(waiting, known)] if waiting else [])


def _entry(groups: Sequence[Sequence[Line]], known: Collection[str]) -> Item:
    text = flow([line for group in groups for line in group], known)
    return item_of(_unled(text), groups[0][0].box[0])


def _unled(text: str) -> str:
    return _LEADER.sub(_BETWEEN, text).strip()


def grid_entries(grid: Grid) -> list[Item]:
    """One item a row of a table that is one of contents; empty where most rows do not end in a page."""
    rows = list(_rows(grid))
    if 2 * sum(len(cells) > 1 and _ALONE.fullmatch(cells[-1]) is not None for cells in rows) < len(rows):
        return []
    boxed = zip(rows, grid.boxes, strict=True)
    title = [item_of(grid.title, grid.title_box[0])] if grid.title else []
    return title + [item_of(_joined(cells), box[0]) for cells, box in boxed if any(cells)]


def _rows(grid: Grid) -> Iterator[list[str]]:
    for row in range(grid.rows):
        cells = sorted((cell for cell in grid.cells if cell.row == row), key=lambda cell: cell.column)
        yield [text for cell in cells if (text := _unled(cell.text).removesuffix(_BETWEEN.rstrip()).strip())]


def _joined(cells: Sequence[str]) -> str:
    paged = len(cells) > 1 and _ALONE.fullmatch(cells[-1])
    return " ".join(cells[:-1]) + _BETWEEN + cells[-1] if paged else " ".join(cells)
