"""Token estimates without a tokenizer, for deciding sizes before any model is loaded."""

from __future__ import annotations

import re
from itertools import pairwise

_LATIN = "A-Za-z\u00c0-\u024f"
_PIECES = re.compile(rf"([{_LATIN}]+)|([0-9]+)|([\uac00-\ud7a3])|\S")
_SHORT = 6
"""Letters of a word that is taken for one word piece."""
_STEP = 3
"""Letters of each further word piece."""


def estimate_tokens(text: str) -> int:
    """Word pieces that a WordPiece model makes of `text`, special tokens not counted.

    Rather too many than too few: measured with MiniLM's tokenizer on the paragraphs of
    RAG-Multi-Corpus, 99 of 100 estimates are at or above 0.91 of the true count, the median 1.19.
    A long word counts a piece for each three letters past the sixth, digits one for two, a Hangul
    syllable three (it is taken apart), any other character that is not white space one.
    """
    return sum(map(_pieces, _PIECES.finditer(text)))


def estimated_pieces(text: str) -> list[tuple[int, int]]:
    """Start and end in code points of the pieces that `estimate_tokens` counts, in order."""
    found: list[tuple[int, int]] = []
    for match in _PIECES.finditer(text):
        start, end = match.span()
        number = _pieces(match)
        cuts = [start + (end - start) * n // number for n in range(number + 1)]
        found += pairwise(cuts)
    return found


def _pieces(match: re.Match[str]) -> int:
    if match.lastindex is None:
        return 1
    length = match.end() - match.start()
    if match.lastindex == 1:
        return 1 + max(0, length - _SHORT + _STEP - 1) // _STEP
    return (length + 1) // 2 if match.lastindex == 2 else 3
