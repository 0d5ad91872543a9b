"""The planner that needs no model: groups along headings, sized for the embedding window."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from drac.config import PlanSettings
from drac.records import Element, ElementKind
from drac.stages.outline import heading_paths
from drac.stages.tokens import estimate_tokens

_BODY = 7
"""Level of an atom without headings: finer than any heading."""
_MIX = 3.0
"""Cost of two sections in one group, times the smaller one's share of the target, where a group's empty room
costs up to 1. Measured on Aventro Motors and Velvera Technologies of RAG-Multi-Corpus with MiniLM (377
queries, dense recall within 600 words): 0.728 at 1.5, 0.734 at 3, 0.725 at 6. An earlier value, and the
costs of cuts below, were chosen on pages of ZX Bank and Cendara University too."""
_THIN = 0.25
"""Cost of each block that a group has less than `min_blocks`."""
_OVER = 8.0
"""How much dearer a group too large is than one too small."""
_CUT_TABLE = 0.5
"""Cost of a cut between two rows of one table."""
_CUT_INTRO = 2.0
"""Cost of a cut between a table or list and the words that introduce it."""


@dataclass(frozen=True, slots=True)
class _Atom:
    """What no cut may part: headings and the content that they stand above."""

    elements: tuple[Element, ...]
    level: int
    """Coarsest level of its headings."""
    tokens: int
    """Estimated tokens of its text."""
    above: int
    """Estimated tokens of the headings above it, which its chunk repeats."""


class LocalPlanner:
    """Deterministic planner (implements `ports.Planner`).

    A page break between two blocks ends a group, so that an answer can be told to its page; a block that
    runs over the break goes with both sides. On the questions named at `_MIX` that costs nothing: dense
    recall within 600 words 0.772 with it, 0.768 without.

    A section, or a page's part of it, whose text fits `target_tokens` is one group. A larger one is cut at
    its coarsest headings, and so on down; small neighbours under one parent are joined where that fits. Runs
    without headings are cut where it hurts least: not after words that introduce a list or a table, and
    seldom in a table.
    """

    def __init__(self, settings: PlanSettings) -> None:
        self._target = settings.target_tokens
        self._most = settings.max_blocks or sys.maxsize
        self._least = min(settings.min_blocks or 1, self._most)

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Name and version of the rules; they use no outside tool."""
        return {"planner": "local", "rules": "3"}

    def plan(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        """A JSON array of arrays of IDs; every ID of `elements` once, in reading order."""
        parts = _at_page_breaks(_atoms(elements, ancestors))
        groups = (group for part in parts for group in self._divide(part))
        return json.dumps([[one.id for atom in group for one in atom.elements] for group in groups])

    def _divide(self, atoms: Sequence[_Atom]) -> Iterator[Sequence[_Atom]]:
        if self._fits(atoms):
            if atoms:
                yield atoms
            return
        parts = _cut_at_coarsest(atoms)
        yield from self._join_small(parts) if len(parts) > 1 else self._pack([[one] for one in atoms])

    def _join_small(self, parts: Sequence[Sequence[_Atom]]) -> Iterator[Sequence[_Atom]]:
        """Runs of small sections packed together, large ones divided further."""
        run: list[Sequence[_Atom]] = []
        for part in parts:
            if self._fits(part):
                run.append(part)
                continue
            yield from self._pack(run)
            yield from self._divide(part)
            run = []
        yield from self._pack(run)

    def _pack(self, units: Sequence[Sequence[_Atom]]) -> Iterator[Sequence[_Atom]]:
        """The cheapest way to join neighbouring units (dynamic programming, earliest cuts win ties)."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(units) + 1):
            starts = self._starts(units, end)
            best.append(min((best[start][0] + self._cost(units, start, end), start) for start in starts))
        cuts = [len(units)]
        while cuts[-1]:
            cuts.append(best[cuts[-1]][1])
        for start, end in pairwise(reversed(cuts)):
            yield [atom for unit in units[start:end] for atom in unit]

    def _starts(self, units: Sequence[Sequence[_Atom]], end: int) -> Iterator[int]:
        """Where a group that ends before `end` may start: with its last unit, or earlier while it fits."""
        group = list(units[end - 1])
        yield end - 1
        for start in range(end - 2, -1, -1):
            group = [*units[start], *group]
            if self._fits(group):
                yield start
            elif sum(atom.tokens for atom in group) > self._target or _blocks(group) > self._most:
                return  # however little stands above its first unit

    def _cost(self, units: Sequence[Sequence[_Atom]], start: int, end: int) -> float:
        group = [atom for unit in units[start:end] for atom in unit]
        room = 1 - _tokens(group) / self._target
        waste = room**2 * (1 if room > 0 else _OVER)
        thin = _THIN * max(0, self._least - _blocks(group))
        mixed = _MIX * sum(_mixed(*pair) for pair in pairwise(units[start:end])) / self._target
        return waste + thin + mixed + _cut_cost(units[start - 1][-1] if start else None, group[0])

    def _fits(self, atoms: Sequence[_Atom]) -> bool:
        return _tokens(atoms) <= self._target and _blocks(atoms) <= self._most


def _tokens(atoms: Sequence[_Atom]) -> int:
    return sum(atom.tokens for atom in atoms) + (atoms[0].above if atoms else 0)


def _blocks(atoms: Sequence[_Atom]) -> int:
    return sum(len(atom.elements) for atom in atoms)


def _mixed(before: Sequence[_Atom], after: Sequence[_Atom]) -> int:
    """Tokens of the smaller of two neighbouring sections; 0 within one section."""
    if after[0].level == _BODY:
        return 0
    return min(sum(atom.tokens for atom in unit) for unit in (before, after))


def _cut_cost(before: _Atom | None, after: _Atom) -> float:
    if before is None or after.level < _BODY:
        return 0.0
    last, first = before.elements[-1], after.elements[0]
    if last.kind is first.kind is ElementKind.ROW:
        return _CUT_TABLE
    introduces = last.text.rstrip("*_ ").endswith((":", "：")) or first.kind is ElementKind.ROW
    return _CUT_INTRO if introduces and last.kind is ElementKind.PARAGRAPH else 0.0


def _cut_at_coarsest(atoms: Sequence[_Atom]) -> list[Sequence[_Atom]]:
    """Parts that start at the coarsest headings, the first atom's apart."""
    coarsest = min((atom.level for atom in atoms[1:]), default=_BODY)
    if coarsest == _BODY:
        return [atoms]
    cuts = [at for at, atom in enumerate(atoms) if at and atom.level == coarsest]
    return [atoms[start:end] for start, end in pairwise([0, *cuts, len(atoms)])]


def _atoms(elements: Sequence[Element], ancestors: Sequence[Element]) -> list[_Atom]:
    paths = heading_paths([*ancestors, *elements])
    sizes = {one.id: estimate_tokens(one.text) for one in (*ancestors, *elements)}
    return [
        _Atom(
            run,
            min((one.level for one in run if one.kind is ElementKind.HEADING), default=_BODY),
            sum(sizes[one.id] for one in run),
            sum(sizes[heading] for heading in paths[run[0].id]),
        )
        for run in _runs(elements)
    ]


def _at_page_breaks(atoms: Sequence[_Atom]) -> list[list[_Atom]]:
    """Parts between page breaks that no block runs over; a heading goes with the content under it."""
    parts: list[list[_Atom]] = []
    for atom in atoms:
        if parts and _pages(parts[-1][-1])[1] == _pages(atom)[0]:
            parts[-1].append(atom)
        else:
            parts.append([atom])
    return parts


def _pages(atom: _Atom) -> tuple[int, int]:
    """First and last page of its content; (0, 0) where it stands on none that is known."""
    spans = atom.elements[-1].spans
    return (spans[0].page, spans[-1].page) if spans else (0, 0)


def _runs(elements: Sequence[Element]) -> Iterator[tuple[Element, ...]]:
    """Headings with the content after them; trailing headings alone."""
    run: list[Element] = []
    for element in elements:
        run.append(element)
        if element.kind is not ElementKind.HEADING:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)
