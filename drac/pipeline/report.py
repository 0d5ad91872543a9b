"""What a run did, counted, and the exit code that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drac.errors import EXIT_ORDER
from drac.records import PageState, Skipped, Source


@dataclass(slots=True)
class DocumentResult:
    """One document of a run."""

    source: Source
    """The document."""
    states: dict[int, PageState] = field(default_factory=dict)
    """State of each selected page, by 1-based number."""
    reused: int = 0
    """Pages that were finished before this run."""
    error: str = ""
    """Why the document failed; empty if it did not."""
    remedy: str = ""
    """What to do about it."""
    archive: bool = False
    """Whether it is an archive: no document of its own, only what was in it."""
    unavailable: bool = False
    """Whether it failed because LibreOffice is missing or does not start."""
    reasons: dict[int, str] = field(default_factory=dict)
    """Why pages failed, by number."""
    fallbacks: dict[int, str] = field(default_factory=dict)
    """Why pages were read by `local` instead, by number."""
    left_out: tuple[str, ...] = ()
    """Parts of the document that are not on its pages because they are past a limit, a line each."""
    withheld: str = ""
    """A line on what policy leaves out of it; empty where nothing is."""


@dataclass(slots=True)
class Report:
    """A whole run."""

    documents: list[DocumentResult]
    """In the order given."""
    skipped: tuple[Skipped, ...] = ()
    """What was found and not taken."""
    max_fallback: float = 0.02
    """Share of fallback pages that is still no failure."""
    retrying: bool = False
    """Whether only what had failed was tried again; other documents of the workspace are usable."""

    @property
    def states(self) -> Counter[str]:
        """Pages by state."""
        return Counter(state.value for one in self.documents for state in one.states.values())

    def take_states(self, states: Mapping[str, Mapping[int, PageState]]) -> None:
        """Note the states in which an audit left pages, by doc_id and number."""
        for one in self.documents:
            one.states |= states.get(one.source.doc_id, {})

    @property
    def failed(self) -> list[DocumentResult]:
        """Documents that could not be used."""
        return [one for one in self.documents if one.error]

    @property
    def exit_code(self) -> int:
        """0, 3, 4 or 6 as DESIGN section 5 says; errors that end a run are raised instead."""
        unavailable = 6 if any(one.unavailable for one in self.documents) else 0
        return first_code([unavailable, self._input_code(), self._partial_code()])

    def _input_code(self) -> int:
        """3 where nothing was usable; nothing to try again is no failure."""
        usable = any(not (one.error or one.archive) for one in self.documents)
        return 0 if usable or self.retrying else 3

    def _partial_code(self) -> int:
        pages = self.states
        total = sum(pages.values())
        too_many = total and pages["fallback"] / total > self.max_fallback
        unusable = any(one.kind == "unusable" for one in self.skipped)
        lacking = any(one.left_out for one in self.documents)
        return 4 if self.failed or lacking or unusable or pages["failed"] or too_many else 0

    def summary(self) -> dict[str, Any]:
        """Counts for `--json` and for people."""
        pages = self.states
        return {
            "documents": sum(not one.archive or bool(one.error) for one in self.documents),
            "documents_failed": len(self.failed),
            "pages": sum(pages.values()),
            "pages_by_state": {state.value: pages[state.value] for state in PageState},
            "pages_reused": sum(one.reused for one in self.documents),
            "pages_converted": sum(len(one.states) - one.reused for one in self.documents),
            "failures": [
                {"collection": one.source.collection, "source": one.source.path, "error": one.error,
                 "remedy": one.remedy}
                for one in self.failed
            ],
            "failed_pages": [
                {"collection": one.source.collection, "source": one.source.path, "page": page,
                 "reason": reason}
                for one in self.documents for page, reason in sorted(one.reasons.items())
            ],
            "fallback_pages": [
                {"collection": one.source.collection, "source": one.source.path, "page": page,
                 "reason": reason}
                for one in self.documents for page, reason in sorted(one.fallbacks.items())
            ],
            "left_out": [
                {"collection": one.source.collection, "source": one.source.path, "part": part}
                for one in self.documents for part in one.left_out
            ],
            "documents_with_parts_left_out_by_policy": sum(bool(one.withheld) for one in self.documents),
            "skipped": [
                {"path": one.path, "reason": one.reason, "kind": one.kind} for one in self.skipped
            ],
        }  # fmt: skip


def first_code(codes: list[int]) -> int:
    """The exit code that wins (DESIGN section 5)."""
    return min(codes, key=EXIT_ORDER.index, default=0)
