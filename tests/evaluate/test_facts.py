"""The fact judge, by hand-made examples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from drac.evaluate.facts import content_words, held, holds, mean, recall, reciprocal_rank


def test_content_words_are_lower_case_without_stop_words() -> None:
    assert content_words("The Loan_rate is 4.5% for YOU") == {"loan", "rate", "4", "5"}


@pytest.mark.parametrize(("chunk", "expected"), [("a1 b2 c3", True), ("a1 b2", False), ("", False)])
def test_a_fact_is_held_from_six_tenths_of_its_words(chunk: str, expected: bool) -> None:
    assert holds(content_words(chunk), content_words("a1 b2 c3 d4 e5")) is expected


def test_a_fact_of_stop_words_alone_is_never_held() -> None:
    assert not holds(content_words("all of it"), content_words("all of it"))


def test_recall_counts_each_fact_once_and_only_to_k() -> None:
    ranked = np.array([[True, False, False], [True, False, False], [False, True, False]])
    assert recall(ranked, 2) == pytest.approx(1 / 3)
    assert recall(ranked, 3) == pytest.approx(2 / 3)
    assert math.isnan(recall(np.zeros((3, 0), dtype=bool), 3))


def test_reciprocal_rank_is_of_the_first_chunk_with_any_fact() -> None:
    ranked = np.array([[False, False], [False, True], [True, False]])
    assert reciprocal_rank(ranked, 6) == 0.5
    assert reciprocal_rank(ranked, 1) == 0.0


def test_held_has_a_row_a_chunk() -> None:
    found = held([content_words("x1"), content_words("y2")], [content_words("y2")])
    assert found.tolist() == [[False], [True]]
    assert held([], [content_words("y2")]).shape == (0, 1)


def test_mean_of_nothing_is_zero() -> None:
    assert (mean([]), mean([0.0, 1.0])) == (0.0, 0.5)
