"""Reciprocal rank fusion, retrievers over one port, and pages' scores."""

from __future__ import annotations

import pytest

from drac.records import Hit, PageScore
from drac.retrieve.fusion import fuse
from drac.retrieve.pages import AGGREGATES, rank_pages
from drac.retrieve.retrievers import Hybrid

PLACES = {"a": ("d", (4,)), "b": ("d", (4,)), "c": ("d", (7,))}


def test_ranks_are_added_up() -> None:
    found = fuse([[Hit("a", 9.0), Hit("b", 8.0)], [Hit("b", 0.2), Hit("c", 0.1, window=2)]], 3)
    assert [(one.chunk_id, one.window) for one in found] == [("b", 0), ("a", 0), ("c", 2)]
    assert found[0].score == pytest.approx(1 / 62 + 1 / 61)


def test_ties_go_to_the_first_ranking() -> None:
    assert [one.chunk_id for one in fuse([[Hit("a", 1.0)], [Hit("b", 1.0)]], 2)] == ["a", "b"]


def test_f50_fewer_results_than_asked_for() -> None:
    assert fuse([[], [Hit("a", 1.0)]], 5) == [Hit("a", 1 / 61)]
    assert fuse([], 5) == []


def test_hybrid_asks_each_side_for_three_times_as_many() -> None:
    class Counting:
        def __init__(self) -> None:
            self.asked: list[int] = []

        def search(self, query: str, k: int) -> list[Hit]:
            self.asked.append(k)
            return [Hit(f"{n}", 1.0) for n in range(k)]

    first, second = Counting(), Counting()
    assert len(Hybrid(first, second).search("q", 4)) == 4
    assert first.asked == second.asked == [12]


@pytest.mark.parametrize(
    ("name", "four", "seven"), [("max", 3.0, 2.5), ("mean", 2.0, 2.5), ("sum", 4.0, 2.5)]
)
def test_a_page_s_score_of_its_chunks(name: str, four: float, seven: float) -> None:
    hits = [Hit("a", 3.0), Hit("c", 2.5), Hit("b", 1.0)]
    found = rank_pages(hits, PLACES, aggregate=AGGREGATES[name])
    assert {one.page: one.score for one in found} == {4: four, 7: 2.5}


def test_f52_chunks_of_one_page_are_one_result() -> None:
    found = rank_pages([Hit("a", 3.0), Hit("b", 2.0), Hit("c", 1.0)], PLACES, 2)
    assert found == [PageScore("d", 4, 3.0), PageScore("d", 7, 1.0)]
