"""Measures: by hand, within bounds, and equal to ranx and ir_measures on random runs."""

from __future__ import annotations

import warnings
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drac.evaluate import measures

NAMES = [f"d{n}" for n in range(12)]
RANKINGS = st.lists(st.sampled_from(NAMES), unique=True, min_size=1)
GRADES = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), min_size=1).filter(
    lambda found: any(found.values())
)
CUTOFFS = st.sampled_from([1, 3, 5, 10])
OURS = {
    "precision": measures.precision,
    "recall": measures.recall,
    "mrr": measures.reciprocal_rank,
    "map": measures.average_precision,
    "ndcg": measures.ndcg,
    "ndcg_burges": lambda *given: measures.ndcg(*given, gain="exponential"),
}


def test_f51_both_gain_formulas_by_hand() -> None:
    grades = {"a": 3, "b": 0, "c": 1, "d": 2}
    ranking = ["c", "b", "a", "d"]
    linear = (1 + 3 / log2(4) + 2 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4))
    exponential = (1 + 7 / log2(4) + 3 / log2(5)) / (7 + 3 / log2(3) + 1 / log2(4))
    assert measures.ndcg(ranking, grades, 4) == pytest.approx(linear)
    assert measures.ndcg(ranking, grades, 4, gain="exponential") == pytest.approx(exponential)


def test_f52_a_page_named_twice_counts_once() -> None:
    assert measures.recall(["p4", "p4", "p7"], {"p4": 1}, 3) == 1.0
    assert measures.precision(["p4", "p4", "p7"], {"p4": 1}, 3) == pytest.approx(1 / 3)


def test_no_results_and_nothing_relevant_are_zero() -> None:
    assert {one([], {"a": 1}, 6) for one in OURS.values()} == {0.0}
    assert {one(["a"], {"a": 0}, 6) for one in OURS.values()} == {0.0}


@given(st.lists(st.sampled_from(NAMES)), GRADES, CUTOFFS)
def test_f52_every_measure_is_between_zero_and_one(
    ranking: list[str], grades: dict[str, int], k: int
) -> None:
    assert all(0.0 <= one(ranking, grades, k) <= 1.0 + 1e-12 for one in OURS.values())


def _scored(ranking: list[str]) -> dict[str, float]:
    return {name: float(len(ranking) - place) for place, name in enumerate(ranking)}


@settings(deadline=None, max_examples=40)
@given(RANKINGS, GRADES, CUTOFFS)
def test_measures_agree_with_ir_measures(ranking: list[str], grades: dict[str, int], k: int) -> None:
    ir = pytest.importorskip("ir_measures")
    wanted = {
        "precision": ir.P @ k, "recall": ir.R @ k, "mrr": ir.RR @ k, "map": ir.AP @ k, "ndcg": ir.nDCG @ k
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ir.calc_aggregate(wanted.values(), {"q": grades}, {"q": _scored(ranking)})
    for name, measure in wanted.items():
        assert OURS[name](ranking, grades, k) == pytest.approx(found[measure], abs=1e-9), name


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(RANKINGS, GRADES, CUTOFFS)
def test_measures_agree_with_ranx(ranking: list[str], grades: dict[str, int], k: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranx = pytest.importorskip("ranx")
        qrels, run = ranx.Qrels({"q": grades}), ranx.Run({"q": _scored(ranking)})
        found = ranx.evaluate(qrels, run, [f"{name}@{k}" for name in OURS])
    for name, measure in OURS.items():
        assert measure(ranking, grades, k) == pytest.approx(found[f"{name}@{k}"], abs=1e-9), name
