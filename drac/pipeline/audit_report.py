"""What an audit did, counted, and the exit code that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from drac.audit_records import AuditRecord
from drac.records import PageState, Source


@dataclass(frozen=True, slots=True)
class AuditedPage:
    """One page of an audit."""

    number: int
    """1-based physical page."""
    state: PageState
    """State it is in now."""
    record: AuditRecord
    """What was found and done."""
    reused: bool
    """Whether the record was there before."""


@dataclass(slots=True)
class AuditedDocument:
    """One document of an audit."""

    source: Source
    """The document."""
    total: int = 0
    """Pages that were to be read, failed ones included."""
    pages: list[AuditedPage] = field(default_factory=list)
    """Those that have text, by number."""
    unread: dict[int, str] = field(default_factory=dict)
    """Why pages could not be audited, by number."""
    fallbacks: int = 0
    """Pages in the state `fallback`."""
    note: str = ""
    """Why none of its pages is audited; else empty."""

    @property
    def states(self) -> dict[int, PageState]:
        """States of the pages that have text, by number."""
        return {one.number: one.state for one in self.pages}


@dataclass(slots=True)
class AuditReport:
    """A whole audit."""

    documents: list[AuditedDocument]
    """In the order of the workspace."""
    max_fallback: float = 0.02
    """Share of fallback pages that is still no failure."""

    @property
    def exit_code(self) -> int:
        """4 where pages could not be audited or too many are by a fallback; flagged pages are a result."""
        total = sum(one.total for one in self.documents)
        fallbacks = sum(one.fallbacks for one in self.documents)
        too_many = total and fallbacks / total > self.max_fallback
        return 4 if too_many or any(one.unread for one in self.documents) else 0

    def summary(self) -> dict[str, Any]:
        """Counts, and each flagged page with its findings."""
        pages = [page for one in self.documents for page in one.pages]
        readers = Counter(page.record.audit.reader for page in pages if page.record.audit.reader)
        return {
            "exit_code": self.exit_code,
            "documents": len(self.documents),
            "pages": sum(one.total for one in self.documents),
            "pages_compared": sum(bool(page.record.audit.reader) for page in pages),
            "pages_reused": sum(page.reused for page in pages),
            "pages_flagged": sum(page.record.audit.flagged for page in pages),
            "pages_repaired": sum(page.state is PageState.REPAIRED for page in pages),
            "pages_by_fallback": sum(one.fallbacks for one in self.documents),
            "findings": dict(sorted(_kinds(pages).items())),
            "readers": dict(sorted(readers.items())),
            "flagged": [_page(one, page) for one in self.documents for page in one.pages if _is_told(page)],
            "not_audited": [
                {"collection": one.source.collection, "source": one.source.path, "page": number,
                 "reason": why}
                for one in self.documents for number, why in sorted(one.unread.items())
            ],
            "skipped": [
                {"collection": one.source.collection, "source": one.source.path, "reason": one.note}
                for one in self.documents if one.note
            ],
        }  # fmt: skip


def _kinds(pages: Iterable[AuditedPage]) -> Counter[str]:
    return Counter(one.kind.value for page in pages for one in page.record.audit.findings)


def _is_told(page: AuditedPage) -> bool:
    return page.record.audit.flagged or bool(page.record.outcome)


def _page(document: AuditedDocument, page: AuditedPage) -> dict[str, Any]:
    record = page.record
    findings = [
        {"kind": one.kind.value, "what": one.what, "text": one.text, "start": one.start, "end": one.end,
         "boxes": [list(box) for box in one.boxes]}
        for one in record.audit.findings
    ]  # fmt: skip
    return {
        "collection": document.source.collection, "source": document.source.path, "page": page.number,
        "state": page.state.value, "reader": record.audit.reader, "missing": record.audit.missing,
        "invented": record.audit.invented, "flagged": record.audit.flagged, "action": record.audit.action,
        "outcome": record.outcome, "findings": findings,
    }  # fmt: skip
