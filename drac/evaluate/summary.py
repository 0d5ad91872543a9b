"""Per-query rows to tables: overall, by collection, by type of question, and set against set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

from drac.evaluate.judging import HALF, K, Row
from drac.evaluate.significance import compare

COMPARED = (
    f"recall@{K}",
    f"recall@{HALF}",
    f"mrr@{K}",
    f"ndcg@{K}",
    "recall@300w",
    "recall@600w",
    "recall@1200w",
)
"""Measures of which differences are tested, where a corpus has facts."""


@dataclass(frozen=True, slots=True)
class QueryRow:
    """What one system did with one query."""

    system: str
    """The set, and the retriever where several are compared."""
    query_id: str
    """The query."""
    collection: str
    """Its collection."""
    kind: str
    """Its type; may be empty."""
    measures: Row
    """By name."""
    hits: tuple[str, ...]
    """chunk_ids of the chunks judged, best first."""

    def record(self) -> dict[str, Any]:
        """As a line of per_query.jsonl."""
        return asdict(self)


def means(rows: Sequence[QueryRow]) -> dict[str, float]:
    """Mean of each measure over the queries that can be judged by it, and how many queries there are."""
    found: dict[str, float] = {"queries": len(rows)}
    for name in dict.fromkeys(name for row in rows for name in row.measures):
        values = [value for row in rows if (value := row.measures.get(name)) is not None]
        if values:
            found[name] = fsum(values) / len(values)
    return found


def by(rows: Iterable[QueryRow], part: Callable[[QueryRow], str]) -> dict[str, dict[str, float]]:
    """Means of the rows of each part, in the order in which parts come first."""
    parts: dict[str, list[QueryRow]] = {}
    for row in rows:
        parts.setdefault(part(row), []).append(row)
    return {name: means(some) for name, some in parts.items()}


def system_record(rows: Sequence[QueryRow]) -> dict[str, Any]:
    """One system's tables."""
    return {
        "overall": means(rows),
        "by_collection": by(rows, lambda row: row.collection),
        "by_kind": by(rows, lambda row: row.kind) if any(row.kind for row in rows) else {},
    }


def differences(
    first: Sequence[QueryRow], second: Sequence[QueryRow], samples: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Each measure that both have for the same queries, second minus first."""
    other = {row.query_id: row.measures for row in second}
    names = [name for row in first[:1] for name in row.measures if _tested(name)]
    found = {}
    for name in names:
        pairs = [(row.measures.get(name), other[row.query_id].get(name)) for row in first]
        judged = [(one, two) for one, two in pairs if one is not None and two is not None]
        if judged:
            one, two = zip(*judged, strict=True)
            found[name] = asdict(compare(one, two, samples, seed))
    return found


def _tested(name: str) -> bool:
    return name in COMPARED or name.startswith("page_")


def changes(
    first: Sequence[QueryRow], second: Mapping[str, QueryRow], measure: str
) -> list[tuple[float, QueryRow, QueryRow]]:
    """(second minus first, first's row, second's row) of the queries that differ, biggest wins first."""
    found = []
    for row in first:
        other = second[row.query_id]
        before, after = row.measures.get(measure), other.measures.get(measure)
        if before is not None and after is not None and before != after:
            found.append((after - before, row, other))
    return sorted(found, key=lambda one: (-one[0], one[1].query_id))
