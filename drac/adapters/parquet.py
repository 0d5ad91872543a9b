"""Rows to a Parquet file with pyarrow (extra `parquet`)."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drac.errors import MissingExtra


def needed() -> None:
    """Raise MissingExtra where pyarrow is not there."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtra("Writing Parquet", "parquet")


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """One column for each name that any row has; what a row lacks is null. Raises MissingExtra."""
    needed()
    import pyarrow
    from pyarrow import parquet

    names = dict.fromkeys(name for row in rows for name in row)
    table = pyarrow.table({name: [row.get(name) for row in rows] for name in names})
    parquet.write_table(table, path)
