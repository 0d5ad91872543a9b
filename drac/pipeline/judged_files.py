"""An evaluation on disk."""

from __future__ import annotations

import json
from pathlib import Path

from drac.evaluate import report
from drac.pipeline.evaluating import Evaluation
from drac.store.files import disk_errors, write_file
from drac.store.store import dump_json


def write(done: Evaluation, folder: Path) -> None:
    """per_query.jsonl, summary.json and report.html; same input, same bytes."""
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    rows = (json.dumps(row.record(), ensure_ascii=False) for some in done.rows.values() for row in some)
    write_file(folder / "per_query.jsonl", "".join(f"{row}\n" for row in rows).encode())
    write_file(folder / "summary.json", dump_json(done.record))
    write_file(folder / "report.html", report.html(_shown(done)).encode())


def _shown(done: Evaluation) -> report.Shown:
    chunks = {(one.name, chunk.chunk_id): chunk for one in done.sets for chunk in one.chunks}
    names = {system: found["set"] for system, found in done.record["systems"].items()}

    def text(system: str, chunk_id: str) -> tuple[str, str]:
        chunk = chunks[names[system], chunk_id]
        pages = ", ".join(map(str, chunk.pages))
        return f"{chunk.source}{f', page {pages}' if pages else ''}", chunk.text

    return report.Shown(done.record, done.rows, {one.query_id: one for one in done.asked.queries}, text)
