"""A look at one page, in a worker; apart from the models' SDKs, which workers do not load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drac.adapters.pymupdf_images import ImageLimits, PageView, Shape, page_view
from drac.adapters.pymupdf_rows import may_run_over


@dataclass(frozen=True, slots=True)
class ViewTask:
    """Look at one page."""

    pdf: Path
    """The normalized PDF."""
    number: int
    """1-based page."""
    shape: Shape
    """Whole, smaller, in halves or in tiles."""
    limits: ImageLimits
    """What the model takes."""


def view_task(task: ViewTask) -> PageView:
    """Runs in a worker; raises PageError or CorruptDocument."""
    return page_view(task.pdf, task.number, task.shape, task.limits)


@dataclass(frozen=True, slots=True)
class BeforeTask:
    """See whether a table may run over to one page."""

    pdf: Path
    """The normalized PDF."""
    number: int
    """1-based page, at least 2."""


def before_task(task: BeforeTask) -> bool:
    """Runs in a worker; raises PageError or CorruptDocument."""
    return may_run_over(task.pdf, task.number)
