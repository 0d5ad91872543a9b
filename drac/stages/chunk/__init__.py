"""Stage 4: sections to plans of IDs, and plans back to verbatim text.

```
Section ──Planner.plan──▶ text ──reply──▶ groups ──coverage──▶ ChunkPlan* ──rebuild──▶ Chunk*
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from drac.config import PlanSettings
from drac.ports import Planner
from drac.records import ChunkPlan, Element, Section
from drac.stages.chunk.coverage import Group, Outline, complete, left_out, make_outline, without_shown
from drac.stages.chunk.local import LocalPlanner
from drac.stages.chunk.model_planner import ModelPlanner
from drac.stages.chunk.rebuild import rebuild
from drac.stages.chunk.reply import Reply, check_reply

NAME = "chunk"
VERSION = 1

__all__ = [
    "NAME",
    "VERSION",
    "LocalPlanner",
    "Map",
    "ModelPlanner",
    "PlanCounts",
    "PlanResult",
    "Question",
    "Reply",
    "assemble",
    "check_reply",
    "questions",
    "rebuild",
    "run",
]


@dataclass(frozen=True, slots=True)
class PlanCounts:
    """What the reply check found in one document; all zero for a planner that keeps to the rules."""

    unreadable: int = 0
    """Sections whose reply held no array of arrays."""
    unknown: int = 0
    """IDs that are not in the section; dropped."""
    duplicates: int = 0
    """Content IDs after their first place, and IDs repeated within a group; dropped."""
    malformed: int = 0
    """Values that are no ID, or no group; dropped."""
    left_out: int = 0
    """Content elements and bare headings that went to fallback chunks."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """The plans of one document."""

    plans: tuple[ChunkPlan, ...]
    """By section, then by the place of their first element."""
    counts: PlanCounts
    """What was dropped or added on the way."""


@dataclass(frozen=True, slots=True)
class Question:
    """One section as a planner is asked about it."""

    section_id: str
    """The section."""
    elements: tuple[Element, ...]
    """Its elements, in reading order."""
    ancestors: tuple[Element, ...]
    """The headings above it, outermost first."""


class Map(Protocol):
    """Answers in the order of the questions, worked out in any: `map`, or an executor's."""

    def __call__(self, ask: Callable[[Question], str], questions: Sequence[Question], /) -> Iterable[str]:
        """What `ask` says to each question."""


def run(
    elements: Sequence[Element],
    sections: Sequence[Section],
    settings: PlanSettings,
    planner: Planner,
    ask_all: Map = map,
) -> PlanResult:
    """Plan one document; whatever the planner answers, each content element is in exactly one plan.

    `elements` are the whole document in reading order and `sections` a partition of it. `ask_all` may ask
    about several sections at once. For many documents at once, take `questions` and `assemble` apart.
    """
    asked = questions(elements, sections)
    answers = ask_all(lambda one: planner.plan(one.elements, one.ancestors), asked)
    return assemble(elements, asked, list(answers), settings)


def questions(elements: Sequence[Element], sections: Sequence[Section]) -> tuple[Question, ...]:
    """The sections that need a plan; one of nothing but headings that breadcrumbs will show does not."""
    outline = make_outline(elements)
    by_id = {one.id: one for one in elements}
    return tuple(
        Question(one.id, _elements(by_id, one.element_ids), _elements(by_id, one.ancestors))
        for one in sections
        if any(map(outline.is_due, one.element_ids))
    )


def assemble(
    elements: Sequence[Element], asked: Sequence[Question], answers: Sequence[str], settings: PlanSettings
) -> PlanResult:
    """Plans of one document from the planner's answers, one for each of its `questions`.

    Elements that the planner left out are grouped by the local planner's rules (origin `fallback`).
    Headings without any content below them are in a plan, all others in a plan or in a breadcrumb.
    """
    outline = make_outline(elements)
    plans: list[ChunkPlan] = []
    replies: list[Reply] = []
    missing = 0
    for question, answer in zip(asked, answers, strict=True):
        replies.append(_check(answer, question.elements))
        groups = _completed(replies[-1], outline)
        rest = left_out(question.elements, groups, outline)
        missing += sum(outline.is_due(one.id) for one in rest)
        local = LocalPlanner(settings).plan(rest, question.ancestors)
        fallback = _completed(_check(local, rest), outline)
        added = [without_shown(group, groups, outline) for group in fallback]
        plans += _in_order(question.section_id, groups, added, outline)
    return PlanResult(tuple(plans), _count(replies, missing))


def _elements(by_id: Mapping[str, Element], ids: Sequence[str]) -> tuple[Element, ...]:
    return tuple(by_id[one] for one in ids)


def _check(answer: str, members: Sequence[Element]) -> Reply:
    headings = [one.id for one in members if one.level]
    return check_reply(answer, [one.id for one in members], headings)


def _completed(reply: Reply, outline: Outline) -> list[Group]:
    return [group for one in reply.groups if (group := complete(one, outline))]


def _in_order(
    section: str, groups: Sequence[Group], added: Sequence[Group], outline: Outline
) -> list[ChunkPlan]:
    plans = [ChunkPlan(section, group, "planner") for group in groups]
    plans += [ChunkPlan(section, group, "fallback") for group in added]
    return sorted(plans, key=lambda plan: outline.order[plan.element_ids[0]])


def _count(replies: Sequence[Reply], missing: int) -> PlanCounts:
    return PlanCounts(
        unreadable=sum(not reply.readable for reply in replies),
        unknown=sum(reply.unknown for reply in replies),
        duplicates=sum(reply.duplicates for reply in replies),
        malformed=sum(reply.malformed for reply in replies),
        left_out=missing,
    )
