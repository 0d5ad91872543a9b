"""Nearest neighbours with FAISS: inner product on vectors of length 1, that is cosine.

`FlatIndex` is exact. `HnswIndex` and `IvfIndex` look at a part of the vectors only; how much they miss is
measured by scripts/bench_search and held by a test. All three give the same bytes for the same vectors
added by the same calls: what FAISS draws at random has a fixed seed, and where its threads would race
there is one.
"""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from math import sqrt
from operator import gt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.errors import DracError, MissingExtra, UsageError
from drac.ports import Vectors
from drac.retrieve.index_kinds import Kind
from drac.retrieve.vectors import unit_rows

HNSW_LINKS = 32
"""Neighbours of a vector in the graph (M); FAISS's default."""
HNSW_BUILD = 80
"""Candidates looked at for a vector that is added (efConstruction); twice FAISS's default."""
HNSW_REACH = 256
"""Candidates looked at for a query (efSearch), or twice as many as are asked for, if that is more."""
IVF_LISTS = 4.0
"""Lists for the square root of the number of vectors (FAISS's guidelines: 4 to 16)."""
IVF_SHARE = 0.02
"""Share of the lists that a query looks into."""
_IVF_LEAST = 16
"""Lists that a query looks into at least."""
_IVF_TRAINING = 39
"""Vectors a list at least (FAISS's `min_points_per_centroid`)."""
_BLOCK = 16
"""Queries at once: from 20 on FAISS calls BLAS, where equal vectors need not get equal scores."""

Found = tuple[Vectors, npt.NDArray[np.int64]]
"""Scores and row numbers, both of shape (queries, k)."""


class FaissIndex(ABC):
    """A FAISS index of vectors of length 1 with a fixed order of ties; implements ports.Index."""

    kind: Kind

    def __init__(self, index: Any) -> None:
        self._index = index
        self._count = int(index.ntotal)
        self.dimension = int(index.d)
        """Numbers in a vector."""

    def __len__(self) -> int:
        return self._count

    def add(self, vectors: Vectors) -> None:
        """Append rows, normalised; raises UsageError for another dimension, DracError for NaN.

        All rows in one call are the fastest, and need the least memory.
        """
        rows = self._rows(vectors)
        with _one_thread():
            self._add(rows)
        self._count = int(self._index.ntotal)

    def search(self, query: Vectors, k: int) -> Found:
        """Scores (cosine) and row numbers, shape (queries, min(k, rows)), best first, ties by row."""
        queries = self._rows(query)
        k = max(0, min(k, len(self)))
        if len(queries) <= _BLOCK and k:
            return self._search_block(queries, k)
        scores = np.empty((len(queries), k), dtype=np.float32)
        rows = np.empty((len(queries), k), dtype=np.int64)
        for start in range(0, len(queries) if k else 0, _BLOCK):
            block = slice(start, start + _BLOCK)
            scores[block], rows[block] = self._search_block(queries[block], k)
        return scores, rows

    def save(self, path: Path) -> None:
        """Write the index in FAISS's own format; the caller moves it into place."""
        _faiss().write_index(self._index, str(path))

    def _rows(self, vectors: Vectors) -> Vectors:
        rows = unit_rows(vectors)
        if rows.shape[1] != self.dimension:
            raise UsageError(
                f"vectors of {rows.shape[1]} numbers do not fit an index of {self.dimension}",
                remedy="Index again with the embedding model that you search with: drac index.",
            )
        return rows

    def _add(self, rows: Vectors) -> None:
        self._index.add(rows)

    @abstractmethod
    def _search_block(self, queries: Vectors, k: int) -> Found:
        """`k` rows for each query, best first, ties by row; `k` is from 1 to the number of rows."""


class FlatIndex(FaissIndex):
    """`IndexFlatIP`: every vector is compared. Ties go by row, also those across the cut at `k`."""

    kind: Kind = "flat"

    def __init__(self, dimension: int) -> None:
        """Empty index for vectors of `dimension`; raises MissingExtra without FAISS."""
        super().__init__(_faiss().IndexFlatIP(dimension))

    def _search_block(self, queries: Vectors, k: int) -> Found:
        """FAISS orders ties as it likes, so look past the last place until no tie crosses it."""
        fetch = min(k + 1, len(self))
        while True:
            scores, rows = self._index.search(queries, fetch)
            if fetch == len(self) or (scores[:, fetch - 1] < scores[:, k - 1]).all():
                return _ordered(scores, rows, k)
            fetch = min(2 * fetch, len(self))


class HnswIndex(FaissIndex):
    """`IndexHNSWFlat`: a graph of neighbours. Ties go by row among those found."""

    kind: Kind = "hnsw"
    _reach = 0

    def __init__(self, dimension: int) -> None:
        """Empty index for vectors of `dimension`; raises MissingExtra without FAISS."""
        faiss = _faiss()
        index = faiss.IndexHNSWFlat(dimension, HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = HNSW_BUILD
        super().__init__(index)

    def _search_block(self, queries: Vectors, k: int) -> Found:
        self._reach_for(k)
        scores, rows = self._index.search(queries, k)
        if min(rows[:, -1].tolist()) < 0:  # the graph led to fewer than `k`: compare all
            scores, rows = self._index.storage.search(queries, k)
        return _ordered(scores, rows, k)

    def _reach_for(self, k: int) -> None:
        reach = max(HNSW_REACH, 2 * k)
        if reach != self._reach:  # each look into the graph costs more than this comparison
            self._index.hnsw.efSearch = self._reach = reach


class IvfIndex(FaissIndex):
    """`IndexIVFFlat`: vectors in lists by their nearest centroid. Ties go by row among those found."""

    kind: Kind = "ivf"

    def __init__(self, dimension: int, rows: int) -> None:
        """Empty index for about so many rows; raises MissingExtra without FAISS."""
        faiss = _faiss()
        lists, probed = ivf_lists(rows)
        self._quantizer = faiss.IndexFlatIP(dimension)  # FAISS keeps no reference of its own
        index = faiss.IndexIVFFlat(self._quantizer, dimension, lists, faiss.METRIC_INNER_PRODUCT)
        index.cp.spherical = True
        index.cp.min_points_per_centroid = 1
        index.nprobe = probed
        super().__init__(index)

    def _add(self, rows: Vectors) -> None:
        """The first rows are those that the lists are made for."""
        if not self._index.is_trained and len(rows):
            self._index.train(rows)
        self._index.add(rows)

    def _search_block(self, queries: Vectors, k: int) -> Found:
        scores, rows = self._index.search(queries, k)
        if min(rows[:, -1].tolist()) < 0:  # these lists hold fewer than `k`: look into all
            every = _faiss().SearchParametersIVF(nprobe=self._index.nlist)
            scores, rows = self._index.search(queries, k, params=every)
        return _ordered(scores, rows, k)


def ivf_lists(rows: int) -> tuple[int, int]:
    """Lists for so many vectors, and how many of them a query looks into."""
    lists = max(1, min(int(IVF_LISTS * sqrt(rows)), rows // _IVF_TRAINING))
    return lists, min(lists, max(_IVF_LEAST, int(lists * IVF_SHARE)))


_KINDS: dict[str, type[FaissIndex]] = {
    "IndexFlatIP": FlatIndex,
    "IndexHNSWFlat": HnswIndex,
    "IndexIVFFlat": IvfIndex,
}


def new_index(kind: Kind, dimension: int, rows: int) -> FaissIndex:
    """An empty index that is meant for `rows` vectors of `dimension`; raises MissingExtra without FAISS."""
    if kind == "ivf":
        return IvfIndex(dimension, rows)
    return HnswIndex(dimension) if kind == "hnsw" else FlatIndex(dimension)


def load_index(path: Path) -> FaissIndex:
    """Read what `save` wrote; raises DracError where the file is damaged or another index."""
    try:
        index = _faiss().read_index(str(path))
    except RuntimeError as error:
        raise _unreadable(path, "not a FAISS index, or damaged") from error
    kind = _KINDS.get(type(index).__name__)
    if kind is None or index.metric_type != _faiss().METRIC_INNER_PRODUCT:
        raise _unreadable(path, f"a {type(index).__name__}, which is none of ours")
    found = kind.__new__(kind)
    FaissIndex.__init__(found, index)
    return found


def fingerprint(kind: Kind) -> dict[str, str]:
    """What an index's bytes depend on beside its vectors; a flat one is the vectors themselves."""
    if kind == "flat":
        return {}
    how = {
        "hnsw": f"{HNSW_LINKS} links, {HNSW_BUILD} candidates",
        "ivf": f"{IVF_LISTS} lists a root, {IVF_SHARE} of them",
    }
    return {"kind": kind, "how": how[kind], "faiss": str(_faiss().__version__)}


def _ordered(scores: Vectors, rows: npt.NDArray[np.int64], k: int) -> Found:
    """The first `k`, equal scores by row. Mostly no two are equal, and FAISS's own order stands."""
    if all(all(map(gt, row, row[1:])) for row in scores.tolist()):
        return scores[:, :k], rows[:, :k]
    order = np.lexsort((rows, -scores), axis=1)[:, :k]
    return np.take_along_axis(scores, order, axis=1), np.take_along_axis(rows, order, axis=1)


@contextmanager
def _one_thread() -> Iterator[None]:
    """FAISS's threads race for a graph's links, and sum up centroids in another order."""
    faiss = _faiss()
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def _faiss() -> Any:
    if importlib.util.find_spec("faiss") is None:
        raise MissingExtra("Dense search", "embed")
    import faiss

    return faiss


def _unreadable(path: Path, why: str) -> DracError:
    return DracError(f"{path}: {why}", remedy="Delete the file and run `drac index` again.")
