"""Where sentences and lines begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

Stretch = tuple[int, int]
"""Start and end in code points of a text, end exclusive."""

_END = re.compile(
    r"""
      \n+\s*                                  # a line ends
    | [.!?…؟۔।॥]+["'”’»)\]*_]*\s+             # a sentence ends, a space follows
    | [。！？｡；]+["'”’»」』）】]*\s*             # Chinese and Japanese use no space
    """,
    re.VERBOSE,
)


def sentences(text: str) -> list[Stretch]:
    """Stretches that follow one another and cover `text` wholly; trailing space goes with its sentence.

    A full stop before a small letter, after a single letter (an initial) or after a list number
    ends nothing. An empty text has no sentence.
    """
    starts = [0, *_starts(text)]
    ends = [*starts[1:], len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end > start]


def _starts(text: str) -> Iterator[int]:
    begin = 0
    for match in _END.finditer(text):
        if match.end() < len(text) and _ends_a_sentence(text, begin, match):
            begin = match.end()
            yield begin


def _ends_a_sentence(text: str, begin: int, match: re.Match[str]) -> bool:
    if "\n" in match[0] or not match[0].startswith("."):
        return True
    before = text[begin : match.start()].split()
    last = before[-1] if before else ""
    numbered = len(before) == 1 and last.isdecimal()
    return not (text[match.end()].islower() or numbered or (len(last) == 1 and last.isalpha()))
