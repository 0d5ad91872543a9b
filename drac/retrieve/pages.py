"""Ranked chunks to ranked pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from types import MappingProxyType

from drac.records import Hit, PageScore

Place = tuple[str, tuple[int, ...]]
"""doc_id and 1-based physical pages of a chunk."""


Aggregate = Callable[[Sequence[float]], float]
"""The scores of a page's chunks, best first, to the page's score."""


def _mean(scores: Sequence[float]) -> float:
    return fsum(scores) / len(scores)


AGGREGATES: Mapping[str, Aggregate] = MappingProxyType({"max": max, "mean": _mean, "sum": fsum})
"""By name; the paper's is `max`."""


def rank_pages(
    hits: Sequence[Hit], places: Mapping[str, Place], k: int | None = None, aggregate: Aggregate = max
) -> list[PageScore]:
    """Each page once, scored by its retrieved chunks, best first; the first `k` if given.

    S(q, p) = A{ s(q, c) : p in pages(c) } over the `hits`, A being `aggregate`. `places` is keyed by
    chunk_id. Ties go by doc_id, then page, so that the order of equal hits does not matter.
    """
    scores: dict[tuple[str, int], list[float]] = {}
    for hit in hits:
        doc_id, pages = places[hit.chunk_id]
        for page in pages:
            scores.setdefault((doc_id, page), []).append(hit.score)
    totals = {place: aggregate(sorted(some, reverse=True)) for place, some in scores.items()}
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return [PageScore(doc_id, page, score) for (doc_id, page), score in ranked[:k]]
