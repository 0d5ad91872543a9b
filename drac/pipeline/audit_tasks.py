"""What the audit hands to workers, and the tools that it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from drac.audit_records import PageAudit
from drac.config import ConvertSettings
from drac.pipeline.tasks import ReadPages, ReadTask
from drac.ports import Executor
from drac.records import PageText


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One page to look at."""

    written: PageText
    """The text under audit."""
    readers: tuple[ConvertSettings, ...] = ()
    """Second readers in order: the first that sees another view than the text's is compared with it, the
    last in any case; one that is left over is asked only about a doubtful page. None: the page is only
    searched for text that is aimed at models."""
    known: tuple[PageText | None, ...] = ()
    """What these read before, one each; None: not read yet."""
    carries: bool = False
    """Whether rows of a table that goes on from the page before are to have its header."""


@dataclass(frozen=True, slots=True)
class AuditTask:
    """Audit some pages of one PDF, in a worker process."""

    pdf: Path
    """The normalized PDF."""
    items: tuple[AuditItem, ...]
    """The pages, ascending."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What became of an AuditItem."""

    audit: PageAudit
    """What was found; its `reader` is empty where nothing was compared."""
    reference: PageText | None
    """What the second reader read; None where nothing was compared."""
    read: tuple[PageText | None, ...]
    """What the item's readers read now, one each; None: not asked, or known before."""
    note: str = ""
    """Why it was not compared, where it should have been."""


@dataclass(frozen=True, slots=True)
class AuditedPages:
    """What became of an AuditTask."""

    pages: tuple[Audited, ...]
    """One an item, in order."""
    seconds: float
    """Time that the work took."""


class Reasking(Protocol):
    """A model that is asked for a page again."""

    def reread(self, task: ReadTask, hint: str) -> Future[ReadPages]:
        """Read the task's one page with the second reader's text as an aid; the future raises as
        pipeline.tasks.Reading's."""


@dataclass(frozen=True, slots=True)
class AuditTools:
    """Everything outside that an audit needs; wiring makes it."""

    executor: Executor
    """Worker processes."""
    audit: Callable[[AuditTask], AuditedPages]
    """Importable by name; runs in a worker."""
    reader: Mapping[str, str]
    """Fingerprint of the second reader, which is always the engine `local`."""
    model: Callable[[str], Reasking]
    """The model of an engine, which is asked again; made when first asked for."""
