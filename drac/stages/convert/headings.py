"""Levels of headings, the same all over a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import takewhile

from drac.stages.convert.page import DocumentFacts, Line

_SECTIONS = {10.0: (14.5, 12.0, 10.0), 11.0: (14.5, 12.0, 11.0), 12.0: (17.5, 14.5, 12.0)}
"""Sizes of sections, subsections and subsubsections by the body's, all bold, in LaTeX's class article."""
Style = tuple[float, bool]
"""(size in half points, bold)."""
Place = tuple[int, str]
"""1-based page and title, by `title_key`."""
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})+)\.?\s+\S")
MAX_LEVEL = 6


def style_of(line: Line) -> Style:
    """(size in half points, bold)."""
    return (round(line.size * 2) / 2, line.bold)


def heading_level(
    lines: Iterable[Line],
    text: str,
    facts: DocumentFacts,
    *,
    told: int = 0,
    title: bool = False,
    run_in: bool = False,
) -> int:
    """1 to 6: from the document's styles, deepened by a number such as 2.1.

    A style's level is one more than the number of more prominent heading styles in the document. Where
    bookmarks tell the levels of styles, a heading that they leave out stands below those set like it.
    `told` is what a bookmark says of this one, from 1.
    """
    style = max(style_of(line) for line in lines)
    if told or style in facts.class_levels:
        return told or facts.class_levels[style] + (run_in or bool(facts.title_levels))
    level = _by_bookmarks(style, facts) or 1 + sum(1 for other in facts.heading_styles if other > style)
    if run_in and not facts.title_levels:
        level += style in facts.heading_styles
    if number := _NUMBERED.match(text):
        level = max(level, 1 + number[1].count("."))
    return 1 if title and level == 2 else min(level, MAX_LEVEL)


def _by_bookmarks(style: Style, facts: DocumentFacts) -> int:
    """One below the deepest level of titles at least as prominent; 0 where there are none."""
    above = [level for other, level in facts.title_levels.items() if other >= style]
    return 1 + max(above) if above else 0


def class_levels(styles: Iterable[Style], body: Style) -> dict[Style, int]:
    """Levels of the heading styles of a document that TeX made, where it has LaTeX's sections and no others.

    A document may begin with a subsection, or leave it out between a section and a subsubsection.
    """
    known = {(size, True): level for level, size in enumerate(_SECTIONS.get(body[0], ()), 1)}
    fits = not body[1] and all(style in known for style in styles)
    return known if fits else {}


def bookmark_levels(
    bookmarks: Mapping[Place, int], styles: Mapping[Place, Style], levels: Mapping[Style, int]
) -> dict[Place, int]:
    """The bookmarks' levels, in their order, not above those of `levels` for the styles of their titles.

    Bookmarks do not count a level that is left out, so that a subsubsection right below a section is second.
    """
    path: list[tuple[int, int]] = []
    found = {}
    for place, told in bookmarks.items():
        while path and path[-1][0] >= told:
            path.pop()
        above = path[-1][1] if path else 0
        level = max(above + 1, levels.get(styles.get(place, (0.0, False)), 0)) if levels else told
        path.append((told, level))
        found[place] = min(level, MAX_LEVEL)
    return found


def is_heading_style(style: Style, facts: DocumentFacts) -> bool:
    """Whether a style is one of the document's heading styles, or more prominent than all."""
    return style in facts.heading_styles or bool(facts.heading_styles and style > facts.heading_styles[0])


def heading_styles(
    styles: Counter[Style],
    body: Style,
    covers: Collection[Style] = (),
) -> tuple[Style, ...]:
    """Styles that stand out from the body's, most prominent first; sizes within 0.5 points are one.

    `styles` counts the short lines that stand alone, by style. `covers` are those that stand on the first
    or last page only: the most prominent of them count as one, or a cover would push all levels down.
    """
    size, bold = body
    standing_out = sorted(
        (one for one in styles if one[0] >= size + 1 or (one[1] and not bold and one[0] >= size - 0.5)),
        reverse=True,
    )
    kept: list[Style] = []
    for style in standing_out:
        if not kept or kept[-1][1] != style[1] or kept[-1][0] - style[0] > 0.5:
            kept.append(style)
    leading = len(list(takewhile(covers.__contains__, kept)))
    return tuple(kept[max(leading - 1, 0) :] if leading < len(kept) else kept)
