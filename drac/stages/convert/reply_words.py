"""Words of a reply beside those of a text layer: what the layer confirms, and runs of the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
WORD = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")
"""A word without signs; a character in scripts without spaces."""
_LONGEST_PERIOD = 60
"""Words of a repeated phrase at most."""
_AT_END, _AT_END_WORDS = 8, 24
"""Repeats, and words in all, from which a run to the end counts as a loop."""
_WITHIN, _WITHIN_WORDS = 20, 60
"""The same for a run within a page."""
_SAME = 0.8
"""Share of the different words of each that two texts have in common to count as one."""
_CONFIRMED = 0.8
"""Share of the repeats that the text layer must show too."""


@dataclass(frozen=True, slots=True)
class Run:
    """The same words again and again."""

    unit: tuple[str, ...]
    """The words repeated."""
    times: int
    """How often."""
    end: int
    """Index of the word after the run."""


def words(text: str) -> list[str]:
    """Words in small letters, without signs; scripts without spaces give a word a character."""
    return [word.casefold() for word in WORD.findall(text)]


def stands_in(phrase: str, layer: str) -> bool:
    """Whether the first eight words of `phrase` stand in the text layer one after the other."""
    wanted = words(phrase)[:8]
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(words(layer))} "


def share_in(text: str, layer: str) -> float:
    """Share of the different words of `text` that the layer has; 0 for no words."""
    mine = set(words(text))
    return len(mine & set(words(layer))) / len(mine) if mine else 0.0


def same_words(text: str, other: str) -> bool:
    """Whether two texts have nearly the same words."""
    return min(share_in(text, other), share_in(other, text)) >= _SAME


def find_loop(text: str, layer: str) -> Run | None:
    """A run of the same words that is too long to be meant; None if the text layer shows it as well.

    Rows that differ in one number are no run, and equal rows that the page really has are equal in its
    text layer too.
    """
    said = words(text)
    for run in (longest_run(said, to_end=True), longest_run(said)):
        if run is not None and _is_loop(run, len(said)) and not _confirmed(run, layer):
            return run
    return None


def _is_loop(run: Run, total: int) -> bool:
    repeated = run.times * len(run.unit)
    if run.end == total and run.times >= _AT_END and repeated >= _AT_END_WORDS:
        return True
    return run.times >= _WITHIN and repeated >= _WITHIN_WORDS


def _confirmed(run: Run, layer: str) -> bool:
    """Whether the layer has a run as long, of words of the unit only (headers are printed once)."""
    allowed = set(run.unit)
    seen = longest_run([word if word in allowed else "" for word in words(layer)])
    return seen is not None and bool(seen.unit[0]) and seen.times >= _CONFIRMED * run.times


def longest_run(said: Sequence[str], *, to_end: bool = False) -> Run | None:
    """The run with most words; `to_end`: among those that reach the last word. None: nothing repeats.

    A run with an empty word in it does not count.
    """
    periods = range(1, min(_LONGEST_PERIOD, len(said) // 2) + 1)
    stretch = _last_stretch if to_end else _best_stretch
    stretches = (stretch(said, period) for period in periods)
    runs = [
        Run(tuple(said[end - period : end]), length // period + 1, end)
        for period, (length, end) in zip(periods, stretches, strict=True)
        if length >= period
    ]
    return max(runs, key=lambda run: run.times * len(run.unit), default=None)


def _best_stretch(said: Sequence[str], period: int) -> tuple[int, int]:
    """(length, end) of the longest stretch in which each word equals the one `period` before it."""
    length = best = best_end = 0
    for index in range(period, len(said)):
        length = length + 1 if said[index] == said[index - period] and said[index] else 0
        if length > best:
            best, best_end = length, index + 1
    return best, best_end


def _last_stretch(said: Sequence[str], period: int) -> tuple[int, int]:
    """The same for the stretch that reaches the last word."""
    index = len(said) - 1
    while index >= period and said[index] == said[index - period] and said[index]:
        index -= 1
    return len(said) - 1 - index, len(said)
