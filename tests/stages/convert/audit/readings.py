"""Pages as the local reader has them, and replies that tell their rows in other words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drac.records import Box, Cell, Page, PageState, PageText, Table
from drac.stages.convert.rows import row_sentences
from drac.stages.convert.write import Written

PAGE = Page("0" * 64, 1)
Grid = Sequence[Sequence[str]]
Tell = Callable[[Sequence[str], Sequence[str]], str]


def box(number: int) -> Box:
    return (50.0, 20.0 * number, 500.0, 20.0 * number + 15.0)


def reading(*blocks: str | Grid, furniture: tuple[str, ...] = (), headers: int = 1) -> PageText:
    """What the local reader has of a page of paragraphs, headings, lists (text) and tables (rows)."""
    page = Written()
    for number, block in enumerate(blocks):
        if isinstance(block, str):
            kind = "heading" if block.startswith("#") else "list" if block.startswith("- ") else "paragraph"
            page.add(kind, block, [box(number)])
        else:
            add_table(page, block, number, headers)
    return PageText(
        PAGE,
        PageState.OK,
        page.markdown,
        "local",
        regions=tuple(page.regions),
        tables=tuple(page.tables),
        furniture=furniture,
    )


def add_table(page: Written, grid: Grid, number: int, headers: int) -> None:
    cells = [Cell(row, column, text) for row, line in enumerate(grid) for column, text in enumerate(line)]
    columns = max(map(len, grid))
    told = [
        (row, *page.add("row", text, [box(100 * number + row)]))
        for row, text in row_sentences(cells, len(grid), columns, headers)
    ]
    page.tables.append(Table(box(number), len(grid), columns, headers, tuple(cells), sentences=tuple(told)))


def reply(*blocks: str | Grid, tell: Tell | None = None) -> PageText:
    """What a model writes of the same."""
    tell = tell or in_the_row
    lines = [
        line
        for block in blocks
        for line in ([block] if isinstance(block, str) else [tell(block[0], row) for row in block[1:]])
    ]
    return PageText(PAGE, PageState.OK, "\n\n".join(lines), "model", "image")


def in_the_row(heads: Sequence[str], row: Sequence[str]) -> str:
    pairs = list(zip(heads, row, strict=True))
    first = f"In the row whose {pairs[0][0]} is {pairs[0][1]}"
    return ", ".join([first, *(f"the {head} is {cell}" for head, cell in pairs[1:])]) + "."


def colons(heads: Sequence[str], row: Sequence[str]) -> str:
    return "; ".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True)) + "."


def after(heads: Sequence[str], row: Sequence[str]) -> str:
    return "- " + ", ".join(f"{cell} ({head})" for head, cell in zip(heads, row, strict=True))


def backwards(heads: Sequence[str], row: Sequence[str]) -> str:
    return "; ".join(f"**{head}** = {cell}" for head, cell in reversed(list(zip(heads, row, strict=True))))


TEMPLATES = (in_the_row, colons, after, backwards)
