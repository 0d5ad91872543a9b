"""Levels of headings, the same all over a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from drac.stages.convert.page import DocumentFacts, Line

_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})+)\.?\s+\S")
MAX_LEVEL = 6


def style_of(line: Line) -> tuple[float, bool]:
    """(size in half points, bold)."""
    return (round(line.size * 2) / 2, line.bold)


def heading_level(
    lines: Iterable[Line], text: str, facts: DocumentFacts, *, title: bool = False, run_in: bool = False
) -> int:
    """1 to 6: from the document's styles, deepened by a number such as 2.1.

    A style's level is one more than the number of more prominent heading styles in the document. Where
    bookmarks tell the levels of styles, a heading that they leave out stands below those set like it.
    """
    style = max(style_of(line) for line in lines)
    level = _by_bookmarks(style, facts) or 1 + sum(1 for other in facts.heading_styles if other > style)
    if run_in and not facts.title_levels:
        level += style in facts.heading_styles
    if number := _NUMBERED.match(text):
        level = max(level, 1 + number[1].count("."))
    return 1 if title and level == 2 else min(level, MAX_LEVEL)


def _by_bookmarks(style: tuple[float, bool], facts: DocumentFacts) -> int:
    """One below the deepest level of titles at least as prominent; 0 where there are none."""
    above = [level for other, level in facts.title_levels.items() if other >= style]
    return 1 + max(above) if above else 0


def heading_styles(
    styles: Counter[tuple[float, bool]], body: tuple[float, bool]
) -> tuple[tuple[float, bool], ...]:
    """Styles that stand out from the body's, most prominent first; sizes within 0.5 points are one.

    `styles` counts the short lines that stand alone, by style.
    """
    size, bold = body
    standing_out = sorted(
        (one for one in styles if one[0] >= size + 1 or (one[1] and not bold and one[0] >= size - 0.5)),
        reverse=True,
    )
    kept: list[tuple[float, bool]] = []
    for style in standing_out:
        if not kept or kept[-1][1] != style[1] or kept[-1][0] - style[0] > 0.5:
            kept.append(style)
    return tuple(kept)
