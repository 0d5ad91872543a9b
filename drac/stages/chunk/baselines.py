"""Chunkers to compare with: they cut the text of a document's pages by length and look at nothing else."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

Piece = tuple[str, tuple[int, ...]]
"""Text of a chunk and the 1-based physical pages that it stands on."""
Cut = Callable[[str], Iterable[tuple[int, int]]]
"""Stretches of a text, start and end in code points."""
SIZE = 1_000
"""Characters of a fixed-size chunk (paper: 1,000)."""
OVERLAP = 200
"""Characters that it shares with the one before (paper: 200)."""


def fixed_size(pages: Sequence[str], size: int = SIZE, overlap: int = OVERLAP) -> list[Piece]:
    """Every `size` characters of the whole document, each beginning `overlap` before the last one's end."""
    return cut_document(pages, lambda text: _steps(len(text), size, overlap))


def page(pages: Sequence[str]) -> list[Piece]:
    """Each page that has text."""
    return [(text.strip(), (number,)) for number, text in enumerate(pages, start=1) if text.strip()]


def cut_document(pages: Sequence[str], cut: Cut) -> list[Piece]:
    """What `cut` makes of the pages' texts in a row, with the pages that each piece stands on."""
    whole = "".join(pages)
    starts = [0, *accumulate(map(len, pages))][:-1]
    pieces = []
    for start, end in cut(whole):
        text = whole[start:end]
        if text.strip():
            first = start + len(text) - len(text.lstrip())
            numbers = _pages(starts, first, start + len(text.rstrip()))
            pieces.append((text.strip(), tuple(n for n in numbers if pages[n - 1].strip())))
    return pieces


def _steps(length: int, size: int, overlap: int) -> Iterable[tuple[int, int]]:
    """The last piece ends with the text; none lies wholly in the one before."""
    last = max(1, length - overlap)
    return ((start, min(start + size, length)) for start in range(0, last, size - overlap))


def _pages(starts: Sequence[int], begin: int, end: int) -> range:
    return range(bisect_right(starts, begin), bisect_right(starts, end - 1) + 1)
