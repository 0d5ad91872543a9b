"""Retrievers and rerankers by their names: `late`, `sparse`, `cross-encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from drac.config import SearchSettings
from drac.errors import UsageError
from drac.pipeline.encoding import RowMethod
from drac.ports import Reranker, RowIndex, Rows


def row_method(name: str, settings: SearchSettings, model: str | None = None) -> RowMethod:
    """`late` or `sparse` with the settings' model or another; raises MissingExtra."""
    if name == "late":
        return _late(model or settings.late_model)
    if name == "sparse":
        return _sparse(model or settings.sparse_model)
    raise UsageError(f"{name} is no retriever of many rows", remedy="Give `late` or `sparse`.")


@cache
def _late(model: str) -> RowMethod:
    from drac.adapters.fastplaid import FastPlaidIndex, needed
    from drac.adapters.late_encoder import LateEncoder

    tools = needed()
    return RowMethod("late", LateEncoder(model), FastPlaidIndex.build, FastPlaidIndex.load, tools)


@cache
def _sparse(model: str) -> RowMethod:
    from drac.adapters.sparse_encoder import SparseTextEncoder

    return RowMethod("sparse", SparseTextEncoder(model), _build_sparse, _load_sparse, {"postings": "1"})


def _build_sparse(texts: Sequence[Rows], folder: Path) -> None:
    from drac.adapters.sparse_index import SparseIndex

    SparseIndex.of(texts).save(folder)


def _load_sparse(folder: Path) -> RowIndex:
    from drac.adapters.sparse_index import SparseIndex

    return SparseIndex.load(folder)


@cache
def reranker(name: str, model: str = "") -> Reranker:
    """The reranker of that name with a model, or with its own; raises UsageError, MissingExtra."""
    if name == "cross-encoder":
        from drac.adapters import cross_encoder

        return cross_encoder.CrossEncoderReranker(model or cross_encoder.MODEL)
    raise UsageError(f"--reranker {name}: there is no such thing", remedy="Give one of: cross-encoder.")
