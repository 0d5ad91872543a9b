"""Records of the audit: what was found on a page, and what came of it.

The conventions are those of drac/records.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drac.records import Box, Page, PageText


class FindingKind(StrEnum):
    """What an audit found between a page's text and a second reader's."""

    MISSING = "missing"
    """Words that the second reader saw stand nowhere in the text."""
    INVENTED = "invented"
    """Words of the text stand nowhere near on the page."""
    DIGITS = "digits"
    """A digit string of the text is not on the page, or not in that row; or one of the page was lost."""
    ROW_MISSING = "row-missing"
    """A table row has no sentence."""
    ROWS_MERGED = "rows-merged"
    """Two table rows stand in one sentence."""
    COLUMNS_SWAPPED = "columns-swapped"
    """Values stand under each other's headers."""
    ORDER = "order"
    """Blocks stand in another order than on the page."""
    REPEATED = "repeated"
    """A block stands more often than on the page."""
    INSTRUCTION = "instruction"
    """The page speaks to a model, such as to ignore its instructions."""
    HIDDEN = "hidden"
    """The page holds text that nobody sees and that differs from the visible."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an audit found on one page."""

    kind: FindingKind
    """What is wrong."""
    text: str
    """The sentence or block of the text, or of the page where the text lacks it."""
    what: str
    """The words or digit strings in question, a space between."""
    start: int = -1
    """First code point of `text` in the page's Markdown; -1 where the Markdown lacks it."""
    end: int = -1
    """Code point after the last; -1 likewise."""
    boxes: tuple[Box, ...] = ()
    """Where it stands on the page, in page points; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class PageAudit:
    """One page's text compared with what a reader of another kind read."""

    page: Page
    """The page."""
    reader: str
    """The second reader and its view, e.g. `local text-layer` or `local ocr`."""
    missing: float
    """Share of the second reader's words that the text lacks, 0.0 to 1.0."""
    invented: float
    """Share of the text's words, template words of rows aside, that the second reader did not see."""
    findings: tuple[Finding, ...] = ()
    """What was found, in the page's order."""
    flagged: bool = False
    """Whether a person should look: a finding is past its threshold."""
    action: str = "report"
    """What was done of it: `report`, `repair` or `fallback`."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One page's audit as it is stored, with what came of it."""

    key: str
    """Digest of the page as it is now, the second reader and the audit: the same again gives the same."""
    page_sha256: str
    """Of the page's file that was audited, or that the audit wrote; another one makes this out of date."""
    audit: PageAudit
    """What was found, on the new text where the audit changed it."""
    outcome: str = ""
    """What was done about it, or why it was not compared, in words; empty where nothing was."""
    found: tuple[Finding, ...] = ()
    """What was found on the text before, where something was done."""
    before: PageText | None = None
    """The page before the audit changed its text; None where it did not."""
