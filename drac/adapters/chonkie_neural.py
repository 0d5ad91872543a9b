"""NeuralChunker of chonkie: a token classifier marks where a chunk ends (extras `bench` and `embed`)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from drac.adapters.chonkie_chunkers import as_cut, fingerprint, needed
from drac.adapters.sentence_model import Weights, folder_sha256, locate
from drac.errors import EngineUnavailable, MissingExtra
from drac.sentences import Stretch
from drac.stages.chunk.strategies.spans import Cut

_LONGEST = 512
"""Tokens that go through a model at once at most, where its tokenizer names no limit."""


class NeuralCut:
    """A `Cut` that loads its model with the first text; raises MissingExtra when it is made."""

    def __init__(self, model: str, least: int) -> None:
        """`model`: a folder or a name on the hub; `least`: characters between two cuts at least."""
        needed("neural")
        if importlib.util.find_spec("transformers") is None:
            raise MissingExtra("The chunker `neural`", "embed")
        self._name, self._least = model, least

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Libraries, model and its weights; loads it where the hub must be asked which ones they are."""
        libraries = {name: version(name) for name in ("transformers", "torch")}
        return {**fingerprint("neural"), **libraries, "model": self._model_name, "weights": self._identity}

    def __call__(self, text: str) -> Iterable[Stretch]:
        """Stretches that follow one another and cover the text; raises EngineUnavailable without a model."""
        return self._cut(text)

    @cached_property
    def _weights(self) -> Weights:
        return locate(self._name, "chunking model")

    @property
    def _model_name(self) -> str:
        return Path(self._weights.place).name if self._weights.origin == "folder" else self._name

    @property
    def _identity(self) -> str:
        if self._weights.origin == "folder":
            return folder_sha256(Path(self._weights.place))
        if self._weights.revision is None:
            _ = self._cut
        return self._weights.revision or locate(self._name).revision or "unknown"

    @cached_property
    def _cut(self) -> Cut:
        try:
            return as_cut(self._made())
        except Exception as error:  # OSError, ValueError, errors of the hub and of safetensors
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise EngineUnavailable(
                f"chunking model {self._name} cannot be loaded: {reason}",
                remedy="Fetch it once with network access, or give `model` a folder.",
            ) from error

    def _made(self) -> Any:
        """The model goes in loaded: chonkie takes only its own three by name."""
        from chonkie import NeuralChunker
        from transformers import AutoModelForTokenClassification, AutoTokenizer

        at = {"revision": self._weights.revision, "local_files_only": self._weights.origin == "folder"}
        tokenizer = AutoTokenizer.from_pretrained(self._weights.place, **at)
        model = AutoModelForTokenClassification.from_pretrained(self._weights.place, **at)
        tokenizer.model_max_length = min(tokenizer.model_max_length, _limit(model))
        strides = NeuralChunker.SUPPORTED_MODEL_STRIDES
        stride = strides.get(self._name, tokenizer.model_max_length // 2)
        return NeuralChunker(model.eval(), tokenizer, stride=stride, min_characters_per_chunk=self._least)


def _limit(model: Any) -> int:
    return int(getattr(model.config, "max_position_embeddings", None) or _LONGEST)
