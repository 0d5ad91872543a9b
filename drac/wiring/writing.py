"""Models for chunkers that ask one."""

from __future__ import annotations

from collections.abc import Callable

from drac.config import PlanSettings
from drac.errors import UsageError
from drac.ports import Planner
from drac.stages.chunk import LocalPlanner
from drac.stages.chunk.strategies.metering import Ask, Meter, unmetered
from drac.wiring.models import ModelAccess
from drac.wiring.registry import ChunkerContext

Planning = tuple[Callable[[Ask], Planner], Callable[[], Meter]]


def plan_by(engine: str, plan: PlanSettings, context: ChunkerContext) -> Planning:
    """What makes a document's planner, and what meters it."""
    if engine == "local":
        return lambda _: LocalPlanner(plan), unmetered
    access = model_of("drac", engine, context)
    settings = context.settings.model_copy(update={"plan": plan})
    return lambda ask: access.planner(settings, ask), lambda: Meter(access.ask, access.usage)


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
