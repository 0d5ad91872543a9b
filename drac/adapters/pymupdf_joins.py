"""Lines that run from right to left and are drawn in pieces, put together in the order of reading.

Where a font lacks Hebrew or Arabic, the letters are drawn in another font, and stops, brackets, digits and
Latin in the first, each as a text of its own from left to right.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from drac.adapters.pymupdf_bidi import runs_left
from drac.stages.convert.page import Line, Word, union
from drac.stages.convert.text import is_right_to_left

_SPACE = 0.45
"""Font sizes between two pieces of one text, at most; a space takes up to 0.35, cells stand farther apart."""
_TOUCH = 0.1
"""Font sizes between two pieces of one word, at most."""
_RUNS = re.compile(r"[+-]?\d(?:[\d.,:/]*\d)?%?|.", re.DOTALL)
"""Numbers, which run from left to right in any text, and single characters."""


def joined(lines: Sequence[Line]) -> list[Line]:
    """The lines in content order; pieces of a text that runs from right to left are one line."""
    merged: dict[int, Line | None] = {}
    for beside in _by_baseline(lines):
        for chain in _chains(beside):
            if len(chain) > 1 and is_right_to_left("".join(line.raw for line in chain)):
                merged.update(dict.fromkeys((line.order for line in chain), None))
                merged[min(line.order for line in chain)] = _whole(chain)
    kept = (merged.get(line.order, line) for line in lines)
    return [replace(line, order=order) for order, line in enumerate(filter(None, kept))]


def _by_baseline(lines: Iterable[Line]) -> list[list[Line]]:
    """Upright lines by their height, where one of them runs from right to left; from the right."""
    groups: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        if line.upright:
            groups[round(line.baseline)].append(line)
    some = (group for group in groups.values() if any(map(runs_left, "".join(one.raw for one in group))))
    return [sorted(group, key=lambda one: -one.box[2]) for group in some]


def _chains(beside: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines that stand no more than a space apart."""
    chain = [beside[0]]
    for before, line in pairwise(beside):
        if not -0.3 * line.size < before.box[0] - line.box[2] < _SPACE * line.size:
            yield chain
            chain = []
        chain.append(line)
    yield chain


def _whole(chain: Sequence[Line]) -> Line:
    pieces = [_turned(line) if _is_neutral(line.raw) else line for line in chain]
    first = min(chain, key=lambda one: one.order)
    longest = max(chain, key=lambda one: len(one.raw))
    words: list[Word] = list(pieces[0].words)
    for before, piece in pairwise(pieces):
        own = list(piece.words)
        if _touches(before, piece):
            last = words.pop()
            own[0] = Word(last.text + own[0].text, union((last.box, own[0].box)))
        words += own
    raw = " ".join(word.text for word in words)
    box = union(line.box for line in chain)
    return replace(longest, words=tuple(words), box=box, raw=raw, order=first.order, run=first.run)


def _touches(before: Line, piece: Line) -> bool:
    spaced = before.raw[-1:].isspace() or piece.raw[:1].isspace()
    return not spaced and before.box[0] - piece.box[2] < _TOUCH * piece.size


def _is_neutral(text: str) -> bool:
    return not any(unicodedata.bidirectional(character) in ("L", "R", "AL") for character in text)


def _turned(line: Line) -> Line:
    """Stops, brackets and numbers drawn from left to right, as a text that runs to the left has them."""
    words = tuple(Word(_reversed(word.text), word.box) for word in reversed(line.words))
    return replace(line, words=words, raw=_reversed(line.raw))


def _reversed(text: str) -> str:
    return "".join(reversed(_RUNS.findall(text)))
