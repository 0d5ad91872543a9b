"""How much of a document's words and digit strings its PDF has, as multisets.

A word that stands three times must be found three times. Ligatures, letter forms and case are made alike
(NFKC, case folding); words parted by a line's end, with a hyphen or inside a narrow cell, count as found.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from drac.records import Parity, Passage

IMPLAUSIBLE = 0.05
"""Share of words found below which a PDF is not believed to be that of its document."""
ENOUGH = 20
"""Different words below which a document says too little to judge by."""
_SHOWN = 20
"""Missing words that are kept."""
_LINES = 8
"""Lines over which a word may be parted."""

_CHARACTER = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CHARACTER}\U00020000-\U0003ffff]|[^\W\d_{_CHARACTER}\U00020000-\U0003ffff]+|\d+")
"""A run of letters or of digits; in scripts that put no space between words a single character."""
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_HYPHENS = "-\u2010\u00ad"
_NUMBER = re.compile(r"\d")


def compare(passages: Iterable[Passage], pdf_text: str) -> tuple[Parity, int]:
    """What `pdf_text` has of the passages' words, and how many different words they have."""
    wanted: Counter[str] = Counter()
    places: dict[str, str] = {}
    for passage in passages:
        for token in _tokens(passage.text):
            wanted[token] += 1
            places[token] = passage.where
    lacking = wanted - Counter(_tokens(pdf_text))
    if lacking:
        lacking = _without_reversed(lacking - _parted(pdf_text), pdf_text)
    found = Parity(*_shares(wanted, lacking), _listed(lacking, places))
    return found, sum(not _is_number(token) for token in wanted)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold().translate(_UNSEEN))


def _is_number(token: str) -> bool:
    return _NUMBER.match(token) is not None


def _shares(wanted: Counter[str], lacking: Counter[str]) -> tuple[float | None, float | None]:
    """Of words and of digit strings; rounded down, so that 1.0 means all."""
    shares: list[float | None] = []
    for numbers in (False, True):
        total = sum(count for token, count in wanted.items() if _is_number(token) == numbers)
        lost = sum(count for token, count in lacking.items() if _is_number(token) == numbers)
        shares.append(math.floor((total - lost) / total * 10_000) / 10_000 if total else None)
    return shares[0], shares[1]


def _listed(lacking: Counter[str], places: dict[str, str]) -> tuple[tuple[str, str], ...]:
    order = (token for token in places if lacking[token] > 0)
    return tuple((token, where) for token, where in ((one, places[one]) for one in order))[:_SHOWN]


def _without_reversed(lacking: Counter[str], text: str) -> Counter[str]:
    """Words of scripts written from right to left may stand in a PDF as they are drawn."""
    turned = {token: token[::-1] for token in lacking if unicodedata.bidirectional(token[0]) in ("R", "AL")}
    if not turned:
        return lacking
    there = Counter(_tokens(text))
    return lacking - Counter({token: there[back] for token, back in turned.items()})


def _parted(text: str) -> Counter[str]:
    """Words made of the end of a line and the start of the next; of lines of a single word, of several."""
    lines = [line.strip() for line in text.splitlines()]
    found: Counter[str] = Counter()
    for at in range(len(lines) - 1):
        found.update(_joined(lines[at : at + _LINES]))
    return found


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Every word that starts in the first line and ends in one of the others."""
    word = _last(lines[0])
    for line in lines[1:]:
        first, whole = _first(line)
        if not word or not first:
            return
        word += first
        if len(_tokens(word)) == 1:
            yield _tokens(word)[0]
        if not whole:
            return


def _last(line: str) -> str:
    tokens = _tokens(line[-200:])
    end = line.rstrip(_HYPHENS)
    return tokens[-1] if tokens and end and end[-1].isalnum() else ""


def _first(line: str) -> tuple[str, bool]:
    """The first word of a line that starts with one, and whether the line is nothing else."""
    tokens = _tokens(line[:200])
    if not tokens or not line[0].isalnum():
        return "", False
    return tokens[0], len(tokens) == 1 and line.rstrip(_HYPHENS)[-1].isalnum()
