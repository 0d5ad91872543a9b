"""An evaluation on disk."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from drac.evaluate import exports, report
from drac.evaluate.summary import QueryRow
from drac.pipeline.evaluating import Evaluation, PlacedSet
from drac.store.files import disk_errors, write_file
from drac.store.store import dump_json

FORMATS = ("trec", "beir", "parquet")
WriteRows = Callable[[Path, Sequence[Mapping[str, Any]]], None]
"""Rows to a Parquet file; raises MissingExtra."""


def write(done: Evaluation, folder: Path) -> None:
    """per_query.jsonl, summary.json and report.html; same input, same bytes."""
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    rows = (json.dumps(row.record(), ensure_ascii=False) for some in done.rows.values() for row in some)
    write_file(folder / "per_query.jsonl", "".join(f"{row}\n" for row in rows).encode())
    write_file(folder / "summary.json", dump_json(done.record))
    write_file(folder / "report.html", report.html(_shown(done)).encode())


def export(done: Evaluation, folder: Path, formats: Sequence[str], write_rows: WriteRows | None) -> None:
    """Further files: `trec` (runs and qrels of chunks and pages), `beir` (a folder a set), `parquet`."""
    if "trec" in formats:
        _trec(done, folder / "trec")
    if "beir" in formats:
        for one in done.sets:
            _beir(done, one, folder / "beir" / _file_name(one.name))
    if write_rows is not None and "parquet" in formats:
        write_rows(folder / "per_query.parquet", [_flat(row) for some in done.rows.values() for row in some])


def _trec(done: Evaluation, folder: Path) -> None:
    for name in done.relevant:
        _lines(folder / f"{_file_name(name)}.qrels", exports.trec_qrels(_binary(done, name)))
    if done.asked.pages:
        _lines(folder / "pages.qrels", exports.trec_qrels(done.asked.pages))
    for system in done.rows:
        runs = ((".run", done.rankings), (".pages.run", done.page_rankings))
        for end, rankings in runs:
            _lines(folder / f"{_file_name(system)}{end}", exports.trec_run(rankings[system], system))


def _beir(done: Evaluation, one: PlacedSet, folder: Path) -> None:
    _lines(folder / "corpus.jsonl", exports.beir_corpus(one.chunks))
    _lines(folder / "queries.jsonl", exports.beir_queries(done.asked.queries))
    _lines(folder / "qrels" / "test.tsv", exports.beir_qrels(_binary(done, one.name)))


def _binary(done: Evaluation, name: str) -> dict[str, dict[str, int]]:
    return {query: dict.fromkeys(some, 1) for query, some in done.relevant[name].items()}


def _flat(row: QueryRow) -> dict[str, Any]:
    record = row.record()
    measures: dict[str, Any] = record.pop("measures")
    return {**record, "hits": list(row.hits), **measures}


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).lstrip(".") or "_"


def _lines(path: Path, lines: Iterable[str]) -> None:
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, "".join(lines).encode())


def _shown(done: Evaluation) -> report.Shown:
    chunks = {(one.name, chunk.chunk_id): chunk for one in done.sets for chunk in one.chunks}
    names = {system: found["set"] for system, found in done.record["systems"].items()}

    def text(system: str, chunk_id: str) -> tuple[str, str]:
        chunk = chunks[names[system], chunk_id]
        pages = ", ".join(map(str, chunk.pages))
        return f"{chunk.source}{f', page {pages}' if pages else ''}", chunk.text

    return report.Shown(done.record, done.rows, {one.query_id: one for one in done.asked.queries}, text)
