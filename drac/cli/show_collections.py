"""Tables by collection, for `drac status --verbose`."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.table import Table

_READ = (
    "documents",
    "pages",
    "read",
    "blank",
    "fallback",
    "failed",
    "requests",
    "input_tokens",
    "output_tokens",
)


def collections(counts: dict[str, Any], played: str) -> None:
    """Conversion and planning of each collection; `played` says where a simulated model was asked."""
    if len(counts["conversion"]) < 2:
        return
    table = Table("collection", *(one.replace("_", " ") for one in _READ), f"dollars{played}", box=None)
    for one in counts["conversion"]:
        table.add_row(one["collection"], *(f"{one[key]:,}" for key in _READ), f"{one['usd']:.4f}")
    _print(table)
    table = Table("set", "collection", "documents", "sections", "chunks", "corrected in plans", box=None)
    for one in counts["planning"]:
        corrected = ", ".join(f"{n:,} {name}" for name, n in one["corrected"].items()) or "nothing"
        numbers = (f"{one[key]:,}" for key in ("documents", "sections", "chunks"))
        table.add_row(one["set"], one["collection"], *numbers, corrected)
    _print(table)


def _print(table: Table) -> None:
    if table.row_count:
        table.header_style = ""
        Console(file=sys.stdout, width=140).print(table)
