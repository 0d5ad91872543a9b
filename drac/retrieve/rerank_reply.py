"""A reranker's reply as text that a journal keeps: one score a text, in the order that was asked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable


def pack_scores(found: Iterable[tuple[int, float]], number: int) -> str:
    """Scores by the 0-based places of `number` texts; raises ValueError where one lacks or is no number."""
    scores = {int(place): float(score) for place, score in found}
    if set(scores) != set(range(number)) or not all(map(math.isfinite, scores.values())):
        raise ValueError(f"no score for each of {number} texts")
    return json.dumps([scores[place] for place in range(number)])


def unpack_scores(text: str, number: int) -> list[float]:
    """What `pack_scores` wrote; raises ValueError for anything else."""
    found = json.loads(text)
    if not isinstance(found, list) or len(found) != number:
        raise ValueError(f"no score for each of {number} texts")
    return [float(score) for score in found]
