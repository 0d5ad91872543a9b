"""Stages 4 and 5 as an experiment names them: retrievers with their options, and aggregations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, ValidationError

from drac.bench.experiment import Component
from drac.config import EvaluateSettings, SearchSettings, Settings
from drac.errors import UsageError
from drac.evaluate.chunk_sets import SetChunk
from drac.mistakes import explain, nearest
from drac.pipeline.evaluating import BEHIND, RETRIEVERS
from drac.pipeline.recipes import embed_recipe, rows_recipe
from drac.ports import Embedder
from drac.retrieve.pages import AGGREGATES, Aggregate
from drac.retrieve.retrievers import Retriever
from drac.wiring import registry
from drac.wiring.own import fingerprint
from drac.wiring.retrieval import reranker_label, row_method

_OF_EVALUATION = {"top_k": "chunks", "merge_share": "merge_share", "long_texts": "long_texts"}
"""Options of every retriever, and the settings of [evaluate] that they stand for."""
_OF_SEARCH = frozenset(SearchSettings.model_fields) - {"retriever", "top_k"}
"""Options of our own retrievers: settings of [search]."""
Embedders = Callable[[SearchSettings], Embedder]
"""Gives the embedding model that settings name; loads nothing yet."""
_OTHERS = {
    "retriever", "top_k", "embedder", "model", "base_url", "endpoint_url", "late_model", "sparse_model",
    "reranker", "reranker_model",
}  # fmt: skip
"""Settings of [search] that shape no ranking here, or that fingerprints tell better."""
_EMBEDS = frozenset(("dense", "hybrid"))
_ROWS = {"late": "late_model", "sparse": "sparse_model"}
"""Retrievers with models of their own, and the settings that name these."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How one configuration finds chunks and ranks pages."""

    name: str
    """The retriever."""
    spec: str
    """The same, with ` + ` and the reranker where there is one behind it, as `Judge.retriever` takes it."""
    settings: Settings
    """The experiment's, with the retriever's options in their place."""
    own: Callable[[Sequence[SetChunk]], Retriever] | None
    """Makes a user's own retriever over chunks; None: it is one of ours."""
    aggregate: Aggregate
    """A page's score of its chunks' scores."""
    how: Mapping[str, Any]
    """What can change a ranking or a measure, for the digest: names, options, settings."""
    tools: Mapping[str, str]
    """Versions and weights, likewise."""

    @property
    def embeds(self) -> bool:
        """Whether it searches vectors of the embedding model."""
        return self.name in _EMBEDS


def retrieval(
    retriever: Component, aggregation: Component, settings: Settings, embedder: Embedders
) -> Retrieval:
    """What the two components stand for; loads no model. Raises UsageError.

    `embedder` gives the embedding model that settings of [search] name.
    """
    chosen, left = _settings(retriever, settings)
    own, tools = _own(retriever.name, left)
    spec = retriever.name
    if own is None:
        spec, behind = _spec(retriever.name, chosen)
        tools = {**_fingerprint(retriever.name, chosen, embedder), **behind}
    aggregate, code = _aggregation(aggregation)
    judged = chosen.evaluate.model_dump(exclude={"samples", "seed", "page_score"})
    search = left if own else _search(retriever.name, chosen.search)
    how = {
        "retriever": retriever.name, "search": search, "evaluate": judged,
        "aggregation": aggregation.name, "aggregation_options": aggregation.options,
    }  # fmt: skip
    return Retrieval(retriever.name, spec, chosen, own, aggregate, how, {**tools, **code})


def _settings(retriever: Component, settings: Settings) -> tuple[Settings, dict[str, Any]]:
    """The settings with the options in their place, and the options of a user's own retriever."""
    given = retriever.options
    known = set(_OF_EVALUATION) | (_OF_SEARCH if retriever.name in RETRIEVERS else set())
    left = {key: value for key, value in given.items() if key not in known}
    if retriever.name in RETRIEVERS and left:
        said = "; ".join(f"{key}: no such option{nearest(key, known)}" for key in left)
        raise _wrong(retriever, said, known)
    judged = {_OF_EVALUATION[key]: value for key, value in given.items() if key in _OF_EVALUATION}
    model = _ROWS.get(retriever.name, "model")
    search = {
        model if key == "model" else key: value
        for key, value in given.items() if key in known - set(_OF_EVALUATION)
    }  # fmt: skip
    try:
        changes = {
            "evaluate": EvaluateSettings.model_validate(
                {**settings.evaluate.model_dump(exclude_unset=True), **judged}
            ),
            "search": SearchSettings.model_validate(
                {**settings.search.model_dump(exclude_unset=True), **search}
            ),
        }
    except ValidationError as error:
        raise _wrong(retriever, explain(error), known) from error
    return settings.model_copy(update=changes), left


def _stated(settings: BaseModel) -> dict[str, Any]:
    return settings.model_dump(exclude_unset=True)


def _wrong(retriever: Component, said: str, known: set[str]) -> UsageError:
    return UsageError(
        f"retriever `{retriever.name}`: {said}", remedy=f"Its options are: {', '.join(sorted(known))}."
    )


def _search(name: str, search: SearchSettings) -> dict[str, Any]:
    """Settings of [search], and rules of embedding, that can change a ranking."""
    rules = [] if name == "bm25" else [embed_recipe({}, search.passages), rows_recipe({})]
    return {**search.model_dump(exclude=_OTHERS), "rules": rules}


def _own(
    name: str, options: Mapping[str, Any]
) -> tuple[Callable[[Sequence[SetChunk]], Retriever] | None, dict[str, str]]:
    """A user's own retriever: what `module:name` or an entry point gives, called with the chunks."""
    if name in RETRIEVERS:
        return None, {}
    loaded = registry.load("retrievers", name, RETRIEVERS)
    if not callable(loaded.found):
        raise UsageError(
            f"retriever `{name}`: cannot be called",
            remedy="Give a class or function of the chunks whose result has `search(query, k)`.",
        )
    return partial(loaded.found, **options), fingerprint(loaded)


def _fingerprint(name: str, settings: Settings, embedder: Embedders) -> dict[str, str]:
    tools: dict[str, str] = {}
    if name in ("bm25", "hybrid"):
        tools["bm25s"] = version("bm25s")
    if name in _ROWS:
        tools |= row_method(name, settings.search, "").fingerprint
    if name in _EMBEDS:
        tools |= {**embedder(settings.search).fingerprint, "faiss": version("faiss-cpu")}
    return tools


def _spec(name: str, settings: Settings) -> tuple[str, dict[str, str]]:
    """The retriever with its reranker, and what names that."""
    search = settings.search
    if search.reranker == "none":
        return name, {}
    label = reranker_label(search.reranker, search.reranker_model or "")
    behind = f"{search.reranker}:{search.reranker_model}" if search.reranker_model else search.reranker
    candidates = search.rerank_over_fetch * search.top_k
    return f"{name}{BEHIND}{behind}", {"reranker": label, "candidates": str(candidates)}


def _aggregation(chosen: Component) -> tuple[Aggregate, dict[str, str]]:
    if chosen.name in AGGREGATES and not chosen.options:
        return AGGREGATES[chosen.name], {}
    if chosen.name in AGGREGATES:
        raise UsageError(f"aggregation `{chosen.name}` has no options", remedy="Leave them out.")
    loaded = registry.load("aggregations", chosen.name, tuple(AGGREGATES))
    code = {f"aggregation {key}": value for key, value in fingerprint(loaded).items()}
    return _tried(chosen.name, partial(loaded.found, **chosen.options)), code


def _tried(name: str, function: Callable[[Sequence[float]], Any]) -> Aggregate:
    try:
        float(function([2.0, 1.0]))
    except Exception as error:  # whatever the user's own module raises
        raise UsageError(
            f"aggregation `{name}` is no function of scores: {type(error).__name__}: {error}",
            remedy="Give a function from a page's chunks' scores, best first, to a number.",
        ) from error
    return function
