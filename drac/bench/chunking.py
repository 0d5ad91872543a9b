"""Stage 3: parsed documents to chunks, one artifact a document and chunker."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from drac.bench.coverage import Coverage, measure
from drac.bench.documents import Parsed, ParsedCorpus
from drac.bench.drafts import chunks_of, is_kept
from drac.bench.experiment import Component
from drac.bench.soundness import are_sound, has_meta, is_sound
from drac.bench.steps import Steps
from drac.errors import BudgetReached, DracError, EngineUnavailable, Interrupted, UsageError
from drac.evaluate.chunk_sets import SetChunk, page_shares
from drac.evaluate.facts import count_words
from drac.pipeline.exporting import chunk_line
from drac.ports import Chunked, ChunkEmbedder, Chunker
from drac.records import Chunk, Usage
from drac.retrieve.vectors import VECTORS_FILE, WINDOWS_FILE, DocumentVectors
from drac.store.keys import artifact_digest, output_of, recipe
from drac.store.store import Store
from drac.wiring import registry

STAGE = "chunks"
VERSION = 1
OWN_VECTORS = "chunk-vectors"
"""Stage of vectors that a chunker makes itself (late chunking)."""
_VECTORS = (VECTORS_FILE, WINDOWS_FILE)
_FILE = "chunks.jsonl"


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """One document's chunks, as an artifact."""

    parsed: Parsed
    """The document."""
    digest: str
    """Names the chunks."""
    meta: Mapping[str, Any]
    """`output`: sha256 of the file; `seconds`, `usage`, `counts`, `coverage`, `words` of what is searched."""
    vectors: str = ""
    """Names its own vectors; empty: its chunks are embedded as any text."""
    vector_seconds: float = 0.0
    """That making these took."""


@dataclass(frozen=True, slots=True)
class ChunkedCorpus:
    """All documents' chunks by one chunker."""

    chunker: str
    """As tables call it."""
    parsed: ParsedCorpus
    """What was cut."""
    documents: tuple[ChunkedDocument, ...]
    """In the parsed documents' order."""
    failed: Mapping[str, str]
    """Collection and path of what could not be cut, and why."""

    @property
    def sizes(self) -> list[int]:
        """Words of each chunk that is searched."""
        return [words for one in self.documents for words in one.meta["words"]]

    @property
    def vector_seconds(self) -> float:
        """That the chunker's own vectors took."""
        return sum(one.vector_seconds for one in self.documents)

    @property
    def coverage(self) -> list[Coverage]:
        """Of each document; of one that could not be cut, nothing is covered."""
        cut = {one.parsed.digest: Coverage(**one.meta["coverage"]) for one in self.documents}
        every = self.parsed.documents
        return [cut.get(one.digest, Coverage(one.meta["characters"])) for one in every]


def chunk_recipe(chosen: Component, chunker: Chunker) -> dict[str, Any]:
    """What names a document's chunks, with the document."""
    how = {"chunker": chosen.name, "options": chosen.options}
    return recipe(STAGE, VERSION, how, dict(chunker.fingerprint))


class Chunking:
    """Makes the chunks that are missing."""

    def __init__(self, store: Store, context: registry.ChunkerContext, steps: Steps) -> None:
        self._store, self._context, self._steps = store, context, steps

    def chunker(self, chosen: Component) -> Chunker:
        """The chunker; loads no model."""
        return registry.chunker(chosen.name, chosen.options, self._context)

    def look(self, parsed: ParsedCorpus, chosen: Component) -> ChunkedCorpus:
        """What is there; documents whose chunks or own vectors are missing are not among them."""
        chunker = self.chunker(chosen)
        made, embedder = chunk_recipe(chosen, chunker), getattr(chunker, "embedder", None)
        found = [_there(self._store, one, chunks_digest(made, one), embedder) for one in parsed.documents]
        return ChunkedCorpus(chosen.shown, parsed, tuple(one for one in found if one is not None), {})

    def rehearse(self, documents: Sequence[Parsed], chosen: Component) -> Usage:
        """What a chunker would ask of models for these documents; nothing is sent, and others do no work."""
        from drac.wiring.rehearsing import Rehearsal

        models = self._context.models
        if models is None:
            return Usage()
        with closing(Rehearsal(models.settings, models.workspace)) as rehearsal, _quiet():
            context = replace(self._context, models=rehearsal)
            chunker = registry.chunker(chosen.name, chosen.options, context)
            for one in documents if rehearsal.asked else ():
                with suppress(DracError):
                    chunker.chunk(one.load(self._store))
            return rehearsal.usage

    def run(self, parsed: ParsedCorpus, chosen: Component) -> ChunkedCorpus:
        """Every document's chunks, made or found."""
        chunker = self.chunker(chosen)
        work = _Work(self._store, chunk_recipe(chosen, chunker), chunker, chosen.shown, self._steps)
        self._steps.begin(
            f"documents read by {parsed.parser} and cut by {chosen.shown}", len(parsed.documents)
        )
        at_once = int(getattr(chunker, "at_once", 1))
        if at_once == 1:
            found = [work.document(one) for one in parsed.documents]
        else:
            with ThreadPoolExecutor(at_once) as pool:
                found = list(pool.map(work.document, parsed.documents))
        made = tuple(one for one in found if one is not None)
        return ChunkedCorpus(chosen.shown, parsed, made, dict(sorted(work.failed.items())))


@contextmanager
def _quiet() -> Iterator[None]:
    """Replies that a rehearsal does not give are no news."""
    log = logging.getLogger("drac")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def chunks_digest(made: Mapping[str, Any], parsed: Parsed) -> str:
    """Names one document's chunks."""
    source = parsed.source
    return artifact_digest(made, [parsed.digest, source.collection, source.path])


def vectors_digest(embedder: ChunkEmbedder, chunks: str) -> str:
    """Names the vectors that a chunker makes itself, by the name of its chunks."""
    return artifact_digest(recipe(OWN_VECTORS, VERSION, {}, dict(embedder.fingerprint)), [chunks])


def _found(store: Store, parsed: Parsed, digest: str, vectors: str) -> ChunkedDocument:
    took = store.meta(OWN_VECTORS, vectors)["seconds"] if vectors else 0.0
    return ChunkedDocument(parsed, digest, store.meta(STAGE, digest), vectors, took)


def _there(
    store: Store, parsed: Parsed, digest: str, embedder: ChunkEmbedder | None
) -> ChunkedDocument | None:
    vectors = vectors_digest(embedder, digest) if embedder else ""
    whole = has_meta(store, STAGE, digest, "output") and (not vectors or store.complete(OWN_VECTORS, vectors))
    return _found(store, parsed, digest, vectors) if whole else None


class _Work:
    def __init__(
        self, store: Store, made: Mapping[str, Any], chunker: Chunker, name: str, steps: Steps
    ) -> None:
        self._store, self._recipe, self._chunker, self._name = store, made, chunker, name
        self._steps = steps
        self._embedder: ChunkEmbedder | None = getattr(chunker, "embedder", None)
        self.failed: dict[str, str] = {}

    def document(self, parsed: Parsed) -> ChunkedDocument | None:
        """One document's chunks; None where the chunker cannot cut it."""
        digest = chunks_digest(self._recipe, parsed)
        try:
            if not is_sound(self._store, STAGE, digest, _FILE):
                self._make(parsed, digest)
            vectors = self._vectors(parsed, digest) if self._embedder else ""
        except (BudgetReached, EngineUnavailable, Interrupted, UsageError):
            raise
        except DracError as error:
            name = f"{parsed.source.collection}/{parsed.source.path}"
            self.failed[name] = error.message
            self._steps.say(f"{self._name} cannot cut {name}: {error.message}")
            return None
        finally:
            self._steps.advance()
        return _found(self._store, parsed, digest, vectors)

    def _make(self, parsed: Parsed, digest: str) -> None:
        document = parsed.load(self._store)
        began = time.perf_counter()
        made: Chunked = self._chunker.chunk(document)
        seconds = time.perf_counter() - began
        chunks = chunks_of(parsed.source.doc_id, document, made.drafts)
        data = "".join(f"{chunk_line(one)}\n" for one in chunks).encode("utf-8", "backslashreplace")
        meta = {
            "stage": STAGE, "digest": digest, "output": hashlib.sha256(data).hexdigest(),
            "seconds": round(seconds, 6), "usage": asdict(made.usage), "counts": dict(made.counts),
            "chunks": len(chunks), "words": [count_words(one.text) for one in leaves(chunks)],
            "coverage": asdict(measure(document, made.drafts)),
        }  # fmt: skip
        with self._store.writing(STAGE, digest, meta, durable=False) as folder:
            (folder / _FILE).write_bytes(data)

    def _vectors(self, parsed: Parsed, digest: str) -> str:
        """The artifact of a chunker's own vectors, made where it is missing."""
        assert self._embedder
        name = vectors_digest(self._embedder, digest)
        if not are_sound(self._store, OWN_VECTORS, name, _VECTORS):
            document = parsed.load(self._store)
            drafts = [one for one in self._chunker.chunk(document).drafts if is_kept(document, one)]
            chunks = read_chunks(self._store, digest)
            began = time.perf_counter()
            vectors = self._embedder.embed_chunks(document, drafts)
            seconds = round(time.perf_counter() - began, 6)
            meta = {"stage": OWN_VECTORS, "digest": name, "chunks": len(chunks), "seconds": seconds}
            with self._store.writing(OWN_VECTORS, name, meta, durable=False) as folder:
                _own(chunks, np.asarray(vectors, dtype=np.float32)).save(folder)
                meta["output"] = output_of(folder, _VECTORS)
        return name


def _own(chunks: Sequence[SetChunk], vectors: np.ndarray[Any, np.dtype[np.float32]]) -> DocumentVectors:
    ids = tuple(one.chunk_id for one in chunks)
    stretches = tuple((0, len(one.text)) for one in chunks)
    return DocumentVectors(ids, tuple(range(len(ids))), stretches, vectors)


def leaves(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Chunks that are searched: nobody's parents."""
    above = {one.parent_id for one in chunks}
    return [one for one in chunks if one.chunk_id not in above]


def chunk_file(store: Store, digest: str) -> Path:
    """A document's chunks, in the format of chunks.jsonl."""
    return store.artifacts / STAGE / digest / _FILE


def read_lines(store: Store, digest: str) -> Iterator[dict[str, Any]]:
    """A document's chunks as written."""
    with chunk_file(store, digest).open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def read_chunks(store: Store, digest: str) -> list[SetChunk]:
    """A document's chunks as they are judged."""
    return [
        SetChunk(one["chunk_id"], one["collection"], one["source"], tuple(one["pages"]), one["text"], "",
                 one["parent_id"] or "", page_shares(one["pages"], one["spans"]))
        for one in read_lines(store, digest)
    ]  # fmt: skip


def summed(usages: Sequence[Mapping[str, Any]]) -> Usage:
    """Of several documents."""
    return Usage(
        sum(one["input_tokens"] for one in usages), sum(one["output_tokens"] for one in usages),
        sum(one["usd"] for one in usages), sum(one["requests"] for one in usages),
    )  # fmt: skip
