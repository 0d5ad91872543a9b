"""The two readings of a page, made ready to be compared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from drac.records import Box, Cell, PageText, Table
from drac.stages.convert.audit.words import Token, texts, tokens

Spell = Callable[[list[Token]], list[Token]]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the text under audit that has words."""

    start: int
    """First code point in the Markdown."""
    end: int
    """Code point after the last."""
    first: int
    """Index of its first word."""
    last: int
    """Index after its last word."""


@dataclass(frozen=True, slots=True)
class Written:
    """The text under audit."""

    markdown: str
    """As the engine wrote it."""
    words: tuple[Token, ...]
    """In order."""
    lines: tuple[Line, ...]
    """In order; each word is in one."""

    def texts(self, line: Line) -> list[str]:
        """The words of a line as they are compared, without those that may be left out."""
        return [word.text for word in self.words[line.first : line.last] if not word.optional]


@dataclass(frozen=True, slots=True)
class Unit:
    """A block, a table's row or a header cell that the second reader saw."""

    kind: str
    """`row`, `header`, or the region's kind."""
    text: str
    """As the second reader has it; a row's cells with ` | ` between."""
    first: int
    """Index of its first word."""
    last: int
    """Index after its last word."""
    boxes: tuple[Box, ...] = ()
    """In page points."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a grid, below the header."""

    unit: int
    """Index of its unit, which has the words of the cells that begin in this row."""
    cells: dict[int, tuple[str, ...]]
    """Words by 0-based column, of cells with words that begin in this row."""
    above: tuple[str, ...] = ()
    """Words of cells that reach down from rows above."""
    shown: dict[int, str] = field(default_factory=dict)
    """The same cells as the second reader has them."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table that the second reader saw."""

    labels: dict[int, tuple[str, ...]]
    """Words of the header cells over a column, from the top."""
    names: frozenset[str]
    """All words of headers and caption."""
    rows: tuple[Row, ...]
    """Below the header, those with words."""


@dataclass(slots=True)
class Seen:
    """What the second reader saw."""

    words: list[Token] = field(default_factory=list)
    """In the order of the units; places are those in the unit's text."""
    units: list[Unit] = field(default_factory=list)
    """In reading order."""
    grids: list[Grid] = field(default_factory=list)
    """In order."""
    spell: Spell = list
    """Writes words as the other reader does."""

    def texts(self, text: str) -> tuple[str, ...]:
        """Words as they are compared, without those that may be left out."""
        return tuple(word.text for word in self.spell(tokens(text)) if not word.optional)

    def add(self, kind: str, text: str, boxes: tuple[Box, ...]) -> int:
        """Append a unit; its index."""
        first = len(self.words)
        self.words += self.spell(tokens(text))
        self.units.append(Unit(kind, text, first, len(self.words), boxes))
        return len(self.units) - 1


def written_side(text: PageText) -> Written:
    """The text under audit."""
    words = tuple(tokens(text.markdown))
    return Written(text.markdown, words, tuple(_lines(text.markdown, words)))


def _lines(markdown: str, words: Sequence[Token]) -> Iterator[Line]:
    starts = [word.start for word in words]
    at = 0
    for line in markdown.splitlines(keepends=True):
        first, last = bisect_left(starts, at), bisect_left(starts, at + len(line))
        if last > first:
            yield Line(at, at + len(line.rstrip()), first, last)
        at += len(line)


def seen_side(text: PageText, spell: Spell = list) -> Seen:
    """What the second reader saw: rows as its grids have them, everything else as it wrote it."""
    seen = Seen(spell=spell)
    tables = {start: table for table in text.tables for _, start, _ in table.sentences[:1]}
    rows = {start for table in text.tables for _, start, _ in table.sentences}
    if not text.regions:
        for line in text.markdown.splitlines():
            seen.add("paragraph", line, ())
    for region, after in zip_longest(text.regions, text.regions[1:]):
        if region.start in tables:
            _add_table(seen, tables[region.start], text)
        if region.start not in rows:
            words = text.markdown[region.start : region.end]
            idle = after is not None and after.start in tables and _is_header(words, tables[after.start])
            seen.add("header" if idle else region.kind, words, region.boxes)
    return seen


def _is_header(words: str, table: Table) -> bool:
    """Whether a block before a table says headers over columns without values."""
    heads = {word for cell in table.cells if cell.row < table.header_rows for word in texts(cell.text)}
    return set(texts(words)) <= heads


def _add_table(seen: Seen, table: Table, text: PageText) -> None:
    boxes = {region.start: region.boxes for region in text.regions}
    place = {row: boxes.get(start, ()) for row, start, _ in table.sentences}
    used = {cell.column for cell in table.cells if cell.row >= table.header_rows and cell.text}
    for cell in table.cells:
        over = range(cell.column, cell.column + cell.column_span)
        if cell.row < table.header_rows and cell.text and not used.isdisjoint(over):
            seen.add("header", cell.text, (table.box,))
    rows = [_add_row(seen, table, row, place[row]) for row, _, _ in table.sentences]
    heads = [cell for cell in table.cells if cell.row < table.header_rows]
    names = frozenset(seen.texts("\n".join([*(cell.text for cell in heads), table.caption])))
    seen.grids.append(Grid(_labels(seen, heads), names, tuple(rows)))


def _add_row(seen: Seen, table: Table, row: int, boxes: tuple[Box, ...]) -> Row:
    mine = [cell for cell in table.cells if cell.row == row and cell.text]
    above = [cell.text for cell in table.cells if cell.row < row < cell.row + cell.row_span]
    unit = seen.add("row", " | ".join(cell.text for cell in mine), boxes)
    cells = {cell.column: seen.texts(cell.text) for cell in mine}
    filled = {column: words for column, words in cells.items() if words}
    shown = {cell.column: cell.text for cell in mine if cell.column in filled}
    return Row(unit, filled, seen.texts("\n".join(above)), shown)


def _labels(seen: Seen, heads: Sequence[Cell]) -> dict[int, tuple[str, ...]]:
    labels: dict[int, tuple[str, ...]] = {}
    for cell in heads:
        for column in range(cell.column, cell.column + cell.column_span):
            labels[column] = (*labels.get(column, ()), *seen.texts(cell.text))
    return labels
