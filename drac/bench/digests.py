"""What an experiment's tables came from: digests of every input and artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drac import __version__
from drac.bench.chunking import ChunkedCorpus
from drac.bench.documents import ParsedCorpus
from drac.bench.experiment import Configuration
from drac.bench.judging import Judged, questions_digest

if TYPE_CHECKING:
    from drac.bench.runner import Bench

Run = tuple[Configuration, ChunkedCorpus, Judged]


def digests(bench: Bench, some: Sequence[Run]) -> dict[str, Any]:
    """`sources`: sha256 of the documents; `parsed`, `chunks`, `judged`: names of artifacts, and sha256 of
    what is in them, by what they were made with."""
    parsed = {one.parser.shown: chunked.parsed for one, chunked, _ in some}
    chunks = {set_name(one): chunked for one, chunked, _ in some}
    return {
        "drac": __version__,
        "name": bench.experiment.name,
        "folder": str(bench.experiment.folder),
        "overrides": dict(bench.experiment.overrides),
        "settings": bench.experiment.settings.model_dump(mode="json", exclude={"run"}),
        "corpus": bench.inputs.name,
        "questions": questions_digest(bench.inputs.asked),
        "sources": _sources(parsed),
        "parsed": {name: parsed_digests(one) for name, one in parsed.items()},
        "chunks": {name: chunk_digests(one) for name, one in chunks.items()},
        "failed": {name: {**one.parsed.failed, **one.failed} for name, one in chunks.items()},
        "judged": {
            one.name: {"chunks": set_name(one), "digest": judged.digest, "sha256": judged.meta["output"]}
            for one, _, judged in some
        },
    }


def set_name(one: Configuration) -> str:
    """Parser and chunker."""
    return f"{one.parser.shown} / {one.chunker.shown}"


def _sources(parsed: Mapping[str, ParsedCorpus]) -> dict[str, str]:
    every = {
        f"{one.source.collection}/{one.source.path}": str(one.record["sha256"])
        for corpus in parsed.values() for one in corpus.documents
    }  # fmt: skip
    return dict(sorted(every.items()))


def parsed_digests(one: ParsedCorpus) -> dict[str, str]:
    """By document."""
    return {f"{doc.source.collection}/{doc.source.path}": doc.digest for doc in one.documents}


def chunk_digests(one: ChunkedCorpus) -> dict[str, list[str]]:
    """By document: name, sha256 of the chunks, and the name of the chunker's own vectors if it has any."""
    found = {}
    for doc in one.documents:
        source = doc.parsed.source
        own = [doc.vectors] if doc.vectors else []
        found[f"{source.collection}/{source.path}"] = [doc.digest, str(doc.meta["output"]), *own]
    return found
