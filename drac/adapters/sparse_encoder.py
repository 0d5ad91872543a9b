"""Sparse encoders (SPLADE and its kin): a weight a term of a vocabulary, by sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from drac.adapters.row_model import RowModel, Side
from drac.ports import TERM, Rows

MODEL = "prithivida/Splade_PP_en_v1"
"""A SPLADE model for English of 110 million parameters, under Apache 2.0."""


class SparseTextEncoder(RowModel):
    """Implements ports.RowEncoder.

    A text that is longer than the model's window has for each term the highest weight of its windows:
    within a window the model takes the highest over the tokens.
    """

    KIND = "SparseEncoder"
    PURPOSE = "A sparse encoder"
    NOUN = "sparse encoder"
    REMEDY = "Fetch the model once with network access, or name a folder as sparse:FOLDER."

    def __init__(self, model: str = MODEL, *, threads: int | None = None, device: str | None = None) -> None:
        """See SentenceModel."""
        super().__init__(model, threads=threads, device=device)

    def _most(self, side: Side) -> int:
        return int(self._model.max_seq_length or self._tokenizer.model_max_length)

    def _rows_of(self, model: Any, text: str, side: Side) -> Rows:
        """The terms of weight above 0, ascending."""
        return _encode(model, text, side)

    def _joined(self, windows: Sequence[Rows]) -> Rows:
        return _highest(windows)


def _encode(model: Any, text: str, side: str) -> Rows:
    encode = model.encode_query if side == "query" else model.encode_document
    weights = encode([text], batch_size=1, show_progress_bar=False, convert_to_sparse_tensor=False)[0]
    dense = np.asarray(weights.cpu(), dtype=np.float32)
    terms = np.flatnonzero(dense > 0)
    return np.array(list(zip(terms, dense[terms], strict=True)), dtype=TERM)


def _highest(windows: Sequence[Rows]) -> Rows:
    """One row a term, with its highest weight."""
    joined = np.concatenate(windows)
    ordered = joined[np.lexsort((-joined["weight"], joined["term"]))]
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered["term"][1:] != ordered["term"][:-1]
    return ordered[first]
