"""What is known of a page before its reply is read, and what is thought of it after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """Why a page's text in a reply does not count."""

    STOPPED = "stopped"
    """The reply did not end normally; the stop reason follows."""
    EMPTY = "empty reply"
    """No character was sent."""
    MISSING = "missing marker"
    """The page's marker is not in the reply."""
    REPEATED = "repeated marker"
    """The page's marker stands there twice."""
    EXTRA = "extra marker"
    """A marker that nobody asked for begins or ends the page."""
    ORDER = "markers out of order"
    """The page before or after is not the one that it should be."""
    MISMATCH = "other page number"
    """One page was asked for, and the one marker has another number."""
    STRAY = "marker within text"
    """A marker in a sentence, or one without an end, stands on the page."""
    OUTSIDE = "text outside pages"
    """Text that is no known chatter stands before the first marker."""
    FENCE = "unclosed fence"
    """A fence on the page has no end."""
    TABLE = "table syntax"
    """Pipe tables or HTML tables."""
    LOOP = "loop"
    """The same words again and again, which the text layer does not confirm."""
    REFUSAL = "refusal"
    """The model says that it will not or cannot read."""
    FOREIGN = "foreign"
    """Hardly a word of the page's own text layer is in it, and no other reply for the page said the same."""
    CHATTER = "chatter"
    """The model speaks of its work within the page."""
    NO_TEXT = "no text"
    """A page with ink came back as blank."""
    INVENTED = "invented text"
    """A page without ink came back with text."""
    WRONG_PAGE = "text of another page"
    """The words are those of another page's text layer."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the pixels and the text layer say of a page."""

    number: int
    """1-based physical page."""
    has_ink: bool | None = True
    """Whether something is drawn on it; None: not known, as for half a page."""
    text_layer: str = ""
    """Its text layer as extracted; empty where there is none."""
    said_before: frozenset[str] = frozenset()
    """What was doubted in other replies for this page: said twice, it is the page's own."""


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """One page of a reply."""

    number: int
    """1-based physical page."""
    markdown: str
    """Cleaned Markdown without the marker; empty where there is a fault."""
    fault: Fault | None = None
    """None: accepted."""
    detail: str = ""
    """What was seen, for the fault's line in the record."""
    notes: tuple[str, ...] = ()
    """What was mended or let pass."""
    doubted: str = ""
    """What another reply for this page would confirm by saying it too; empty where nothing would."""

    @property
    def outcome(self) -> str:
        """`ok`, or the named fault; goes into records.Attempt."""
        if self.fault is None:
            return "ok"
        return f"{self.fault}: {self.detail}" if self.detail else str(self.fault)


@dataclass(frozen=True, slots=True)
class ReplyVerdict:
    """A whole reply: one verdict a page asked for, in the order asked."""

    pages: tuple[PageVerdict, ...]
    """In the order of the request."""

    @property
    def good(self) -> tuple[PageVerdict, ...]:
        """Those accepted."""
        return tuple(page for page in self.pages if page.fault is None)


def all_bad(pages: Sequence[PageFacts], fault: Fault, detail: str = "") -> ReplyVerdict:
    """The same fault for every page."""
    return ReplyVerdict(tuple(PageVerdict(page.number, "", fault, detail) for page in pages))
