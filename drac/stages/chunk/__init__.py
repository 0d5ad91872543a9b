"""Stage 4: sections to plans of IDs, and plans back to verbatim text.

```
Section ──Planner.plan──▶ text ──reply──▶ groups ──coverage──▶ ChunkPlan* ──rebuild──▶ Chunk*
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drac.config import PlanSettings
from drac.ports import Planner
from drac.records import ChunkPlan, Element, Section
from drac.stages.chunk.coverage import Group, Outline, complete, left_out, make_outline
from drac.stages.chunk.local import LocalPlanner
from drac.stages.chunk.rebuild import rebuild
from drac.stages.chunk.reply import Reply, check_reply

NAME = "chunk"
VERSION = 1

__all__ = [
    "NAME",
    "VERSION",
    "LocalPlanner",
    "PlanCounts",
    "PlanResult",
    "Reply",
    "check_reply",
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


def run(
    elements: Sequence[Element], sections: Sequence[Section], settings: PlanSettings, planner: Planner
) -> PlanResult:
    """Plan one document; whatever the planner answers, each content element is in exactly one plan.

    `elements` are the whole document in reading order and `sections` a partition of it. Elements that the
    planner left out are grouped by the local planner's rules (origin `fallback`). Headings without any
    content below them are in a plan, all others in a plan or in a breadcrumb.
    """
    outline = make_outline(elements)
    by_id = {one.id: one for one in elements}
    fallback = LocalPlanner(settings)
    plans: list[ChunkPlan] = []
    replies: list[Reply] = []
    missing = 0
    for section in sections:
        members = [by_id[one] for one in section.element_ids]
        ancestors = [by_id[one] for one in section.ancestors]
        reply = _ask(planner, members, ancestors)
        groups = [group for one in reply.groups if (group := complete(one, outline))]
        rest = left_out(members, groups, outline)
        added = list(_fall_back(fallback, rest, ancestors, outline))
        placed = [(group, "planner") for group in groups] + [(group, "fallback") for group in added]
        placed.sort(key=lambda plan: outline.order[plan[0][0]])
        plans += [ChunkPlan(section.id, group, origin) for group, origin in placed]
        replies.append(reply)
        missing += sum(_is_due(one, outline) for one in rest)
    return PlanResult(tuple(plans), _count(replies, missing))


def _ask(planner: Planner, members: Sequence[Element], ancestors: Sequence[Element]) -> Reply:
    ids = [one.id for one in members]
    headings = [one.id for one in members if one.level]
    return check_reply(planner.plan(members, ancestors), ids, headings)


def _fall_back(
    planner: LocalPlanner, rest: Sequence[Element], ancestors: Sequence[Element], outline: Outline
) -> Iterator[Group]:
    if rest:
        ids = [one.id for one in rest]
        for group in check_reply(planner.plan(rest, ancestors), ids).groups:
            if completed := complete(group, outline):
                yield completed


def _is_due(element: Element, outline: Outline) -> bool:
    return element.id not in outline.headings or element.id in outline.bare


def _count(replies: Sequence[Reply], missing: int) -> PlanCounts:
    return PlanCounts(
        unreadable=sum(not reply.readable for reply in replies),
        unknown=sum(reply.unknown for reply in replies),
        duplicates=sum(reply.duplicates for reply in replies),
        malformed=sum(reply.malformed for reply in replies),
        left_out=missing,
    )
