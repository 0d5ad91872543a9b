"""Names in an experiment to chunkers, parsers, retrievers and aggregations: ours, installed ones, the user's.

A name is one of ours, an entry point of an installed package (groups `drac.chunkers`, `drac.parsers`,
`drac.retrievers`, `drac.aggregations`), or `module:name`, where the module may lie beside the experiment or
in the current folder.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ValidationError

from drac.config import Settings
from drac.errors import DracError, UsageError
from drac.mistakes import explain, nearest
from drac.ports import Chunker, Embedder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from drac.wiring import Models

Group = Literal["chunkers", "parsers", "retrievers", "aggregations"]


@dataclass(frozen=True, slots=True)
class ChunkerContext:
    """What chunkers may need."""

    settings: Settings
    """The run's; `search.model` embeds, `plan` and `structure` are the defaults of `drac`."""
    embedder: Callable[[], Embedder]
    """Gives the embedding model; called only by chunkers that compare sentences."""
    models: Models | None = None
    """The models of the run, with journal, limiter and budget; None: no chunker may ask one."""
    depth: int = field(default=0)
    """How many chunkers this one works for."""


def chunker(name: str, options: Mapping[str, Any], context: ChunkerContext) -> Chunker:
    """A chunker by its name, with its options; loads no model yet.

    Raises UsageError for an unknown name or option, MissingExtra, and whatever the module named raises,
    as a UsageError that names it.
    """
    from drac.wiring.chunkers import BUILDERS
    from drac.wiring.own import own_chunker

    if name not in BUILDERS:
        return own_chunker(load("chunkers", name, tuple(BUILDERS)), options)
    builder = BUILDERS[name]
    return builder.make(check_options(name, builder.options, options), context)


def check_options(name: str, model: type[BaseModel], options: Mapping[str, Any]) -> Any:
    """The options as their model has them; raises UsageError that names chunker and option."""
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        known = ", ".join(model.model_fields) or "none"
        raise UsageError(
            f"chunker `{name}`: {explain(error, model)}", remedy=f"Its options are: {known}."
        ) from error


@dataclass(frozen=True, slots=True)
class Loaded:
    """Something that a name stood for."""

    name: str
    """As it was asked for."""
    found: Any
    """The function, class or object."""
    module: str
    """Module that it was taken from."""
    version: str = ""
    """Of the distribution that registers it; empty where it is named by its module."""


def load(group: Group, name: str, ours: tuple[str, ...] = ()) -> Loaded:
    """An entry point of `drac.<group>`, or what `module:name` names; raises UsageError.

    `ours`: names that the caller knows itself, for the message.
    """
    for one in entry_points(group=f"drac.{group}", name=name):
        with _errors_of(group, name, ours):
            version = one.dist.version if one.dist else ""
            return Loaded(name, one.load(), one.module, version)
    module, _, attribute = name.partition(":")
    if not attribute:
        raise _unknown(group, name, ours, f"no such name{nearest(name, ours)}")
    with _errors_of(group, name, ours), modules_in(Path.cwd()):
        return Loaded(name, EntryPoint(name, name, f"drac.{group}").load(), module)


@contextmanager
def modules_in(folder: Path) -> Iterator[None]:
    """Modules may lie in the folder meanwhile, after all others; workers that start meanwhile look too."""
    place, importable = str(folder), str(folder) in sys.path
    if not importable:
        sys.path.append(place)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if not importable and place in sys.path:
            sys.path.remove(place)


@contextmanager
def _errors_of(group: Group, name: str, ours: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except DracError:
        raise
    except Exception as error:  # whatever the user's own module raises
        raise _unknown(group, name, ours, f"{type(error).__name__}: {error}") from error


def _unknown(group: Group, name: str, ours: tuple[str, ...], why: str) -> UsageError:
    installed = sorted({one.name for one in entry_points(group=f"drac.{group}")})
    listed = ", ".join((*ours, *installed))
    known = f"one of {listed}, or " if listed else ""
    return UsageError(
        f"{group[:-1]} `{name}`: {why}",
        remedy=f"Give {known}module:name of your own; the module may lie beside the experiment"
        " or in the current folder.",
    )
