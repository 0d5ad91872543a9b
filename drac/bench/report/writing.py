"""The report's files."""

from __future__ import annotations

from pathlib import Path

from drac.bench.report.page import drawn, html
from drac.bench.report.shown import Experiment
from drac.store.files import write_file


def write(experiment: Experiment, folder: Path, *, svg: bool = False) -> None:
    """`report.html` in `folder`; with `svg` its figures too, as `figures/*.svg`. Same input, same bytes."""
    figures = drawn(experiment)
    write_file(folder / "report.html", html(experiment, figures).encode("utf-8", "backslashreplace"))
    if svg:
        (folder / "figures").mkdir(exist_ok=True)
        for name, figure in figures.items():
            write_file(folder / "figures" / f"{name}.svg", figure.encode())
