"""Lines to a grid, a grid to sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drac.records import Cell
from drac.stages.convert.grid import Grid, grid_of
from drac.stages.convert.page import Line, Word
from drac.stages.convert.rows import row_sentences

SIZE = 10.0
WIDTH = 5.0


def line(text: str, x: float, y: float, order: int, *, bold: bool = False) -> Line:
    """A line with its left edge at x and its baseline at y, 5 points a character."""
    words, place = [], x
    for text_of_word in text.split():
        words.append(Word(text_of_word, (place, y - 8, place + WIDTH * len(text_of_word), y + 2)))
        place += WIDTH * (len(text_of_word) + 1)
    box = (x, y - 8, words[-1].box[2], y + 2)
    return Line(tuple(words), box, SIZE, bold=bold, order=order, run=order, raw=text)


def drawn(*texts: tuple[str, float, float]) -> list[Line]:
    """Lines in the order in which they are given."""
    return [line(text, x, y, order) for order, (text, x, y) in enumerate(texts)]


def sentences(grid: Grid | None) -> list[str]:
    assert grid is not None
    return [text for _, text in row_sentences(grid.cells, grid.rows, grid.columns, grid.header_rows)]


def test_cells_that_wrap_stay_in_their_row() -> None:
    lines = drawn(
        ("Code", 0, 100), ("Item", 100, 100), ("Price", 200, 100),
        ("A-", 0, 112), ("17", 0, 124), ("Steel", 100, 112), ("bolt", 100, 124), ("9.0", 200, 112),
        ("B-18", 0, 136), ("Nut", 100, 136), ("0.5", 200, 136),
    )  # fmt: skip
    assert sentences(grid_of(lines, ())) == [
        "Code: A-17; Item: Steel bolt; Price: 9.0.",
        "Code: B-18; Item: Nut; Price: 0.5.",
    ]


def test_cells_printed_over_their_neighbours_are_told_apart() -> None:
    lines = drawn(
        ("City", 0, 100), ("State", 40, 100), ("Shop", 80, 100),
        ("Bengaluru", 0, 112), ("Karnataka", 40, 112), ("12", 80, 112),
        ("Pune", 0, 124), ("Maharashtra", 40, 124), ("7", 80, 124),
    )  # fmt: skip
    assert sentences(grid_of(lines, ()))[0] == "City: Bengaluru; State: Karnataka; Shop: 12."


def test_a_line_that_runs_on_into_the_next_column_is_cut_there() -> None:
    lines = drawn(
        ("City", 0, 100), ("State", 50, 100),
        ("Kochi", 0, 112), ("Kerala", 50, 112),
        ("New Delhi Delhi", 0, 124),
        ("Agra", 0, 136), ("UP", 50, 136),
    )  # fmt: skip
    assert "City: New Delhi; State: Delhi." in sentences(grid_of(lines, ()))


def test_text_drawn_line_by_line_is_put_into_rows_by_height() -> None:
    lines = drawn(
        ("Name", 0, 100), ("Note", 100, 100), ("Sum", 200, 100),
        ("Ann", 0, 112), ("paid in", 100, 112), ("5", 200, 112), ("advance", 100, 124),
        ("Bob", 0, 136), ("owes us", 100, 136), ("7", 200, 136), ("a lot", 100, 148),
    )  # fmt: skip
    assert sentences(grid_of(lines, ())) == [
        "Name: Ann; Note: paid in advance; Sum: 5.",
        "Name: Bob; Note: owes us a lot; Sum: 7.",
    ]


def test_a_ruling_line_parts_rows() -> None:
    lines = drawn(
        ("Key", 0, 100), ("Value", 100, 100),
        ("one", 0, 112), ("two", 0, 124),
        ("alpha", 100, 112), ("beta", 100, 124),
    )  # fmt: skip
    rules = [(0.0, y, 150.0, y + 1) for y in (102.5, 114.5)]
    assert sentences(grid_of(lines, rules)) == ["Key: one; Value: alpha.", "Key: two; Value: beta."]


def test_numbers_piled_up_in_every_cell_are_rows() -> None:
    lines = drawn(
        ("Month", 0, 100), ("Sales", 100, 100), ("Costs", 200, 100), ("Left", 300, 100),
        ("Apr", 0, 112), ("May", 0, 124), ("10", 100, 112), ("20", 100, 124),
        ("4", 200, 112), ("5", 200, 124), ("6", 300, 112), ("15", 300, 124),
    )  # fmt: skip
    assert sentences(grid_of(lines, ())) == [
        "Month: Apr; Sales: 10; Costs: 4; Left: 6.",
        "Month: May; Sales: 20; Costs: 5; Left: 15.",
    ]


def test_an_empty_cell_is_left_out() -> None:
    lines = drawn(
        ("A", 0, 100), ("B", 100, 100), ("C", 200, 100),
        ("one", 0, 112), ("two", 100, 112), ("three", 200, 112),
        ("four", 0, 124), ("six", 200, 124),
    )  # fmt: skip
    assert sentences(grid_of(lines, ()))[1] == "A: four; C: six."


def test_a_single_cell_over_the_table_is_its_title() -> None:
    lines = drawn(
        ("Prices", 100, 88),
        ("A", 0, 100), ("B", 100, 100), ("C", 200, 100),
        ("one", 0, 112), ("2", 100, 112), ("3", 200, 112),
    )  # fmt: skip
    grid = grid_of(lines, ())
    assert grid is not None
    assert (grid.title, grid.rows) == ("Prices", 2)


def test_lines_of_one_column_are_no_table() -> None:
    assert grid_of(drawn(("one", 0, 100), ("two", 0, 112), ("three", 0, 124)), ()) is None


def test_f34_two_header_rows_make_a_path() -> None:
    cells = (
        Cell(0, 0, "Region"), Cell(0, 1, "2023", column_span=2),
        Cell(1, 1, "Q1"), Cell(1, 2, "Q2"),
        Cell(2, 0, "North"), Cell(2, 1, "5"), Cell(2, 2, "6"),
    )  # fmt: skip
    assert row_sentences(cells, 3, 3, 2) == [(2, "Region: North; 2023 Q1: 5; 2023 Q2: 6.")]


def test_f35_a_value_over_two_rows_stands_in_both() -> None:
    cells = (
        Cell(0, 0, "Stage"), Cell(0, 1, "Cluster"),
        Cell(1, 0, "Staging"), Cell(1, 1, "Cluster A", row_span=2),
        Cell(2, 0, "Test"),
    )  # fmt: skip
    assert [text for _, text in row_sentences(cells, 3, 2, 1)] == [
        "Stage: Staging; Cluster: Cluster A.",
        "Stage: Test; Cluster: Cluster A.",
    ]


def test_keys_and_values_without_a_header() -> None:
    cells = (Cell(0, 0, "Name:"), Cell(0, 1, "Ann"), Cell(1, 0, "Age"), Cell(1, 1, "44."))
    assert [text for _, text in row_sentences(cells, 2, 2, 0)] == ["Name: Ann.", "Age: 44."]


TEXT = st.text("abc 019|.", max_size=6).map(lambda text: " ".join(text.split()))


@given(st.lists(st.lists(TEXT, min_size=3, max_size=3), min_size=2, max_size=5))
def test_a_sentence_holds_its_cells_and_headers_and_nothing_else(rows: list[list[str]]) -> None:
    cells = tuple(
        Cell(row, column, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)
    )
    for row, sentence in row_sentences(cells, len(rows), 3, 1):
        left = sentence
        for header, value in zip(rows[0], rows[row], strict=True):
            assert value in sentence
            if value:
                left = left.replace(header.rstrip(" :"), "", 1).replace(value, "", 1)
        assert set(left) <= set(":;. abc019|")
    filled = [row for row, texts in enumerate(rows) if row and any(texts)]
    assert [row for row, _ in row_sentences(cells, len(rows), 3, 1)] == filled
