"""A model rewrites the document into chunks: the expensive baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drac.ports import Chunked, Draft, ParsedDocument
from drac.sentences import Stretch
from drac.stages.chunk.strategies.fixed import characters, fixed
from drac.stages.chunk.strategies.metering import Ask
from drac.stages.chunk.strategies.paragraphs import paragraphs
from drac.stages.chunk.strategies.spans import merged, trim
from drac.stages.chunk.strategies.writing import (
    UNREADABLE,
    Writer,
    ask_for,
    clean,
    compare,
    in_turn,
    json_values,
    sendable,
    total,
)

Blocks = Sequence[Stretch]
Rewritten = tuple[tuple[Draft, ...], Mapping[str, int]]
"""Drafts of one portion, and what was counted."""


@dataclass(frozen=True, slots=True)
class AgenticChunker:
    """Implements ports.Chunker: chunks that a model wrote from the blocks that it names."""

    writer: Writer
    """Writes the chunks."""
    portion: int
    """Characters of the document in one request."""
    name: str = "agentic (model-written)"
    """As tables call it."""

    @property
    def at_once(self) -> int:
        """Documents that may be chunked beside each other."""
        return self.writer.at_once

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The writer's."""
        return {"strategy": "agentic", **self.writer.fingerprint}

    def chunk(self, document: ParsedDocument) -> Chunked:
        """A portion for which no chunks come is left as it stands, a chunk a block, and is counted."""
        meter = self.writer.meter()

        def write(portion: Blocks) -> Rewritten:
            return self._portion(document.text, portion, meter.ask)

        portions = list(_portions(document.text, self.portion))
        written = in_turn(self.writer.at_once, write, portions)
        drafts = tuple(draft for found, _ in written for draft in found)
        return Chunked(drafts, meter.usage, total([one for _, one in written]))

    def _portion(self, text: str, blocks: Blocks, ask: Ask) -> Rewritten:
        """In two halves where a request or its reply was too long."""
        numbered = [
            {"number": number, "text": sendable(text[start:end])}
            for number, (start, end) in enumerate(blocks, start=1)
        ]
        written = ask_for(self.writer, ask, {"blocks": numbered}, lambda reply: _read(reply, blocks))
        if written.value is not None:
            return written.value, self._counts(text, blocks, written.value)
        if (written.too_large or written.unfinished) and len(blocks) > 1:
            middle = len(blocks) // 2
            halves = [self._portion(text, half, ask) for half in (blocks[:middle], blocks[middle:])]
            return (*halves[0][0], *halves[1][0]), total([one for _, one in halves])
        return tuple(Draft((one,)) for one in blocks), {UNREADABLE: 1}

    @staticmethod
    def _counts(text: str, blocks: Blocks, drafts: Sequence[Draft]) -> Mapping[str, int]:
        source = "\n".join(text[start:end] for start, end in blocks)
        named = {span for one in drafts for span in one.spans}
        return {
            **compare(source, [one.text or "" for one in drafts]),
            "unnamed blocks": len(set(blocks) - named),
            "chunks without a block": sum(not one.spans for one in drafts),
            UNREADABLE: 0,
        }


def _portions(text: str, size: int) -> Iterator[Blocks]:
    portion: list[Stretch] = []
    held = 0
    for block in _blocks(text, size):
        length = block[1] - block[0]
        if portion and held + length > size:
            yield portion
            portion, held = [], 0
        portion.append(block)
        held += length
    if portion:
        yield portion


def _blocks(text: str, size: int) -> Iterator[Stretch]:
    """Paragraphs; one longer than a portion in pieces."""
    cut = fixed(characters, size)
    for start, end in paragraphs(text):
        for first, last in cut(text[start:end]):
            block = trim(text, (start + first, start + last))
            if block[0] < block[1]:
                yield block


def _read(reply: str, blocks: Blocks) -> tuple[Draft, ...] | None:
    """The chunks of a reply, as it orders them; block numbers that are none are left out."""
    for value in json_values(reply, list):
        drafts = tuple(draft for one in value if (draft := _draft(one, blocks)))
        if drafts:
            return drafts
    return None


def _draft(given: object, blocks: Blocks) -> Draft | None:
    text = clean(given.get("text")) if isinstance(given, dict) else ""
    if not text or not isinstance(given, dict):
        return None
    numbers = given.get("blocks")
    known = {
        one for one in (numbers if isinstance(numbers, list) else ())
        if type(one) is int and 1 <= one <= len(blocks)
    }  # fmt: skip
    return Draft(merged(blocks[one - 1] for one in known), text)
