"""Lines to a grid, a grid to sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drac.records import Box, Cell
from drac.stages.convert.grid import Grid, grid_of
from drac.stages.convert.page import Line, Word
from drac.stages.convert.rows import idle_headers, row_sentences
from drac.stages.convert.ruled import lines_in, meshes, ruled_grid

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


def test_f36_a_pipe_in_a_cell_of_a_table_without_rules_is_no_border() -> None:
    lines = drawn(
        ("Pattern", 0, 100), ("Count", 100, 100),
        ("x|y", 0, 112), ("3", 100, 112),
        ("a | b", 0, 124), ("4", 100, 124),
    )  # fmt: skip
    assert sentences(grid_of(lines, ())) == ["Pattern: x|y; Count: 3.", "Pattern: a | b; Count: 4."]


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


def ruled(xs: list[float], ys: list[float]) -> list[Box]:
    """Rules around all cells between the borders."""
    flat = [(xs[0], y - 0.5, xs[-1], y + 0.5) for y in ys]
    return flat + [(x - 0.5, ys[0], x + 0.5, ys[-1]) for x in xs]


def read_ruled(lines: list[Line], rules: list[Box]) -> Grid | None:
    (mesh,) = meshes(rules)
    return ruled_grid(mesh, lines_in(mesh, lines))


def test_two_ruled_rows_never_melt() -> None:
    lines = drawn(
        ("Item", 5, 100), ("Price", 105, 100),
        ("Alpha", 5, 112), ("10", 105, 112),
        ("Beta", 5, 124), ("20", 105, 124),
        ("Gamma", 5, 136), ("30", 105, 136),
    )  # fmt: skip
    grid = read_ruled(lines, ruled([0, 100, 200], [90, 103, 115, 127, 139]))
    assert sentences(grid) == ["Item: Alpha; Price: 10.", "Item: Beta; Price: 20.", "Item: Gamma; Price: 30."]


def test_a_ruled_row_keeps_cells_that_wrap_and_a_line_over_two_cells_is_cut() -> None:
    lines = drawn(
        ("Key Value", 5, 100),
        ("one", 5, 112), ("a long", 45, 112), ("text", 45, 124),
        ("two", 5, 136),
    )  # fmt: skip
    grid = read_ruled(lines, ruled([0, 22.5, 200], [90, 103, 127, 139]))
    assert sentences(grid) == ["Key: one; Value: a long text.", "Key: two."]


def test_f35_a_merged_cell_is_known_by_the_rules_that_are_not_there() -> None:
    rules = ruled([0, 100, 200], [90, 103, 115])
    rules += [(0, 126.5, 100, 127.5), (0, 138.5, 200, 139.5)]
    rules += [(x - 0.5, 115, x + 0.5, 139) for x in (0, 100, 200)]
    lines = drawn(
        ("Stage", 5, 100), ("Cluster", 105, 100),
        ("Dev", 5, 112), ("own", 105, 112),
        ("Staging", 5, 124), ("Test", 5, 136), ("shared", 105, 130),
    )  # fmt: skip
    assert sentences(read_ruled(lines, rules)) == [
        "Stage: Dev; Cluster: own.", "Stage: Staging; Cluster: shared.", "Stage: Test; Cluster: shared.",
    ]  # fmt: skip


def test_numbers_piled_up_between_two_rules_are_left_to_the_other_reading() -> None:
    lines = drawn(
        ("Month", 5, 100), ("Sales", 105, 100),
        ("1", 5, 112), ("2", 5, 124), ("3", 5, 136), ("10", 105, 112), ("20", 105, 124), ("30", 105, 136),
    )  # fmt: skip
    assert read_ruled(lines, ruled([0, 100, 200], [90, 103, 139])) is None


def test_boxes_that_lay_out_a_page_are_no_table() -> None:
    texts = [("a line of a paragraph that fills it", 5.0, 112 + 12.0 * row) for row in range(8)]
    lines = drawn(("Part", 5, 100), ("1", 205, 100), *texts, ("2", 205, 112))
    assert read_ruled(lines, ruled([0, 200, 220], [90, 103, 210])) is None


def test_first_row_of_numbers_like_the_rest_is_no_header() -> None:
    three = drawn(*((str(3 * row + at), 100.0 * at, 100 + 12.0 * row) for row in range(3) for at in range(3)))
    assert sentences(grid_of(three, ())) == ["0; 1; 2.", "3; 4; 5.", "6; 7; 8."]
    two = drawn(
        ("Zone NA", 0, 100), ("12,553", 100, 100), ("Zone EUR", 0, 112), ("9,467", 100, 112)
    )  # fmt: skip
    assert sentences(grid_of(two, ())) == ["Zone NA: 12,553.", "Zone EUR: 9,467."]


def test_years_over_numbers_are_a_header() -> None:
    lines = drawn(
        ("Unit", 0, 100), ("2023", 100, 100), ("2024", 200, 100),
        ("North", 0, 112), ("12.5", 100, 112), ("13.0", 200, 112),
    )  # fmt: skip
    assert sentences(grid_of(lines, ())) == ["Unit: North; 2023: 12.5; 2024: 13.0."]


def test_headers_over_no_value_are_named() -> None:
    cells = (
        Cell(0, 0, "a"), Cell(0, 1, "b"), Cell(0, 2, "c", column_span=2),
        Cell(1, 0, "1"), Cell(1, 3, "4"),
    )  # fmt: skip
    assert idle_headers(cells, 4, 1) == ["b"]


def test_a_value_over_two_columns_has_both_headers_and_one_over_all_none() -> None:
    cells = (
        Cell(0, 0, "A"), Cell(0, 1, "B"), Cell(0, 2, "C"),
        Cell(1, 0, "one"), Cell(1, 1, "both", column_span=2),
        Cell(2, 0, "Part two", column_span=3),
    )  # fmt: skip
    assert [text for _, text in row_sentences(cells, 3, 3, 1)] == ["A: one; B C: both.", "Part two."]
    assert idle_headers(cells, 3, 1) == []


SPANS = st.integers(1, 3)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), SPANS, SPANS), min_size=1, max_size=7),
    st.integers(0, 3),
)
def test_every_word_of_a_grid_is_printed(drafts: list[tuple[int, int, int, int]], heads: int) -> None:
    taken: set[tuple[int, int]] = set()
    cells = []
    for row, column, high, wide in sorted(drafts):
        places = {(r, c) for r in range(row, row + high) for c in range(column, column + wide)}
        if max(r for r, _ in places) < 4 and max(c for _, c in places) < 4 and not places & taken:
            taken |= places
            cells.append(Cell(row, column, f"t{row}{column}", high, wide))
    printed = idle_headers(cells, 4, heads) + [text for _, text in row_sentences(cells, 4, 4, heads)]
    assert all(any(cell.text in text for text in printed) for cell in cells)


def test_the_two_lines_of_a_double_border_close_no_cells() -> None:
    borders = [0, 60, 64, 120, 124, 180, 184, 240]
    rules = ruled([*borders], [90, 103, 107, 119, 123, 139])
    lines = drawn(("Item", 5, 100), ("Price", 70, 100), ("Alpha", 5, 116), ("10", 70, 116))
    assert sentences(read_ruled(lines, rules)) == ["Item: Alpha; Price: 10."]


def test_a_form_has_no_header_and_says_each_cell_once() -> None:
    rules = [(0, y - 0.5, 300, y + 0.5) for y in (90, 114, 138, 162)]
    rules += [(x - 0.5, 90, x + 0.5, 162) for x in (0, 300)]
    rules += [
        (119.5, 90, 120.5, 114),
        (59.5, 114, 60.5, 162),
        (199.5, 114, 200.5, 138),
        (149.5, 138, 150.5, 162),
    ]
    lines = drawn(
        ("1 Name", 5, 100), ("2 Place", 125, 100),
        ("3 Sex", 5, 124), ("4 Passport", 65, 124), ("5 Date", 205, 124),
        ("6 Job", 5, 148), ("7 Employer", 65, 148), ("8 Mail", 155, 148),
    )  # fmt: skip
    assert sentences(read_ruled(lines, rules)) == [
        "1 Name; 2 Place.", "3 Sex; 4 Passport; 5 Date.", "6 Job; 7 Employer; 8 Mail.",
    ]  # fmt: skip


def test_a_cell_that_is_no_rectangle_is_read_as_several() -> None:
    rules = ruled([0, 100, 200, 300], [90, 103, 115, 127])
    rules += [(0, 138.5, 100, 139.5), (200, 138.5, 300, 139.5), (0, 150.5, 300, 151.5)]
    rules += [(x - 0.5, 127, x + 0.5, 151) for x in (0, 300)]
    rules += [(99.5, 127, 100.5, 139), (199.5, 127, 200.5, 139)]
    lines = drawn(
        ("Item", 5, 100), ("Price", 105, 100), ("Note", 205, 100),
        ("Alpha", 5, 112), ("10", 105, 112), ("new", 205, 112),
        ("Beta", 5, 124), ("20", 105, 124), ("old", 205, 124),
        ("Gamma", 5, 136), ("30", 105, 136), ("odd", 205, 136),
    )  # fmt: skip
    assert "Item: Gamma; Price: 30; Note: odd." in sentences(read_ruled(lines, rules))


def test_the_bullet_of_a_cells_only_item_is_left_out() -> None:
    lines = drawn(
        ("Plan", 5, 100), ("Has", 105, 100),
        ("\u2022 Small", 5, 112), ("\u2022 one \u2022 two", 105, 112),
        ("\u2022 Large", 5, 124), ("\u2713 all", 105, 124),
    )  # fmt: skip
    assert sentences(read_ruled(lines, ruled([0, 100, 200], [90, 103, 115, 127]))) == [
        "Plan: Small; Has: \u2022 one \u2022 two.", "Plan: Large; Has: \u2713 all.",
    ]  # fmt: skip
