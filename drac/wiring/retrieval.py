"""Retrievers and rerankers by their names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drac.config import SearchSettings, Settings
from drac.errors import UsageError
from drac.pipeline.encoding import RowMethod
from drac.pipeline.reranking import TEXTS, AskedReranker
from drac.ports import Reranker, RowIndex, Rows
from drac.profiles import find_profile
from drac.retrieve.maxsim import MaxSim
from drac.wiring.embedding import window_of

if TYPE_CHECKING:
    from drac.wiring import Models

EXACT = 10_000
"""Tokens of all texts below which each is looked at: that takes a millisecond, and FastPlaid, which learns
from the vectors how to shorten them, fails on a few dozen."""
ASKED = {"cohere": "rerank-v3.5", "bedrock": "cohere.rerank-v3-5:0"}
"""Rerankers that are asked over the network, and their models where none is named."""


def row_method(name: str, settings: SearchSettings, model: str | None = None) -> RowMethod:
    """`late` or `sparse` with the settings' model or another; raises MissingExtra."""
    if name == "late":
        return _late(model or settings.late_model)
    if name == "sparse":
        return _sparse(model or settings.sparse_model)
    raise UsageError(f"{name} is no retriever of many rows", remedy="Give `late` or `sparse`.")


@cache
def _late(model: str) -> RowMethod:
    from drac.adapters.fastplaid import needed
    from drac.adapters.late_encoder import LateEncoder

    tools = {**needed(), "exact": f"below {EXACT:,} tokens"}
    return RowMethod("late", LateEncoder(model), _build_late, _load_late, tools)


def _build_late(texts: Sequence[Rows], folder: Path) -> None:
    from drac.adapters.fastplaid import FastPlaidIndex

    if sum(map(len, texts)) < EXACT:
        MaxSim.of(texts).save(folder)
    else:
        FastPlaidIndex.build(texts, folder)


def _load_late(folder: Path) -> RowIndex:
    from drac.adapters.fastplaid import FastPlaidIndex

    return MaxSim.load(folder) if MaxSim.is_in(folder) else FastPlaidIndex.load(folder)


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


def reranker(name: str, model: str, settings: Settings, models: Models | None = None) -> Reranker:
    """The reranker of that name with a model, or with its own; raises UsageError, MissingExtra.

    `models`: those of the command, which one that is asked over the network belongs to.
    """
    if name == "cross-encoder":
        return _cross_encoder(model)
    if name not in ASKED:
        raise UsageError(f"--reranker {name}: there is no such thing", remedy="Name another.")
    if models is None:
        raise UsageError(f"the reranker {name} is paid for and not asked here", remedy="Take cross-encoder.")
    named = settings.model.model_copy(update={"name": model or ASKED[name]})
    if name == "cohere":  # the address of the settings is of a server of chat completions
        named = named.model_copy(update={"base_url": None})
    access = models.access(name, settings.model_copy(update={"model": named}), "rerank")
    label = f"{name}:{access.label}"
    return AskedReranker(label, named.name, window_of(access.profile), access.asker.ask)


def reranker_label(name: str, model: str) -> str:
    """What results call a reranker; loads and asks nothing."""
    return f"{name}:{model or ASKED[name]}" if name in ASKED else _cross_encoder(model).label


@cache
def _cross_encoder(model: str) -> Reranker:
    from drac.adapters import cross_encoder

    return cross_encoder.CrossEncoderReranker(model or cross_encoder.MODEL)


def estimate(named: str, queries: int, settings: Settings) -> dict[str, Any] | None:
    """Requests, searches and dollars of a reranker for so many questions, at most; None for one of ours."""
    name, _, model = named.partition(":")
    if name not in ASKED:
        return None
    search = settings.search
    profile = find_profile(model or ASKED[name], settings.models)
    texts = search.rerank_over_fetch * search.top_k
    searches = queries * ceil(texts / TEXTS)
    return {
        "reranker": f"{name}:{profile.id}", "questions": queries, "texts_a_question": texts,
        "searches": searches, "usd": profile.search_cost(0, searches), "price_source": profile.price_source,
        "price_date": profile.price_date, "verified": profile.verified,
    }  # fmt: skip
