"""What `drac bench` does and prints: an experiment's table, a forecast, or what differs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drac.bench import files
from drac.bench.experiment import Experiment, load_experiment
from drac.bench.forecast import Step, forecast
from drac.bench.results import Results
from drac.bench.runner import opened
from drac.bench.verifying import experiment_of, recorded, verify
from drac.cli.options import corpora_folder
from drac.cli.progress import note
from drac.records import Usage


def run(
    path: Path, workspace: Path, overrides: dict[str, dict[str, Any]], as_json: bool, *, svg: bool = False
) -> int:
    """Run an experiment and print its table; 4 where a document or page failed."""
    experiment = load_experiment(path, overrides)
    with opened(experiment, workspace, corpora_folder(), note) as bench:
        results = bench.run()
        changed = files.write(experiment, results, bench.folder, svg=svg)
        folder = bench.folder
    _show(results, folder, changed, as_json)
    return 0 if results.whole else 4


def _show(results: Results, folder: Path, changed: bool, as_json: bool) -> None:
    if as_json:
        json.dump(list(results.table), sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
        return
    sys.stdout.write(results.table.to_markdown())
    for line in results.notes:
        note(line)
    note(f"{'written to' if changed else 'nothing has changed in'} {folder}")


def dry_run(path: Path, workspace: Path, overrides: dict[str, dict[str, Any]], as_json: bool) -> int:
    """Print what a run would make and what it would reuse."""
    experiment: Experiment = load_experiment(path, overrides)
    with opened(experiment, workspace, corpora_folder(), note, writing=False) as bench:
        steps = forecast(bench)
    if as_json:
        json.dump([asdict(one) for one in steps], sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        _show_steps(steps)
    return 0


def _show_steps(steps: Sequence[Step]) -> None:
    width = max(len(one.what) for one in steps)
    for one in steps:
        later = f", {one.unknown} documents not known yet" if one.unknown else ""
        later += _asked(one.usage)
        line = f"{one.stage:<9} {one.what:<{width}}  {one.make} {one.unit} to make, {one.reuse} reused{later}"
        sys.stdout.write(f"{line}\n")


def _asked(usage: Usage) -> str:
    if not usage.requests:
        return ""
    sent = f"{usage.requests:,} requests, about {usage.input_tokens:,} tokens to send"
    return f"; {sent}, {usage.output_tokens:,} back and ${usage.usd:.4f} at most"


def check(folder: Path, workspace: Path, as_json: bool) -> int:
    """Print what differs between a folder's tables and what they came from; 4 where anything does."""
    record = recorded(folder)
    experiment = experiment_of(folder, record)
    with opened(experiment, workspace, corpora_folder(), note, writing=False) as bench:
        found = verify(bench, folder, record)
    if as_json:
        json.dump({"folder": str(folder), "differences": found}, sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        counted = f"{len(record['sources'])} documents, {len(record['judged'])} configurations"
        lines = found or [f"{folder}: the tables came from these inputs: {counted}"]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 4 if found else 0
