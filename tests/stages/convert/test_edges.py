"""Lines that run on from one cell into the next are cut where columns start."""

from __future__ import annotations

from drac.stages.convert.edges import column_edges, cut_at
from drac.stages.convert.grid import grid_of
from drac.stages.convert.page import Line, Word


def line(x: float, y: float, *texts: tuple[float, str], order: int = 0) -> Line:
    """A line of words at the given x; each character is 5 points wide."""
    words = tuple(
        Word(
            text,
            (at, y - 8, at + 5 * len(text), y + 2),
            tuple(at + 5.0 * place for place in range(len(text))),
        )
        for at, text in texts
    )
    box = (x, y - 8, words[-1].box[2], y + 2)
    return Line(words, box, 10.0, order=order, run=order, raw=" ".join(word.text for word in words))


def cells(lines: list[Line]) -> list[list[list[Line]]]:
    return [[[one]] for one in lines]


def test_a_column_starts_where_cells_of_many_rows_do() -> None:
    rows = [[[line(50, y, (50, "a"))], [line(120, y, (120, "b"))]] for y in (100, 112, 124)]
    assert column_edges(rows) == [50, 120]


def test_one_header_cell_and_the_words_of_most_rows_make_an_edge() -> None:
    header = [[line(50, 100, (50, "City"))], [line(120, 100, (120, "Flight"))]]
    body = [[[line(50, y, (50, "Rome"), (120, f"C{y}"))]] for y in (112, 124, 136)]
    assert 120 in column_edges([header, *body])


def test_words_that_repeat_in_a_column_are_no_edge() -> None:
    rows = [[[line(50, y, (50, "Edge"), (75, "Sedan"))]] for y in (100, 112, 124)]
    assert column_edges(rows) == [50]


def test_a_word_is_cut_where_another_text_starts_at_an_edge() -> None:
    glued = line(50, 100, (50, "4000mAh6.1in"))
    assert [one.text for one in cut_at([glued], [50, 85])] == ["4000mAh", "6.1in"]


def test_a_word_is_not_cut_where_no_text_turns() -> None:
    whole = line(50, 100, (50, "Rajasthan"))
    assert [one.text for one in cut_at([whole], [50, 70])] == ["Rajasthan"]


def test_cells_that_touch_come_apart_in_the_grid() -> None:
    lines = []
    for place, (left, right) in enumerate([("Type", "Price"), ("Petrol", "9.8"), ("Diesel", "10.4")]):
        y = 100.0 + 14 * place
        lines += [line(50, y, (50, left), order=2 * place), line(95, y, (95, right), order=2 * place + 1)]
    lines.append(line(50, 142, (50, "Electrics16.8"), order=6))
    grid = grid_of(lines, ())
    assert grid is not None
    assert [cell.text for cell in grid.cells if cell.row == 3] == ["Electrics", "16.8"]
