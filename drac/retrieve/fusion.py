"""Rankings joined by their ranks."""

from __future__ import annotations

from collections.abc import Sequence

from drac.records import Hit

RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009: 60)."""
OVER_FETCH = 3
"""Times `k` that each side is asked for."""


def fuse(rankings: Sequence[Sequence[Hit]], k: int, constant: int = RRF_K) -> list[Hit]:
    """The `k` best by the sum of 1 / (constant + rank); ties go to the better place in the first ranking.

    A chunk that a ranking lacks gets nothing from it. The window is that of the first ranking that has it.
    """
    scores: dict[str, float] = {}
    windows: dict[str, int] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.chunk_id] = scores.get(hit.chunk_id, 0.0) + 1 / (constant + rank)
            windows.setdefault(hit.chunk_id, hit.window)
    ranked = sorted(scores.items(), key=lambda item: -item[1])  # stable: first seen first
    return [Hit(chunk_id, score, windows[chunk_id]) for chunk_id, score in ranked[: max(k, 0)]]
