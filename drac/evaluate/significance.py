"""Whether a difference between two sets over the same queries is more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
_BLOCK = 500
"""Samples drawn at once; bounds the memory."""
_EPSILON = 1e-12
"""Sums of the same numbers in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first, over queries."""

    mean: float
    """Mean difference."""
    low: float
    """2.5 % bound of the bootstrap interval of the mean (percentile method)."""
    high: float
    """97.5 % bound."""
    p: float
    """Two-sided p of the paired randomisation test, at least 1 / (samples + 1)."""
    wins: int
    """Queries in which the second is better."""
    losses: int
    """Queries in which it is worse."""
    ties: int
    """Queries without a difference."""


def compare(first: Sequence[float], second: Sequence[float], samples: int, seed: int) -> Difference:
    """Compare two measures of the same queries, in the same order; same seed, same result.

    The randomisation test swaps the two values of each query with probability 1/2 (Smucker, Allan and
    Carterette, CIKM 2007), the bootstrap draws queries with replacement.
    """
    change = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if not len(change):
        return Difference(0.0, 0.0, 0.0, 1.0, 0, 0, 0)
    low, high = bootstrap(change, samples, seed)
    wins, losses = int((change > _EPSILON).sum()), int((change < -_EPSILON).sum())
    ties = len(change) - wins - losses
    return Difference(
        float(change.mean()), low, high, randomisation(change, samples, seed), wins, losses, ties
    )


def randomisation(change: Values, samples: int, seed: int) -> float:
    """Share of random sign changes whose mean is as far from 0 as the one seen, that one included."""
    draw, seen, extreme = np.random.default_rng(seed), abs(change.mean()), 0
    for count in _blocks(samples):
        signs = draw.integers(0, 2, size=(count, len(change)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ change) / len(change) >= seen - _EPSILON).sum())
    return (extreme + 1) / (samples + 1)


def bootstrap(values: Values, samples: int, seed: int) -> tuple[float, float]:
    """The middle 95 % of the means of `samples` draws with replacement."""
    draw = np.random.default_rng(seed)
    means = [
        values[draw.integers(0, len(values), size=(count, len(values)))].mean(axis=1)
        for count in _blocks(samples)
    ]
    low, high = np.quantile(np.concatenate(means), [0.025, 0.975])
    return float(low), float(high)


def _blocks(samples: int) -> Iterator[int]:
    for start in range(0, samples, _BLOCK):
        yield min(_BLOCK, samples - start)
