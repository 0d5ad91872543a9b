"""Stages 4 and 5: one configuration's chunks searched and judged, kept as an artifact."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from drac import wiring
from drac.bench.chunking import OWN_VECTORS, ChunkedCorpus, read_chunks
from drac.bench.retrieval import Embedders, Retrieval
from drac.bench.soundness import is_sound
from drac.errors import DracError, UsageError
from drac.evaluate.chunk_sets import SetChunk
from drac.evaluate.summary import QueryRow
from drac.pipeline.evaluating import BEHIND, Asked, Judge, Pool, Scope, Tools
from drac.records import Hit, Usage
from drac.retrieve.retrievers import Dense, Hybrid, Retriever
from drac.retrieve.search import fill
from drac.retrieve.vectors import DocumentVectors
from drac.store.keys import artifact_digest, digest, recipe
from drac.store.store import Store

STAGE = "judged"
VERSION = 2
_FILE = "rows.jsonl"
SHOWN = 10
"""Chunks of a query that are kept."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One configuration's rows."""

    digest: str
    """Names them."""
    meta: Mapping[str, Any]
    """`output`: sha256 of the rows; `seconds` of `index` and `search`; `usage` of models asked for both."""
    rows: tuple[QueryRow, ...]
    """One a query, in the corpus's order."""
    hits: Mapping[str, tuple[tuple[str, float], ...]]
    """By query: chunk_ids and scores, best first, SHOWN at most."""
    pages: Mapping[str, tuple[tuple[str, float], ...]]
    """By query: ranked pages as `doc_id#page`, and scores."""


def questions_digest(asked: Asked) -> str:
    """Names a corpus's queries and judgments."""
    pages = {query: dict(sorted(grades.items())) for query, grades in asked.pages.items()}
    return digest([[asdict(one) for one in asked.queries], dict(sorted(pages.items()))])


class Judging:
    """Judges what is not judged yet; chunks are read, and models loaded, only then."""

    def __init__(
        self, store: Store, asked: Asked, note: Callable[[str], None], embedder: Embedders,
        models: wiring.Models,
    ) -> None:  # fmt: skip
        self._store, self._asked, self._note = store, asked, note
        self._embedder, self._models = embedder, models
        self._questions = questions_digest(asked)
        self._held: tuple[str, dict[Scope, Pool]] = ("", {})

    def digest(self, chunked: ChunkedCorpus, how: Retrieval) -> str:
        """Names the rows."""
        made = recipe(STAGE, VERSION, how.how, how.tools)
        own = [one.vectors for one in chunked.documents] if how.embeds else []
        return artifact_digest(made, [self._questions, [one.digest for one in chunked.documents], own])

    def is_there(self, name: str) -> bool:
        """Whether these rows are there, as they were written."""
        return is_sound(self._store, STAGE, name, _FILE)

    def run(self, chunked: ChunkedCorpus, how: Retrieval) -> Judged:
        """The rows, made or found."""
        name = self.digest(chunked, how)
        if not self.is_there(name):
            self._make(chunked, how, name)
        return self.load(name)

    def load(self, name: str) -> Judged:
        """Rows that are there."""
        with rows_file(self._store, name).open(encoding="utf-8") as stream:
            records = [json.loads(line) for line in stream]
        rows = tuple(_row(one) for one in records)
        hits = {one["query_id"]: tuple(map(tuple, one["hits"])) for one in records}
        pages = {one["query_id"]: tuple(map(tuple, one["pages"])) for one in records}
        return Judged(name, self._store.meta(STAGE, name), rows, hits, pages)

    def _make(self, chunked: ChunkedCorpus, how: Retrieval, name: str) -> None:
        pools = self._pools(chunked)
        tools = self._tools_for(how)
        judge = Judge(self._asked, how.settings, self._store, tools)
        began, before = time.perf_counter(), _spent(self._models)
        own = _OwnVectors(self._store, chunked, judge, tools) if _has_own(chunked) else None
        finders = {scope: _finder(judge, pool, how, own) for scope, pool in pools.items()}
        indexed = time.perf_counter() - began
        timed = {scope: _Timed(judge.finder(one, pools[scope])) for scope, one in finders.items()}
        judge.ask("", pools, timed, "")
        searched = sum(one.seconds for one in timed.values())
        data = "".join(f"{line}\n" for line in _lines(judge)).encode("utf-8", "backslashreplace")
        meta = {
            "stage": STAGE, "digest": name, "output": hashlib.sha256(data).hexdigest(),
            "seconds": {"index": round(indexed, 6), "search": round(searched, 6)},
            "queries": len(self._asked.queries), "usage": _less(_spent(self._models), before),
        }  # fmt: skip
        with self._store.writing(STAGE, name, meta, durable=False) as folder:
            (folder / _FILE).write_bytes(data)

    def _tools_for(self, how: Retrieval) -> Tools:
        """Those of the configuration's own settings; embedding models are loaded once for all."""
        tools = wiring.evaluation_tools(how.settings, self._note, self._models)
        search = how.settings.search
        return replace(tools, embedder=lambda: self._embedder(search), aggregate=how.aggregate)

    def _pools(self, chunked: ChunkedCorpus) -> dict[Scope, Pool]:
        """Of one chunk set, kept for the next retriever over it."""
        key = digest([one.digest for one in chunked.documents])
        if self._held[0] != key:
            chunks = [chunk for one in chunked.documents for chunk in read_chunks(self._store, one.digest)]
            scopes = dict.fromkeys(query.scope for query in self._asked.queries)
            self._held = key, {scope: Pool(chunks, *scope) for scope in scopes}
        return self._held[1]


def _spent(models: wiring.Models) -> Usage:
    """On embedders and rerankers that are asked, and all other models, so far."""
    some = models.spending().values()
    return Usage(
        sum(one.input_tokens for one in some), sum(one.output_tokens for one in some),
        sum(one.usd for one in some), sum(one.requests for one in some),
    )  # fmt: skip


def _less(after: Usage, before: Usage) -> dict[str, float]:
    first = asdict(before)
    return {name: value - first[name] for name, value in asdict(after).items()}


def rows_file(store: Store, name: str) -> Path:
    """A configuration's rows, a JSON line a query."""
    return store.artifacts / STAGE / name / _FILE


def _has_own(chunked: ChunkedCorpus) -> bool:
    return any(one.vectors for one in chunked.documents)


def _finder(judge: Judge, pool: Pool, how: Retrieval, own: _OwnVectors | None) -> Retriever:
    if how.own is not None:
        return _Own(how.name, how.own, pool)
    if own is None or not how.embeds:
        return judge.retriever(how.spec, pool)
    dense, behind = own.retriever(pool), how.spec.partition(BEHIND)[2]
    both = Hybrid(dense, judge.retriever("bm25", pool), how.settings.search.over_fetch)
    first = dense if how.name == "dense" else both
    return judge.reranked(first, behind, pool) if behind else first


class _Own:
    """Implements Retriever with a user's own; what is wrong with it is named."""

    def __init__(self, name: str, make: Callable[[Sequence[SetChunk]], Retriever], pool: Pool) -> None:
        self._name, self._known = name, {one.chunk_id for one in pool.leaves}
        with self._errors():
            self._made = make(pool.leaves)

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever; raises UsageError where it fails or finds what is no chunk."""
        with self._errors():
            found = [Hit(one.chunk_id, float(one.score)) for one in self._made.search(query, k)][:k]
            strangers = [one.chunk_id for one in found if one.chunk_id not in self._known]
            if strangers or len({one.chunk_id for one in found}) != len(found):
                raise ValueError(f"{strangers[0]!r} is no chunk" if strangers else "a chunk is found twice")
        return found

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DracError:
            raise
        except (Exception, SystemExit) as error:  # whatever the user's own code raises
            raise UsageError(
                f"retriever `{self._name}`: {type(error).__name__}: {error}",
                remedy="Its `search(query, k)` gives a drac.records.Hit a chunk, each once, best first.",
            ) from error


class _OwnVectors:
    """Dense search over the vectors that a chunker made itself."""

    def __init__(self, store: Store, chunked: ChunkedCorpus, judge: Judge, tools: Tools) -> None:
        self._judge, self._tools = judge, tools
        folder = store.artifacts / OWN_VECTORS
        self._of = {
            (one.parsed.source.collection, one.parsed.source.path): DocumentVectors.load(folder / one.vectors)
            for one in chunked.documents
        }

    def retriever(self, pool: Pool) -> Dense:
        """Over the pool's chunks without children."""
        wanted = dict.fromkeys((one.collection, one.source) for one in pool.leaves)
        leaves = {one.chunk_id for one in pool.leaves}
        vectors = [_only(self._of[one], leaves) for one in wanted]
        rows = sum(len(one.vectors) for one in vectors)
        index = self._tools.indexes.make(vectors[0].vectors.shape[1] if vectors else 1, rows)
        return Dense(index, fill(index, vectors), self._judge.query_vectors)


def _only(vectors: DocumentVectors, wanted: set[str]) -> DocumentVectors:
    """Those of some chunks; each chunk has one."""
    rows = [row for row, name in enumerate(vectors.chunk_ids) if name in wanted]
    ids = tuple(vectors.chunk_ids[row] for row in rows)
    stretches = tuple(vectors.stretches[row] for row in rows)
    return DocumentVectors(ids, tuple(range(len(ids))), stretches, vectors.vectors[rows])


@dataclass(slots=True)
class _Timed:
    """Implements Retriever around another one and adds up the time it takes."""

    inner: Retriever
    seconds: float = field(default=0.0)

    def search(self, query: str, k: int) -> list[Hit]:
        """See Retriever."""
        began = time.perf_counter()
        found = self.inner.search(query, k)
        self.seconds += time.perf_counter() - began
        return found


def _lines(judge: Judge) -> list[str]:
    """Each query's measures, best chunks and best pages."""
    return [
        json.dumps(
            {
                "query_id": row.query_id, "collection": row.collection, "kind": row.kind,
                "measures": row.measures, "judged": len(row.hits),
                "hits": judge.rankings[""][row.query_id][:SHOWN],
                "pages": judge.page_rankings[""][row.query_id],
            },
            ensure_ascii=False,
        )
        for row in judge.rows[""]
    ]  # fmt: skip


def _row(record: Mapping[str, Any]) -> QueryRow:
    hits = tuple(name for name, _ in record["hits"][: record["judged"]])
    return QueryRow("", record["query_id"], record["collection"], record["kind"], record["measures"], hits)
