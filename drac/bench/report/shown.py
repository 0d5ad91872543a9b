"""What a report is made of; an experiment's results in plain records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from drac.evaluate.summary import QueryRow, means
from drac.records import Query

MEASURES = ("recall@6", "page_ndcg@10")
"""The measure that a report is about: the first that there is."""
WORDS = "words@6"
"""Words handed to the reader."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration and what came out of it."""

    name: str
    """Unique in its experiment."""
    axes: Mapping[str, str]
    """What it chose, by axis: `parser`, `chunker`, `retriever`, `aggregation`."""
    rows: Sequence[QueryRow]
    """One a query, the same queries in the same order in every configuration."""
    pages: Mapping[str, Sequence[str]]
    """By query_id: pages as people read them, best first."""
    sizes: Sequence[int]
    """Words of each chunk that is indexed."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """By stage; of a reused one, what it took when it was made."""
    usd: float = 0.0
    """US dollars that its models cost, replies from the journal at their price."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Further columns of the table, as text."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """All that a report shows."""

    name: str
    """The experiment."""
    corpus: str
    """What was searched."""
    configurations: Sequence[Configuration]
    """In the experiment's order, at least one."""
    queries: Mapping[str, Query]
    """By query_id."""
    chunk: Callable[[str, str], tuple[str, str]]
    """(configuration, chunk_id) to (document and pages, text)."""
    notes: Sequence[str] = ()
    """What a reader must know, such as simulated models."""
    samples: int = 10_000
    """Of the bootstrap and of the randomisation test."""
    seed: int = 0
    """Of their random numbers."""


def measure(experiment: Experiment) -> str:
    """The measure that the report is about."""
    there = {name for row in experiment.configurations[0].rows for name in row.measures}
    return next((name for name in MEASURES if name in there), min(there, default=MEASURES[0]))


def overall(one: Configuration) -> dict[str, float]:
    """Means of its measures over the queries that can be judged."""
    return means(one.rows)
