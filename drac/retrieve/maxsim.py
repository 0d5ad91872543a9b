"""Late interaction without shortcuts: for each token of the question the most similar token of the text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from drac.errors import DracError
from drac.ports import Rows

_FILE = "tokens.npz"
_DECIMALS = 5
"""Of a score; what is behind them comes of the order in which a processor adds up, and would break ties."""


class MaxSim:
    """Implements ports.RowIndex; a text's score is the sum of these similarities (Khattab and Zaharia, 2020).

    It looks at every token of every text: a millisecond for 10,000 tokens, in proportion for more.
    """

    def __init__(self, tokens: Rows, counts: Rows) -> None:
        """`tokens` of all texts, shape (tokens, dimension); `counts` says how many each text has."""
        self._tokens, self._counts = tokens, counts
        self._vectors = tokens.astype(np.float32)
        self._filled = np.flatnonzero(counts)
        self._starts = (np.cumsum(counts) - counts)[self._filled]

    @classmethod
    def of(cls, texts: Sequence[Rows]) -> MaxSim:
        """An index of these texts, at least one with tokens; text n is `texts[n]`."""
        tokens = np.concatenate([one for one in texts if len(one)])
        return cls(tokens, np.array([len(one) for one in texts], dtype=np.int64))

    def search(self, query: Rows, k: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """See RowIndex; a text without tokens is no result."""
        if k < 1 or not len(query):
            return []
        similar = query.astype(np.float32) @ self._vectors.T
        best = np.maximum.reduceat(similar, self._starts, axis=1).sum(axis=0)
        scores = dict(zip(self._filled.tolist(), np.round(best, _DECIMALS).tolist(), strict=True))
        wanted = scores if among is None else [one for one in sorted(set(among)) if one in scores]
        return sorted(((one, scores[one]) for one in wanted), key=lambda one: (-one[1], one[0]))[:k]

    def save(self, folder: Path) -> None:
        """Write `tokens.npz` into an existing folder."""
        np.savez(folder / _FILE, tokens=self._tokens, counts=self._counts)

    @classmethod
    def load(cls, folder: Path) -> MaxSim:
        """Read what `save` wrote; raises DracError where the file is damaged."""
        try:
            with np.load(folder / _FILE, allow_pickle=False) as held:
                return cls(held["tokens"], held["counts"])
        except (OSError, EOFError, ValueError, KeyError) as error:
            raise DracError(
                f"the index in {folder} cannot be read: {error}",
                remedy="Delete that folder and run `drac index --retriever late` again.",
            ) from error

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Whether `save` has written into the folder."""
        return (folder / _FILE).is_file()
