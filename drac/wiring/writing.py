"""Models for chunkers that ask one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from drac.config import PlanSettings, load_prompt
from drac.errors import UsageError
from drac.ports import Chunker, Planner
from drac.stages.chunk import LocalPlanner
from drac.stages.chunk.strategies.metering import Ask, Meter, unmetered
from drac.stages.chunk.strategies.options import Over, Written
from drac.stages.chunk.strategies.writing import Writer
from drac.wiring.models import ModelAccess
from drac.wiring.registry import ChunkerContext, chunker

_DEEPEST = 3
"""Chunkers that may work over each other."""
Planning = tuple[Callable[[Ask], Planner], Callable[[], Meter]]


def plan_by(engine: str, plan: PlanSettings, context: ChunkerContext) -> Planning:
    """What makes a document's planner, and what meters it."""
    if engine == "local":
        return lambda _: LocalPlanner(plan), unmetered
    access = model_of("drac", engine, context)
    settings = context.settings.model_copy(update={"plan": plan})
    return lambda ask: access.planner(settings, ask), lambda: Meter(access.ask, access.usage)


def writer(strategy: str, given: Written, context: ChunkerContext) -> Writer:
    """The model of a strategy that lets one write."""
    access = model_of(strategy, given.engine, context)
    return Writer(
        model=access.settings.name,
        prompt=load_prompt(strategy),
        temperature=given.temperature,
        max_output_tokens=min(given.max_output_tokens, access.profile.output_tokens),
        at_once=access.settings.concurrency,
        server=access.server,
        meter=lambda: Meter(access.ask, access.usage),
    )


def passages(given: Over, context: ChunkerContext) -> Chunker:
    """The chunker that cuts what a model writes about; raises UsageError for a chunker over itself."""
    if context.depth >= _DEEPEST:
        raise UsageError(f"chunker `{given.over}`: chunkers over each other too deeply")
    return chunker(given.over, given.over_options, replace(context, depth=context.depth + 1))


def model_of(name: str, engine: str | None, context: ChunkerContext) -> ModelAccess:
    """The model that a chunker asks; raises UsageError where none is named."""
    chosen = engine or context.settings.plan.planner
    if chosen == "local":
        raise UsageError(
            f"chunker `{name}` asks a model and no engine is named",
            remedy='Give it `engine = "openai"` or `engine = "bedrock"`.',
        )
    if context.models is None:
        raise UsageError(f"chunker `{name}` asks a model and this run has none")
    return context.models.access(chosen)
