"""An experiment on disk: the file as run, tables, a line a query, the report, and digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from drac.bench import report
from drac.bench.experiment import Experiment
from drac.bench.results import Result, Results
from drac.store.files import disk_errors, write_file
from drac.store.store import dump_json

TABLES = ("table.md", "table.csv", "per_query.jsonl")
"""Files that the results alone give."""
REPORT = "report.html"
FIGURES = "figures"
DIGESTS = "digests.json"
EXPERIMENT = "experiment.toml"


def write(experiment: Experiment, results: Results, folder: Path, *, svg: bool = False) -> bool:
    """Write what differs from what is there; returns whether anything did. `svg`: figures as files too."""
    files = {EXPERIMENT: experiment.source, **tables(results)}
    record = {**results.digests, "files": {name: _sha(data) for name, data in files.items()}}
    if _is_current(folder, record) and (not svg or (folder / FIGURES).is_dir()):
        return False
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        write_file(folder / name, data)
    how = experiment.settings.evaluate
    report.write(shown(results, how.samples, how.seed), folder, svg=svg)
    record["report"] = _sha((folder / REPORT).read_bytes())
    write_file(folder / DIGESTS, dump_json(record))
    return True


def _is_current(folder: Path, record: Mapping[str, Any]) -> bool:
    """Whether the folder holds these very results, and the report that was made of them."""
    try:
        there = json.loads((folder / DIGESTS).read_bytes())
        found = {name: _sha((folder / name).read_bytes()) for name in (*record["files"], REPORT)}
    except (OSError, ValueError):
        return False
    if not isinstance(there, dict):
        return False
    made = there.pop("report", None)
    return bool(there == json.loads(json.dumps(record)) and found == {**record["files"], REPORT: made})


def tables(results: Results) -> dict[str, bytes]:
    """Contents of TABLES."""
    table = results.table
    lines = "".join(f"{line}\n" for one in results.results for line in _lines(one))
    texts = (f"# {results.name}\n\n{table.to_markdown()}", table.to_csv(), lines)
    return {name: text.encode("utf-8", "backslashreplace") for name, text in zip(TABLES, texts, strict=True)}


def _lines(one: Result) -> Iterator[str]:
    for row in one.rows:
        pages = [
            {"source": name, "page": page, "score": score} for name, page, score in one.pages[row.query_id]
        ]
        record = {
            "configuration": one.configuration.name, "query_id": row.query_id,
            "collection": row.collection, "kind": row.kind, "measures": row.measures,
            "hits": row.hits, "pages": pages,
        }  # fmt: skip
        yield json.dumps(record, ensure_ascii=False)


def shown(results: Results, samples: int, seed: int) -> report.Experiment:
    """The results as a report shows them."""
    return report.Experiment(
        name=results.name,
        corpus=results.corpus,
        configurations=[_configuration(one) for one in results.results],
        queries={one.query_id: one for one in results.queries},
        chunk=lambda name, chunk_id: _chunk(results.chunk(name, chunk_id)),
        notes=results.notes,
        samples=samples,
        seed=seed,
    )


def _configuration(one: Result) -> report.Configuration:
    pages = {query: [f"{name}, page {page}" for name, page, _ in some] for query, some in one.pages.items()}
    share = one.coverage
    return report.Configuration(
        name=one.configuration.name,
        axes=one.configuration.axes,
        rows=one.rows,
        pages=pages,
        sizes=one.sizes,
        seconds={stage: cost.seconds for stage, cost in one.costs.items() if cost.seconds is not None},
        usd=one.usage.usd,
        columns={
            "coverage": f"{share.coverage:.3f}",
            "duplication": f"{share.duplication:.3f}",
            "invented": f"{share.invention:.3f}",
        },
    )


def _chunk(line: Mapping[str, Any]) -> tuple[str, str]:
    pages = ", ".join(map(str, line["pages"]))
    return f"{line['source']}{f', page {pages}' if pages else ''}", line["text"]


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
