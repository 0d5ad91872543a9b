"""Tables as TOML, for experiments that were made in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dump(tables: Mapping[str, Any]) -> str:
    """TOML that reads as `tables`: strings, numbers, booleans, lists and tables; None is left out."""
    return "".join(f"{line}\n" for line in _table(tables, ""))


def _table(table: Mapping[str, Any], path: str) -> Iterator[str]:
    deeper = {}
    for key, value in table.items():
        if _is_table(value) or _is_tables(value):
            deeper[key] = value
        elif value is not None:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in deeper.items():
        name = f"{path}{_key(key)}"
        for one in value if _is_tables(value) else [value]:
            yield f"\n[[{name}]]" if _is_tables(value) else f"\n[{name}]"
            yield from _table(one, f"{name}.")


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: object) -> bool:
    """A list of nothing but tables; others stand in a line."""
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_table, value))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value, allow_nan=False)
