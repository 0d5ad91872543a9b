"""Which headings stand above an element."""

from __future__ import annotations

from collections.abc import Iterable

from drac.records import Element, ElementKind


def heading_paths(elements: Iterable[Element]) -> dict[str, tuple[str, ...]]:
    """IDs of the headings above each element, outermost first, by the element's ID.

    `elements` are a whole document in reading order. A heading is not in its own path: the headings
    above it are those of a coarser level that no heading of the same or a coarser level has closed.
    """
    paths: dict[str, tuple[str, ...]] = {}
    open_headings: list[Element] = []
    for element in elements:
        if element.kind is ElementKind.HEADING:
            while open_headings and open_headings[-1].level >= element.level:
                open_headings.pop()
        paths[element.id] = tuple(heading.id for heading in open_headings)
        if element.kind is ElementKind.HEADING:
            open_headings.append(element)
    return paths
