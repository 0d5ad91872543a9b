"""Late interaction (ColBERT): a vector a token, by sentence-transformers' MultiVectorEncoder."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from drac.adapters.row_model import RowModel, Side
from drac.errors import MissingExtra
from drac.ports import Rows

MODEL = "lightonai/LateOn"
"""A late-interaction model of 140 million parameters, under Apache 2.0."""
_TYPES = frozenset({"MultiVectorEncoder", "ColBERT"})
"""`model_type` in a model's configuration: sentence-transformers' own, PyLate's."""


class LateEncoder(RowModel):
    """Implements ports.RowEncoder.

    The token vectors of a text that is longer than the model's window are those of all its windows, so
    that nothing is left out. A model that was not trained for late interaction, such as the packaged
    MiniLM, stands in by its own token vectors; its label says so.
    """

    KIND = "MultiVectorEncoder"
    PURPOSE = "Late interaction"
    NOUN = "late-interaction model"
    REMEDY = (
        "Fetch the model once with network access, or name another as late:MODEL: a folder, or "
        "all-MiniLM-L6-v2 of the extra 'offline', whose token vectors can stand in."
    )

    def __init__(self, model: str = MODEL, *, threads: int | None = None, device: str | None = None) -> None:
        """See SentenceModel; raises MissingExtra without sentence-transformers."""
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtra(self.PURPOSE, "late")
        super().__init__(model, threads=threads, device=device)

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """See SentenceModel; a stand-in is another thing than the same weights with a trained head."""
        return {**super().fingerprint, "rows": "tokens of a stand-in" if self._stands_in else "tokens"}

    @property
    def label(self) -> str:
        """The model's name, with a word where it only stands in."""
        return f"{self.model_name} (stand-in, not trained for it)" if self._stands_in else self.model_name

    def _most(self, side: Side) -> int:
        transformer = self._model[0]
        limits = (getattr(transformer, f"{side}_length", None), transformer.max_seq_length)
        return min((int(one) for one in limits if one), default=int(self._tokenizer.model_max_length))

    def _rows_of(self, model: Any, text: str, side: Side) -> Rows:
        """A vector a token, float16."""
        return _encode(model, text, side)

    def _joined(self, windows: Sequence[Rows]) -> Rows:
        return np.concatenate(windows)

    def _made(self) -> Any:
        if not self._stands_in:
            return self._load(self.KIND)
        from sentence_transformers import MultiVectorEncoder
        from sentence_transformers.base.modules import Normalize
        from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

        tokens = self._load("SentenceTransformer")[0]
        modules = [tokens, MultiVectorMask(), Normalize(module_input_name="token_embeddings")]
        return MultiVectorEncoder(modules=modules, device=self._device)

    @cached_property
    def _stands_in(self) -> bool:
        """Whether the weights lack a head of their own for token vectors."""
        if self._file("config_sentence_transformers.json").get("model_type") in _TYPES:
            return False
        architectures = self._file("config.json").get("architectures") or []
        if any(one == "HF_ColBERT" or one.endswith("ForRetrieval") for one in architectures):
            return False
        types = [one["type"].rpartition(".")[2] for one in self._file("modules.json").get("modules", [])]
        return "Dense" not in types or "Pooling" in types

    def _file(self, name: str) -> dict[str, Any]:
        """A JSON file of the model; a list comes as `modules`, an absent file is empty."""
        place = self._path(name)
        found = json.loads(Path(place).read_text(encoding="utf-8")) if place else {}
        return found if isinstance(found, dict) else {"modules": found}

    def _path(self, name: str) -> str | None:
        from sentence_transformers.util import load_file_path

        found: str | None = load_file_path(
            self._weights.place,
            name,
            revision=self._weights.revision,
            local_files_only=self._weights.origin != "hub",
        )
        return found


def _encode(model: Any, text: str, side: str) -> Rows:
    encode = model.encode_query if side == "query" else model.encode_document
    rows = encode([text], batch_size=1, show_progress_bar=False, convert_to_numpy=True)[0]
    return np.ascontiguousarray(rows, dtype=np.float16)
