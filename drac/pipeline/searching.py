"""A question to ranked chunks of one set: dense where the set has an index, BM25 elsewhere, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drac.config import SearchSettings
from drac.errors import UsageError
from drac.pipeline import encoding
from drac.pipeline.encoding import RowMethod
from drac.pipeline.exporting import read_chunks, read_set
from drac.pipeline.indexing import current_index, load_owners
from drac.ports import Embedder, Index, Reranker
from drac.records import Hit
from drac.retrieve.passage import passage
from drac.retrieve.retrievers import Hybrid, Keyword, KeywordIndex, Reranked, Retriever
from drac.retrieve.search import Owners, embed_query, search_dense
from drac.sentences import Stretch
from drac.store.store import Store


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """One hit, ready to be shown."""

    rank: int
    """From 1."""
    score: float
    """Cosine for `dense`, BM25 score for `bm25`, sum of reciprocal ranks for `hybrid`, sum of the best
    cosines of the question's tokens for `late`, dot product for `sparse`, the reranker's own behind one."""
    chunk: dict[str, Any]
    """The chunk as exported."""
    passage: str
    """Its sentences that answer best, verbatim."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave."""

    retriever: str
    """`dense`, `bm25`, `hybrid`, `late` or `sparse`."""
    note: str
    """Why the search was not dense; empty if it was, or was not asked to be."""
    results: tuple[FoundChunk, ...]
    """Best first."""
    simulated: tuple[str, ...] = ()
    """Documents among the results that only a simulated model has read."""
    model: str = ""
    """The model of `late` and `sparse`; says so where it only stands in."""
    reranker: str = ""
    """Who ordered the results anew; empty: nobody."""


def search_set(
    store: Store, name: str, query: str, settings: SearchSettings, collection: str | None, *,
    embedder: Callable[[], Embedder], load_index: Callable[[Path], Index],
    bm25: Callable[[Sequence[str]], KeywordIndex], rows: Callable[[str], RowMethod] | None = None,
    reranker: Reranker | None = None,
) -> Found:  # fmt: skip
    """The `top_k` best chunks of a set, or of one of its collections; `rows` for `late` and `sparse`."""
    if not query.strip():
        raise UsageError("the query is empty", remedy="Give words to look for.")
    described = read_set(store, name)
    chunks = [one for one in read_chunks(store, name) if collection in (None, one["collection"])]
    _check_collection(collection, chunks, described)
    asked = _Asked(query, settings, chunks, described, reranker)
    if rows is not None and settings.retriever in ("late", "sparse"):
        method = rows(settings.retriever)
        digest = encoding.current_rows(store, name, method, described)
        ids = frozenset(one["chunk_id"] for one in chunks) if collection is not None else None
        found = asked.found(method.name, "", encoding.retriever(store, digest, method, ids))
        return replace(found, model=method.encoder.label)
    index = current_index(store, name, described)
    if settings.retriever == "bm25" or index is None:
        note = _dense_missing(settings, name) if index is None else ""
        return asked.found("bm25", note, _keyword(bm25, chunks))
    dense = _Indexed(index[0], index[1], chunks, embedder(), load_index, load_owners(index[0]))
    asked = replace(asked, stretch=dense.owners.stretch)
    if settings.retriever == "hybrid":
        return asked.found("hybrid", "", Hybrid(dense, _keyword(bm25, chunks), settings.over_fetch))
    return asked.found("dense", "", dense)


def _keyword(bm25: Callable[[Sequence[str]], KeywordIndex], chunks: list[dict[str, Any]]) -> Keyword:
    return Keyword(bm25([one["text"] for one in chunks]), [one["chunk_id"] for one in chunks])


@dataclass(frozen=True, slots=True)
class _Asked:
    query: str
    settings: SearchSettings
    chunks: list[dict[str, Any]]
    described: dict[str, Any]
    reranker: Reranker | None
    stretch: Callable[[Hit], Stretch] | None = None
    """Where in a chunk's text a hit's nearest vector stands; None where there are no vectors."""

    def found(self, name: str, note: str, retriever: Retriever) -> Found:
        """What the retriever finds, ordered anew where there is a reranker."""
        k = self.settings.top_k
        if self.reranker is not None:
            texts = {one["chunk_id"]: one["text"] for one in self.chunks}
            retriever = Reranked(retriever, self.reranker, texts, self.settings.rerank_over_fetch * k)
        ranked = self._ranked(retriever.search(self.query, k))
        found = Found(name, note, ranked, _simulated(ranked, self.described))
        return replace(found, reranker=self.reranker.label) if self.reranker else found

    def _ranked(self, found: list[Hit]) -> tuple[FoundChunk, ...]:
        by_id = {one["chunk_id"]: one for one in self.chunks}
        return tuple(
            FoundChunk(rank, hit.score, by_id[hit.chunk_id], self._passage(hit, by_id[hit.chunk_id]))
            for rank, hit in enumerate(found, start=1)
        )

    def _passage(self, hit: Hit, chunk: dict[str, Any]) -> str:
        """Of the stretch of the body that is nearest to the question, where that is known."""
        body = str(chunk["body"])
        start, end = self.stretch(hit) if self.stretch else (0, len(chunk["text"]))
        above = len(chunk["text"]) - len(body)
        return passage(body[max(0, start - above) : max(0, end - above)] or body, self.query)


def _simulated(ranked: tuple[FoundChunk, ...], described: dict[str, Any]) -> tuple[str, ...]:
    named = {f"{one.chunk['collection']}/{one.chunk['source']}" for one in ranked}
    return tuple(one for one in described.get("simulated", []) if one in named)


def _check_collection(name: str | None, chunks: list[dict[str, Any]], described: dict[str, Any]) -> None:
    if name is not None and not chunks:
        known = sorted({one["collection"] for one in described["documents"]})
        raise UsageError(f"no collection {name!r} in this set", remedy=f"Choose one of: {', '.join(known)}.")


def _dense_missing(settings: SearchSettings, name: str) -> str:
    if settings.retriever in ("dense", "hybrid"):
        raise UsageError(
            f"set {name!r} has no current dense index", remedy=f"Make it with `drac index --set {name}`."
        )
    return (
        ""
        if settings.retriever == "bm25"
        else f"no current dense index, so BM25; make one with `drac index --set {name}`"
    )


@dataclass(frozen=True, slots=True)
class _Indexed:
    """A set's stored index, asked for some of its chunks; implements Retriever."""

    folder: Path
    model: dict[str, str]
    chunks: list[dict[str, Any]]
    embedder: Embedder
    load_index: Callable[[Path], Index]
    owners: Owners

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever; raises UsageError where the index was made with another model."""
        if dict(self.embedder.fingerprint) != self.model:
            raise UsageError(
                f"the index was made with {self.model.get('model')}, the query would be with another",
                remedy="Run `drac index` with the same --model.",
            )
        owners = self.owners
        wanted = {one["chunk_id"] for one in self.chunks}
        reach = k if len(wanted) == len(owners.chunk_ids) else len(owners.chunk_ids)
        index = self.load_index(self.folder / "index.faiss")
        found = search_dense(embed_query(query, self.embedder), index, owners, reach)
        return [hit for hit in found if hit.chunk_id in wanted][:k]
