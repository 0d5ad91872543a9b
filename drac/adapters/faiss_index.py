"""Exact nearest neighbours with FAISS: inner product on normalised vectors, that is cosine."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.errors import DracError, MissingExtra, UsageError
from drac.ports import Vectors
from drac.retrieve.vectors import normalise

_log = logging.getLogger(__name__)

FLAT_LIMIT = 200_000
"""Vectors up to which the flat index is meant: 384 dimensions take 307 MB and 35 ms a query there.

Measured with two cores (3,000 vectors: 0.1 ms, 20,000: 4 ms, top 100). Past it the index stays exact and
grows slower in proportion, and a warning is logged.
"""

_BLOCK = 16
"""Queries at once: from 20 on FAISS calls BLAS, where equal vectors need not get equal scores."""


class FlatIndex:
    """`IndexFlatIP` with rows of length 1 and a fixed order of ties; implements ports.Index."""

    def __init__(self, dimension: int) -> None:
        """Empty index for vectors of `dimension`; raises MissingExtra without FAISS."""
        self._index = _faiss().IndexFlatIP(dimension)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self._index.d)

    def add(self, vectors: Vectors) -> None:
        """Append rows, normalised; raises UsageError for another dimension, DracError for NaN."""
        before = len(self)
        self._index.add(self._rows(vectors))
        if before <= FLAT_LIMIT < len(self):
            _log.warning("%d vectors: over %d an exact search grows slow", len(self), FLAT_LIMIT)

    def search(self, query: Vectors, k: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """Scores (cosine) and row numbers, shape (queries, min(k, rows)), best first, ties by row."""
        queries = self._rows(query)
        k = max(0, min(k, len(self)))
        scores = np.empty((len(queries), k), dtype=np.float32)
        rows = np.empty((len(queries), k), dtype=np.int64)
        for start in range(0, len(queries) if k else 0, _BLOCK):
            block = slice(start, start + _BLOCK)
            scores[block], rows[block] = self._search_block(queries[block], k)
        return scores, rows

    def save(self, path: Path) -> None:
        """Write the index in FAISS's own format; the caller moves it into place."""
        _faiss().write_index(self._index, str(path))

    @classmethod
    def load(cls, path: Path) -> FlatIndex:
        """Read what `save` wrote; raises DracError where the file is damaged or another index."""
        try:
            index = _faiss().read_index(str(path))
        except RuntimeError as error:
            raise _unreadable(path, "not a FAISS index, or damaged") from error
        if type(index).__name__ != "IndexFlatIP":
            raise _unreadable(path, f"a {type(index).__name__}, not an IndexFlatIP")
        flat = cls.__new__(cls)
        flat._index = index
        return flat

    def _rows(self, vectors: Vectors) -> Vectors:
        rows = normalise(vectors)
        if rows.shape[1] != self.dimension:
            raise UsageError(
                f"vectors of {rows.shape[1]} numbers do not fit an index of {self.dimension}",
                remedy="Index again with the embedding model that you search with: drac index.",
            )
        return rows

    def _search_block(self, queries: Vectors, k: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
        """FAISS orders ties as it likes, so look past the last place until no tie crosses it."""
        fetch = min(k + 1, len(self))
        while True:
            scores, rows = self._index.search(queries, fetch)
            if fetch == len(self) or (scores[:, fetch - 1] < scores[:, k - 1]).all():
                break
            fetch = min(2 * fetch, len(self))
        order = np.lexsort((rows, -scores), axis=1)[:, :k]
        return np.take_along_axis(scores, order, axis=1), np.take_along_axis(rows, order, axis=1)


def _faiss() -> Any:
    if importlib.util.find_spec("faiss") is None:
        raise MissingExtra("Dense search", "embed")
    import faiss

    return faiss


def _unreadable(path: Path, why: str) -> DracError:
    return DracError(f"{path}: {why}", remedy="Delete the file and run `drac index` again.")
