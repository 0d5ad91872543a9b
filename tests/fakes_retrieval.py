"""Fakes of an embedder and an index for tests of retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from drac.ports import Vectors
from drac.retrieve.vectors import normalise


class LetterEmbedder:
    """Counts letters a to d; the window is ten characters. Remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"model": "letters"}

    @property
    def window(self) -> int:
        return 10

    def windows(self, text: str) -> Sequence[str]:
        return [text[n : n + 10] for n in range(0, len(text), 10)] or [""]

    def cut(self, text: str) -> str:
        return text[:10]

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        counts = [[text.count(letter) for letter in "abcd"] for text in texts]
        return normalise(np.array(counts, dtype=np.float32).reshape(-1, 4))


class ListIndex:
    """ports.Index in ten lines of numpy."""

    def __init__(self) -> None:
        self.vectors = np.zeros((0, 4), dtype=np.float32)
        self.fetched: list[int] = []

    def add(self, vectors: Vectors) -> None:
        self.vectors = np.concatenate([self.vectors, vectors])

    def search(self, query: Vectors, k: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
        self.fetched.append(k)
        scores = query @ self.vectors.T
        rows = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(scores, rows, axis=1), rows


class ListIndexes:
    """ports.IndexMaker of these."""

    def fingerprint(self, rows: int) -> Mapping[str, str]:
        return {}

    def make(self, dimension: int, rows: int) -> ListIndex:
        return ListIndex()
