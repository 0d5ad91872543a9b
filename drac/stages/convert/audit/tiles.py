"""Runs of words that two texts share, wherever they stand, longest first, each word used once.

Greedy string tiling (M. J. Wise, String Similarity via Greedy String Tiling and Running Karp-Rabin Matching,
1993): unlike a longest common subsequence it follows blocks that stand in another order.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MOST = 100
"""Places of the same words that are looked at."""


class Tile(NamedTuple):
    """The same words in both texts."""

    out: int
    """Index of the first word in the one."""
    seen: int
    """Index of the first word in the other."""
    length: int
    """Words."""


def tile(
    out: Sequence[str], seen: Sequence[str], free: list[bool], open_: list[bool], least: int
) -> list[Tile]:
    """Tiles of at least `least` words that are free in both; marks them as used."""
    heap = [_ranked(one, len(out), len(seen)) for one in _runs(out, seen, free, open_, least)]
    heapq.heapify(heap)
    found = []
    while heap:
        one = heapq.heappop(heap)[-1]
        parts = list(_still_free(one, free, open_, least))
        if parts == [one]:
            found.append(one)
            free[one.out : one.out + one.length] = [False] * one.length
            open_[one.seen : one.seen + one.length] = [False] * one.length
        else:
            for part in parts:
                heapq.heappush(heap, _ranked(part, len(out), len(seen)))
    return sorted(found)


def _ranked(one: Tile, out: int, seen: int) -> tuple[int, float, Tile]:
    """Long ones first, then those that stand at about the same place in both."""
    return -one.length, round(abs(one.out / out - one.seen / seen), 6), one


def _runs(
    out: Sequence[str], seen: Sequence[str], free: list[bool], open_: list[bool], least: int
) -> Iterator[Tile]:
    """Runs that cannot be made longer."""
    places = defaultdict(list)
    for at in range(len(seen) - least + 1):
        if all(open_[at : at + least]):
            places[tuple(seen[at : at + least])].append(at)
    for at in range(len(out) - least + 1):
        if not all(free[at : at + least]):
            continue
        for other in _near(places.get(tuple(out[at : at + least]), ()), at * len(seen) // len(out)):
            before = at > 0 and other > 0 and free[at - 1] and open_[other - 1]
            if not (before and out[at - 1] == seen[other - 1]):
                yield Tile(at, other, _length(out, seen, free, open_, at, other))


def _near(places: Sequence[int], place: int) -> Sequence[int]:
    """Of many places those nearest to one: words that come that often are told apart by their order."""
    if len(places) <= _MOST:
        return places
    start = max(0, min(bisect_left(places, place) - _MOST // 2, len(places) - _MOST))
    return places[start : start + _MOST]


def _length(
    out: Sequence[str], seen: Sequence[str], free: list[bool], open_: list[bool], at: int, other: int
) -> int:
    length, most = 0, min(len(out) - at, len(seen) - other)
    while (
        length < most
        and free[at + length]
        and open_[other + length]
        and out[at + length] == seen[other + length]
    ):
        length += 1
    return length


def _still_free(one: Tile, free: list[bool], open_: list[bool], least: int) -> Iterator[Tile]:
    """The parts of a run whose words nothing has used since."""
    start = 0
    for place in range(one.length + 1):
        if place < one.length and free[one.out + place] and open_[one.seen + place]:
            continue
        if place - start >= least:
            yield Tile(one.out + start, one.seen + start, place - start)
        start = place + 1
