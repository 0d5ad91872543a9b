"""How far a run is, on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from drac.records import PageState, Source

_EVERY = 5.0
"""Seconds between plain lines."""


def note(message: str) -> None:
    """A line on stderr."""
    sys.stderr.write(f"drac: {message}\n")


class PlainProgress:
    """A line every few seconds, and every failure."""

    def __init__(self) -> None:
        self._documents = self._pages = self._total = 0
        self._next = time.monotonic() + _EVERY

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._total:
            self._line()

    def total(self, documents: int) -> None:
        """See pipeline.tasks.Progress."""
        self._total = documents

    def pages(self, source: Source, states: list[PageState], reused: bool) -> None:
        """See pipeline.tasks.Progress."""
        self._pages += len(states)
        if time.monotonic() >= self._next:
            self._line()

    def document(self, source: Source, error: str | None) -> None:
        """See pipeline.tasks.Progress."""
        self._documents += 1
        if error:
            self.note(f"failed: {source.collection}/{source.path}: {error}")

    def note(self, message: str) -> None:
        """See pipeline.tasks.Progress."""
        note(message)

    def _line(self) -> None:
        self._next = time.monotonic() + _EVERY
        self.note(f"{self._documents} of {self._total} documents, {self._pages} pages")


class BarProgress:
    """A bar that counts documents and pages."""

    def __init__(self) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("documents"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pages]} pages"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._task = self._bar.add_task("documents", total=None, pages=0)
        self._pages = 0

    def __enter__(self) -> BarProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def total(self, documents: int) -> None:
        """See pipeline.tasks.Progress."""
        self._bar.update(self._task, total=documents)

    def pages(self, source: Source, states: list[PageState], reused: bool) -> None:
        """See pipeline.tasks.Progress."""
        self._pages += len(states)
        self._bar.update(self._task, pages=self._pages)

    def document(self, source: Source, error: str | None) -> None:
        """See pipeline.tasks.Progress."""
        self._bar.advance(self._task)
        if error:
            self.note(f"failed: {source.collection}/{source.path}: {error}")

    def note(self, message: str) -> None:
        """See pipeline.tasks.Progress."""
        self._bar.console.print(f"drac: {message}", markup=False, highlight=False, soft_wrap=True)


def progress() -> PlainProgress | BarProgress:
    """A bar where stderr is a terminal, plain lines elsewhere."""
    return BarProgress() if sys.stderr.isatty() else PlainProgress()
