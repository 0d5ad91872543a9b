"""Sentences that say something: numbers and marks at a line's beginning are none."""

from __future__ import annotations

import re

from drac.sentences import Stretch, sentences

_WORD = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def telling(text: str) -> list[Stretch]:
    """Stretches that follow one another and cover `text` wholly, as of `sentences`.

    One without a word, such as `28\\.` or `(1)`, goes with the next; the last one with the one before.
    """
    found: list[Stretch] = []
    begin = 0
    for start, end in sentences(text):
        if _WORD.search(text, start, end):
            found.append((begin, end))
            begin = end
    if begin < len(text):
        found[-1:] = [(found[-1][0] if found else 0, len(text))]
    return found
