"""Elements to sections that a planner can take in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from drac.records import Element, ElementKind, Section
from drac.stages.outline import heading_paths

Stretch = tuple[int, int]
"""First element and the one after the last, 0-based."""


def make_sections(elements: Sequence[Element], limit: int) -> tuple[Section, ...]:
    """Partition `elements` into sections of at most `limit`, cut at the coarsest headings that do it.

    Finer headings follow where a part is still too large, runs of fixed size where it has no headings;
    small neighbours under one parent are merged again (paper: 60 elements a call).
    """
    paths = heading_paths(elements)
    stretches = _divide(elements, (0, len(elements)), limit)
    return tuple(
        Section(f"s{number}", paths[elements[start].id], tuple(one.id for one in elements[start:end]))
        for number, (start, end) in enumerate(stretches, start=1)
    )


def _divide(elements: Sequence[Element], whole: Stretch, limit: int) -> Iterator[Stretch]:
    start, end = whole
    if end - start <= limit:
        if end > start:
            yield whole
        return
    cuts = _coarsest_headings(elements, whole)
    if not cuts:
        yield from _fixed_size(whole, limit)
        return
    parts = list(zip([start, *cuts], [*cuts, end], strict=True))
    for part in _merge_small(parts, limit):
        yield from _divide(elements, part, limit)


def _coarsest_headings(elements: Sequence[Element], whole: Stretch) -> list[int]:
    """Where the coarsest headings stand; the first element is no place to cut."""
    inner = [at for at in range(whole[0] + 1, whole[1]) if elements[at].kind is ElementKind.HEADING]
    coarsest = min((elements[at].level for at in inner), default=0)
    return [at for at in inner if elements[at].level == coarsest]


def _merge_small(parts: Sequence[Stretch], limit: int) -> Iterator[Stretch]:
    start, end = parts[0]
    for part_start, part_end in parts[1:]:
        if part_end - start > limit:
            yield start, end
            start = part_start
        end = part_end
    yield start, end


def _fixed_size(whole: Stretch, limit: int) -> Iterator[Stretch]:
    """Runs of about equal length, so that the last one is no crumb."""
    start, end = whole
    size = ceil((end - start) / ceil((end - start) / limit))
    for at in range(start, end, size):
        yield at, min(at + size, end)
