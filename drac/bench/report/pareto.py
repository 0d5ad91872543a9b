"""Which configurations no other one beats at their price."""

from __future__ import annotations

from collections.abc import Sequence


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Numbers of the (cost, quality) points that no other has as much quality as for less, cheapest first.

    Of equal points the first counts.
    """
    order = sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1], n))
    best, kept = float("-inf"), []
    for number in order:
        if points[number][1] > best:
            best = points[number][1]
            kept.append(number)
    return kept
