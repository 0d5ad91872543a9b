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


Shares = Mapping[str, Sequence[float]]
"""How much of a chunk, by chunk_id, stands on each of its pages, in their order; any unit."""


def rank_pages(
    hits: Sequence[Hit], places: Mapping[str, Place], k: int | None = None, aggregate: Aggregate = max,
    shares: Shares = MappingProxyType({}),
) -> list[PageScore]:  # fmt: skip
    """Each page once, scored by its retrieved chunks, best first; the first `k` if given.

    S(q, p) = A{ s(q, c) : p in pages(c) } over the `hits`, A being `aggregate`. `places` is keyed by
    chunk_id. Of pages with the same score, such as those of one chunk, the one that has most of its best
    chunk goes first, where `shares` tells; then they go by doc_id and page, so that the order of equal hits
    does not matter.
    """
    scores: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for hit in hits:
        doc_id, pages = places[hit.chunk_id]
        for page, share in zip(pages, shares.get(hit.chunk_id) or (1.0,) * len(pages), strict=True):
            scores.setdefault((doc_id, page), []).append((hit.score, share))
    totals = {place: _total(sorted(some, reverse=True), aggregate) for place, some in scores.items()}
    ranked = sorted(totals.items(), key=lambda item: (-item[1][0], -item[1][1], item[0]))
    return [PageScore(doc_id, page, score) for (doc_id, page), (score, _) in ranked[:k]]


def _total(found: Sequence[tuple[float, float]], aggregate: Aggregate) -> tuple[float, float]:
    """A page's score, and its share of its best chunk."""
    return aggregate([score for score, _ in found]), found[0][1]
