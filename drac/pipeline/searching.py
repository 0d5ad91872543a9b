"""A question to ranked chunks of one set: dense where the set has an index, BM25 elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac.config import SearchSettings
from drac.errors import UsageError
from drac.pipeline.exporting import read_chunks, read_set
from drac.pipeline.indexing import current_index, load_owners
from drac.ports import Embedder, Index
from drac.records import Hit
from drac.retrieve.passage import passage
from drac.retrieve.retrievers import KeywordIndex
from drac.retrieve.search import embed_query, hits, search_dense
from drac.store.store import Store


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """One hit, ready to be shown."""

    rank: int
    """From 1."""
    score: float
    """Cosine for `dense`, BM25 score for `bm25`."""
    chunk: dict[str, Any]
    """The chunk as exported."""
    passage: str
    """Its sentences that answer best, verbatim."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave."""

    retriever: str
    """`dense` or `bm25`."""
    note: str
    """Why the search was not dense; empty if it was, or was not asked to be."""
    results: tuple[FoundChunk, ...]
    """Best first."""
    simulated: tuple[str, ...] = ()
    """Documents among the results that only a simulated model has read."""


def search_set(
    store: Store, name: str, query: str, settings: SearchSettings, collection: str | None, *,
    embedder: Callable[[], Embedder], load_index: Callable[[Path], Index],
    bm25: Callable[[Sequence[str]], KeywordIndex],
) -> Found:  # fmt: skip
    """The `top_k` best chunks of a set, or of one of its collections."""
    if not query.strip():
        raise UsageError("the query is empty", remedy="Give words to look for.")
    described = read_set(store, name)
    chunks = [one for one in read_chunks(store, name) if collection in (None, one["collection"])]
    _check_collection(collection, chunks, described)
    index = current_index(store, name, described)
    if settings.retriever == "bm25" or index is None:
        note = _dense_missing(settings, name) if index is None else ""
        ranked = _ranked(_keyword_hits(bm25, chunks, query, settings.top_k), chunks, query)
        return Found("bm25", note, ranked, _simulated(ranked, described))
    found = _dense_hits(index[0], chunks, query, settings.top_k, embedder(), load_index, index[1])
    ranked = _ranked(found, chunks, query)
    return Found("dense", "", ranked, _simulated(ranked, described))


def _simulated(ranked: tuple[FoundChunk, ...], described: dict[str, Any]) -> tuple[str, ...]:
    named = {f"{one.chunk['collection']}/{one.chunk['source']}" for one in ranked}
    return tuple(one for one in described.get("simulated", []) if one in named)


def _check_collection(name: str | None, chunks: list[dict[str, Any]], described: dict[str, Any]) -> None:
    if name is not None and not chunks:
        known = sorted({one["collection"] for one in described["documents"]})
        raise UsageError(f"no collection {name!r} in this set", remedy=f"Choose one of: {', '.join(known)}.")


def _dense_missing(settings: SearchSettings, name: str) -> str:
    if settings.retriever == "dense":
        raise UsageError(
            f"set {name!r} has no current dense index", remedy=f"Make it with `drac index --set {name}`."
        )
    return (
        ""
        if settings.retriever == "bm25"
        else f"no current dense index, so BM25; make one with `drac index --set {name}`"
    )


def _keyword_hits(
    bm25: Callable[[Sequence[str]], KeywordIndex], chunks: list[dict[str, Any]], query: str, k: int
) -> list[Hit]:
    ranked = bm25([one["text"] for one in chunks]).search(query, k)
    return hits(ranked, [one["chunk_id"] for one in chunks])


def _dense_hits(
    folder: Path, chunks: list[dict[str, Any]], query: str, k: int, embedder: Embedder,
    load_index: Callable[[Path], Index], model: dict[str, str],
) -> list[Hit]:  # fmt: skip
    if dict(embedder.fingerprint) != model:
        raise UsageError(
            f"the index was made with {model.get('model')}, the query would be embedded with another model",
            remedy="Run `drac index` with the same --model.",
        )
    owners = load_owners(folder)
    wanted = {one["chunk_id"] for one in chunks}
    reach = k if len(wanted) == len(owners.chunk_ids) else len(owners.chunk_ids)
    found = search_dense(embed_query(query, embedder), load_index(folder / "index.faiss"), owners, reach)
    return [hit for hit in found if hit.chunk_id in wanted][:k]


def _ranked(found: list[Hit], chunks: list[dict[str, Any]], query: str) -> tuple[FoundChunk, ...]:
    by_id = {one["chunk_id"]: one for one in chunks}
    return tuple(
        FoundChunk(rank, hit.score, by_id[hit.chunk_id], passage(by_id[hit.chunk_id]["body"], query))
        for rank, hit in enumerate(found, start=1)
    )
