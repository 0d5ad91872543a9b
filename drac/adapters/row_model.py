"""Models of sentence-transformers that give a text many rows: late interaction and sparse encoders."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from drac.adapters.sentence_model import SentenceModel
from drac.ports import Rows

Side = Literal["query", "document"]


class RowModel(SentenceModel):
    """Implements ports.RowEncoder but for how one window is encoded and windows are joined."""

    @property
    def label(self) -> str:
        """The model's name."""
        return self.model_name

    def documents(self, texts: Sequence[str]) -> list[Rows]:
        """See RowEncoder."""
        return self._encoded(texts, "document")

    def query(self, text: str) -> Rows:
        """See RowEncoder."""
        return self._encoded([text], "query")[0]

    def cut(self, text: str) -> str:
        """See RowEncoder."""
        return self._cut(text, self._room("document"))

    def _encoded(self, texts: Sequence[str], side: Side) -> list[Rows]:
        pieces = [self._pieces(text, self._room(side)) for text in texts]
        flat = [piece for some in pieces for piece in some]
        rows = iter(self._on_threads(flat, lambda model, piece: self._rows_of(model, piece, side)))
        return [self._joined([next(rows) for _ in some]) for some in pieces]

    def _room(self, side: Side) -> int:
        """Tokens of a text's own that the model takes at once."""
        prompt = self._count(self._model.prompts.get(side) or "")
        return max(1, self._most(side) - int(self._tokenizer.num_special_tokens_to_add()) - prompt)

    @abstractmethod
    def _most(self, side: Side) -> int:
        """Tokens that the model takes at once, special ones and its prompt included."""

    @abstractmethod
    def _rows_of(self, model: Any, text: str, side: Side) -> Rows:
        """Rows of one window."""

    @abstractmethod
    def _joined(self, windows: Sequence[Rows]) -> Rows:
        """Rows of a text of its windows' rows."""
