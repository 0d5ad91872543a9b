"""Fakes of late interaction: a letter is a token, and MaxSim is done as it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from drac.pipeline.encoding import RowMethod
from drac.ports import Rows

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


class MaxSim:
    """Implements ports.RowIndex without shortcuts: for each token of the question the best of the text."""

    def __init__(self, texts: Sequence[Rows]) -> None:
        self._texts = [one.astype(np.float32) for one in texts]

    def search(self, query: Rows, k: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        wanted = range(len(self._texts)) if among is None else sorted(among)
        scores = [(number, self._score(query.astype(np.float32), number)) for number in wanted]
        return sorted(scores, key=lambda one: (-one[1], one[0]))[:k]

    def _score(self, query: Rows, number: int) -> float:
        text = self._texts[number]
        return float((query @ text.T).max(axis=1).sum()) if len(text) and len(query) else 0.0

    @staticmethod
    def build(texts: Sequence[Rows], folder: Path) -> None:
        (folder / "maxsim.json").write_text(json.dumps([one.tolist() for one in texts]))

    @classmethod
    def load(cls, folder: Path) -> MaxSim:
        held = json.loads((folder / "maxsim.json").read_text())
        return cls([np.asarray(one, dtype=np.float16).reshape(-1, len(ALPHABET)) for one in held])


def letter_method(encoder: LetterEncoder | None = None) -> RowMethod:
    """`late` by letters."""
    return RowMethod("late", encoder or LetterEncoder(), MaxSim.build, MaxSim.load, {"index": "exact"})


class LengthReranker:
    """Implements ports.Reranker: the shorter the better. Remembers what it was asked."""

    label = "cross-encoder:length"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(list(texts))
        return [-float(len(text)) for text in texts]
