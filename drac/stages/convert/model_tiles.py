"""Two halves of a page back to one text: what stands in both is written once.

Text that is doubled is less bad than text that is lost, so that halves are joined at their overlap
only where it is certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from drac.stages.convert.reply_words import WORD, longest_run

_REACH = 400
"""Words from the cut in which an overlap is looked for."""
_LEAST = 3
"""Words that the top half's end and the bottom half's start must share exactly."""
_LEAST_NOISY = 8
"""Words that must be the same where lines cut in two stand around them."""
_NOISE = 16
"""Words of such cut lines at most."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


def merge_halves(top: str, bottom: str) -> str:
    """The Markdown of both halves, lines of the overlap once; parted by a blank line where none is found."""
    if not top.strip() or not bottom.strip():
        return (top.strip() or bottom.strip()).strip("\n")
    head, tail = _words(top)[-_REACH:], _words(bottom)[:_REACH]
    found = _exact(head, tail) or _noisy(head, tail, top, bottom)
    if found is None:
        return f"{top.rstrip()}\n\n{bottom.lstrip()}"
    return top[: head[found[0]].end] + bottom[tail[found[1]].end :]


def _words(text: str) -> list[_Word]:
    return [_Word(match[0].casefold(), *match.span()) for match in WORD.finditer(text)]


def _exact(head: Sequence[_Word], tail: Sequence[_Word]) -> tuple[int, int] | None:
    """Last index in both of the longest end of `head` that `tail` starts with."""
    ends, starts = [one.text for one in head], [one.text for one in tail]
    for size in range(min(len(ends), len(starts)), _LEAST - 1, -1):
        if ends[-size:] == starts[:size]:
            run = longest_run(starts[:size])
            equal_rows = run is not None and run.times > 2  # how many of them overlap is not known
            return len(ends) - 1, (len(run.unit) if run and equal_rows else size) - 1
    return None


def _noisy(head: Sequence[_Word], tail: Sequence[_Word], top: str, bottom: str) -> tuple[int, int] | None:
    """The same for a stretch over a line's end that has remains of cut lines around it."""
    ends, starts = [one.text for one in head], [one.text for one in tail]
    match = SequenceMatcher(None, ends, starts, autojunk=False).find_longest_match()
    noise = len(ends) - match.a - match.size + match.b
    if match.size < _LEAST_NOISY or noise > min(_NOISE, match.size // 2):
        return None
    run = longest_run(ends[match.a : match.a + match.size])
    if run is not None and run.times > 2:
        return None
    for at in range(match.size - 2, -1, -1):
        if _ends_line(top, head, match.a + at) and _ends_line(bottom, tail, match.b + at):
            return match.a + at, match.b + at
    return None


def _ends_line(text: str, found: Sequence[_Word], index: int) -> bool:
    return "\n" in text[found[index].end : found[index + 1].start]
