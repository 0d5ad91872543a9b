"""Fakes of late interaction: a letter is a token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from drac.pipeline.encoding import RowMethod
from drac.ports import Rows
from drac.retrieve.maxsim import MaxSim

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters(text: str) -> Rows:
    """A token a letter, each like no other letter."""
    places = [ALPHABET.index(one) for one in text.lower() if one in ALPHABET]
    return np.eye(len(ALPHABET), dtype=np.float16)[places]


class LetterEncoder:
    """Implements ports.RowEncoder; remembers what it was asked."""

    def __init__(self, model: str = "letters") -> None:
        self._model = model
        self.calls: list[list[str]] = []

    @property
    def fingerprint(self) -> Mapping[str, str]:
        return {"model": self._model}

    @property
    def label(self) -> str:
        return self._model

    def documents(self, texts: Sequence[str]) -> list[Rows]:
        self.calls.append(list(texts))
        return [letters(text) for text in texts]

    def query(self, text: str) -> Rows:
        return letters(text)

    def cut(self, text: str) -> str:
        return text[:10]


def letter_method(encoder: LetterEncoder | None = None) -> RowMethod:
    """`late` by letters."""
    return RowMethod(
        "late",
        encoder or LetterEncoder(),
        lambda texts, folder: MaxSim.of(texts).save(folder),
        MaxSim.load,
        {"index": "exact"},
    )


class LengthReranker:
    """Implements ports.Reranker: the shorter the better. Remembers what it was asked."""

    label = "cross-encoder:length"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(list(texts))
        return [-float(len(text)) for text in texts]
