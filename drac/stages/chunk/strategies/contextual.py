"""A model writes one or two sentences before each chunk (contextual retrieval, Anthropic 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from drac.ports import Chunked, Draft, ParsedDocument
from drac.stages.chunk.strategies.metering import Ask, added
from drac.stages.chunk.strategies.over import OverChunker
from drac.stages.chunk.strategies.spans import text_of
from drac.stages.chunk.strategies.writing import (
    UNREADABLE,
    ask_for,
    in_turn,
    json_values,
    one_line,
    sendable,
)

_LONGEST = 700
"""Characters of a context at most: what is longer is not one or two sentences."""


@dataclass(frozen=True, slots=True)
class ContextualChunker(OverChunker):
    """Implements ports.Chunker: another chunker's chunks, each under a context that a model wrote."""

    around: int
    """Characters of the document shown with a chunk, half before and half after it."""
    name: str = "contextual (model-written)"
    """As tables call it."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The writer's, and the other chunker's."""
        return self.made_from({"strategy": "contextual"})

    def chunk(self, document: ParsedDocument) -> Chunked:
        """A chunk for which no context comes stays as it is and is counted."""
        meter = self.writer.meter()
        made, numbers = self.cut(document)

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
