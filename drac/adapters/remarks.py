"""What a reader of a converted document should know, kept beside its PDF until the record takes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path


def remarks_file(pdf: Path) -> Path:
    """Where it stands what a reader of the PDF should know, if there is anything.

    An object of two lists of lines: `remarks`, and `left_out` for parts that are past a limit.
    """
    return pdf.with_name(f"{pdf.name}.remarks")


def keep_remarks(pdf: Path, remarks: Sequence[str], left_out: Sequence[str] = ()) -> None:
    """Write them, if there are any."""
    if remarks or left_out:
        known = {"remarks": remarks, "left_out": left_out}
        remarks_file(pdf).write_text(json.dumps(known), "utf-8")


def take_remarks(pdf: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read and remove them: (remarks, left out)."""
    file = remarks_file(pdf)
    if not file.exists():
        return (), ()
    known = json.loads(file.read_text("utf-8"))
    file.unlink()
    return tuple(known["remarks"]), tuple(known["left_out"])
