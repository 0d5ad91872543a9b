"""Lines that stand in another order than on the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import median_low

from drac.stages.convert.audit.match import Match
from drac.stages.convert.audit.rows import Rows
from drac.stages.convert.audit.sides import Line, Seen, Written


def moved(written: Written, seen: Seen, rows: Rows, match: Match, least: int) -> list[Line]:
    """Runs of lines, of `least` words or more, that must move for the rest to stand in the page's order."""
    places = _places(written, seen, rows, match)
    kept = _rising([(place, weight) for _, place, weight in places])
    found: list[Line] = []
    for stays, run in groupby(enumerate(places), key=lambda one: one[0] in kept):
        lines = [(line, weight) for _, (line, _, weight) in run]
        if not stays and sum(weight for _, weight in lines) >= least:
            found += [line for line, _ in lines]
    return found


def _places(written: Written, seen: Seen, rows: Rows, match: Match) -> list[tuple[Line, int, int]]:
    """(line, where it stands among the page's words, how many of its words stand there)."""
    of_rows = {one.line: seen.units[one.row.unit] for one in rows.said}
    found = []
    for line in written.lines:
        if unit := of_rows.get(line):
            found.append((line, unit.first, unit.last - unit.first))
            continue
        partners = [match.of_out[at] for at in range(line.first, line.last) if _in_run(match.of_out, at)]
        if partners:
            middle = median_low(partners)
            near = [one for one in partners if abs(one - middle) <= line.last - line.first]
            if 2 * len(near) >= line.last - line.first:
                found.append((line, min(near), len(near)))
    return found


def _in_run(partners: Sequence[int], at: int) -> bool:
    """Whether a word's neighbour on the page is its neighbour in the text too."""
    one = partners[at]
    before = at > 0 and partners[at - 1] == one - 1
    return one >= 0 and (before or (at + 1 < len(partners) and partners[at + 1] == one + 1))


def _rising(places: Sequence[tuple[int, int]]) -> set[int]:
    """Indexes of the heaviest subsequence whose places rise."""
    best: list[tuple[int, int]] = []
    for at, (place, weight) in enumerate(places):
        before = max(((best[one][0], one) for one in range(at) if places[one][0] <= place), default=(0, -1))
        best.append((before[0] + weight, before[1]))
    kept: set[int] = set()
    at = max(range(len(best)), key=lambda one: best[one][0], default=-1)
    while at >= 0:
        kept.add(at)
        at = best[at][1]
    return kept
