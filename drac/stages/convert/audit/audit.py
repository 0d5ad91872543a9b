"""One page's text beside a second reader's: what is missing, what is too much, what stands elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from drac.audit_records import Finding, FindingKind, PageAudit
from drac.records import PageText
from drac.stages.convert.audit.alike import Speller
from drac.stages.convert.audit.columns import swapped
from drac.stages.convert.audit.findings import Compared, added, lacking, lost
from drac.stages.convert.audit.match import Match
from drac.stages.convert.audit.order import moved
from drac.stages.convert.audit.rows import find_rows
from drac.stages.convert.audit.sides import seen_side, written_side
from drac.stages.convert.audit.thresholds import AuditThresholds
from drac.stages.convert.audit.told import told
from drac.stages.convert.audit.words import texts
from drac.stages.convert.audit.wrapped import put_together


def audit_page(
    written: PageText, reference: PageText, thresholds: AuditThresholds, *, reader: str
) -> PageAudit:
    """What differs between the text under audit and the second reader's; `reader` names that one.

    Running headers and footers, which either may leave out, are no difference, nor are words that
    tell a row, such as its headers, in whatever sentence. The reference must have been read: beside a
    page that failed, all of the text is invented.
    """
    page = _compared(written, reference, thresholds)
    found = sorted(_all(page), key=lambda one: (one.start < 0, one.start))
    missing, invented = _missing(page), _invented(page)
    return PageAudit(
        page=written.page,
        reader=reader,
        missing=missing,
        invented=invented,
        findings=tuple(found),
        flagged=bool(found) or max(missing, invented) > thresholds.share,
    )


def _compared(written: PageText, reference: PageText, thresholds: AuditThresholds) -> Compared:
    out = written_side(written)
    spell = Speller([word.text for word in out.words], texts(reference.markdown), fuzzy=thresholds.fuzzy)
    seen = seen_side(reference, spell)
    put_together(out, seen)
    rows = find_rows(out, seen, thresholds.row_share, thresholds.full_row)
    match = Match(out, seen, rows, reference.furniture, fuzzy=thresholds.fuzzy)
    edges = frozenset(texts("\n".join(reference.furniture)))
    own_edges = frozenset(texts("\n".join(written.furniture)))
    return Compared(out, seen, rows, match, thresholds, edges, own_edges, written.regions)


def _all(page: Compared) -> Iterator[Finding]:
    yield from lost(page)
    yield from added(page)
    yield from told(page)
    for swap in swapped(page.rows, page.written):
        yield page.at_line(FindingKind.COLUMNS_SWAPPED, swap.said.line, swap.values)
    for line in moved(page.written, page.seen, page.rows, page.match, page.thresholds.moved_words):
        yield page.at_line(FindingKind.ORDER, line, page.written.texts(line))


def _missing(page: Compared) -> float:
    """Share of the second reader's words that the text lacks."""
    left = sum(len(lacking(page, unit)) for unit in page.seen.units)
    return left / max(1, len(page.seen.words))


def _invented(page: Compared) -> float:
    """Share of the text's words that the second reader did not see, lines of rows aside."""
    told = {one.line for one in page.rows.said}
    lines = [line for line in page.written.lines if line not in told]
    words = [page.written.words[at] for line in lines for at in page.match.free(line, out=True)]
    known = page.on_page | page.template
    odd = [word for word in words if not word.optional and word.text not in known]
    return len(odd) / max(1, len(page.written.words))
