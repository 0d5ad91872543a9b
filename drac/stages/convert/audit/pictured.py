"""Words that a text layer lacks because they stand in a picture."""

from __future__ import annotations

from dataclasses import replace

from drac.audit_records import Finding, FindingKind, PageAudit
from drac.records import PageText
from drac.stages.convert.audit.words import texts

_ON_THE_PAGE = (FindingKind.INVENTED, FindingKind.DIGITS)
"""Findings that say that something of the text is not on the page."""


def without_pictured(audit: PageAudit, layer: PageText, seen: PageText) -> PageAudit:
    """The audit beside a text layer without findings on words that OCR saw and the layer does not have.

    A word that the layer has elsewhere stays doubtful: it was put in another's place.
    """
    has, sees = _words(layer), _words(seen)
    left = tuple(one for one in audit.findings if not _is_pictured(one, has, sees))
    return replace(audit, findings=left, flagged=bool(left) and audit.flagged)


def _words(page: PageText) -> frozenset[str]:
    return frozenset(texts("\n".join((page.markdown, *page.furniture))))


def _is_pictured(one: Finding, has: frozenset[str], sees: frozenset[str]) -> bool:
    lacking = set(texts(one.what)) - has
    return one.kind in _ON_THE_PAGE and one.start >= 0 and bool(lacking) and lacking <= sees
