"""Documents that cut words at line ends, and those that break lines at hyphens alone."""

from __future__ import annotations

from dataclasses import replace

from drac.stages.convert.hyphens import LineEnds
from drac.stages.convert.page import Line, Word
from drac.stages.convert.text import join_lines


def lines(*texts: str) -> list[Line]:
    made = []
    for place, text in enumerate(texts):
        y = 100.0 + 12 * place
        words = tuple(Word(word, (50, y - 8, 60, y + 2)) for word in text.split())
        made.append(Line(words, (50, y - 8, 300, y + 2), 10.0, order=place, run=1, raw=text))
    return made


PLAIN = ["The ferry sails to the island", "and back again in the evening"] * 80


def counted(*texts: str) -> LineEnds:
    ends = LineEnds()
    ends.add(lines(*texts))
    return ends


def test_a_rare_hyphen_at_a_line_end_is_the_words_own() -> None:
    known = counted(*PLAIN, "a cutting-", "edge ferry").compounds(frozenset({"ferry"}))
    assert known == {"cutting-edge"}
    assert join_lines(["a cutting-", "edge ferry"], known) == "a cutting-edge ferry"


def test_words_are_cut_where_one_of_them_stands_whole_elsewhere() -> None:
    ends = counted(*PLAIN, "the eve-", "ning ferry", "a cutting-", "edge ferry")
    assert not ends.compounds(frozenset({"evening"}))


def test_words_are_cut_where_many_lines_end_so_and_unknown_where_lines_are_few() -> None:
    assert not counted(*["the eve-", "ning ferry"] * 90).compounds(frozenset())
    assert not counted(*PLAIN[:20], "a cutting-", "edge ferry").compounds(frozenset())


def test_lines_of_two_blocks_do_not_go_on() -> None:
    above, below = lines("a cutting-", "edge ferry")
    ends = LineEnds()
    ends.add([above, replace(below, run=2)])
    assert ends.wrapped == ends.hyphens == 0
