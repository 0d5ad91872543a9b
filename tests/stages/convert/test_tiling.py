"""Pieces of large pages, and lines that several of them see."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from drac.stages.convert.tiling import joined, moved, spans


@given(st.integers(1, 50_000), st.integers(300, 3000), st.integers(0, 200))
def test_pieces_cover_all_and_share_what_they_must(length: int, most: int, overlap: int) -> None:
    pieces = spans(length, most, overlap)
    assert pieces[0][0] == 0 and pieces[-1][1] == length
    assert all(0 < end - start <= most + 1 for start, end in pieces)
    assert all(overlap - 1 <= before[1] - after[0] <= overlap + 1 for before, after in pairwise(pieces))


def test_a_line_that_two_pieces_see_is_one() -> None:
    left, right = [(10, 100, 500, 120), (10, 130, 300, 150)], [(480, 101, 900, 121), (480, 300, 700, 320)]
    assert sorted(joined(left, right)) == [
        (10, 100, 900, 121),
        (10, 130, 300, 150),
        (480, 300, 700, 320),
    ]


def test_a_line_cut_in_two_is_taken_whole_and_neighbours_stay_apart() -> None:
    cut, whole, below = (10, 190, 300, 200), (10, 190, 300, 212), (10, 210, 300, 232)
    assert joined([cut], [whole, below]) == [whole, below]
    assert joined([(0, 0, 100, 20)], [(98, 0, 200, 20)]) == [(0, 0, 100, 20), (98, 0, 200, 20)]


def test_a_column_of_print_that_two_pieces_see_is_one() -> None:
    assert joined([(50, 0, 70, 300)], [(51, 260, 71, 700)]) == [(50, 0, 71, 700)]


def test_boxes_are_moved() -> None:
    assert moved((1, 2, 3, 4), 10, 20) == (11, 22, 13, 24)
