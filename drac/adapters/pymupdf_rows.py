"""Whether a table may run over a page's end: a quick look at the words, so that few pages are read twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from drac.adapters.pymupdf_render import open_page

_GAP = 1.0
"""Heights of a word between two words from which they stand in different cells."""
_LINES = 20
"""Lines of print at a page's end or start in which a row is looked for.

Measured on the 559 page ends of RAG-Multi-Corpus: all 60 tables that run over to a table on the next page
are found, and 114 page ends are taken for such.
"""


def may_run_over(pdf: Path, number: int) -> bool:
    """Whether a row of cells stands at the end of the page before 1-based page `number`, and at its start.

    True where either page has no text layer, since nothing can be known of it. Raises PageError or
    CorruptDocument.
    """
    with open_page(pdf, number) as page, open_page(pdf, number - 1) as before:
        ends, starts = before.get_text("words"), page.get_text("words")
    if not ends or not starts:
        return True
    return any(map(_is_row, _lines(ends)[-_LINES:])) and any(map(_is_row, _lines(starts)[:_LINES]))


def _lines(words: Sequence[Any]) -> list[list[Any]]:
    """(left, top, right, bottom, text, ...) of each line's words, lines from the top."""
    lines: list[list[Any]] = []
    for word in sorted(words, key=_middle):
        if lines and _middle(word) < lines[-1][0][3]:
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines


def _middle(word: Any) -> float:
    return float(word[1] + word[3]) / 2


def _is_row(line: Sequence[Any]) -> bool:
    """Whether words of the line stand as far apart as cells do."""
    return any(b[0] - a[2] > _GAP * (a[3] - a[1]) for a, b in pairwise(sorted(line)))
