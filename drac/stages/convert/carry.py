"""Tables that go on over a page: rows on the next page that have no header keep that of the page before.

The local engine reads pages on their own, in any order; this is done to a document's pages in theirs. A table
goes on where it is the last thing on its page, and the first on the next is a table without a header, with
as many columns, in the same place from left to right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from drac.records import Cell, PageText, Table
from drac.stages.convert.rows import row_sentences
from drac.stages.convert.text import escape

_LEFT = 4.0
"""Points by which the left sides of the two parts of a table may differ."""
_RIGHT = 0.1
"""Share of the width by which the right sides may, where a column's texts end."""
Places = Mapping[tuple[int, int], str]
"""New text of a stretch of Markdown, by its start and end."""


def carry_headers(pages: Iterable[PageText]) -> Iterator[PageText]:
    """The pages in their order, sentences of rows that go on with the names of their columns.

    Pages that no table goes on to are the same objects.
    """
    before: PageText | None = None
    for page in pages:
        follows = before is not None and page.page.number == before.page.number + 1
        before = _continued(before, page) if before is not None and follows else page
        yield before


def _continued(before: PageText, page: PageText) -> PageText:
    table = _last(before)
    rest = _first(page)
    if (
        table is None
        or rest is None
        or {before.engine, page.engine} != {"local"}
        or not _goes_on(table, rest)
    ):
        return page
    header = tuple(cell for cell in table.cells if cell.row < table.header_rows)
    if _repeats(header, rest) or not _filled(header) >= _filled(rest.cells):
        return page
    whole = _with_header(rest, header, table.header_rows)
    texts = dict(row_sentences(whole.cells, whole.rows, whole.columns, whole.header_rows))
    if set(texts) != {row for row, _, _ in whole.sentences}:
        return page
    places = {(start, end): escape(texts[row]) for row, start, end in whole.sentences}
    return rewritten(replace(page, tables=(whole, *page.tables[1:])), places)


def _last(page: PageText) -> Table | None:
    """The table whose last row ends the page."""
    table = page.tables[-1] if page.tables else None
    ends = table is not None and table.sentences and page.regions[-1].end == table.sentences[-1][2]
    return table if ends else None


def _first(page: PageText) -> Table | None:
    """The table whose first row begins the page."""
    table = page.tables[0] if page.tables else None
    begins = table is not None and table.sentences and page.regions[0].start == table.sentences[0][1]
    return table if begins else None


def _goes_on(table: Table, rest: Table) -> bool:
    if not table.header_rows or rest.header_rows or table.columns != rest.columns:
        return False
    left, right = (abs(table.box[side] - rest.box[side]) for side in (0, 2))
    return left <= _LEFT and right <= _RIGHT * (table.box[2] - table.box[0])


def _filled(cells: Iterable[Cell]) -> set[int]:
    """Columns in which one of the cells has text; a header that leaves one out is doubtful."""
    return {
        column for cell in cells if cell.text for column in range(cell.column, cell.column + cell.column_span)
    }


def _repeats(header: tuple[Cell, ...], rest: Table) -> bool:
    """Whether the first row is the header once more."""
    names = {cell.text for cell in header if cell.text}
    return any(cell.row == 0 and cell.text in names for cell in rest.cells)


def _with_header(rest: Table, header: tuple[Cell, ...], rows: int) -> Table:
    below = tuple(replace(cell, row=cell.row + rows) for cell in rest.cells)
    sentences = tuple((row + rows, start, end) for row, start, end in rest.sentences)
    return replace(
        rest, rows=rest.rows + rows, header_rows=rows, cells=(*header, *below), sentences=sentences
    )


def rewritten(page: PageText, places: Places) -> PageText:
    """The page with new text in some places, and all that is said of its Markdown moved along."""
    markdown, taken, moved = "", 0, {0: 0}
    for (start, end), text in sorted(places.items()):
        markdown += page.markdown[taken:start]
        moved[start] = len(markdown) - start
        markdown += text
        moved[end] = len(markdown) - end
        taken = end
    markdown += page.markdown[taken:]

    def at(place: int) -> int:
        return place + moved[max(known for known in moved if known <= place)]

    regions = tuple(replace(one, start=at(one.start), end=at(one.end)) for one in page.regions)
    tables = tuple(
        replace(one, sentences=tuple((row, at(start), at(end)) for row, start, end in one.sentences))
        for one in page.tables
    )
    return replace(page, markdown=markdown, regions=regions, tables=tables)
