"""Windows to chunks: the best window's score counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from drac.ports import Embedder, Index, Vectors
from drac.records import Hit
from drac.retrieve.sentences import Stretch
from drac.retrieve.vectors import DocumentVectors


@dataclass(frozen=True, slots=True)
class Owners:
    """Which chunk each row of an index belongs to."""

    chunk_ids: tuple[str, ...]
    """All chunks, in the order in which their rows were added."""
    rows: npt.NDArray[np.int64]
    """Shape (rows,): 0-based place in `chunk_ids` of each row's chunk, ascending."""
    stretches: tuple[Stretch, ...]
    """For each row, where its window stands in the chunk's text."""

    def window(self, row: int) -> int:
        """0-based number of the row's window in its chunk."""
        return row - int(np.searchsorted(self.rows, self.rows[row]))

    def stretch(self, hit: Hit) -> Stretch:
        """Where the hit's best window stands in its chunk's text; raises ValueError for a stranger."""
        first = int(np.searchsorted(self.rows, self.chunk_ids.index(hit.chunk_id)))
        return self.stretches[first + hit.window]


def fill(index: Index, documents: Iterable[DocumentVectors]) -> Owners:
    """Add the documents' vectors to an empty index; chunks without documents give an empty one."""
    chunk_ids: list[str] = []
    rows: list[int] = []
    stretches: list[Stretch] = []
    for document in documents:
        if document.owners:
            index.add(document.vectors)
        rows += [len(chunk_ids) + owner for owner in document.owners]
        chunk_ids += document.chunk_ids
        stretches += document.stretches
    return Owners(tuple(chunk_ids), np.asarray(rows, dtype=np.int64), tuple(stretches))


def embed_query(text: str, embedder: Embedder) -> Vectors:
    """Shape (windows, dimension): a question longer than the model's window is not cut either."""
    return embedder.embed(list(embedder.windows(text)))


def search_dense(query: Vectors, index: Index, owners: Owners, k: int) -> list[Hit]:
    """The `k` best chunks, or all where there are fewer; a chunk's score is its best window's.

    `query` has shape (windows, dimension); the best pair of windows counts. Ties go by the chunks'
    order in the index, in one chunk to its first window.
    """
    best: dict[int, tuple[float, int]] = {}
    for vector in query:
        for row, score in _best_rows(vector[np.newaxis], index, owners, k):
            chunk = int(owners.rows[row])
            held = best.get(chunk)
            if held is None or (score, -row) > (held[0], -held[1]):
                best[chunk] = (score, row)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))
    return [
        Hit(owners.chunk_ids[chunk], score, owners.window(row)) for chunk, (score, row) in ranked[: max(k, 0)]
    ]


def _best_rows(vector: Vectors, index: Index, owners: Owners, k: int) -> list[tuple[int, float]]:
    """(row, score), best first, reaching down until `k` chunks are among them."""
    wanted = min(k, len(owners.chunk_ids))
    fetch = wanted
    while wanted > 0:
        scores, rows = index.search(vector, fetch)
        if fetch >= len(owners.rows) or len(set(owners.rows[rows[0]].tolist())) >= wanted:
            return list(zip(rows[0].tolist(), scores[0].tolist(), strict=True))
        fetch = min(2 * fetch, len(owners.rows))
    return []


def hits(ranked: Sequence[tuple[int, float]], chunk_ids: Sequence[str]) -> list[Hit]:
    """Hits of a retriever that ranks whole chunks by row, such as BM25."""
    return [Hit(chunk_ids[row], score) for row, score in ranked]
