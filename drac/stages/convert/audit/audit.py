"""One page's text beside a second reader's: what is missing, what is too much."""

from __future__ import annotations

from collections import Counter

from drac.records import Finding, FindingKind, PageAudit, PageText
from drac.stages.convert.audit.thresholds import AuditThresholds
from drac.stages.convert.audit.words import is_digits, texts


def audit_page(
    written: PageText, reference: PageText, thresholds: AuditThresholds, *, reader: str
) -> PageAudit:
    """What differs between the text under audit and the second reader's; `reader` names that one."""
    out, seen = Counter(texts(written.markdown)), Counter(texts(reference.markdown))
    edges = Counter(texts("\n".join([*reference.furniture, *written.furniture])))
    lost, more = set(seen) - set(out) - set(edges), set(out) - set(seen) - set(edges)
    found = [
        *_finding(FindingKind.MISSING, lost, thresholds.missing_words),
        *_finding(FindingKind.DIGITS, {one for one in lost | more if is_digits(one)}, thresholds.lost_digits),
        *_finding(FindingKind.INVENTED, more, thresholds.invented_words),
    ]
    return PageAudit(
        page=written.page,
        reader=reader,
        missing=sum(seen[one] for one in lost) / max(1, seen.total()),
        invented=sum(out[one] for one in more) / max(1, out.total()),
        findings=tuple(found),
        flagged=bool(found),
    )


def _finding(kind: FindingKind, words: set[str], least: int) -> list[Finding]:
    return [Finding(kind, "", " ".join(sorted(words)))] if len(words) >= least else []
