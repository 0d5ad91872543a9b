"""Retrievers over one port: a question to its best chunks of one collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from drac.ports import Index, Reranker, RowIndex, Rows, Vectors
from drac.records import Hit
from drac.retrieve.fusion import OVER_FETCH, fuse
from drac.retrieve.search import Owners, hits, search_dense


class KeywordIndex(Protocol):
    """BM25 over texts."""

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        """(row, score), best first, at most `k`."""


class Retriever(Protocol):
    """Ranks the chunks of one collection."""

    def search(self, query: str, k: int) -> list[Hit]:
        """The `k` best chunks, or all where there are fewer; ties by the chunks' order."""


@dataclass(frozen=True, slots=True)
class Dense:
    """Nearest vectors; a chunk's score is its best window's."""

    index: Index
    """Over the chunks' windows."""
    owners: Owners
    """Which chunk each row belongs to."""
    embed: Callable[[str], Vectors]
    """A question to shape (windows, dimension)."""

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever."""
        return search_dense(self.embed(query), self.index, self.owners, k) if self.owners.chunk_ids else []


@dataclass(frozen=True, slots=True)
class Keyword:
    """Words in common; chunks without any are no result."""

    index: KeywordIndex
    """Over the chunks' texts."""
    chunk_ids: Sequence[str]
    """Of the rows of `index`."""

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever."""
        return hits(self.index.search(query, k), self.chunk_ids)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Two retrievers joined by reciprocal rank fusion."""

    first: Retriever
    """Breaks ties."""
    second: Retriever
    """The other."""
    over_fetch: int = OVER_FETCH
    """Times as many that each is asked for."""

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever."""
        return fuse([one.search(query, self.over_fetch * k) for one in (self.first, self.second)], k)


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts of many rows: late interaction, or a sparse encoder."""

    index: RowIndex | None
    """Over the chunks' rows; None: there are no chunks."""
    encode: Callable[[str], Rows]
    """A question to its rows."""
    chunk_ids: Sequence[str]
    """Of the texts of `index`."""
    among: Sequence[int] | None = None
    """Places in `chunk_ids` of the chunks that are asked; None: all."""

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever; chunks that the index does not reach are no result."""
        if self.index is None:
            return []
        return hits(self.index.search(self.encode(query), k, self.among), self.chunk_ids)


@dataclass(frozen=True, slots=True)
class Reranked:
    """The best of another retriever, put in order by a model that reads each with the question.

    What that retriever ranks below `candidates` is no result. Ties keep its order.
    """

    first: Retriever
    """Who finds the candidates."""
    reranker: Reranker
    """Who orders them."""
    texts: Mapping[str, str]
    """Of all chunks, by chunk_id."""
    candidates: int
    """Chunks that the reranker reads for a question."""

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever; scores are the reranker's."""
        found = self.first.search(query, self.candidates)
        scores = self.reranker.scores(query, [self.texts[hit.chunk_id] for hit in found]) if found else []
        ranked = [hit._replace(score=score) for hit, score in zip(found, scores, strict=True)]
        return sorted(ranked, key=lambda hit: -hit.score)[: max(k, 0)]  # stable: ties as they were found
