"""When different words are the same to a reader that misreads letters, or parts and joins words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from drac.stages.convert.audit.words import Token, is_digits

_CONFUSED = str.maketrans({"o": "0", "l": "1", "i": "1", "s": "5", "b": "8", "z": "2"})
"""Letters that OCR takes for digits and the other way round."""
_SHAPES = (("rn", "m"), ("cl", "d"), ("vv", "w"))
"""Letters that look the same together."""
_ONE, _TWO = 4, 8
"""Letters of a word from which one may differ, and two."""


def same_joined(out: Sequence[str], seen: Sequence[str], *, fuzzy: bool) -> bool:
    """Whether both are the same letters with spaces in other places, such as at a hyphen."""
    one, other = "".join(out), "".join(seen)
    if one == other:
        return True
    if not fuzzy or not one or not other:
        return False
    if any(map(str.isdecimal, one + other)):
        return one.translate(_CONFUSED) == other.translate(_CONFUSED)
    return _apart(one, other) <= _allowed(one)


class Speller:
    """Writes the words of one reader as the other parts, joins and, if it misreads letters, spells them."""

    def __init__(self, out: Sequence[str], seen: Sequence[str], *, fuzzy: bool) -> None:
        self._known, self._fuzzy = set(out), fuzzy
        self._long = {word for word in out if not is_digits(word) and len(word) >= _ONE}
        self._parted = dict(_parted(out, set(seen) - self._known, set(seen)))
        self._mended: dict[str, str] = {}

    def __call__(self, words: Sequence[Token]) -> list[Token]:
        """The same places under other words."""
        return [part for word in self._joined(words) for part in self._spelled(word)]

    def _joined(self, words: Sequence[Token]) -> Iterator[Token]:
        at = 0
        while at < len(words):
            length = next((n for n in (3, 2) if self._is_parted(words[at : at + n], n)), 1)
            text = "".join(word.text for word in words[at : at + length])
            yield replace(words[at], text=text, end=words[at + length - 1].end)
            at += length

    def _is_parted(self, words: Sequence[Token], length: int) -> bool:
        """Whether words, not all of them the other's, are one word of the other."""
        if len(words) < length or all(word.text in self._known for word in words):
            return False
        return "".join(word.text for word in words) in self._known

    def _spelled(self, word: Token) -> Iterator[Token]:
        for part in self._parted.get(word.text, (word.text,)):
            yield replace(word, text=self._mend(part) if self._fuzzy else part)

    def _mend(self, word: str) -> str:
        if word not in self._mended:
            self._mended[word] = _closest(word, self._known, self._long)
        return self._mended[word]


def _parted(
    out: Sequence[str], odd: Collection[str], seen: Collection[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Words that only one reader has, which are two or three words in a row of the other."""
    for length in (2, 3):
        for at in range(len(out) - length + 1):
            run = tuple(out[at : at + length])
            if "".join(run) in odd and any(word not in seen for word in run):
                yield "".join(run), run


def _closest(word: str, vocabulary: Collection[str], known: Collection[str]) -> str:
    if word in vocabulary or word[0].isdecimal() or len(word) < _ONE:
        return word
    near = [
        (far, one)
        for one in known
        if abs(len(one) - len(word)) <= 2 and (far := _apart(one, word)) <= _allowed(one)
    ]
    return min(near)[1] if near else word


def _apart(one: str, other: str) -> int:
    """Distance of two words, where letters that look the same together are the same; at most one over."""
    for pair, sign in _SHAPES:
        one, other = one.replace(pair, sign), other.replace(pair, sign)
    return distance(one, other, _allowed(one))


def _allowed(word: str) -> int:
    return (len(word) >= _ONE) + (len(word) >= _TWO)


def distance(one: str, other: str, most: int) -> int:
    """Letters changed, added or left out (Levenshtein); `most` + 1 where there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, sign in enumerate(other, 1):
            cost = before + (letter != sign)
            before = row[place]
            row[place] = min(cost, row[place] + 1, row[place - 1] + 1)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def without_joins(out: Sequence[str], seen: Sequence[str], *, fuzzy: bool) -> tuple[list[str], list[str]]:
    """What is left of two lists of words in order where runs that are the same when joined are dropped."""
    matcher = SequenceMatcher(None, out, seen, autojunk=False)
    left: tuple[list[str], list[str]] = ([], [])
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal" and not same_joined(out[a:b], seen[c:d], fuzzy=fuzzy):
            left[0].extend(out[a:b])
            left[1].extend(seen[c:d])
    return left
