"""Experiments: every choice of parser, chunker and retriever as a variable.

results = drac.bench.run("experiment.toml")
for row in results.table: ...
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from drac.bench.experiment import Configuration, Experiment, load_experiment, make_experiment
from drac.bench.results import Result, Results, Table

__all__ = [
    "Configuration",
    "Experiment",
    "Result",
    "Results",
    "Table",
    "load_experiment",
    "make_experiment",
    "run",
]


def run(
    configs: str | Path | Mapping[str, Any] | Experiment,
    workspace: str | Path = ".drac",
    *,
    corpora: Path | None = None,
    note: Callable[[str], None] | None = None,
) -> Results:
    """Run an experiment and write its folder `bench/<name>` of the workspace.

    `configs`: an experiment's TOML file, the same tables as a mapping, or what `load_experiment` gives.
    `corpora` is the folder of fetched corpora, by default DRAC_CORPORA's. `note` gets lines on how far it
    is, by default on stderr. Raises DracError.
    """
    from drac.bench import files
    from drac.bench.runner import opened

    experiment = _experiment(configs)
    place = corpora or (Path(os.environ["DRAC_CORPORA"]) if os.environ.get("DRAC_CORPORA") else None)
    say = note or (lambda line: print(line, file=sys.stderr))  # noqa: T201 - for people, not data
    with opened(experiment, Path(workspace), place, say) as bench:
        results = bench.run()
        files.write(experiment, results, bench.folder)
    return results


def _experiment(configs: str | Path | Mapping[str, Any] | Experiment) -> Experiment:
    if isinstance(configs, Experiment):
        return configs
    if isinstance(configs, Mapping):
        return make_experiment(configs, Path.cwd())
    return load_experiment(Path(configs))
