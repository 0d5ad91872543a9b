"""Pieces of lines that run from right to left, drawn in two fonts."""

from __future__ import annotations

from drac.adapters.pymupdf_joins import joined
from drac.adapters.pymupdf_lines import part_at_insets
from drac.stages.convert.page import Line, Word

TEST, ITEM, NAME = "\u05de\u05d1\u05d7\u05df", "\u05e4\u05e8\u05d9\u05d8", "\u05e9\u05dd"


def piece(raw: str, left: float, order: int, *words: tuple[str, float, float]) -> Line:
    """A line of 10 points; words as (text, left, right), or one from the left, 5 points a character."""
    placed = words or ((raw.strip(), left, left + 5.0 * len(raw)),)
    read = tuple(Word(text, (x0, 92.0, x1, 102.0)) for text, x0, x1 in placed)
    box = (min(one.box[0] for one in read), 92.0, max(one.box[2] for one in read), 102.0)
    return Line(read, box, 10.0, order=order, run=order, raw=raw)


def texts(*lines: Line) -> list[str]:
    return [line.text for line in joined(part_at_insets(lines))]


def test_a_stop_stands_behind_the_word_that_it_touches() -> None:
    assert texts(piece(":", 95, 0), piece(TEST, 100, 1)) == [f"{TEST}:"]


def test_stops_drawn_before_the_text_into_its_gaps_are_put_there() -> None:
    line = piece(f"{TEST} {ITEM}", 0, 1, (TEST, 130, 150), (ITEM, 100, 120))
    comma = piece(" ,", 120, 0)
    assert texts(comma, line) == [f"{TEST}, {ITEM}"]
    assert texts(piece("( ", 120, 0), line, piece(")", 95, 2)) == [f"{TEST} ({ITEM})"]


def test_a_number_keeps_the_order_of_its_digits() -> None:
    number = piece(" :10.5 ", 100, 0, (":10.5", 105, 130))
    assert texts(piece(TEST, 133, 1), number, piece(ITEM, 82, 2)) == [f"{TEST} 10.5: {ITEM}"]


def test_cells_beside_each_other_and_text_from_left_to_right_stay() -> None:
    apart = (piece(TEST, 200, 0), piece(NAME, 100, 1))
    assert texts(*apart) == [TEST, NAME]
    latin = (piece("Total", 100, 0), piece(":", 125, 1))
    assert texts(*latin) == ["Total", ":"]
