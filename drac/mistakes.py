"""Says what is wrong with a table of settings in the words of its file, and which name may be meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

_SAID = {
    "missing": "missing",
    "tuple_type": "should be a list, in square brackets",
    "list_type": "should be a list, in square brackets",
    "dict_type": "should be a table",
    "model_type": "should be a table",
    "model_attributes_type": "should be a table",
    "string_type": "should be text, in quotes",
}
"""Instead of pydantic's words, by its type of error."""


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean …?` with the name most like it; empty where none is like it."""
    found = get_close_matches(name, list(names), n=1)
    return f"; did you mean `{found[0]}`?" if found else ""


def explain(error: ValidationError, model: type[BaseModel] | None = None) -> str:
    """Every mistake with its place, as in `search.modle: no such key; did you mean `model`?`.

    `model`: what the table was checked against; its fields are the names that may be meant.
    """
    found = error.errors()
    places = [one["loc"] for one in found]
    return "; ".join(_line(one, model) for one in found if not _follows(one, places))


def _follows(one: Any, places: Sequence[tuple[int | str, ...]]) -> bool:
    """Whether a list is too short only because what stands in it is wrong."""
    loc = one["loc"]
    return one["type"] == "too_short" and any(loc == other[: len(loc)] != other for other in places)


def _line(one: Any, model: type[BaseModel] | None) -> str:
    if one["type"] == "extra_forbidden":
        said = _unknown(one, model)
    else:
        said = _SAID.get(one["type"]) or one["msg"].removeprefix("Value error, ").removeprefix("Input ")
    shown = place(one["loc"])
    return f"{shown}: {said}" if shown else said


def place(loc: Sequence[int | str]) -> str:
    """Keys joined by dots; members of lists by their number, from #1."""
    return ".".join(f"#{step + 1}" if isinstance(step, int) else step for step in loc)


def _unknown(one: Any, model: type[BaseModel] | None) -> str:
    """No such name here: the nearest; else the tables that have it; else all names there are."""
    what = "table" if isinstance(one["input"], dict) else "key"
    name, here = str(one["loc"][-1]), _at(model, one["loc"][:-1])
    names = list(here.model_fields) if here else []
    other = [f"[{key}]" for key, table in _tables(model) if name in table.model_fields and table is not here]
    like = nearest(name, names)
    if like or other or not names:
        return f"no such {what}{like}" + (f"; it is a key of {' and '.join(other)}" if other else "")
    return f"no such {what}; there are {', '.join(names)}"


def _at(model: type[BaseModel] | None, loc: Sequence[int | str]) -> type[BaseModel] | None:
    """The model of a place; numbers and names that a user chose lead no further in."""
    for step in loc:
        if model and (field := model.model_fields.get(str(step))):
            model = _model(field.annotation)
    return model


def _tables(model: type[BaseModel] | None) -> list[tuple[str, type[BaseModel]]]:
    fields = model.model_fields.items() if model else []
    return [(key, table) for key, field in fields if (table := _model(field.annotation))]


def _model(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation such as `tuple[Model, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model(one))), None)
