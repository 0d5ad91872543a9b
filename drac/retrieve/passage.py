"""The sentences of a chunk that answer a question best, for showing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p

from drac.retrieve.words import words
from drac.sentences import Stretch, sentences


def passage(text: str, query: str, *, limit: int = 320) -> str:
    """A stretch of `text`, verbatim, of whole sentences and at most `limit` code points.

    The run of sentences that holds most of the question's words, a word that few sentences hold
    counting more; the earliest, then the shortest of equals, filled up with the sentences after and
    before it. Without a common word it is the beginning. A single longer sentence is cut at a space.
    """
    parts = sentences(text)
    if not parts:
        return ""
    asked = set(words(query))
    found = [asked.intersection(words(text[start:end])) for start, end in parts]
    first, last = _best_run(parts, found, limit)
    first, last = _fill(parts, first, last, limit)
    return _shorten(text[parts[first][0] : parts[last][1]].strip(), asked, limit)


def _best_run(parts: Sequence[Stretch], found: Sequence[set[str]], limit: int) -> tuple[int, int]:
    holding = Counter(word for one in found for word in one)
    weight = {word: log1p(len(parts) / number) for word, number in holding.items()}
    best, best_score = (0, 0), 0.0
    for first in range(len(parts)):
        covered: set[str] = set()
        for last in range(first, len(parts)):
            if last > first and parts[last][1] - parts[first][0] > limit:
                break
            covered |= found[last]
            score = sum(weight[word] for word in sorted(covered))
            if score > best_score:
                best, best_score = (first, last), score
    return best


def _fill(parts: Sequence[Stretch], first: int, last: int, limit: int) -> tuple[int, int]:
    while last + 1 < len(parts) and parts[last + 1][1] - parts[first][0] <= limit:
        last += 1
    while first > 0 and parts[last][1] - parts[first - 1][0] <= limit:
        first -= 1
    return first, last


def _shorten(text: str, asked: set[str], limit: int) -> str:
    """A window of at most `limit` around the first asked word of an overlong sentence."""
    if len(text) <= limit:
        return text
    places = [
        place for place in _word_starts(text) if asked.intersection(words(text[place : place + 40])[:1])
    ]
    begin = max(0, min(places[0] - limit // 4, len(text) - limit)) if places else 0
    begin = text.find(" ", begin, begin + limit // 4) + 1 or begin if begin else 0
    piece = text[begin : begin + limit]
    cut = piece.rfind(" ", limit // 2) if begin + limit < len(text) else -1
    return piece[:cut].strip() if cut > 0 else piece.strip()


def _word_starts(text: str) -> list[int]:
    return [n for n in range(len(text)) if text[n].isalnum() and not (n and text[n - 1].isalnum())]
