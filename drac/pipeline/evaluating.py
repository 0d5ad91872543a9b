"""Chunk sets of any tool to measures: place the chunks, retrieve for each query, judge, compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from drac.config import Settings
from drac.corpus import Corpus, doc_id, load_judgments, load_queries
from drac.errors import DocumentError, UsageError
from drac.evaluate import summary
from drac.evaluate.absent import absent, told
from drac.evaluate.chunk_sets import SetChunk
from drac.evaluate.judging import (
    CURVE,
    ChunkWords,
    K,
    Row,
    budget_curve,
    fact_row,
    page_row,
    words_handed,
)
from drac.evaluate.placing import CorpusDocument, Placement, place
from drac.evaluate.summary import QueryRow
from drac.pipeline import encoding
from drac.pipeline.chunk_sources import NamedSet, Recursive
from drac.pipeline.encoding import RowMethod
from drac.pipeline.indexing import Texts, embed_missing
from drac.pipeline.planning import document_pages
from drac.pipeline.recipes import embed_recipe
from drac.ports import Embedder, IndexMaker, Reranker, Vectors
from drac.records import Judgment, Query, Source
from drac.retrieve.merging import AutoMerge
from drac.retrieve.pages import Aggregate, Place, rank_pages
from drac.retrieve.retrievers import Dense, Hybrid, Keyword, KeywordIndex, Reranked, Retriever
from drac.retrieve.search import fill
from drac.retrieve.vectors import DocumentVectors
from drac.store.keys import artifact_digest
from drac.store.store import Store

RETRIEVERS = ("dense", "bm25", "hybrid", "late", "sparse")
RERANKERS = ("none", "cross-encoder", "cohere", "bedrock")
BEHIND = " + "
"""Stands between a retriever and its reranker; either may be followed by a colon and a model."""
Scope = tuple[str, str]
"""Collection and document that a question is asked of, each empty for all."""


def unknown(name: str, model: str = "") -> Any:
    """Raises UsageError: nobody knows that name."""
    raise UsageError(f"{name}: there is no such thing here", remedy="Name another.")


@dataclass(frozen=True, slots=True)
class Tools:
    """What an evaluation needs from outside."""

    embedder: Callable[[], Embedder]
    """The embedding model; raises MissingExtra."""
    indexes: IndexMaker
    """Makes indexes by the number of vectors."""
    bm25: Callable[[Sequence[str]], KeywordIndex]
    """Keyword search over texts."""
    plain_pages: Callable[[Path], list[str]]
    """The text layer of a PDF's pages."""
    recursive: Recursive
    """Cuts a text at paragraphs, lines and words."""
    aggregate: Aggregate
    """A page's score of its chunks' scores."""
    note: Callable[[str], None]
    """Says something to the user."""
    rows: Callable[[str, str], RowMethod] = unknown
    """`late` or `sparse` and a model, empty for the settings' own; raises MissingExtra."""
    reranker: Callable[[str, str], Reranker] = unknown
    """A reranker's name and a model, empty for its own."""


@dataclass(frozen=True, slots=True)
class PlacedSet:
    """A set whose chunks stand under the corpus's names."""

    name: str
    """As the tables call it."""
    format: str
    """What its files were."""
    chunks: tuple[SetChunk, ...]
    """With ids, and with places as far as they could be found."""
    placement: Placement
    """How far that is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A corpus's queries and what is relevant to them."""

    name: str
    """The corpus."""
    queries: tuple[Query, ...]
    """In order."""
    pages: Mapping[str, Mapping[str, int]]
    """For each query with judged pages, the grade of each, by `page_name`."""
    judgments: tuple[Judgment, ...] = ()
    """What these grades were taken from."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came out."""

    asked: Asked
    """The questions."""
    sets: tuple[PlacedSet, ...]
    """As given."""
    rows: Mapping[str, tuple[QueryRow, ...]]
    """By system, in order; each has a row for every query."""
    rankings: Mapping[str, Mapping[str, tuple[tuple[str, float], ...]]]
    """By system and query: chunk_ids and scores, best first."""
    page_rankings: Mapping[str, Mapping[str, tuple[tuple[str, float], ...]]]
    """The same of pages, by `page_name`."""
    relevant: Mapping[str, Mapping[str, tuple[str, ...]]]
    """By set and query with facts: chunk_ids of all chunks that hold a fact."""
    record: dict[str, Any]
    """What summary.json says."""


def page_name(collection: str, source: str, page: int) -> str:
    """One page's name in rankings and judgments."""
    return f"{doc_id(collection, source)}#{page}"


def questions(corpus: Corpus) -> Asked:
    """The corpus's queries and judgments; raises UsageError where it has no queries."""
    queries = tuple(load_queries(corpus))
    if not queries:
        raise UsageError(
            f"the corpus {corpus.file.name!r} has no queries", remedy="Add [[queries]] to its corpus.toml."
        )
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    judgments = tuple(load_judgments(corpus))
    for one in judgments:
        _grade(grades[one.query_id], one)
    return Asked(corpus.file.name, queries, grades, judgments)


def _grade(grades: dict[str, int], one: Judgment) -> None:
    """A page judged twice has the higher grade."""
    name = page_name(one.collection, one.source, one.page)
    grades[name] = max(one.grade, grades.get(name, one.grade))


def read_documents(
    sources: Iterable[Source], root: Callable[[Source], Path], tools: Tools
) -> list[CorpusDocument]:
    """The corpus's documents with the text layers of its PDFs; a damaged one is named and stays empty."""
    found = []
    for source in sources:
        pages: list[str] = []
        if source.path.lower().endswith(".pdf"):
            try:
                pages = tools.plain_pages(root(source))
            except DocumentError as error:
                tools.note(f"{source.collection}/{source.path}: {error.message}")
        found.append(CorpusDocument(source.collection, source.path, tuple(pages)))
    return found


def with_read_pages(
    documents: Iterable[CorpusDocument], store: Store, note: Callable[[str], None]
) -> list[CorpusDocument]:
    """The same, with what the workspace read of pages without a text layer: Office files, web pages, scans.

    Says how many it did not read; chunks of these get no pages by their text.
    """
    found = [_as_read(one, store) for one in documents]
    if empty := sum(not any(map(str.strip, one.pages)) for one in found):
        note(
            f"{empty} of {len(found)} documents have no text layer and are not read in the workspace, so "
            "chunks that come without pages get none there; `drac run` reads them"
        )
    return found


def _as_read(one: CorpusDocument, store: Store) -> CorpusDocument:
    if one.pages and all(map(str.strip, one.pages)):
        return one
    record = store.get_source(doc_id(*one.key))
    if record is None or not record["live"] or record["state"] != "ok":
        return one
    read = {page.page.number: page.markdown for page in document_pages(store, record)}
    own = one.pages or ("",) * record["pages"]
    pages = (text if text.strip() else read.get(number, "") for number, text in enumerate(own, 1))
    return replace(one, pages=tuple(pages))


def tell_absent(
    asked: Asked, documents: Iterable[CorpusDocument], sets: Iterable[PlacedSet], store: Store,
    note: Callable[[str], None],
) -> None:  # fmt: skip
    """Say which judgments are of documents or pages that corpus, sets and workspace lack."""
    pages: dict[tuple[str, str], int | None] = {
        (chunk.collection, chunk.source): None for one in sets for chunk in one.chunks
    }
    pages |= {one.key: len(one.pages) or None for one in documents}
    for key in {(one.collection, one.source) for one in asked.judgments} - set(pages):
        record = store.get_source(doc_id(*key))
        if record is not None and record["live"]:
            pages[key] = record["pages"]
    for line in told(absent(asked.judgments, pages), pages):
        note(line)


def place_set(given: NamedSet, documents: Sequence[CorpusDocument]) -> PlacedSet:
    """Chunks under the corpus's names, those of a document together, documents in the set's order."""
    placed, count = place(given.read.chunks, documents)
    together: dict[tuple[str, str], list[SetChunk]] = defaultdict(list)
    for one in placed:
        together[one.collection, one.source].append(one)
    chunks = tuple(one for some in together.values() for one in some)
    return PlacedSet(given.name, given.read.format, chunks, count)


def evaluate(
    asked: Asked, sets: Sequence[PlacedSet], retrievers: Sequence[str], settings: Settings, store: Store,
    tools: Tools,
) -> Evaluation:  # fmt: skip
    """Judge each set with each retriever; all queries stand in every system's rows, in the same order."""
    names = [one.name for one in sets]
    if len(set(names)) != len(names):
        raise UsageError("two sets have the same name", remedy="Name them: first=PATH second=PATH.")
    run = Judge(asked, settings, store, tools)
    scopes = dict.fromkeys(query.scope for query in asked.queries)
    for one in sets:
        pools = {scope: Pool(one.chunks, *scope) for scope in scopes}
        for retriever in retrievers:
            tools.note(f"{one.name}, {retriever}: {len(one.chunks)} chunks, {len(asked.queries)} queries")
            system = one.name if len(retrievers) == 1 else f"{one.name} / {retriever}"
            run.judge(one.name, pools, retriever, system)
    record = _record(asked, sets, retrievers, settings, run)
    rankings = (run.rankings, run.page_rankings, run.relevant)
    return Evaluation(asked, tuple(sets), run.rows, *rankings, record)


class Judge:
    """Judges sets by a corpus's queries; rows, rankings and the rest stand under the systems' names."""

    def __init__(self, asked: Asked, settings: Settings, store: Store, tools: Tools) -> None:
        self._asked, self._settings, self._store, self._tools = asked, settings, store, tools
        self._model: Embedder | None = None
        self._query_vectors: dict[str, Vectors] = {}
        self.rows: dict[str, tuple[QueryRow, ...]] = {}
        self.rankings: dict[str, dict[str, tuple[tuple[str, float], ...]]] = {}
        self.page_rankings: dict[str, dict[str, tuple[tuple[str, float], ...]]] = {}
        self.systems: dict[str, dict[str, str]] = {}
        self.relevant: dict[str, dict[str, tuple[str, ...]]] = {}
        self.curves: dict[str, list[list[float]]] = {}
        self.models: dict[str, str] = {}
        self._rerankers: dict[str, Reranker] = {}

    def judge(self, name: str, pools: Mapping[Scope, Pool], retriever: str, system: str) -> None:
        """Fill the system's rows and rankings; `pools` are the set's chunks by what is asked of them."""
        finders = {key: self.finder(self.retriever(retriever, pool), pool) for key, pool in pools.items()}
        self.systems[system] = {"set": name, "retriever": retriever}
        self.ask(name, pools, finders, system)

    def ask(
        self, name: str, pools: Mapping[Scope, Pool], finders: Mapping[Scope, Retriever], system: str
    ) -> None:
        """The same with retrievers of one's own."""
        self.relevant[name] = {}
        self.curves[system] = []
        self.rankings[system], self.page_rankings[system] = {}, {}
        self.rows[system] = tuple(
            self._row(query, pools[query.scope], finders[query.scope], system, name)
            for query in self._asked.queries
        )

    def curve(self, system: str) -> list[list[float]]:
        """[words, mean recall] at each budget; empty where no query has facts."""
        rows = self.curves[system]
        return [list(one) for one in zip(CURVE, np.mean(rows, axis=0).tolist(), strict=True)] if rows else []

    def _row(self, query: Query, pool: Pool, finder: Retriever, system: str, name: str) -> QueryRow:
        found = finder.search(query.text, self._settings.evaluate.chunks)
        ranked = [pool.row[hit.chunk_id] for hit in found]
        row: Row = {}
        if query.facts:
            held = pool.words.held([one.text for one in query.facts])
            row = fact_row(ranked, held, pool.words.lengths)
            self.curves[system].append(budget_curve(ranked, held, pool.words.lengths))
            self.relevant[name][query.query_id] = tuple(pool.ids[n] for n in np.flatnonzero(held.any(axis=1)))
        row[f"words@{K}"] = words_handed(ranked, pool.words)
        cutoff = self._settings.evaluate.page_cutoff
        pages = rank_pages(found, pool.places, aggregate=self._tools.aggregate, shares=pool.shares)
        named = tuple((f"{one.doc_id}#{one.page}", one.score) for one in pages)
        if grades := self._asked.pages.get(query.query_id):
            row |= page_row([name for name, _ in named], grades, cutoff)
        self.rankings[system][query.query_id] = tuple((hit.chunk_id, hit.score) for hit in found)
        self.page_rankings[system][query.query_id] = named[:cutoff]
        hits = tuple(hit.chunk_id for hit in found[:K])
        return QueryRow(system, query.query_id, query.collection, query.kind, row, hits)

    def finder(self, inner: Retriever, pool: Pool) -> Retriever:
        """A retriever over the chunks without children, as one that returns parents where they are due."""
        share = self._settings.evaluate.merge_share
        return AutoMerge(inner, pool.parents, share) if pool.parents else inner

    def retriever(self, name: str, pool: Pool) -> Retriever:
        """One of RETRIEVERS, with a reranker behind it or not, over the pool's chunks without children.

        Raises UsageError for another name.
        """
        name, _, behind = name.partition(BEHIND)
        if behind:
            return self.reranked(self.retriever(name, pool), behind, pool)
        kind, _, model = name.partition(":")
        if kind in ("late", "sparse"):
            self.models[name] = self._tools.rows(kind, model).encoder.label
            return self._rows(self._tools.rows(kind, model), pool)
        if name == "bm25":
            texts = [one.text for one in pool.leaves]
            return Keyword(self._tools.bm25(texts), [one.chunk_id for one in pool.leaves])
        if name == "dense":
            return self._dense(pool)
        if name == "hybrid":
            both = self.retriever("dense", pool), self.retriever("bm25", pool)
            return Hybrid(*both, self._settings.search.over_fetch)
        raise UsageError(f"--retriever {name}", remedy=f"Give one of: {', '.join(RETRIEVERS)}.")

    def _rows(self, method: RowMethod, pool: Pool) -> Retriever:
        cut = method.encoder.cut if self._settings.evaluate.long_texts == "cut" else str
        digest, _ = encoding.encoded(self._store, pool.documents(cut), method, self._tools.note)
        return encoding.retriever(self._store, digest, method)

    def reranked(self, first: Retriever, name: str, pool: Pool) -> Retriever:
        """A retriever with one of RERANKERS behind it, its model after a colon."""
        kind, _, model = name.partition(":")
        if name not in self._rerankers:
            self._rerankers[name] = self._tools.reranker(kind, model)
        self.models[name] = self._rerankers[name].label
        texts = {one.chunk_id: one.text for one in pool.leaves}
        search = self._settings.search
        return Reranked(first, self._rerankers[name], texts, search.rerank_over_fetch * search.top_k)

    def _dense(self, pool: Pool) -> Retriever:
        self.models["dense"] = self._settings.search.model
        how = self._settings
        passages = how.search.passages if how.evaluate.long_texts == "windows" else 0
        vectors = self._vectors(pool.documents(self._seen), passages)
        rows = sum(len(one.vectors) for one in vectors)
        index = self._tools.indexes.make(vectors[0].vectors.shape[1] if vectors else 1, rows)
        return Dense(index, fill(index, vectors), self.query_vectors)

    def _seen(self, text: str) -> str:
        return self._embedder().cut(text) if self._settings.evaluate.long_texts == "cut" else text

    def _embedder(self) -> Embedder:
        self._model = self._model or self._tools.embedder()
        return self._model

    def _vectors(self, documents: Sequence[Texts], passages: int = 0) -> list[DocumentVectors]:
        """Of each document's chunks, embedded once and kept in the workspace."""
        recipe = embed_recipe(self._embedder().fingerprint, passages)
        named = {artifact_digest(recipe, texts): texts for texts in documents}
        embed_missing(self._store, named, self._embedder(), self._tools.note, passages)
        return [DocumentVectors.load(self._store.artifacts / "embed" / one) for one in named]

    def query_vectors(self, text: str) -> Vectors:
        """Shape (windows, dimension). All questions are embedded at once, when the first is asked."""
        if not self._query_vectors:
            texts = list(dict.fromkeys(query.text for query in self._asked.queries))
            held = self._vectors([[(text, text) for text in texts]])[0]
            owners = np.asarray(held.owners)
            self._query_vectors = {one: held.vectors[owners == row] for row, one in enumerate(held.chunk_ids)}
        return self._query_vectors[text]


class Pool:
    """The chunks that questions are asked of: a collection's or a document's, all where none is named."""

    def __init__(self, chunks: Sequence[SetChunk], collection: str, source: str = "") -> None:
        self.chunks = [
            one for one in chunks if collection in ("", one.collection) and source in ("", one.source)
        ]
        there = {one.chunk_id for one in self.chunks}
        self.parents = {one.chunk_id: one.parent_id for one in self.chunks if one.parent_id in there}
        above = set(self.parents.values())
        self.leaves = [one for one in self.chunks if one.chunk_id not in above]
        self.ids = [one.chunk_id for one in self.chunks]
        self.row = {name: row for row, name in enumerate(self.ids)}
        self.words = ChunkWords([one.text for one in self.chunks])
        self.places: dict[str, Place] = {
            one.chunk_id: (doc_id(one.collection, one.source), one.pages) for one in self.chunks
        }
        self.shares = {one.chunk_id: one.shares for one in self.chunks}

    def documents(self, seen: Callable[[str], str]) -> list[Texts]:
        """Each document's chunks without children, with what a model sees of their texts."""
        together = groupby(self.leaves, key=lambda one: (one.collection, one.source))
        return [[(one.chunk_id, seen(one.text)) for one in some] for _, some in together]


def _record(
    asked: Asked, sets: Sequence[PlacedSet], retrievers: Sequence[str], settings: Settings, run: Judge
) -> dict[str, Any]:
    how, systems = settings.evaluate, list(run.rows)
    return {
        "corpus": asked.name,
        "queries": len(asked.queries),
        "queries_with_facts": sum(bool(query.facts) for query in asked.queries),
        "queries_with_pages": sum(query.query_id in asked.pages for query in asked.queries),
        "retrievers": list(retrievers),
        "model": run.models.get("dense"),
        "models": run.models,
        "candidates": _candidates(retrievers, settings),
        "settings": how.model_dump(),
        "ties": "chunks by their order in the set; pages by their share of the best chunk, doc_id, page",
        "ndcg": "linear gain; ndcg_paper: gains capped at the number of facts, ideal of the capped list",
        "sets": [_set_record(one) for one in sets],
        "systems": {
            name: {**run.systems[name], **summary.system_record(rows), "budget_curve": run.curve(name)}
            for name, rows in run.rows.items()
        },
        "comparisons": [
            {"base": systems[0], "other": other,
             "measures": summary.differences(run.rows[systems[0]], run.rows[other], how.samples, how.seed)}
            for other in systems[1:]
        ],
    }  # fmt: skip


def _candidates(retrievers: Sequence[str], settings: Settings) -> int | None:
    """Chunks that a reranker read for a question, where there was one."""
    search = settings.search
    return search.rerank_over_fetch * search.top_k if any(BEHIND in one for one in retrievers) else None


def _set_record(one: PlacedSet) -> dict[str, Any]:
    return {"name": one.name, "format": one.format, **asdict(one.placement)}
