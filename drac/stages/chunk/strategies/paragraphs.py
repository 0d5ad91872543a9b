"""Paragraphs joined up to a size; one that is larger is cut by length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drac.sentences import Stretch
from drac.stages.chunk.strategies.spans import Cut, Tokens

_BREAK = re.compile(r"(?:\r\n?|\n)[ \t]*(?:(?:\r\n?|\n)[ \t]*)+")


def paragraphs(text: str) -> list[Stretch]:
    """What stands between blank lines; they follow one another, the blank lines left out."""
    breaks = [match.span() for match in _BREAK.finditer(text)]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def paragraph_merge(tokens: Tokens, size: int, fallback: Cut) -> Cut:
    """Neighbouring paragraphs of at most `size` tokens together; a larger one goes to `fallback`."""

    def cut(text: str) -> Iterator[Stretch]:
        open_at: int | None = None
        end = held = 0
        for first, last in paragraphs(text):
            count = len(tokens(text[first:last]))
            if open_at is not None and held + count > size:
                yield open_at, end
                open_at = None
            if count > size:
                yield from ((first + a, first + b) for a, b in fallback(text[first:last]))
                continue
            open_at, held = (first, count) if open_at is None else (open_at, held + count)
            end = last
        if open_at is not None:
            yield open_at, end

    return cut
