"""Retrievers over one port: a question to its best chunks of one collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from drac.ports import Index, Vectors
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
    """Two retrievers joined by reciprocal rank fusion, each asked for three times as many."""

    first: Retriever
    """Breaks ties."""
    second: Retriever
    """The other."""

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever."""
        return fuse([one.search(query, OVER_FETCH * k) for one in (self.first, self.second)], k)
