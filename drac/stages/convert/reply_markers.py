"""Page markers of a reply against the pages asked for; they are checked, never trusted.

A marker counts where it begins a line, be it indented or with text after it on the same line. In a
sentence, or without an end, it is a fault of the page that it stands on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from drac.stages.convert.reply_verdict import Fault

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*page[ \t]+(\d{1,9})[ \t]*-->[ \t]*", re.IGNORECASE | re.MULTILINE)
_ANY = re.compile(r"<!--[ \t]*page\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands between two markers."""

    number: int
    """Page number that the marker gives."""
    text: str
    """What follows it."""


def split_pages(text: str) -> tuple[str, list[Piece]]:
    """(text before the first marker, pieces in the order of the reply)."""
    found = list(_MARKER.finditer(text))
    if not found:
        return text, []
    ends = [match.start() for match in found[1:]] + [len(text)]
    pieces = [Piece(int(match[1]), text[match.end() : end]) for match, end in zip(found, ends, strict=True)]
    return text[: found[0].start()], pieces


def has_stray(text: str) -> bool:
    """Whether something that looks like a page marker is left in a page's text."""
    return _ANY.search(text) is not None


def marker_faults(numbers: Sequence[int], expected: Sequence[int]) -> dict[int, Fault | None]:
    """For each page asked for whether its place in the reply can be believed.

    That is so up to the first marker that is not the expected one, if the marker after the page is the
    right one too and its own stands there once. What follows the first fault may be numbered wrongly.
    """
    right = next((at for at, pair in enumerate(zip(numbers, expected, strict=False)) if pair[0] != pair[1]),
                 min(len(numbers), len(expected)))  # fmt: skip
    sound = right if right == len(numbers) == len(expected) else right - 1
    return {
        number: None if index < sound and numbers.count(number) == 1 else _name(number, numbers, expected)
        for index, number in enumerate(expected)
    }


def _name(number: int, numbers: Sequence[int], expected: Sequence[int]) -> Fault:
    if numbers.count(number) > 1:
        return Fault.REPEATED
    if set(numbers) - set(expected):
        return Fault.EXTRA
    return Fault.MISSING if set(expected) - set(numbers) else Fault.ORDER


def in_place(number: int, numbers: Sequence[int], expected: Sequence[int]) -> bool:
    """Whether a page after a fault has its marker once and the right one, or the end, after it.

    That alone is no proof; its text layer must confirm it.
    """
    if numbers.count(number) != 1:
        return False
    following = numbers[numbers.index(number) + 1 :][:1]
    wanted = expected[expected.index(number) + 1 :][:1]
    return list(following) == list(wanted)
