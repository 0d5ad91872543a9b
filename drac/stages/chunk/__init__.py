"""Stage 4: sections to plans of IDs, and plans back to verbatim text.

```
Section ──Planner.plan──▶ text ──reply──▶ groups ──coverage──▶ ChunkPlan* ──rebuild──▶ Chunk*
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drac.config import PlanSettings
from drac.ports import Planner
from drac.records import ChunkPlan, Element, Section
from drac.stages.chunk.coverage import Group, Outline, complete, left_out, make_outline, without_shown
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

    `elements` are the whole document in reading order and `sections` a partition of it; a section of
    nothing but headings that breadcrumbs will show is not asked about. Elements that the planner left out
    are grouped by the local planner's rules (origin `fallback`). Headings without any content below them
    are in a plan, all others in a plan or in a breadcrumb.
    """
    outline = make_outline(elements)
    due = [section for section in sections if any(outline.is_due(one) for one in section.element_ids)]
    by_id = {one.id: one for one in elements}
    plans: list[ChunkPlan] = []
    replies: list[Reply] = []
    missing = 0
    for section in due:
        members = [by_id[one] for one in section.element_ids]
        ancestors = [by_id[one] for one in section.ancestors]
        replies.append(_ask(planner, members, ancestors))
        groups = _completed(replies[-1], outline)
        rest = left_out(members, groups, outline)
        missing += sum(outline.is_due(one.id) for one in rest)
        fallback = _completed(_ask(LocalPlanner(settings), rest, ancestors), outline)
        added = [without_shown(group, groups, outline) for group in fallback]
        plans += _in_order(section.id, groups, added, outline)
    return PlanResult(tuple(plans), _count(replies, missing))


def _ask(planner: Planner, members: Sequence[Element], ancestors: Sequence[Element]) -> Reply:
    ids = [one.id for one in members]
    headings = [one.id for one in members if one.level]
    return check_reply(planner.plan(members, ancestors), ids, headings)


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
