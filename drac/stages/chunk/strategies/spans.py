"""Stretches of a text to drafts, and a chunker of any function that gives stretches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from drac.ports import Chunked, ChunkEmbedder, Draft, ParsedDocument
from drac.sentences import Stretch

Cut = Callable[[str], Iterable[Stretch]]
"""A text to stretches of it: code points, end exclusive; they may overlap."""
Tokens = Callable[[str], Sequence[Stretch]]
"""A text to one stretch a token, ascending; they need not cover it and several may be equal."""


@dataclass(frozen=True, slots=True)
class SpanChunker:
    """Implements ports.Chunker: the stretches that a function gives, white space at their ends left out."""

    name: str
    """As tables call it."""
    cut: Cut
    """Gives the stretches."""
    fingerprint: Mapping[str, str]
    """What can change them outside the options."""
    embedder: ChunkEmbedder | None = None
    """Gives the chunks vectors of their own; None: they are embedded as any text."""

    def chunk(self, document: ParsedDocument) -> Chunked:
        """See ports.Chunker."""
        return Chunked(drafts_of(document.text, self.cut(document.text)))


@dataclass(frozen=True, slots=True)
class PageChunker:
    """Implements ports.Chunker: each page that has text is one chunk."""

    name: str = "page"
    """As tables call it."""
    fingerprint: Mapping[str, str] = field(default_factory=lambda: {"strategy": "page", "rules": "1"})
    """Version of the rules."""

    def chunk(self, document: ParsedDocument) -> Chunked:
        """See ports.Chunker."""
        return Chunked(drafts_of(document.text, [(start, end) for _, start, end in document.places]))


def drafts_of(text: str, stretches: Iterable[Stretch]) -> tuple[Draft, ...]:
    """One draft a stretch that is not all white space, in their order."""
    trimmed = (trim(text, one) for one in stretches)
    return tuple(Draft((one,)) for one in trimmed if one[0] < one[1])


def trim(text: str, stretch: Stretch) -> Stretch:
    """The stretch without white space at its ends; an empty one where it is nothing else."""
    start, end = stretch
    piece = text[start:end]
    kept = piece.strip()
    first = start + len(piece) - len(piece.lstrip())
    return (first, first + len(kept)) if kept else (start, start)


def merged(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Ascending and without overlap; what touches stays apart."""
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)


def text_at(text: str, spans: Iterable[Stretch]) -> str:
    """The stretches' text, a blank line between (see ports.Draft)."""
    return "\n\n".join(text[start:end] for start, end in spans)


def text_of(text: str, draft: Draft) -> str:
    """What is embedded of a draft, given the document's text."""
    return text_at(text, draft.spans) if draft.text is None else draft.text
