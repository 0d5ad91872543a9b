"""Tables that go on over a page keep their header."""

from __future__ import annotations

from dataclasses import replace

from drac.records import Box, Cell, Page, PageState, PageText, Region, Table
from drac.stages.convert.carry import carry_headers
from drac.stages.convert.rows import row_sentences

EDGES = (50.0, 100.0, 500.0, 700.0)


def cells_of(rows: list[list[str]]) -> tuple[Cell, ...]:
    return tuple(
        Cell(row, column, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)
    )


def page(number: int, rows: list[list[str]], header: int, *texts: str, box: Box = EDGES) -> PageText:
    """A page with a table and, below it, paragraphs."""
    cells, columns = cells_of(rows), len(rows[0])
    markdown, regions, places = "", [], []
    pairs = row_sentences(cells, len(rows), columns, header)
    for row, text in [*pairs, *((-1, text) for text in texts)]:
        markdown += "\n\n" if markdown else ""
        start = len(markdown)
        markdown += text
        regions.append(Region(start, len(markdown), "row" if row >= 0 else "paragraph", (box,)))
        if row >= 0:
            places.append((row, start, len(markdown)))
    table = Table(box, len(rows), columns, header, cells, "", tuple(places))
    return PageText(
        Page("d", number), PageState.OK, markdown, "local", regions=tuple(regions), tables=(table,)
    )


FIRST = page(1, [["Day", "Firm", "Jobs"], ["1 May", "Acme", "7"]], 1)
SECOND = page(2, [["2 May", "Boeing | Co", "9"], ["3 May", "", "4"]], 0, "See the notes.")


def test_rows_on_the_next_page_have_the_header_of_the_page_before() -> None:
    first, second = carry_headers([FIRST, SECOND])
    assert first is FIRST
    assert second.markdown.split("\n\n") == [
        "Day: 2 May; Firm: Boeing | Co; Jobs: 9.", "Day: 3 May; Jobs: 4.", "See the notes.",
    ]  # fmt: skip
    assert [second.markdown[one.start : one.end] for one in second.regions] == second.markdown.split("\n\n")
    [table] = second.tables
    assert (table.rows, table.header_rows) == (3, 1)
    assert [row for row, _, _ in table.sentences] == [1, 2]
    assert [second.markdown[start:end] for _, start, end in table.sentences] == second.markdown.split("\n\n")[
        :2
    ]


def test_a_table_may_go_on_over_many_pages() -> None:
    pages = [FIRST, page(2, [["2 May", "Boeing", "9"]], 0), page(3, [["3 May", "Leidos", "5"]], 0)]
    assert [one.markdown for one in carry_headers(pages)][1:] == [
        "Day: 2 May; Firm: Boeing; Jobs: 9.", "Day: 3 May; Firm: Leidos; Jobs: 5.",
    ]  # fmt: skip


def test_another_table_keeps_its_own_words() -> None:
    narrow = page(2, [["2 May", "Boeing"]], 0)
    moved = page(2, [["2 May", "Boeing", "9"]], 0, box=(90.0, 100.0, 500.0, 700.0))
    headed = page(2, [["Date", "Name", "Age"], ["2 May", "Ann", "9"]], 1)
    again = page(2, [["Day", "Firm", "Jobs"], ["2 May", "Boeing", "9"]], 0)
    far = replace(SECOND, page=Page("d", 3))
    failed = replace(SECOND, state=PageState.FAILED, markdown="", regions=(), tables=())
    for other in (narrow, moved, headed, again, far, failed):
        assert list(carry_headers([FIRST, other]))[1] is other


def test_a_header_that_leaves_a_column_without_a_name_is_not_carried() -> None:
    first = page(1, [["Day", "", "Jobs"], ["1 May", "Acme", "7"]], 1)
    assert list(carry_headers([first, SECOND]))[1] is SECOND


def test_text_below_a_table_ends_it() -> None:
    first = page(1, [["Day", "Firm", "Jobs"], ["1 May", "Acme", "7"]], 1, "All rows are shown.")
    assert list(carry_headers([first, SECOND]))[1] is SECOND
