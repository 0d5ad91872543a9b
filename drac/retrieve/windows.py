"""Cutting a text into pieces that fit an embedding model's window; nothing is left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from drac.sentences import Stretch, sentences


def windows(text: str, tokens: Sequence[Stretch], budget: int, count: Callable[[str], int]) -> list[Stretch]:
    """Stretches that follow one another, cover `text` wholly and hold at most `budget` tokens each.

    `tokens` are the tokens' stretches in `text` without special tokens; `count` tokenizes a piece
    anew, for a cut can change the tokens beside it. Pieces are of about equal length and end at the
    end of a line or sentence where one is in reach, else between words, else between tokens. Only a
    single character of more tokens than `budget` gives a piece past it.
    """
    cutter = _Cutter(text, [start for start, _ in tokens], frozenset(s for s, _ in sentences(text)), count)
    pieces: list[Stretch] = []
    begin = 0
    while begin < len(text):
        end = cutter.end_of_piece(begin, budget)
        pieces.append((begin, end))
        begin = end
    return pieces or [(0, 0)]


@dataclass(frozen=True, slots=True)
class _Cutter:
    text: str
    starts: Sequence[int]
    """First code point of each token, ascending."""
    sentences: frozenset[int]
    count: Callable[[str], int]

    def end_of_piece(self, begin: int, budget: int) -> int:
        """Where the piece that starts at `begin` ends, checked by tokenizing it."""
        limit = budget
        while True:
            end = self._cut(begin, limit)
            size = self.count(self.text[begin:end])
            if size <= budget or limit == 1:
                return end
            limit = max(1, min(limit - 1, limit * budget // size))

    def _cut(self, begin: int, limit: int) -> int:
        first = bisect_left(self.starts, begin)
        left = len(self.starts) - first
        if left <= limit:
            return len(self.text)
        aim = first + ceil(left / ceil(left / limit))
        reach = range(first + max(1, limit // 4), first + limit + 1)
        places = [token for token in reach if self.starts[token] > self.starts[token - 1]]
        if not places:
            return self._next_start(begin)
        return self.starts[max(places, key=lambda token: (self._quality(token), -abs(token - aim)))]

    def _quality(self, token: int) -> int:
        place = self.starts[token]
        if place in self.sentences:
            return 3
        before, after = self.text[place - 1], self.text[place]
        if before.isspace():
            return 2
        return int(not (before.isascii() and before.isalnum() and after.isalnum()))

    def _next_start(self, begin: int) -> int:
        following = self.starts[bisect_right(self.starts, begin) :]
        return following[0] if following else len(self.text)
