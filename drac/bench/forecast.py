"""What a run would make and what it would find, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from drac.bench.chunking import ChunkedCorpus
from drac.bench.documents import Forecast
from drac.bench.experiment import Configuration
from drac.bench.runner import Bench, key
from drac.records import Usage


@dataclass(frozen=True, slots=True)
class Step:
    """One stage of one or more configurations."""

    stage: str
    """`normalize`, `parse`, `chunk` or `judge`."""
    what: str
    """What does it, or the configuration."""
    unit: str
    """`documents`, `pages` or `queries`."""
    make: int
    """To be made."""
    reuse: int
    """That are there."""
    unknown: int = 0
    """Documents of which this is known only once an earlier stage has run."""
    usage: Usage = field(default_factory=Usage)
    """What models would be asked for the documents that are known: requests without a reply on disk, tokens
    by characters, replies and dollars at most."""


def forecast(bench: Bench) -> list[Step]:
    """Every stage, those that configurations share once; writes nothing and sends nothing."""
    return list(_Look(bench).steps())


class _Look:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._read: dict[str, Forecast] = {}
        self._cut: dict[str, ChunkedCorpus] = {}

    def steps(self) -> Iterator[Step]:
        chosen = self._bench.configurations
        for one in chosen:
            yield from self._reading(one)
        for one in chosen:
            yield from self._cutting(one)
        for one in chosen:
            yield self._judging(one)

    def _reading(self, one: Configuration) -> Iterator[Step]:
        if (name := key(one.parser)) in self._read:
            return
        found = self._read[name] = self._bench.forecast(one.parser)
        yield Step("normalize", one.parser.shown, "documents", found.normalize, found.normalized)
        yield Step("parse", one.parser.shown, "pages", found.pages, found.reused, found.normalize)

    def _cutting(self, one: Configuration) -> Iterator[Step]:
        if (name := key(one.parser, one.chunker)) in self._cut:
            return
        read = self._read[key(one.parser)].complete
        found = self._cut[name] = self._bench.chunking.look(read, one.chunker)
        there = {doc.parsed.digest for doc in found.documents}
        missing = [doc for doc in read.documents if doc.digest not in there]
        what = f"{one.parser.shown} / {one.chunker.shown}"
        before = self._read[key(one.parser)]
        unknown = before.normalize + before.normalized - len(read.documents)
        usage = self._bench.chunking.rehearse(missing, one.chunker) if missing else Usage()
        yield Step("chunk", what, "documents", len(missing), len(there), unknown, usage)

    def _judging(self, one: Configuration) -> Step:
        found = self._cut[key(one.parser, one.chunker)]
        judging, queries = self._bench.judging, len(self._bench.inputs.asked.queries)
        there = judging.is_there(judging.digest(found, self._bench.how[one.name]))
        return Step("judge", one.name, "queries", 0 if there else queries, queries if there else 0)
