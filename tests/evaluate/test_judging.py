"""One query's measures, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.evaluate import facts
from drac.evaluate.judging import (
    CURVE,
    ChunkWords,
    Row,
    budget_curve,
    fact_row,
    page_row,
    within,
    words_handed,
)

TEXTS = ["red fox", "blue whale swims far", "red fox and blue whale", ""]
WORDS = st.lists(st.sampled_from(["red", "fox", "the", "whale", "of", "blue", "9"]), max_size=8).map(" ".join)


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=4))
def test_held_is_the_fact_judge_s(chunks: list[str], wanted: list[str]) -> None:
    words = [facts.content_words(one) for one in chunks]
    slow = facts.held(words, [facts.content_words(one) for one in wanted])
    assert (ChunkWords(chunks).held(wanted) == slow).all()


def row_of(ranked: list[int], texts: list[str], wanted: list[str]) -> Row:
    chunks = ChunkWords(texts)
    return fact_row(ranked, chunks.held(wanted), chunks.lengths)


def test_a_row_by_hand() -> None:
    row = row_of([1, 3, 0, 2], TEXTS, ["red fox", "green parrot"])
    assert (row["ceiling"], row["recall@3"], row["recall@6"]) == (0.5, 0.5, 0.5)
    assert row["precision@3"] == pytest.approx(1 / 3)
    assert row["precision@6"] == pytest.approx(2 / 6)
    assert row["mrr@6"] == pytest.approx(1 / 3)
    best = 1 + 1 / np.log2(3)
    assert row["ndcg@6"] == pytest.approx((1 / np.log2(4) + 1 / np.log2(5)) / best)
    assert row["recall@300w"] == 0.5


def test_the_budget_curve_has_the_values_of_the_row() -> None:
    texts = [f"{'filler ' * 290} red", "fox and " + "more " * 290, "blue whale", "green"]
    chunks = ChunkWords(texts)
    held = chunks.held(["red", "fox", "blue whale", "green"])
    curve = dict(zip(CURVE, budget_curve([0, 1, 2, 3], held, chunks.lengths), strict=True))
    assert (curve[100], curve[300], curve[600]) == (0.25, 0.25, 1.0)
    assert curve[300] == fact_row([0, 1, 2, 3], held, chunks.lengths)["recall@300w"]
    assert list(curve.values()) == sorted(curve.values())


def test_nothing_found_scores_zero() -> None:
    row = row_of([], TEXTS, ["red fox"])
    assert {value for name, value in row.items() if name != "ceiling"} == {0.0}
    assert words_handed([], ChunkWords(TEXTS)) == 0.0


def test_f50_a_collection_without_chunks() -> None:
    row = row_of([], [], ["red fox"])
    assert set(row.values()) == {0.0}


@pytest.mark.parametrize(("budget", "count"), [(4, 1), (5, 1), (6, 2), (7, 2), (100, 3)])
def test_a_budget_ends_at_the_first_chunk_that_would_pass_it(budget: int, count: int) -> None:
    assert within(np.array([5, 1, 2]), budget) == count


def test_words_count_stop_words_too() -> None:
    assert words_handed([2, 1], ChunkWords(TEXTS)) == 9.0


def test_f52_pages_are_scored_once() -> None:
    row = page_row(["d#4", "d#7"], {"d#4": 1}, 10)
    assert row == {"page_recall@10": 1.0, "page_mrr@10": 1.0, "page_ndcg@10": 1.0}
