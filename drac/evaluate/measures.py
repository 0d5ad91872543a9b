"""Measures of a ranking against graded judgments, as trec_eval, ranx and ir_measures define them.

A ranking names each result once, best first; a name that comes again is passed over, so that no measure
leaves 0.0 to 1.0. What has no judgment is not relevant. A query without results scores 0.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import Literal

Grades = Mapping[str, int]
"""Judged names of one query: 0 is not relevant, higher is better."""
Gain = Literal["linear", "exponential"]
"""`linear`: the grade (Jarvelin and Kekalainen 2002; trec_eval, ranx `ndcg`); `exponential`: 2^grade - 1
(Burges et al. 2005; ranx `ndcg_burges`)."""


def precision(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Relevant among the first `k`, over k, also where there are fewer results."""
    return sum(_relevant(ranking, grades)[:k]) / k


def recall(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Relevant among the first `k`, over all relevant; 0.0 where none is."""
    total = sum(grade > 0 for grade in grades.values())
    return sum(_relevant(ranking, grades)[:k]) / total if total else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """1 / rank of the first relevant result within the first `k`; else 0.0."""
    return next((1 / rank for rank, one in enumerate(_relevant(ranking, grades)[:k], start=1) if one), 0.0)


def average_precision(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Mean of the precision at each relevant result within the first `k`, over all relevant."""
    total, found, points = sum(grade > 0 for grade in grades.values()), 0, 0.0
    for rank, one in enumerate(_relevant(ranking, grades)[:k], start=1):
        found += one
        points += one * found / rank
    return points / total if total else 0.0


def ndcg(ranking: Sequence[str], grades: Grades, k: int, gain: Gain = "linear") -> float:
    """Gains at 1 / log2(rank + 1) over those of the best order of all that is judged, both to rank `k`."""
    best = _discounted(sorted((_gain(one, gain) for one in grades.values()), reverse=True)[:k])
    got = [_gain(grades.get(name, 0), gain) for name in dict.fromkeys(ranking)]
    return _discounted(got[:k]) / best if best else 0.0


def _relevant(ranking: Sequence[str], grades: Grades) -> list[bool]:
    return [grades.get(name, 0) > 0 for name in dict.fromkeys(ranking)]


def _gain(grade: int, gain: Gain) -> float:
    return float(max(grade, 0) if gain == "linear" else 2 ** max(grade, 0) - 1)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
