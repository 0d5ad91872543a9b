"""Headers over several columns become a path."""

from __future__ import annotations

from drac.records import Box
from drac.stages.convert.grid import grid_of
from drac.stages.convert.page import Line, Word
from drac.stages.convert.rows import row_sentences

BODY = (
    ("Region", "Q1", "Q2", "Q1", "Q2"),
    ("North", "10", "11", "12", "13"),
    ("South", "20", "21", "22", "23"),
    ("West", "30", "31", "32", "33"),
)
XS = (50.0, 130.0, 180.0, 230.0, 280.0)
MIDRULE = (50.0, 127.0, 300.0, 128.0)


def made(text: str, x: float, y: float, order: int) -> Line:
    box = (x, y - 8, x + 5 * len(text), y + 2)
    return Line((Word(text, box),), box, 10.0, order=order, run=order, raw=text)


def sentences(heads: list[tuple[str, float]], rules: list[Box]) -> list[str]:
    lines = [made(text, x, 110, place) for place, (text, x) in enumerate(heads)]
    for row, texts in enumerate(BODY):
        y = 124.0 + 16 * row + 4 * (row > 0)
        lines += [
            made(text, x, y, len(lines) + place)
            for place, (text, x) in enumerate(zip(texts, XS, strict=True))
        ]
    grid = grid_of(lines, rules)
    assert grid is not None
    return [text for _, text in row_sentences(grid.cells, grid.rows, grid.columns, grid.header_rows)]


NORTH = "Region: North; 2023 Q1: 10; 2023 Q2: 11; 2024 Q1: 12; 2024 Q2: 13."


def test_f34_a_header_set_over_the_middle_of_two_columns_heads_both() -> None:
    assert sentences([("2023", 150.0), ("2024", 250.0)], [MIDRULE])[0] == NORTH


def test_f34_a_rule_below_a_header_shows_its_columns() -> None:
    rules = [MIDRULE, (130.0, 114.0, 190.0, 114.5), (230.0, 114.0, 290.0, 114.5)]
    assert sentences([("2023", 130.0), ("2024", 230.0)], rules)[0] == NORTH


def test_a_header_flush_with_its_column_heads_it_alone() -> None:
    (first, *_) = sentences([("Net", 180.0), ("Gross", 280.0)], [MIDRULE])
    assert first == "Region: North; Q1: 10; Net Q2: 11; Q1: 12; Gross Q2: 13."
