"""Embedding with sentence-transformers: windows, vectors."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from drac.adapters import packaged_weights
from drac.adapters.sentence_model import SentenceModel, Weights, locate, remedy
from drac.errors import DracError
from drac.ports import Vectors
from drac.records import Health

_DEVICE_BATCH = 64
"""Texts at once on an accelerator, where one alone would leave it idle."""


class SentenceTransformerEmbedder(SentenceModel):
    """Implements ports.Embedder. One call at a time; prompts that a model may carry are not added."""

    def __init__(
        self, model: str = packaged_weights.MODEL, *, threads: int | None = None, device: str | None = None
    ) -> None:
        """See SentenceModel."""
        super().__init__(model, threads=threads, device=device)

    @property
    def window(self) -> int:
        """The model's max_seq_length in tokens, special tokens included."""
        limit = self._model.max_seq_length or self._tokenizer.model_max_length
        return int(limit)

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        newer = getattr(self._model, "get_embedding_dimension", None)
        return int(newer() if newer else self._model.get_sentence_embedding_dimension())

    def windows(self, text: str) -> Sequence[str]:
        """Pieces that fit the window and, joined, are the text; cut by the model's own tokenizer."""
        return self._pieces(text, self._room)

    def cut(self, text: str) -> str:
        """What the model would see of the text if the library cut it: its first tokens."""
        return self._cut(text, self._room)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), rows of length 1; raises DracError for a text past the window."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        self._refuse_long(texts)
        if self._model.device.type == "cpu":
            return np.concatenate(self._on_threads(texts, lambda model, text: _encode(model, [text], 1)))
        return _encode(self._model, texts, _DEVICE_BATCH)

    @property
    def _room(self) -> int:
        """Tokens of a text's own in a window."""
        return self.window - int(self._tokenizer.num_special_tokens_to_add())

    def _refuse_long(self, texts: Sequence[str]) -> None:
        longest = max(len(ids) for ids in self._tokenize(texts)["input_ids"])
        if longest > self._room:
            raise DracError(
                f"a text of {longest} tokens was to be embedded in a window of {self._room}",
                remedy="Cut it with `windows` first; this is a fault of D-RAC, please report it.",
            )


def _encode(model: Any, texts: Sequence[str], batch: int) -> Vectors:
    vectors = model.encode(
        list(texts),
        prompt="",
        batch_size=batch,
        show_progress_bar=False,
        convert_to_numpy=True,
        normalize_embeddings=True,
    )
    return np.ascontiguousarray(vectors, dtype=np.float32)


def health(model: str = packaged_weights.MODEL) -> Health:
    """Whether dense search would find its model; loads nothing, asks no network."""
    name = "embedding weights"
    if importlib.util.find_spec("sentence_transformers") is None:
        return Health(
            name,
            "warning",
            "extra 'embed' is missing: search is BM25 only",
            "pip install 'drac[embed,offline]'",
        )
    try:
        weights = locate(model)
    except DracError as error:
        return Health(name, "missing", error.message, error.remedy)
    if weights.origin == "hub" and weights.revision is None:
        return Health(name, "warning", f"{model} is neither installed nor in the model cache", remedy(model))
    return Health(name, "ok", _describe(model, weights))


def _describe(model: str, weights: Weights) -> str:
    if weights.origin == "package":
        return f"{packaged_weights.MODEL} from {packaged_weights.PACKAGE}, all hashes as published"
    where = f"revision {weights.revision} in the cache" if weights.origin == "hub" else weights.place
    return f"{model}: {where}"
