"""A model writes each passage as atomic claims (Chen et al. 2023, Dense X Retrieval, arXiv 2312.06648)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from drac.ports import Chunked, Draft, ParsedDocument
from drac.sentences import Stretch
from drac.stages.chunk.strategies.found import Finder
from drac.stages.chunk.strategies.metering import Ask, added
from drac.stages.chunk.strategies.over import OverChunker
from drac.stages.chunk.strategies.spans import text_of
from drac.stages.chunk.strategies.writing import (
    UNREADABLE,
    ask_for,
    compare,
    in_turn,
    json_values,
    one_line,
    sendable,
    total,
)

Claims = tuple[tuple[Draft, ...], Mapping[str, int]]
"""Drafts of one passage, and what was counted."""


@dataclass(frozen=True, slots=True)
class PropositionChunker(OverChunker):
    """Implements ports.Chunker: each claim is a chunk, on its passage's stretches or closer."""

    name: str = "proposition (model-written)"
    """As tables call it."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The writer's, and the other chunker's."""
        return self.made_from({"strategy": "proposition", "rules": "2"})

    def chunk(self, document: ParsedDocument) -> Chunked:
        """A passage for which no claims come is a chunk as it stands and is counted."""
        meter = self.writer.meter()
        made, numbers = self.cut(document)
        passages = [made.drafts[number] for number in numbers]

        def write(passage: Draft) -> Claims:
            return self._claims(document.text, passage, meter.ask)

        written = in_turn(self.writer.at_once, write, passages)
        drafts = tuple(draft for found, _ in written for draft in found)
        counts = {**made.counts, **total([one for _, one in written])}
        return Chunked(drafts, added(made.usage, meter.usage), counts)

    def _claims(self, text: str, passage: Draft, ask: Ask) -> Claims:
        source = text_of(text, passage)
        payload = {"headings": [sendable(one) for one in passage.breadcrumb], "passage": sendable(source)}
        claims = ask_for(self.writer, ask, payload, _read).value
        if claims is None:
            return (Draft(passage.spans, passage.text, passage.breadcrumb),), {UNREADABLE: 1}
        places = _places(text, passage, claims)
        drafts = tuple(
            Draft((place,) if place else passage.spans, claim, passage.breadcrumb)
            for claim, place in zip(claims, places, strict=True)
        )
        return drafts, {**compare(source, claims, passage.breadcrumb), "claims": len(claims), UNREADABLE: 0}


def _places(text: str, passage: Draft, claims: tuple[str, ...]) -> Iterator[Stretch | None]:
    """Where a claim stands word for word in its passage; None where it was put in other words."""
    finders = [(start, Finder(text[start:end])) for start, end in passage.spans]
    for claim in claims:
        found = ((start, place) for start, finder in finders if (place := finder.find(claim)))
        start, place = next(found, (0, None))
        yield (start + place[0], start + place[1]) if place else None


def _read(reply: str) -> tuple[str, ...] | None:
    for value in json_values(reply, list):
        claims = tuple(dict.fromkeys(claim for one in value if (claim := one_line(one))))
        if claims:
            return claims
    return None
