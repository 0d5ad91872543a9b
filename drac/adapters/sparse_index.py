"""Texts by the terms that they share with a question: exact dot products of sparse vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from drac.errors import DracError
from drac.ports import TERM, Rows

_FILE = "terms.npz"


class SparseIndex:
    """Implements ports.RowIndex: for each term the texts that have it, in the order of their numbers.

    A text without a term in common with the question is no result, as with BM25.
    """

    def __init__(self, starts: Rows, texts: Rows, weights: Rows, number: int) -> None:
        """`texts` and `weights` are the postings of all terms, term t's from starts[t] to starts[t + 1]."""
        self._starts, self._texts, self._weights, self._number = starts, texts, weights, number

    @classmethod
    def of(cls, texts: Sequence[Rows]) -> SparseIndex:
        """An index of these texts; text n is `texts[n]`."""
        rows = np.concatenate([np.zeros(0, dtype=TERM), *texts])
        owners = np.repeat(np.arange(len(texts), dtype=np.int32), [len(one) for one in texts])
        order = np.lexsort((owners, rows["term"]))
        last = int(rows["term"].max()) if len(rows) else -1
        counts = np.bincount(rows["term"], minlength=last + 1)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(starts, owners[order], rows["weight"][order], len(texts))

    def search(self, query: Rows, k: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """See RowIndex; scores are dot products, above 0."""
        scores = np.zeros(self._number, dtype=np.float64)
        for term, weight in query:
            if term + 1 < len(self._starts):
                mine = slice(self._starts[term], self._starts[term + 1])
                scores[self._texts[mine]] += float(weight) * self._weights[mine]
        allowed = np.arange(self._number) if among is None else np.asarray(sorted(among), dtype=np.int64)
        order = allowed[np.argsort(-scores[allowed], kind="stable")][: max(k, 0)]
        return [(int(text), float(scores[text])) for text in order if scores[text] > 0]

    def save(self, folder: Path) -> None:
        """Write `terms.npz` into an existing folder."""
        np.savez(
            folder / _FILE,
            starts=self._starts,
            texts=self._texts,
            weights=self._weights,
            number=np.asarray(self._number),
        )

    @classmethod
    def load(cls, folder: Path) -> SparseIndex:
        """Read what `save` wrote; raises DracError where the file is damaged."""
        try:
            with np.load(folder / _FILE, allow_pickle=False) as held:
                return cls(held["starts"], held["texts"], held["weights"], int(held["number"]))
        except (OSError, EOFError, ValueError, KeyError) as error:
            raise DracError(
                f"the index in {folder} cannot be read: {error}",
                remedy="Delete that folder and run `drac index` again.",
            ) from error
