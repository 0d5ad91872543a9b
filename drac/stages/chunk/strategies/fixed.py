"""Chunks of a fixed number of characters, words or tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drac.sentences import Stretch
from drac.stages.chunk.strategies.spans import Cut, Tokens

_WORD = re.compile(r"\S+")


def characters(text: str) -> Sequence[Stretch]:
    """One token a code point."""
    return [(at, at + 1) for at in range(len(text))]


def words(text: str) -> Sequence[Stretch]:
    """One token a run of characters that are not white space."""
    return [match.span() for match in _WORD.finditer(text)]


def fixed(tokens: Tokens, size: int, overlap: int = 0) -> Cut:
    """Every `size` tokens, each stretch beginning `overlap` tokens before the last one's end.

    The last stretch ends with the text; none lies wholly in the one before. 0 <= overlap < size. What
    stands between two tokens (a tokenizer may drop characters) goes with the first of them.
    """

    def cut(text: str) -> Iterator[Stretch]:
        bounds = [0, *(start for start, _ in tokens(text)[1:]), len(text)]
        count = len(bounds) - 1
        for first in range(0, max(1, count - overlap), size - overlap):
            yield bounds[first], bounds[min(first + size, count)]

    return cut
