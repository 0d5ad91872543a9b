"""How much each choice on an axis changes a measure, other choices being equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drac.bench.report.shown import Configuration
from drac.evaluate.significance import Difference, compare


@dataclass(frozen=True, slots=True)
class Effect:
    """One choice beside the axis's first."""

    axis: str
    """`parser`, `chunker`, `retriever` or `aggregation`."""
    base: str
    """The axis's first choice."""
    choice: str
    """The other."""
    pairs: int
    """Pairs of configurations that differ in this alone."""
    difference: Difference
    """Choice minus base: per query the mean over the pairs, then over queries."""


def effects(configurations: Sequence[Configuration], measure: str, samples: int, seed: int) -> list[Effect]:
    """Every choice beside the first of its axis; those without a pair to compare are left out.

    Queries are the sample, so the intervals say how a difference would change with other queries, not with
    other documents.
    """
    found = []
    for axis in dict.fromkeys(name for one in configurations for name in one.axes):
        base, *others = dict.fromkeys(one.axes.get(axis, "") for one in configurations)
        for choice in others:
            pairs = _pairs(configurations, axis, base, choice)
            if pairs:
                first, second = _per_query(pairs, measure)
                found.append(Effect(axis, base, choice, len(pairs), compare(first, second, samples, seed)))
    return found


def _pairs(
    configurations: Sequence[Configuration], axis: str, base: str, choice: str
) -> list[tuple[Configuration, Configuration]]:
    by_rest: dict[tuple[tuple[str, str], ...], dict[str, Configuration]] = defaultdict(dict)
    for one in configurations:
        rest = tuple(sorted((name, value) for name, value in one.axes.items() if name != axis))
        by_rest[rest].setdefault(one.axes.get(axis, ""), one)
    return [(some[base], some[choice]) for some in by_rest.values() if base in some and choice in some]


def _per_query(
    pairs: Sequence[tuple[Configuration, Configuration]], measure: str
) -> tuple[list[float], list[float]]:
    """Means over the pairs' bases, and over their others, of each query that all can be judged by."""
    sides: tuple[list[Mapping[str, float]], list[Mapping[str, float]]] = ([], [])
    for pair in pairs:
        for side, one in zip(sides, pair, strict=True):
            side.append(
                {row.query_id: value for row in one.rows if (value := row.measures.get(measure)) is not None}
            )
    judged = [name for name in sides[0][0] if all(name in one for side in sides for one in side)]
    first, second = ([sum(one[name] for one in side) / len(side) for name in judged] for side in sides)
    return first, second
