"""What is done about a flagged page, and how its record tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from drac.audit_records import Finding, FindingKind, PageAudit
from drac.records import Attempt, PageState, PageText
from drac.stages.convert.model_reading import total

AIMED = (FindingKind.INSTRUCTION, FindingKind.HIDDEN)
"""Findings on the page itself, which no other reading of it would mend."""
NOT_REPAIRED = "left as it is: a text layer is not repaired from OCR, nor OCR from OCR"
NOT_REPLACED = "left as it is: OCR is no better witness of single words and rows"
_GARBLED = 0.5
"""Share of the words OCR sees that a text lacks, from which the text is garbled, not OCR."""
BY = "audit"
"""Who stands in a page's attempts where the audit found its text wanting."""


def is_doubtful(audit: PageAudit) -> bool:
    """Whether the page was flagged for what its text says, not for what the page holds."""
    return audit.flagged and any(one.kind not in AIMED for one in audit.findings)


def may_replace(written: PageText, reference: PageText, audit: PageAudit) -> bool:
    """Whether the second reader's text may stand in the page's place.

    OCR misreads more than a text layer, and as much as another OCR; it replaces the text of `local` only
    where that lacks most of the page, as where a font's characters are mapped wrongly.
    """
    return written.method == "image" or reference.method != "ocr" or audit.missing >= _GARBLED


def summary(findings: Iterable[Finding]) -> str:
    """`2 digits, 1 missing`: findings by kind, the most frequent first."""
    counts = Counter(one.kind.value for one in findings)
    return ", ".join(
        f"{count} {kind}" for kind, count in sorted(counts.items(), key=lambda one: (-one[1], one))
    )


def repaired(written: PageText, found: PageAudit, again: PageText, how: str) -> PageText:
    """The page with the text that was read again, and all tries."""
    note = f"audit: {summary(found.findings)} beside {found.reader}; {how}"
    notes = (*again.notes, note)
    return replace(_tried(again, written, found, again), state=PageState.REPAIRED, notes=notes)


def left(written: PageText, found: PageAudit, again: PageText, why: str) -> PageText:
    """The page as it was; the tries to repair it and what they cost are noted."""
    note = f"audit: {summary(found.findings)} beside {found.reader}; {why}"
    return replace(_tried(written, written, found, again), notes=(*written.notes, note))


def fallen_back(written: PageText, found: PageAudit, reference: PageText) -> PageText:
    """The page with the second reader's text."""
    note = f"audit: {summary(found.findings)} beside {found.reader}, whose text this is"
    notes = (*reference.notes, note)
    return replace(_tried(reference, written, found, reference), state=PageState.FALLBACK, notes=notes)


def _tried(kept: PageText, written: PageText, found: PageAudit, again: PageText) -> PageText:
    """`kept` with the tries of both."""
    doubt = Attempt(BY, f"flagged: {summary(found.findings)}")
    usage = total((written.usage, again.usage))
    return replace(kept, attempts=(*written.attempts, doubt, *again.attempts), usage=usage)
