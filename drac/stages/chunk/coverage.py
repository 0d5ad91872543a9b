"""Groups become plans: every content element in exactly one, no heading lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from drac.records import Element, ElementKind
from drac.stages.outline import heading_paths

Group = tuple[str, ...]
"""Element IDs in reading order."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What the document's headings say about its elements."""

    order: Mapping[str, int]
    """Place of each element in reading order, from 0."""
    paths: Mapping[str, tuple[str, ...]]
    """Headings above each element, outermost first."""
    headings: frozenset[str]
    """IDs of all headings."""
    bare: frozenset[str]
    """Headings above no content at all: no breadcrumb will show them, so a body must."""

    def is_due(self, element_id: str) -> bool:
        """Whether some body must hold the element."""
        return element_id not in self.headings or element_id in self.bare


def make_outline(elements: Sequence[Element]) -> Outline:
    """The outline of a whole document."""
    paths = heading_paths(elements)
    headings = frozenset(one.id for one in elements if one.kind is ElementKind.HEADING)
    above = {heading for one in elements if one.id not in headings for heading in paths[one.id]}
    order = {one.id: at for at, one in enumerate(elements)}
    return Outline(order, paths, headings, headings - above)


def common_path(group: Iterable[str], outline: Outline) -> tuple[str, ...]:
    """Headings above all content of a group; of its headings where it has no content."""
    members = list(group)
    content = [one for one in members if one not in outline.headings]
    paths = [outline.paths[one] for one in content or members]
    shared: list[str] = []
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return tuple(shared)


def complete(group: Group, outline: Outline) -> Group:
    """The group in reading order, each content element under its own headings.

    Headings that stand above none of its content go (bare ones stay); where its content stands under
    different headings, or under a heading in the group, the headings down from there are added. A group
    of headings that breadcrumbs show anyway comes back empty.
    """
    chosen = set(group)
    content = chosen - outline.headings
    shared = len(common_path(group, outline))
    kept = content | (chosen & outline.bare)
    for one in content:
        path = outline.paths[one]
        first = next((at for at, heading in enumerate(path) if heading in chosen), len(path))
        kept.update(path[min(first, shared) :])
    return tuple(sorted(kept, key=outline.order.__getitem__))


def left_out(section: Sequence[Element], groups: Iterable[Group], outline: Outline) -> list[Element]:
    """Content and bare headings of the section that no group holds, with the headings above that content."""
    placed = {one for group in groups for one in group}
    missing = {one.id for one in section if outline.is_due(one.id) and one.id not in placed}
    above = {heading for one in missing for heading in outline.paths[one]}
    return [one for one in section if one.id in missing or one.id in above]


def without_shown(group: Group, others: Iterable[Group], outline: Outline) -> Group:
    """The group without its first headings, as far as other groups hold them: a breadcrumb will do."""
    placed = outline.headings.intersection(one for other in others for one in other)
    return tuple(dropwhile(placed.__contains__, group))
