"""Tables that only the fills of their cells draw."""

from __future__ import annotations

from drac.records import Box
from drac.stages.convert.page import DocumentFacts, LayoutBox, Line, PageView, Word
from drac.stages.convert.write import write_page


def line(text: str, x: float, y: float, order: int) -> Line:
    words = []
    for word in text.split():
        words.append(Word(word, (x, y - 8, x + 5 * len(word), y + 2)))
        x += 5 * len(word) + 5
    box = (words[0].box[0], y - 8, words[-1].box[2], y + 2)
    return Line(tuple(words), box, 10.0, order=order, run=order, raw=text)


TEXTS = (("Plan", "Price"), ("Small", "10"), ("Large", "20"))
LINES = tuple(
    line(text, 25 + 100 * column, 112 + 20 * row, 2 * row + column)
    for row, texts in enumerate(TEXTS)
    for column, text in enumerate(texts)
)
CELLS: tuple[Box, ...] = tuple(
    (20 + 100.0 * column, 100 + 20.0 * row, 119 + 100.0 * column, 120 + 20.0 * row)
    for row in range(3)
    for column in range(2)
)
ROWS = ["Plan: Small; Price: 10.", "Plan: Large; Price: 20."]


def written(fills: tuple[Box, ...], *boxes: LayoutBox) -> list[str]:
    view = PageView(600, 800, LINES, boxes, fills=fills)
    return write_page(view, DocumentFacts()).markdown.split("\n\n")


def test_filled_cells_that_lie_edge_to_edge_are_a_table() -> None:
    assert written(CELLS, LayoutBox("picture", (15, 95, 225, 165))) == ROWS


def test_a_ground_behind_the_cells_changes_nothing() -> None:
    assert written((*CELLS, (20.0, 100.0, 219.0, 160.0))) == ROWS


def test_bands_behind_rows_do_not_melt_the_cells_of_a_row() -> None:
    bands: list[Box] = [(20, 100 + 20.0 * row, 219, 120 + 20.0 * row) for row in range(3)]
    halves: list[Box] = [(219, 100 + 20.0 * row, 300, 120 + 20.0 * row) for row in range(3)]
    assert not any("Small 10" in text for text in written((*bands, *halves)))


def test_fills_of_some_cells_leave_the_rows_to_the_layout_analysis() -> None:
    table = LayoutBox("table", (20, 100, 220, 160))
    assert written(CELLS[:4], table) == written((), table) == ROWS
