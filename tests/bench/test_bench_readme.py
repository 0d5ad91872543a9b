"""drac/bench/README.md: its file is an experiment, its columns the table's; those in corpora/ can be made."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from drac.bench.coverage import Coverage
from drac.bench.experiment import Component, Configuration, load_experiment, make_experiment
from drac.bench.results import STAGES, Cost, Result
from drac.cli.commands import app
from drac.evaluate.summary import QueryRow

REPOSITORY = Path(__file__).parents[2]
EXPERIMENTS = sorted(
    one for one in REPOSITORY.glob("corpora/*/*.toml") if "[experiment]" in one.read_text("utf-8")
)


@pytest.fixture(scope="module")
def page() -> str:
    return (REPOSITORY / "drac/bench/README.md").read_text("utf-8")


def test_the_file_of_the_page_is_an_experiment(page: str) -> None:
    tables = tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])
    names = [one.name for one in make_experiment(tables, REPOSITORY).configurations]
    assert len(names) == 2 * 3 * 3 + 1
    assert names[-1] == "small chunks, reranked"


def test_every_column_is_explained(page: str) -> None:
    part = Component(name="x")
    costs = {stage: Cost(1.0) for stage in STAGES}
    rows = (QueryRow("", "q", "c", "", {"recall@6": 1.0}, ()),)
    made = Result(Configuration("x", *4 * (part,)), rows, {}, {}, (3,), Coverage(), costs, 1, {})
    said = {
        name
        for line in page.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`([^`]+)`", line)
    }
    axes = {"configuration", "parser", "chunker", "retriever", "aggregation", "queries", "recall@6"}
    assert set(made.row()) - axes <= said


def test_the_command_is_there() -> None:
    assert "bench" in {one.callback.__name__ for one in app.registered_commands if one.callback}


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_experiments_of_the_repository_can_be_made(path: Path) -> None:
    assert load_experiment(path).configurations
