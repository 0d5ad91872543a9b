"""What an experiment found: a row a configuration, and what each did with each query."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from drac.bench.coverage import Coverage
from drac.bench.experiment import AXES, Configuration
from drac.evaluate.summary import QueryRow, means
from drac.records import Query, Usage

_MEASURES = (
    "recall@6", "recall@3", "precision@6", "mrr@6", "ndcg@6", "recall@300w", "recall@600w", "recall@1200w",
    "words@6",
)  # fmt: skip
"""Measures in a table, and those of pages."""
STAGES = ("parse", "chunk", "index", "search")
"""Stages of which time is stated."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one stage took when its artifacts were made, in this run or an earlier one."""

    seconds: float | None = None
    """Of work, summed over workers; None where an earlier command did it without noting the time."""
    usage: Usage = field(default_factory=Usage)
    """Of models; replies from the journal at their price."""


@dataclass(frozen=True, slots=True)
class Result:
    """One configuration and what came out of it."""

    configuration: Configuration
    """What it chose."""
    rows: tuple[QueryRow, ...]
    """One a query, the same queries in the same order in every configuration."""
    hits: Mapping[str, Sequence[tuple[str, float]]]
    """By query_id: chunk_ids and scores, best first."""
    pages: Mapping[str, Sequence[tuple[str, int, float]]]
    """By query_id: document (collection and path), 1-based page and score, best first."""
    sizes: tuple[int, ...]
    """Words of each chunk that is searched, in the documents' order."""
    coverage: Coverage
    """What was lost, repeated and invented, over all documents."""
    costs: Mapping[str, Cost]
    """By stage."""
    documents: int
    """That were cut."""
    failed: Mapping[str, str]
    """Documents that could not be read or cut, and why."""
    pages_failed: int = 0
    """Pages without a text because their reading failed."""

    @property
    def usage(self) -> Usage:
        """Of all stages."""
        some = [one.usage for one in self.costs.values()]
        return Usage(
            sum(one.input_tokens for one in some), sum(one.output_tokens for one in some),
            sum(one.usd for one in some), sum(one.requests for one in some),
        )  # fmt: skip

    def row(self) -> Row:
        """Its line of the table."""
        overall = means(self.rows)
        usage = self.usage
        low, middle, high = np.percentile(self.sizes, (5, 50, 95)) if self.sizes else (0, 0, 0)
        seconds = {f"{stage}_s": self.costs[stage].seconds for stage in STAGES if stage in self.costs}
        return {
            "configuration": self.configuration.name, **self.configuration.axes,
            "queries": len(self.rows),
            **{name: overall[name] for name in _MEASURES if name in overall},
            **{name: value for name, value in overall.items() if name.startswith("page_")},
            "documents": self.documents, "documents_failed": len(self.failed),
            "pages_failed": self.pages_failed, "chunks": len(self.sizes),
            "words_p5": round(float(low)), "words_p50": round(float(middle)),
            "words_p95": round(float(high)), "coverage": self.coverage.coverage,
            "duplication": self.coverage.duplication, "invented": self.coverage.invention, **seconds,
            "requests": usage.requests, "tokens_in": usage.input_tokens,
            "tokens_out": usage.output_tokens, "usd": usage.usd,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table(Sequence[Row]):
    """Rows with the same keys in the same order."""

    rows: tuple[Row, ...]
    """In the experiment's order."""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def columns(self) -> list[str]:
        """Of all rows."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def to_csv(self) -> str:
        """Numbers in full."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, self.columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: "" if one is None else one for key, one in row.items()} for row in self.rows)
        return stream.getvalue()

    def to_markdown(self) -> str:
        """What differs between the rows, for people; columns that say 0 or nothing everywhere stay out."""
        shown = [
            name for name in self.columns if name not in AXES and any(row.get(name) for row in self.rows)
        ]
        lines = [shown, ["---"] + ["---:"] * (len(shown) - 1)]
        lines += [[_cell(name, row.get(name)) for name in shown] for row in self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value).replace("|", "\\|").replace("\n", " ")
    if name.startswith("words@"):
        return f"{value:.0f}"
    if name.endswith("_s"):
        return f"{value:.1f}"
    return f"{value:.4f}" if name == "usd" else f"{value:.3f}"


@dataclass(frozen=True, slots=True)
class Results:
    """A whole experiment."""

    name: str
    """The experiment."""
    corpus: str
    """What was searched."""
    results: tuple[Result, ...]
    """By configuration, in the experiment's order."""
    queries: tuple[Query, ...]
    """That were asked."""
    chunk: Callable[[str, str], Mapping[str, Any]] = field(repr=False)
    """(configuration, chunk_id) to the chunk as chunks.jsonl has it."""
    digests: Mapping[str, Any] = field(repr=False, default_factory=dict)
    """What digests.json says of inputs and artifacts."""
    notes: tuple[str, ...] = ()
    """What a reader must know, such as simulated models."""

    @property
    def whole(self) -> bool:
        """Whether every document and page could be read and cut."""
        return not any(one.failed or one.pages_failed for one in self.results)

    @property
    def table(self) -> Table:
        """A row a configuration."""
        return Table(tuple(one.row() for one in self.results))
