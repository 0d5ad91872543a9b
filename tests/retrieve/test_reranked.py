"""Candidates ordered anew, and texts of many rows, over the retrievers' port."""

from __future__ import annotations

from fakes_rows import LengthReranker, letters

from drac.records import Hit
from drac.retrieve.maxsim import MaxSim
from drac.retrieve.retrievers import Encoded, Reranked

TEXTS = {"a": "long text", "b": "short", "c": "other", "d": "x"}


class Fixed:
    """A retriever that finds the same, however asked."""

    def __init__(self, *found: str) -> None:
        self.found, self.asked = found, 0

    def search(self, query: str, k: int) -> list[Hit]:
        self.asked = k
        return [Hit(one, 1.0, 2) for one in self.found][:k]


def test_the_rerankers_scores_give_the_order_and_ties_keep_the_old_one() -> None:
    reranked = Reranked(Fixed("a", "c", "b"), LengthReranker(), TEXTS, 10)
    found = reranked.search("who", 3)
    assert [hit.chunk_id for hit in found] == ["c", "b", "a"]
    assert found[0] == Hit("c", -5.0, 2)


def test_only_the_candidates_are_read_and_k_are_given() -> None:
    first, reranker = Fixed("a", "b", "c", "d"), LengthReranker()
    found = Reranked(first, reranker, TEXTS, 3).search("who", 2)
    assert (first.asked, reranker.asked) == (3, [["long text", "short", "other"]])
    assert [hit.chunk_id for hit in found] == ["b", "c"]


def test_nothing_found_asks_nobody() -> None:
    reranker = LengthReranker()
    assert Reranked(Fixed(), reranker, TEXTS, 3).search("who", 2) == []
    assert reranker.asked == []


def test_encoded_texts_are_named_by_their_chunks() -> None:
    index = MaxSim.of([letters("abc"), letters("xyz"), letters("ab")])
    found = Encoded(index, letters, ("one", "two", "three")).search("abc", 2)
    assert found == [Hit("one", 3.0), Hit("three", 2.0)]
    assert [
        one.chunk_id for one in Encoded(index, letters, ("one", "two", "three"), [1]).search("abc", 2)
    ] == ["two"]
    assert Encoded(None, letters, ()).search("abc", 2) == []
