"""The measures as RAG-Multi-Corpus publishes them, from a vector of relevant and other results.

Only the first `total` relevant results gain, where `total` is how many relevant ones the query has; NDCG
divides by the best order of the gains that are left, not by the best possible. Gives every published value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2


def recall(relevance: Sequence[bool], total: int, k: int) -> float:
    """min(1, relevant among the first `k` / total); 0.0 where nothing is relevant."""
    return min(1.0, sum(relevance[:k]) / total) if total else 0.0


def precision(relevance: Sequence[bool], total: int, k: int) -> float:
    """Relevant among the first `k` / k."""
    return sum(relevance[:k]) / k


def reciprocal_rank(relevance: Sequence[bool]) -> float:
    """1 / rank of the first relevant result; 0.0 where none is."""
    return next((1 / rank for rank, one in enumerate(relevance, start=1) if one), 0.0)


def ndcg(relevance: Sequence[bool], total: int, k: int) -> float:
    """Gains at 1 / log2(rank + 1), capped at `total` gains, over the same gains moved to the front."""
    gains = _capped(relevance[:k], total)
    best = _discounted([True] * sum(gains))
    return _discounted(gains) / best if best else 0.0


def _capped(relevance: Sequence[bool], total: int) -> list[bool]:
    kept, gains = 0, []
    for one in relevance:
        gains.append(one and kept < total)
        kept += gains[-1]
    return gains


def _discounted(gains: Sequence[bool]) -> float:
    return sum(1 / log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain)
