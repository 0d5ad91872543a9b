"""An experiment as a TOML file says it: what is searched, settings, and the configurations to compare."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from drac.bench.toml_text import dump
from drac.config import Settings, load_settings
from drac.errors import UsageError
from drac.mistakes import explain

AXES = ("parser", "chunker", "retriever", "aggregation")
"""What a configuration chooses; the fifth stage, evaluation, is the same for all."""
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"


class Component(BaseModel):
    """What stands at one stage: a name, options, and what tables call it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(min_length=1)
    """One of ours, an entry point's, or `module:name`."""
    label: str = ""
    """As names of configurations say it; empty: the name and its options."""

    @property
    def options(self) -> dict[str, Any]:
        """All other keys."""
        return dict(self.model_extra or {})

    @property
    def shown(self) -> str:
        """The label, or name and options, as in `fixed-size(size=600, overlap=0)`."""
        said = ", ".join(f"{key}={_short(value)}" for key, value in self.options.items())
        return self.label or (f"{self.name}({said})" if said else self.name)


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={_short(one)}" for key, one in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(given: object) -> object:
    """A bare name stands for a table of that name."""
    return {"name": given} if isinstance(given, str) else given


def _several(given: object) -> object:
    """One thing stands for a list of it."""
    return [given] if isinstance(given, str | Mapping) else given


Choice = Annotated[Component, BeforeValidator(_table)]
Choices = Annotated[tuple[Choice, ...], BeforeValidator(_several)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Grid(_Frozen):
    """Every combination of what its lists name."""

    parser: Choices = Field((Component(name="local"),), min_length=1)
    """Who reads the pages."""
    chunker: Choices = Field((Component(name="drac"),), min_length=1)
    """Who cuts them."""
    retriever: Choices = Field((Component(name="dense"),), min_length=1)
    """Who finds the chunks."""
    aggregation: Choices = Field((Component(name="max"),), min_length=1)
    """How chunks' scores give a page's."""


class Listed(_Frozen):
    """One configuration."""

    name: str = ""
    """As tables call it; empty: made of what it chooses."""
    parser: Choice = Component(name="local")
    """Who reads the pages."""
    chunker: Choice = Component(name="drac")
    """Who cuts them."""
    retriever: Choice = Component(name="dense")
    """Who finds the chunks."""
    aggregation: Choice = Component(name="max")
    """How chunks' scores give a page's."""


class Head(_Frozen):
    """What is searched."""

    name: str = Field(pattern=_NAME)
    """Name of the experiment and of its folder."""
    corpus: str = ""
    """A corpus.toml, its folder, or a corpus's name."""
    files: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()
    """In the place of a corpus: documents as `drac run` takes them."""
    queries: str = ""
    """With `files`: JSON lines of query_id, text and, if not asked of all documents, collection."""
    judgments: str = ""
    """With `files`: JSON lines of query_id, collection, source, page and grade."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Head:
        if bool(self.corpus) == bool(self.files):
            raise ValueError("give either `corpus` or `files`")
        if self.files and not self.queries:
            raise ValueError("`files` needs `queries`")
        if self.corpus and (self.queries or self.judgments):
            raise ValueError("a corpus has its own queries and judgments")
        return self


class _File(_Frozen):
    experiment: Head
    settings: dict[str, Any] = {}
    grid: Annotated[tuple[Grid, ...], BeforeValidator(_several)] = ()
    config: Annotated[tuple[Listed, ...], BeforeValidator(_several)] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """One choice at each stage."""

    name: str
    """Unique in its experiment."""
    parser: Component
    """Who reads the pages."""
    chunker: Component
    """Who cuts them."""
    retriever: Component
    """Who finds the chunks; options may be `top_k`, `model`, `merge_share` and those of the retriever."""
    aggregation: Component
    """How chunks' scores give a page's."""
    named: bool = False
    """Whether the experiment gives it its name."""

    @property
    def axes(self) -> dict[str, str]:
        """What it chose, as tables show it, by axis."""
        return {axis: getattr(self, axis).shown for axis in AXES}


@dataclass(frozen=True, slots=True)
class Experiment:
    """What one run compares."""

    head: Head
    """What is searched."""
    settings: Settings
    """Shared by all configurations."""
    configurations: tuple[Configuration, ...]
    """In order, at least one."""
    folder: Path
    """Absolute; relative paths of the experiment start here, or in the current folder."""
    source: bytes = field(default=b"", repr=False)
    """The file as it was read; one that says the same where there was none."""
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings that went before the file's."""

    @property
    def name(self) -> str:
        """Name of the experiment and of its folder."""
        return self.head.name


def load_experiment(path: Path, overrides: dict[str, dict[str, Any]] | None = None) -> Experiment:
    """Read an experiment's TOML file; raises UsageError that names file, key and remedy.

    `overrides`: settings of the command line, {stage: {setting: value}}, which go before the file's.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", remedy=_NO_FILE) from error
    return read_experiment(source, path.resolve().parent, str(path), overrides)


def read_experiment(
    source: bytes, folder: Path, where: str = "experiment", overrides: dict[str, dict[str, Any]] | None = None
) -> Experiment:
    """The same of a file's bytes; `where` is its name in messages."""
    try:
        tables = tomllib.loads(source.decode("utf-8"))
    except ValueError as error:  # no UTF-8, or no TOML
        raise UsageError(f"{where}: {error}", remedy="Give a readable TOML file.") from error
    return make_experiment(tables, folder, where, source, overrides)


def make_experiment(
    tables: Mapping[str, Any], folder: Path, where: str = "experiment", source: bytes = b"",
    overrides: dict[str, dict[str, Any]] | None = None,
) -> Experiment:  # fmt: skip
    """An experiment of a file's tables; raises UsageError."""
    try:
        file = _File.model_validate(dict(tables))
    except ValidationError as error:
        raise UsageError(f"{where}: {explain(error, _File)}", remedy=_REMEDY) from error
    if not file.grid and not file.config:
        raise UsageError(f"{where}: neither [grid] nor [[config]]", remedy=_REMEDY)
    given = {stage: {key: one for key, one in table.items() if one is not None}
             for stage, table in (overrides or {}).items()}  # fmt: skip
    given = {stage: table for stage, table in given.items() if table}
    settings = load_settings(None, _settings(where, file.settings, given))
    chosen = _configurations(where, file)
    return Experiment(file.experiment, settings, chosen, folder, source or dump(tables).encode(), given)


_NO_FILE = "Give an experiment's TOML file, or with --verify the folder of its results."
_REMEDY = "See drac/bench/README.md for an experiment's tables and keys."


def _settings(
    where: str, tables: Mapping[str, Any], overrides: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise UsageError(f"{where}: settings.{name}: is no table", remedy=f"Write [settings.{name}].")
    merged = {name: dict(table) for name, table in tables.items()}
    return merged | {name: {**merged.get(name, {}), **table} for name, table in overrides.items()}


def _configurations(where: str, file: _File) -> tuple[Configuration, ...]:
    """Those of the grids, each once, then the listed ones; names are unique."""
    combined = {_key(one): one for grid in file.grid for one in _combinations(grid)}
    wanted = [("", one) for one in combined.values()]
    wanted += [(one.name, (one.parser, one.chunker, one.retriever, one.aggregation)) for one in file.config]
    several = len({one[3].shown for _, one in wanted}) > 1
    made = [Configuration(name, *one, bool(name)) for name, one in wanted]
    made = [one if one.named else replace(one, name=made_name(one, several)) for one in made]
    _check_names(where, made)
    return tuple(made)


def made_name(one: Configuration, aggregations: bool) -> str:
    """What it chooses; the aggregation only where an experiment has several."""
    parts = list(one.axes.values())
    return " / ".join(parts if aggregations else parts[:-1])


_Chosen = tuple[Component, Component, Component, Component]


def _combinations(grid: Grid) -> Iterator[_Chosen]:
    yield from itertools.product(grid.parser, grid.chunker, grid.retriever, grid.aggregation)


def _key(chosen: Sequence[Component]) -> str:
    return repr([one.model_dump() for one in chosen])


def _check_names(where: str, made: Sequence[Configuration]) -> None:
    twice = [name for name, count in Counter(one.name for one in made).items() if count > 1]
    if twice:
        raise UsageError(
            f"{where}: two configurations are called {twice[0]!r}",
            remedy="Give one of them a `name` of its own, or its parts another `label`.",
        )
    bad = next((one.name for one in made if re.search(r"[\x00-\x1f]", one.name)), None)
    if bad is not None:
        raise UsageError(f"{where}: {bad!r} is no name", remedy="Leave control characters out of names.")
