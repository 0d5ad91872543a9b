"""Experiments as TOML says them: grids, lists, names, and what is wrong with a file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from drac.bench.experiment import Experiment, load_experiment, make_experiment
from drac.bench.toml_text import dump
from drac.errors import UsageError

HEAD = {"experiment": {"name": "toy", "corpus": "sample"}}


def made(**tables: Any) -> Experiment:
    return make_experiment({**HEAD, **tables}, Path.cwd())


def names(experiment: Experiment) -> list[str]:
    return [one.name for one in experiment.configurations]


def test_a_grid_is_every_combination() -> None:
    grid = {"chunker": ["page", {"name": "token", "size": 256}], "retriever": ["dense", "bm25"]}
    assert names(made(grid=grid)) == [
        "local / page / dense", "local / page / bm25",
        "local / token(size=256) / dense", "local / token(size=256) / bm25",
    ]  # fmt: skip


def test_several_grids_and_listed_configurations_go_together_each_once() -> None:
    grids = [{"chunker": ["page"]}, {"parser": ["local", "pymupdf-text"], "chunker": ["page"]}]
    listed = [{"name": "mine", "chunker": {"name": "page"}, "retriever": "bm25"}]
    experiment = made(grid=grids, config=listed)
    assert names(experiment) == ["local / page / dense", "pymupdf-text / page / dense", "mine"]
    assert experiment.configurations[2].axes == {
        "parser": "local", "chunker": "page", "retriever": "bm25", "aggregation": "max",
    }  # fmt: skip


def test_one_thing_stands_for_a_list_of_it() -> None:
    listed = {"chunker": "page", "retriever": "bm25"}
    experiment = made(grid={"chunker": {"name": "token", "size": 256}, "retriever": "bm25"}, config=listed)
    assert names(experiment) == ["local / token(size=256) / bm25", "local / page / bm25"]


def test_aggregations_stand_in_names_where_there_are_several() -> None:
    assert names(made(grid={"aggregation": ["max", "sum"]})) == [
        "local / drac / dense / max", "local / drac / dense / sum",
    ]  # fmt: skip


def test_a_label_stands_for_name_and_options() -> None:
    chunker = {"name": "token", "size": 256, "label": "small"}
    (one,) = made(grid={"chunker": [chunker]}).configurations
    assert one.name == "local / small / dense"
    assert one.chunker.options == {"size": 256}


def test_settings_are_shared_and_the_command_line_goes_before_them() -> None:
    tables = {**HEAD, "grid": {}, "settings": {"search": {"model": "x"}, "evaluate": {"chunks": 20}}}
    overrides: dict[str, dict[str, Any]] = {"search": {"model": "y"}, "run": {"workers": None}}
    experiment = make_experiment(tables, Path.cwd(), overrides=overrides)
    assert experiment.settings.search.model == "y"
    assert experiment.settings.evaluate.chunks == 20
    assert experiment.overrides == {"search": {"model": "y"}}


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"grid": {"chunkers": ["page"]}}, "chunkers"),
        ({"grid": {"chunker": []}}, "chunker"),
        ({"grid": {"chunker": [{"size": 3}]}}, "name"),
        ({}, "[grid]"),
        ({"grid": {}, "settings": {"search": {"modle": "x"}}}, "modle"),
        ({"grid": {}, "settings": {"search": 3}}, "settings.search"),
        ({"config": [{"name": "a"}, {"name": "a", "chunker": "page"}]}, "'a'"),
        ({"grid": {}, "experiment": {"name": "../x", "corpus": "sample"}}, "experiment.name"),
        ({"grid": {}, "experiment": {"name": "x"}}, "corpus"),
        ({"grid": {}, "experiment": {"name": "x", "files": ["a"]}}, "queries"),
        ({"grid": {}, "experiment": {"name": "x", "corpus": "a", "queries": "q"}}, "queries"),
    ],
)
def test_what_is_wrong_is_named(tables: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        make_experiment({**HEAD, **tables}, Path.cwd(), "toy.toml")
    assert said in raised.value.message
    assert raised.value.remedy


def test_a_misspelt_name_is_told_the_one_that_is_like_it() -> None:
    for tables, said in (
        ({"grid": {"chunkers": ["page"]}}, "grid.#1.chunkers: no such key; did you mean `chunker`"),
        ({"gird": {}}, "gird: no such table; did you mean `grid`"),
        ({"grid": {"chunker": [{"size": 3}]}}, "grid.#1.chunker.#1.name: missing$"),
    ):
        with pytest.raises(UsageError, match=said):
            made(**tables)


def test_a_file_that_is_no_toml_or_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b"\xff = 1")
    for name in ("bad.toml", "none.toml"):
        with pytest.raises(UsageError) as raised:
            load_experiment(tmp_path / name)
        assert name in raised.value.message


def test_an_experiment_of_python_is_written_as_toml_that_reads_the_same() -> None:
    tables: dict[str, Any] = {
        **HEAD,
        "settings": {"search": {"model": 'a "b" \\ \n é \x7f'}, "models": {"a.b": {"price_input": 0.5}}},
        "grid": [
            {"chunker": ["page", {"name": "x:y", "deep": {"a": [1, True, 2.5], "b": {}}}]},
            {"retriever": [{"name": "dense", "top_k": 3}], "parser": ["native"]},
        ],
        "config": [{"name": "one"}],
    }
    experiment = made(**tables)
    assert tomllib.loads(dump(tables)) == tables
    again = make_experiment(tomllib.loads(experiment.source.decode()), Path.cwd())
    assert again.configurations == experiment.configurations
