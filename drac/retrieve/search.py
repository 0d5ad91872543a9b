"""Windows to chunks: the best window's score counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from drac.ports import Embedder, Index, Vectors
from drac.records import Hit
from drac.retrieve.vectors import DocumentVectors
from drac.sentences import Stretch


@dataclass(frozen=True, slots=True)
class Owners:
    """Which chunk each row of an index belongs to."""

    chunk_ids: tuple[str, ...]
    """All chunks, in the order in which their rows were added."""
    rows: npt.NDArray[np.int64]
    """Shape (rows,): 0-based place in `chunk_ids` of each row's chunk, ascending."""
    stretches: tuple[Stretch, ...]
    """For each row, where its window stands in the chunk's text."""
    windows: npt.NDArray[np.int64] = field(init=False, repr=False, compare=False)
    """Shape (rows,): 0-based number of each row's window in its chunk."""

    def __post_init__(self) -> None:
        """Count the windows once: looking for a chunk's first row costs each question several misses."""
        object.__setattr__(self, "windows", np.arange(len(self.rows)) - self.rows.searchsorted(self.rows))

    def stretch(self, hit: Hit) -> Stretch:
        """Where the hit's best window stands in its chunk's text; raises ValueError for a stranger."""
        first = int(np.searchsorted(self.rows, self.chunk_ids.index(hit.chunk_id)))
        return self.stretches[first + hit.window]


def fill(index: Index, documents: Iterable[DocumentVectors], shape: tuple[int, int] | None = None) -> Owners:
    """Add the documents' vectors to an empty index; chunks without documents give an empty one.

    `shape`: rows and dimension of all together, so that documents read one by one need not be held.
    """
    if shape is None:
        documents = list(documents)
        shape = (sum(len(one.owners) for one in documents), documents[0].vectors.shape[1] if documents else 0)
    chunk_ids: list[str] = []
    owners: list[int] = []
    stretches: list[Stretch] = []
    vectors = np.empty(shape, dtype=np.float32)
    for document in documents:
        vectors[len(owners) : len(owners) + len(document.owners)] = document.vectors
        owners += [len(chunk_ids) + owner for owner in document.owners]
        chunk_ids += document.chunk_ids
        stretches += document.stretches
    if len(vectors):
        index.add(vectors)
    return Owners(tuple(chunk_ids), np.asarray(owners, dtype=np.int64), tuple(stretches))


def embed_query(text: str, embedder: Embedder) -> Vectors:
    """Shape (windows, dimension): a question longer than the model's window is not cut either."""
    return embedder.embed(list(embedder.windows(text)))


def search_dense(query: Vectors, index: Index, owners: Owners, k: int) -> list[Hit]:
    """The `k` best chunks, or all where there are fewer; a chunk's score is its best window's.

    `query` has shape (windows, dimension); the best pair of windows counts. Ties go by the chunks'
    order in the index, in one chunk to its first window.
    """
    wanted = max(0, min(k, len(owners.chunk_ids)))
    if not wanted or not len(query):
        return []
    found = [_best_rows(query[n : n + 1], index, owners, wanted) for n in range(len(query))]
    scores, rows, chunks = found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))
    if len(rows) > wanted:  # else each is another chunk's
        best = _one_a_chunk(scores, rows, chunks)[:wanted]
        scores, rows, chunks = scores[best], rows[best], chunks[best]
    ids = [owners.chunk_ids[chunk] for chunk in chunks.tolist()]
    return list(map(Hit, ids, scores.tolist(), owners.windows[rows].tolist()))


def _one_a_chunk(
    scores: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], chunks: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Places of the best window of each chunk, best chunk first."""
    order = np.lexsort((rows, -scores))
    _, first = np.unique(chunks[order], return_index=True)
    return order[np.sort(first)]


def _best_rows(
    vector: Vectors, index: Index, owners: Owners, wanted: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Scores, rows and their chunks, best first, reaching down until `wanted` chunks are among them."""
    fetch = -(-wanted * len(owners.rows) // len(owners.chunk_ids))
    while True:
        scores, rows = index.search(vector, fetch)
        chunks = owners.rows[rows[0]]
        if fetch >= len(owners.rows) or len(set(chunks.tolist())) >= wanted:
            return scores[0], rows[0], chunks
        fetch = min(2 * fetch, len(owners.rows))


def hits(ranked: Sequence[tuple[int, float]], chunk_ids: Sequence[str]) -> list[Hit]:
    """Hits of a retriever that ranks whole chunks by row, such as BM25."""
    return [Hit(chunk_ids[row], score) for row, score in ranked]
