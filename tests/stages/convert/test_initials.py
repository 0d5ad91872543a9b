"""Drop caps go back into the words that they open."""

from __future__ import annotations

from dataclasses import replace

from drac.stages.convert.initials import with_initials
from drac.stages.convert.page import Line, Word


def line(text: str, x: float, y: float, size: float = 10.0, order: int = 0) -> Line:
    words, place = [], x
    for word in text.split():
        words.append(Word(word, (place, y - 0.8 * size, place + size / 2 * len(word), y + 0.2 * size)))
        place += size / 2 * (len(word) + 1)
    box = (x, y - 0.8 * size, words[-1].box[2], y + 0.2 * size)
    return Line(tuple(words), box, size, order=order, raw=text)


def texts(lines: list[Line], known: frozenset[str] = frozenset()) -> list[str]:
    numbered = [replace(one, order=order) for order, one in enumerate(lines)]
    return [one.text for one in with_initials(numbered, known)]


def test_a_large_letter_beside_two_lines_opens_the_first() -> None:
    lines = [line("T", 50, 224, 30), line("he ferry sails", 67, 208), line("twice a day.", 67, 220)]
    assert texts(lines) == ["The ferry sails", "twice a day."]


def test_a_word_of_one_letter_stays_apart_where_the_document_knows_both() -> None:
    lines = [line("A", 50, 224, 30), line("ferry sails", 67, 208), line("twice a day.", 67, 220)]
    assert texts(lines, frozenset({"a", "ferry"})) == ["A ferry sails", "twice a day."]


def test_a_large_letter_beside_one_line_or_numbers_is_none() -> None:
    alone = [line("B", 50, 212, 20), line("Groups", 65, 208), line("Other text.", 50, 240)]
    numbers = [line("A", 50, 224, 30), line("1 to 4", 67, 208), line("5 to 9", 67, 220)]
    assert texts(alone) == ["B", "Groups", "Other text."]
    assert texts(numbers) == ["A", "1 to 4", "5 to 9"]


def test_a_letter_of_a_formula_or_an_axis_is_none() -> None:
    lines = [line("X", 50, 212, 12), line("over the sum", 58, 208), line("and more", 58, 220)]
    assert texts(lines)[0] == "X"
