"""A user's own function as a chunker: text to strings, or text to stretches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drac.errors import DracError, UsageError
from drac.ports import Chunked, ChunkEmbedder, Draft, ParsedDocument
from drac.records import Usage
from drac.stages.chunk.strategies.found import Finder
from drac.stages.chunk.strategies.spans import drafts_of

INVENTED = "invented"
"""Count of strings that do not stand in the document; they are chunks without a page."""
_REMEDY = "A chunker returns a list of strings, or of (start, end) in characters of the text it was given."
_CLASS_REMEDY = "See Chunker, Chunked and Draft in drac.ports."


@dataclass(frozen=True, slots=True)
class FunctionChunker:
    """Implements ports.Chunker with a function."""

    name: str
    """As tables call it."""
    function: Callable[[str], Iterable[Any]]
    """Takes the document's text."""
    fingerprint: Mapping[str, str]
    """Names the function's code."""
    embedder: ChunkEmbedder | None = None
    """None: chunks are embedded as any text."""

    def chunk(self, document: ParsedDocument) -> Chunked:
        """Raises UsageError that names function and document where it fails or returns something else."""
        try:
            returned = list(self.function(document.text))
        except DracError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's function raises
            raise self._wrong(document, f"{type(error).__name__}: {error}") from error
        if all(isinstance(one, str) for one in returned):
            return _of_strings(document.text, returned)
        stretches = [self._stretch(document, one) for one in returned]
        return Chunked(drafts_of(document.text, stretches))

    def _stretch(self, document: ParsedDocument, given: Any) -> tuple[int, int]:
        match given:
            case (int(start), int(end)) if 0 <= start <= end <= len(document.text):
                return start, end
        limit = f"the text has {len(document.text):,} characters"
        raise self._wrong(document, f"{given!r} is neither a string nor a stretch of the text; {limit}")

    def _wrong(self, document: ParsedDocument, why: str) -> UsageError:
        where = f"{document.collection}/{document.source}"
        return UsageError(f"chunker `{self.name}` on {where}: {why}", remedy=_REMEDY)


@dataclass(frozen=True, slots=True)
class CheckedChunker:
    """Implements ports.Chunker with a user's own object; what it returns is checked."""

    name: str
    """As tables call it."""
    made: Any
    """The object; only its `chunk` must be there."""
    fingerprint: Mapping[str, str]
    """Names its code, and what it says of itself."""
    embedder: ChunkEmbedder | None = None
    """Its own, where it has one."""

    def chunk(self, document: ParsedDocument) -> Chunked:
        """Raises UsageError that names class and document where it fails or returns something else."""
        try:
            returned = self.made.chunk(document)
        except DracError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's class raises
            raise self._wrong(document, f"{type(error).__name__}: {error}") from error
        if why := _fault(returned, len(document.text)):
            raise self._wrong(document, why)
        checked: Chunked = returned
        return checked

    def _wrong(self, document: ParsedDocument, why: str) -> UsageError:
        where = f"{document.collection}/{document.source}"
        return UsageError(f"chunker `{self.name}` on {where}: {why}", remedy=_CLASS_REMEDY)


def _of_strings(text: str, strings: list[str]) -> Chunked:
    finder = Finder(text)
    drafts, invented = [], 0
    for one in strings:
        if not one.strip():
            continue
        place = finder.find(one)
        invented += place is None
        same = place is not None and text[place[0] : place[1]] == one.strip()
        drafts.append(Draft((place,) if place else (), None if same else one.strip()))
    return Chunked(tuple(drafts), counts={INVENTED: invented})


def _fault(returned: Any, length: int) -> str:
    """What is wrong with what a chunker returned for a text of this length; empty where nothing is."""
    if not isinstance(returned, Chunked):
        return f"it returned {type(returned).__name__}, not drac.ports.Chunked"
    if not isinstance(returned.drafts, tuple | list):
        return f"its drafts are a {type(returned.drafts).__name__}, not a tuple"
    if not isinstance(returned.usage, Usage):
        return f"its usage is {type(returned.usage).__name__}, not drac.records.Usage"
    if not _are(returned.counts, str) or not _are(returned.counts.values(), int):
        return "its counts are not whole numbers by name"
    faults = (_draft_fault(one, length, len(returned.drafts)) for one in returned.drafts)
    wrong = next((f"draft {number}: {why}" for number, why in enumerate(faults) if why), "")
    return wrong or _circle([one.parent for one in returned.drafts])


def _are(values: Any, kind: type) -> bool:
    return isinstance(values, Iterable) and all(type(one) is kind for one in values)


def _draft_fault(draft: Any, length: int, drafts: int) -> str:
    if not isinstance(draft, Draft):
        return f"it is {type(draft).__name__}, not drac.ports.Draft"
    if not _ascend(draft.spans, length):
        return f"spans {draft.spans} are not ascending stretches of a text of {length:,} characters"
    if draft.text is not None and not isinstance(draft.text, str):
        return f"its text is {type(draft.text).__name__}, not a string"
    if not _are(draft.breadcrumb, str):
        return f"breadcrumb {draft.breadcrumb!r} is no tuple of strings"
    if draft.parent is not None and not (type(draft.parent) is int and 0 <= draft.parent < drafts):
        return f"parent {draft.parent} is none of {drafts} drafts"
    return "" if draft.spans or draft.text else "it has neither spans nor text"


def _ascend(spans: Any, length: int) -> bool:
    """Whether spans are pairs of whole numbers of a text, each after the one before."""
    end = 0
    for span in spans if isinstance(spans, tuple | list) else (None,):
        if not (isinstance(span, tuple | list) and len(span) == 2 and _are(span, int)):
            return False
        if not end <= span[0] < span[1] <= length:
            return False
        end = span[1]
    return True


def _circle(parents: Sequence[int | None]) -> str:
    """What is wrong with parents where one stands, over others or at once, above itself."""
    sound: set[int] = set()
    for number in range(len(parents)):
        above: dict[int, None] = {}
        at: int | None = number
        while at is not None and at not in sound:
            if at in above:
                return f"draft {at}: it is its own parent, at once or over others"
            above[at] = None
            at = parents[at]
        sound.update(above)
    return ""
