"""Ranked chunks to ranked pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drac.records import Hit, PageScore

Place = tuple[str, tuple[int, ...]]
"""doc_id and 1-based physical pages of a chunk."""


def rank_pages(hits: Sequence[Hit], places: Mapping[str, Place], k: int | None = None) -> list[PageScore]:
    """Each page once, scored by its best chunk (paper: max), best first; the first `k` if given.

    `places` is keyed by chunk_id. Ties go by doc_id, then page, so that the order of equal hits
    does not matter.
    """
    best: dict[tuple[str, int], float] = {}
    for hit in hits:
        doc_id, pages = places[hit.chunk_id]
        for page in pages:
            held = best.get((doc_id, page))
            best[doc_id, page] = hit.score if held is None else max(held, hit.score)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [PageScore(doc_id, page, score) for (doc_id, page), score in ranked[:k]]
