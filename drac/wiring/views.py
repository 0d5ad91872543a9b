"""A look at one page, in a worker; apart from the models' SDKs, which workers do not load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drac.adapters.pymupdf_images import ImageLimits, PageView, Shape, page_view


@dataclass(frozen=True, slots=True)
class ViewTask:
    """Look at one page."""

    pdf: Path
    """The normalized PDF."""
    number: int
    """1-based page."""
    shape: Shape
    """Whole, smaller, or in halves."""
    limits: ImageLimits
    """What the model takes."""


def view_task(task: ViewTask) -> PageView:
    """Runs in a worker; raises PageError or CorruptDocument."""
    return page_view(task.pdf, task.number, task.shape, task.limits)
