"""Our chunkers by name: options to objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from drac.ports import Chunker
from drac.stages.chunk.strategies import fixed, options
from drac.stages.chunk.strategies.paragraphs import paragraph_merge
from drac.stages.chunk.strategies.semantic import below_usual
from drac.stages.chunk.strategies.spans import PageChunker, SpanChunker, Tokens
from drac.wiring.registry import ChunkerContext


@dataclass(frozen=True, slots=True)
class Builder:
    """How one kind of chunker is made."""

    options: type[Any]
    """Pydantic model of its options."""
    make: Callable[[Any, ChunkerContext], Chunker]
    """Makes it of options that were checked."""


def _page(_: options.PageOptions, __: ChunkerContext) -> Chunker:
    return PageChunker()


def _token(given: options.TokenOptions, _: ChunkerContext) -> Chunker:
    from drac.adapters import chonkie_chunkers as chonkie
    from drac.adapters.tokenizer import tokenizer

    chonkie.needed("token")
    counts = tokenizer(given.tokenizer)
    cut = chonkie.token(counts, given.size, given.overlap)
    return SpanChunker("token", cut, {**chonkie.fingerprint("token"), **counts.fingerprint})


def _sentence(given: options.SentenceOptions, _: ChunkerContext) -> Chunker:
    from drac.adapters import chonkie_chunkers as chonkie
    from drac.adapters.tokenizer import tokenizer

    chonkie.needed("sentence")
    counts = tokenizer(given.tokenizer)
    cut = chonkie.sentence(counts, given.size, given.overlap, given.min_sentences)
    return SpanChunker("sentence", cut, {**chonkie.fingerprint("sentence"), **counts.fingerprint})


def _recursive(given: options.RecursiveOptions, _: ChunkerContext) -> SpanChunker:
    from drac.adapters import chonkie_chunkers as chonkie
    from drac.adapters.tokenizer import tokenizer

    chonkie.needed("recursive")
    counts = tokenizer(given.tokenizer)
    cut = chonkie.recursive(counts, given.size, given.min_characters)
    return SpanChunker("recursive", cut, {**chonkie.fingerprint("recursive"), **counts.fingerprint})


def _late(given: options.LateOptions, context: ChunkerContext) -> Chunker:
    from drac.adapters.late_chunking import LateChunking

    model = context.settings.search.model
    pooled = LateChunking(model, window_tokens=given.window, overlap=given.window_overlap)
    return replace(_recursive(given, context), name="late", embedder=pooled)


def _fast(given: options.FastOptions, _: ChunkerContext) -> Chunker:
    from drac.adapters import chonkie_chunkers as chonkie

    chonkie.needed("fast")
    return SpanChunker("fast", chonkie.fast(given.size, given.delimiters), chonkie.fingerprint("fast"))


def _neural(given: options.NeuralOptions, _: ChunkerContext) -> Chunker:
    from drac.adapters.chonkie_neural import NeuralCut

    cut = NeuralCut(given.model, given.min_characters)
    return SpanChunker("neural", cut, cut.fingerprint)


def _fixed(given: options.FixedOptions, _: ChunkerContext) -> Chunker:
    tokens: Tokens = fixed.words if given.unit == "words" else fixed.characters
    cut = fixed.fixed(tokens, given.size, given.overlap)
    return SpanChunker("fixed-size", cut, _rules("fixed-size"))


def _paragraph(given: options.ParagraphOptions, _: ChunkerContext) -> Chunker:
    from drac.adapters.tokenizer import tokenizer

    counts = tokenizer(given.tokenizer)
    cut = paragraph_merge(counts, given.size, fixed.fixed(counts, given.size, given.overlap))
    return SpanChunker("paragraph", cut, {**_rules("paragraph"), **counts.fingerprint})


def _semantic(given: options.SemanticOptions, context: ChunkerContext) -> Chunker:
    from drac.adapters import chonkie_chunkers as chonkie
    from drac.adapters.tokenizer import tokenizer

    chonkie.needed("semantic")
    embedder, counts = context.embedder(), tokenizer(given.tokenizer)
    cut = chonkie.semantic(
        embedder, counts, chunk_size=given.size, threshold=given.threshold,
        similarity_window=given.similarity_window, min_sentences_per_chunk=given.min_sentences,
        skip_window=given.skip_window,
    )  # fmt: skip
    made_of = {**chonkie.fingerprint("semantic"), **counts.fingerprint, **embedder.fingerprint}
    return SpanChunker("semantic", cut, made_of)


def _threshold(given: options.ThresholdOptions, context: ChunkerContext) -> Chunker:
    embedder = context.embedder()
    made_of = {**_rules("semantic-threshold"), **embedder.fingerprint}
    return SpanChunker("semantic-threshold", below_usual(embedder, given.k), made_of)


def _drac(given: options.DracOptions, context: ChunkerContext) -> Chunker:
    from drac.pipeline.structured import StructureChunker
    from drac.wiring.writing import plan_by

    settings = context.settings
    changes = given.model_dump(exclude_none=True, include=set(type(settings.plan).model_fields))
    plan = settings.plan.model_copy(update=changes)
    changes = given.model_dump(exclude_none=True, include=set(type(settings.structure).model_fields))
    structure = settings.structure.model_copy(update=changes)
    planner, meter = plan_by(given.planner, plan, context)
    at_once = 1 if given.planner == "local" else settings.model.concurrency
    return StructureChunker("drac", structure, plan, planner, meter, at_once)


def _hierarchical(given: options.HierarchicalOptions, context: ChunkerContext) -> Chunker:
    from drac.pipeline.structured import HierarchicalChunker

    changes = given.model_dump(exclude_none=True)
    return HierarchicalChunker("hierarchical", context.settings.structure.model_copy(update=changes))


def _contextual(given: options.ContextualOptions, context: ChunkerContext) -> Chunker:
    from drac.stages.chunk.strategies.contextual import ContextualChunker
    from drac.wiring import writing

    by = writing.writer("contextual", given, context)
    return ContextualChunker(writing.passages(given, context), by, given.around)


def _proposition(given: options.PropositionOptions, context: ChunkerContext) -> Chunker:
    from drac.stages.chunk.strategies.proposition import PropositionChunker
    from drac.wiring import writing

    by = writing.writer("proposition", given, context)
    return PropositionChunker(writing.passages(given, context), by)


def _agentic(given: options.AgenticOptions, context: ChunkerContext) -> Chunker:
    from drac.stages.chunk.strategies.agentic import AgenticChunker
    from drac.wiring import writing

    return AgenticChunker(writing.writer("agentic", given, context), given.portion)


def _rules(strategy: str) -> dict[str, str]:
    return {"strategy": strategy, "rules": "1"}


BUILDERS: Mapping[str, Builder] = {
    "drac": Builder(options.DracOptions, _drac),
    "page": Builder(options.PageOptions, _page),
    "fixed-size": Builder(options.FixedOptions, _fixed),
    "token": Builder(options.TokenOptions, _token),
    "sentence": Builder(options.SentenceOptions, _sentence),
    "recursive": Builder(options.RecursiveOptions, _recursive),
    "late": Builder(options.LateOptions, _late),
    "fast": Builder(options.FastOptions, _fast),
    "paragraph": Builder(options.ParagraphOptions, _paragraph),
    "semantic": Builder(options.SemanticOptions, _semantic),
    "neural": Builder(options.NeuralOptions, _neural),
    "semantic-threshold": Builder(options.ThresholdOptions, _threshold),
    "hierarchical": Builder(options.HierarchicalOptions, _hierarchical),
    "contextual": Builder(options.ContextualOptions, _contextual),
    "proposition": Builder(options.PropositionOptions, _proposition),
    "agentic": Builder(options.AgenticOptions, _agentic),
}
"""What an experiment may name."""
