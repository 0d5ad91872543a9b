"""The fact judge: which supporting facts of a question a chunk holds, and measures made of that.

A fact counts as held where enough of its content words are among the chunk's. This is the rule that the
reference figures on RAG-Multi-Corpus were taken with; it sees words, not meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt

_STOPPED = (
    "a an the and or of to in on for with at by from as is are was were be been being it its this that these",
    "those their they them you your we our us i he she his her not no can will may also any all each per",
    "both more most than then if into over under out up down about which who what when where how why do",
    "does did has have had so such other only very",
)
STOP_WORDS = frozenset(" ".join(_STOPPED).split())
"""Words that do not count."""
SHARE = 0.6
"""Share of a fact's content words that a chunk must have to hold it."""
Held = npt.NDArray[np.bool_]
"""Shape (chunks, facts): which chunk holds which fact."""
_WORD = re.compile(r"[^\W_]+")


def content_words(text: str) -> frozenset[str]:
    """The words of a text that count, lower case, each once."""
    return frozenset(_WORD.findall(text.lower())) - STOP_WORDS


def count_words(text: str) -> int:
    """All words of a text, each time, stop words included."""
    return len(_WORD.findall(text.lower()))


def holds(chunk: frozenset[str], fact: frozenset[str]) -> bool:
    """Whether a chunk with these content words holds the fact; one without any is held by none."""
    return bool(fact) and len(chunk & fact) >= SHARE * len(fact)


def held(chunks: Sequence[frozenset[str]], facts: Sequence[frozenset[str]]) -> Held:
    """Shape (len(chunks), len(facts))."""
    rows = [[holds(chunk, fact) for fact in facts] for chunk in chunks]
    return np.asarray(rows, dtype=np.bool_).reshape(len(chunks), len(facts))


def recall(ranked: Held, k: int) -> float:
    """Share of the facts that any of the first `k` ranked chunks holds; 0.0 to 1.0, NaN without facts."""
    return float(ranked[:k].any(axis=0).mean()) if ranked.shape[1] else float("nan")


def reciprocal_rank(ranked: Held, k: int) -> float:
    """1 / rank of the first chunk that holds any fact, within the first `k`; else 0.0."""
    ranks = np.flatnonzero(ranked[:k].any(axis=1))
    return 1.0 / (int(ranks[0]) + 1) if len(ranks) else 0.0


def mean(values: Sequence[float]) -> float:
    """Mean over queries; 0.0 without any."""
    return fmean(values) if values else 0.0
