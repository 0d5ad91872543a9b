"""Keyword search with bm25s: needs no model, works in any script."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from drac.retrieve.words import words

K1 = 1.5
"""Saturation of a word's count in a chunk; bm25s's default."""
B = 0.75
"""Weight of a chunk's length, 0 to 1; bm25s's default."""
_BLOCK = 256
"""Rows of which the highest score is looked at first."""


class Bm25:
    """BM25 as in Lucene, whose inverse document frequency is above zero in a corpus of any size.

    Words come from `retrieve.words`, without stemming. English function words of a question ("what", "does",
    "the") are passed over where it has other words. Words of other languages stay, and so do all of the
    chunks': their low inverse document frequency does the work.
    """

    def __init__(self, texts: Sequence[str], stop_words: str = "nltk") -> None:
        """Index the texts; row n is `texts[n]`. No text, and texts without words, are allowed.

        `stop_words`: as in `SearchSettings`.
        """
        import bm25s

        self._stopped = _stop_words(stop_words)

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported
        vocabulary: dict[str, int] = {}
        corpus = [[vocabulary.setdefault(word, len(vocabulary)) for word in words(text)] for text in texts]
        self._vocabulary = vocabulary
        self._index = None
        if vocabulary:
            self._index = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numpy")
            # its own vocabulary gets a word of no letters
            self._index.index((corpus, dict(vocabulary)), show_progress=False)

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        """(row, score) of the `k` best texts that share a word with the query, ties by row number.

        Scores are above 0 and comparable within one query only.
        """
        known = _telling([word for word in words(query) if word in self._vocabulary], self._stopped)
        if self._index is None or not known or k < 1:
            return []
        scores = self._index.get_scores_from_ids([self._vocabulary[word] for word in known])
        rows = _best(scores, k)
        return list(zip(rows.tolist(), scores[rows].tolist(), strict=True))


def _best(scores: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.int64]:
    """Rows of the `k` highest scores above 0, best first, ties by row; sorts only what can be among them.

    `k` blocks hold a score as high as the `k`-th best block's, so that nothing below it can be wanted. On
    200,000 rows that takes a hundredth of the time of numpy's selection, which many equal scores slow down.
    """
    whole = len(scores) - len(scores) % _BLOCK
    tops = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
    least = np.partition(tops, len(tops) - k)[len(tops) - k] if k <= len(tops) else 0
    rows = np.flatnonzero(scores >= least if least > 0 else scores > 0)
    return rows[np.argsort(-scores[rows], kind="stable")[:k]]


def _telling(asked: list[str], stopped: frozenset[str]) -> list[str]:
    """The words that are not stopped; all where nothing else is there."""
    return [word for word in asked if word not in stopped] or asked


@cache
def _stop_words(name: str) -> frozenset[str]:
    """As bm25s has them."""
    from bm25s.stopwords import STOPWORDS_EN, STOPWORDS_EN_PLUS

    lists: dict[str, Sequence[str]] = {"nltk": STOPWORDS_EN_PLUS, "lucene": STOPWORDS_EN, "none": ()}
    return frozenset(lists[name])
