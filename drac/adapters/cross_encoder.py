"""Reranking by a model that reads question and text together, with sentence-transformers' CrossEncoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from drac.adapters.sentence_model import SentenceModel
from drac.errors import UsageError

MODEL = "cross-encoder/ms-marco-MiniLM-L6-v2"
"""A reranker for English of 23 million parameters, under Apache 2.0."""


class CrossEncoderReranker(SentenceModel):
    """Implements ports.Reranker.

    A text that does not fit the model's window beside the question is read in several windows, of which
    the best counts; so is a question of more than half the window. Scores are the model's own, before
    the function that it may put behind them: that keeps the order and makes no ties.
    """

    KIND = "CrossEncoder"
    PURPOSE = "Reranking with a cross-encoder"
    NOUN = "reranker"
    REMEDY = "Fetch the model once with network access, or name a folder as cross-encoder:FOLDER."

    def __init__(self, model: str = MODEL, *, threads: int | None = None, device: str | None = None) -> None:
        """See SentenceModel."""
        super().__init__(model, threads=threads, device=device)

    @property
    def label(self) -> str:
        """See Reranker."""
        return f"cross-encoder:{self.model_name}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See Reranker; raises UsageError for a model that gives several scores a pair."""
        asked = self._pieces(query, max(1, self._room // 2))
        left = max(1, self._room - max(map(self._count, asked)))
        pieces = [self._pieces(text, left) for text in texts]
        pairs = [(one, piece) for some in pieces for piece in some for one in asked]
        found = iter(self._on_threads(pairs, self._score, lambda pair: sum(map(len, pair))))
        return [max(next(found) for _ in range(len(some) * len(asked))) for some in pieces]

    @cached_property
    def _room(self) -> int:
        """Tokens of question and text together."""
        most = int(self._model.max_seq_length or self._tokenizer.model_max_length)
        return most - int(self._tokenizer.num_special_tokens_to_add(pair=True))

    def _made(self) -> Any:
        model = super()._made()
        if model.num_labels != 1:
            raise UsageError(
                f"{self._name} gives {model.num_labels} scores a pair, so it is no reranker",
                remedy="Choose a cross-encoder that gives one score.",
            )
        return model

    @staticmethod
    def _score(model: Any, pair: tuple[str, str]) -> float:
        import torch

        found = model.predict(
            [pair], batch_size=1, show_progress_bar=False, activation_fn=torch.nn.Identity()
        )
        return float(found[0])
