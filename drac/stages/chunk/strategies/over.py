"""What strategies share in which a model writes about another chunker's chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from drac.ports import Chunked, Chunker, ParsedDocument
from drac.stages.chunk.strategies.writing import Writer


@dataclass(frozen=True, slots=True)
class OverChunker:
    """Another chunker's chunks and who writes about them."""

    over: Chunker
    """Gives the chunks."""
    writer: Writer
    """Writes."""
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False, kw_only=True)
    """The other chunker cuts one document at a time."""

    @property
    def at_once(self) -> int:
        """Documents that may be chunked beside each other."""
        return self.writer.at_once

    def made_from(self, strategy: Mapping[str, str]) -> Mapping[str, str]:
        """A fingerprint: the strategy's own part, the writer's, and the other chunker's."""
        over = {f"over {key}": value for key, value in self.over.fingerprint.items()}
        return {**strategy, **self.writer.fingerprint, **over}

    def cut(self, document: ParsedDocument) -> tuple[Chunked, list[int]]:
        """What the other chunker made, and the numbers of the drafts that are no parents."""
        with self._lock:
            made = self.over.chunk(document)
        parents = {one.parent for one in made.drafts}
        return made, [number for number in range(len(made.drafts)) if number not in parents]
