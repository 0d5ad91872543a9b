"""A model writes one or two sentences before each chunk (contextual retrieval, Anthropic 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from drac.ports import Chunked, Chunker, Draft, ParsedDocument
from drac.stages.chunk.strategies.metering import Ask, added
from drac.stages.chunk.strategies.spans import text_of
from drac.stages.chunk.strategies.writing import (
    UNREADABLE,
    Writer,
    ask_for,
    in_turn,
    json_values,
    one_line,
    sendable,
)

_LONGEST = 700
"""Characters of a context at most: what is longer is not one or two sentences."""


@dataclass(frozen=True, slots=True)
class ContextualChunker:
    """Implements ports.Chunker: another chunker's chunks, each under a context that a model wrote."""

    over: Chunker
    """Gives the chunks."""
    writer: Writer
    """Writes the contexts."""
    around: int
    """Characters of the document shown with a chunk, half before and half after it."""
    name: str = "contextual (model-written)"
    """As tables call it."""
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)
    """The other chunker cuts one document at a time."""

    @property
    def at_once(self) -> int:
        """Documents that may be chunked beside each other."""
        return self.writer.at_once

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The writer's, and the other chunker's."""
        over = {f"over {key}": value for key, value in self.over.fingerprint.items()}
        return {"strategy": "contextual", **self.writer.fingerprint, **over}

    def chunk(self, document: ParsedDocument) -> Chunked:
        """A chunk for which no context comes stays as it is and is counted."""
        meter = self.writer.meter()
        with self._lock:
            made = self.over.chunk(document)
        parents = {one.parent for one in made.drafts}
        numbers = [number for number in range(len(made.drafts)) if number not in parents]

        def write(number: int) -> str:
            return self._context(document.text, made.drafts[number], meter.ask)

        contexts = dict(zip(numbers, in_turn(self.writer.at_once, write, numbers), strict=True))
        drafts = tuple(
            _under(document.text, one, contexts.get(number, "")) for number, one in enumerate(made.drafts)
        )
        missing = sum(not one for one in contexts.values())
        counts = {**made.counts, "contexts": len(contexts) - missing, UNREADABLE: missing}
        return Chunked(drafts, added(made.usage, meter.usage), counts)

    def _context(self, text: str, draft: Draft, ask: Ask) -> str:
        start, end = (draft.spans[0][0], draft.spans[-1][1]) if draft.spans else (0, 0)
        around = self.around
        while True:
            half = around // 2
            payload = {
                "before": sendable(text[max(0, start - half) : start]),
                "chunk": sendable(text_of(text, draft)),
                "after": sendable(text[end : end + half]),
            }
            written = ask_for(self.writer, ask, payload, _read)
            if written.value is not None or not written.too_large or not around:
                return written.value or ""
            around = around // 4


def _read(reply: str) -> str | None:
    for value in json_values(reply, dict):
        context = one_line(value.get("context"))
        if 0 < len(context) <= _LONGEST:
            return context
    return None


def _under(text: str, draft: Draft, context: str) -> Draft:
    return replace(draft, text=f"{context}\n\n{text_of(text, draft)}") if context else draft
