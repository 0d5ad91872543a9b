"""Stages 1 and 2: a corpus's documents as one parser reads them, each page read once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from drac import wiring
from drac.bench.experiment import Component
from drac.bench.soundness import has_meta
from drac.bench.steps import Steps
from drac.config import Settings
from drac.errors import DracError
from drac.pipeline.containers import Unpacking, document_file, parts_of
from drac.pipeline.conversion import Conversion, Options, normalize_digest
from drac.pipeline.planning import document_pages, page_digests, source_of
from drac.pipeline.tasks import Reading, ReadPages, ReadTask, Tools
from drac.ports import ParsedDocument
from drac.records import Page, PageState, PageText, Source, Usage
from drac.stages.normalize import DocumentType
from drac.store.keys import artifact_digest, file_digest, recipe
from drac.store.store import Store
from drac.wiring.parsers import ParserTool, parser

STAGE = "parse"
VERSION = 1
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Parsed:
    """One document as a parser read it."""

    record: Mapping[str, Any]
    """As the store keeps documents' records."""
    digest: str
    """Names the text: recipe, PDF and the pages' files."""
    meta: Mapping[str, Any]
    """`pages`, `characters` without white space, and what reading took: `seconds` of `timed` pages, `usage`,
    `states`."""

    @property
    def source(self) -> Source:
        """The document."""
        return source_of(self.record)

    def load(self, store: Store) -> ParsedDocument:
        """Its text, with the places of its pages."""
        return join_pages(self.source, tuple(document_pages(store, self.record)))


@dataclass(frozen=True, slots=True)
class ParsedCorpus:
    """All documents as one parser read them."""

    parser: str
    """As tables call it."""
    documents: tuple[Parsed, ...]
    """By collection and path."""
    failed: Mapping[str, str]
    """Collection and path of what could not be read, and why."""

    @property
    def states(self) -> Counter[str]:
        """Pages by state."""
        return sum((Counter(one.meta["states"]) for one in self.documents), Counter())


def join_pages(source: Source, pages: Sequence[PageText]) -> ParsedDocument:
    """Pages with text in a row, a blank line between."""
    texts: list[str] = []
    places: list[tuple[int, int, int]] = []
    start = 0
    for page in pages:
        if page.markdown.strip():
            texts.append(page.markdown.rstrip("\n"))
            places.append((page.page.number, start, start + len(texts[-1])))
            start = places[-1][2] + len(_BETWEEN)
    return ParsedDocument(source.collection, source.path, tuple(pages), _BETWEEN.join(texts), tuple(places))


def parse(
    store: Store, sources: Sequence[Source], chosen: Component, settings: Settings, models: wiring.Models,
    steps: Steps,
) -> ParsedCorpus:  # fmt: skip
    """Normalize what is not normalized, read the pages that are missing."""
    with _opened(chosen, settings, models) as (tool, tools):
        watch = _Watch(store, tool, steps)
        timed = replace(tools, reading=watch.timing(tools.reading), native=watch.timing(tools.native))
        options = Options(keep_records=False)
        run = Conversion(store, watch, tool.settings, timed, watch, options, tool.recipe)
        run.run(sources)
    return watch.corpus(chosen.shown)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What reading would do."""

    normalize: int
    """Documents without a PDF yet, and mails and archives never opened; their pages are not known."""
    normalized: int
    """Documents that have one."""
    pages: int
    """Pages to read."""
    reused: int
    """Pages that are there."""
    complete: ParsedCorpus
    """Documents of which every page is there, by collection and path."""


def forecast(
    store: Store, sources: Sequence[Source], chosen: Component, settings: Settings, models: wiring.Models
) -> Forecast:
    """What `parse` would do; writes nothing and sends nothing."""
    with _opened(chosen, settings, models) as (tool, tools):
        look = _Look(store, tool, tools)
        for one in sources:
            look.document(one)
    missing = [
        sum(not store.page_path(page).exists() for page in page_digests(record).values())
        for record in look.records
    ]
    reused = sum(record["pages"] for record in look.records) - sum(missing)
    whole = [record for record, lacking in zip(look.records, missing, strict=True) if not lacking]
    parsed = sorted((_parsed(store, one) for one in whole), key=_place)
    corpus = ParsedCorpus(chosen.shown, tuple(parsed), {})
    return Forecast(look.unknown, len(look.records), sum(missing), reused, corpus)


class _Look:
    """Finds what is there of documents, and of those in mails and archives."""

    def __init__(self, store: Store, tool: ParserTool, tools: Tools) -> None:
        self._store, self._tool, self._tools = store, tool, tools
        self._unpacking = Unpacking(store, tool.settings, tools, ())
        self.records: list[dict[str, Any]] = []
        self.unknown = 0
        """Documents whose PDF is not there, or what is in them."""

    def document(self, source: Source) -> None:
        """A document, and its parts."""
        path = document_file(self._store, source)
        try:
            kind, sha256 = self._tools.detect(path, None), file_digest(path)
        except DracError:
            self.unknown += 1
            return
        inside = None if source.container else self._unpacking.digest(sha256, kind)
        if inside and not self._unpacking.is_on_disk(inside):
            self.unknown += 1
            return
        for part in parts_of(self._store, source, inside) if inside else ():
            if part.state == "document":
                self.document(part.source)
        if kind.converter != "archive":
            self._pages(source, path, kind, sha256)

    def _pages(self, source: Source, path: Path, kind: DocumentType, sha256: str) -> None:
        name = normalize_digest(path, sha256, kind, self._tool.settings, self._tools)
        if not self._store.complete("normalize", name):
            self.unknown += 1
            return
        meta = self._store.meta("normalize", name)
        self.records.append({
            "doc_id": source.doc_id, "collection": source.collection, "path": source.path,
            "root": source.root, "container": source.container, "stored": source.stored, "state": "ok",
            "sha256": sha256, "type": kind.name, "pdf_digest": meta["outputs"][kind.artifact],
            "pages": meta["pages"], "selected": None, "convert": self._tool.recipe_of(kind),
        })  # fmt: skip


class _opened:
    """A parser, and the tools of a conversion that reads with it."""

    def __init__(self, chosen: Component, settings: Settings, models: wiring.Models) -> None:
        self._parser = parser(chosen.name, chosen.options, settings, models)
        self._models = models

    def __enter__(self) -> tuple[ParserTool, Tools]:
        tool = self._parser.__enter__()
        local = tool.settings.convert.model_copy(update={"engine": "local"})
        plain = tool.settings.model_copy(update={"convert": local})
        self._tools = wiring.conversion_tools(plain, self._models.workspace, self._models)
        made = self._tools.__enter__()
        return tool, replace(made, reading=tool.reading, native=tool.native or made.native)

    def __exit__(self, *error: Any) -> None:
        self._tools.__exit__(*error)
        self._parser.__exit__(*error)


class _Watch:
    """Implements Ledger and Progress of a conversion: keeps records, times and each document's artifact."""

    def __init__(self, store: Store, tool: ParserTool, steps: Steps) -> None:
        self._store, self._tool, self._steps = store, tool, steps
        self._records: dict[str, dict[str, Any]] = {}
        self._seconds: dict[str, tuple[float, int]] = {}
        self._parsed: dict[str, Parsed] = {}

    def corpus(self, name: str) -> ParsedCorpus:
        """What came out."""
        documents = sorted(self._parsed.values(), key=_place)
        failed = {
            f"{one['collection']}/{one['path']}": str(one["error"])
            for one in self._records.values() if one["state"] == "failed"
        }  # fmt: skip
        return ParsedCorpus(name, tuple(documents), dict(sorted(failed.items())))

    def timing(self, reading: Reading) -> Reading:
        """The same, with the time of each batch noted."""
        return _Timed(reading, self._took)

    def _took(self, pdf_digest: str, read: ReadPages) -> None:
        seconds, pages = self._seconds.get(pdf_digest, (0.0, 0))
        self._seconds[pdf_digest] = seconds + read.seconds, pages + len(read.texts)

    # Ledger.

    def put_source(self, record: Mapping[str, Any]) -> None:
        """See Ledger."""
        self._records[record["doc_id"]] = dict(record)

    def put_pages(self, doc_id: str, found: list[tuple[str, PageText]]) -> None:
        """See Ledger."""

    def drop_pages(self, doc_id: str) -> None:
        """See Ledger."""

    def drop_audits(self, page_digests: Sequence[str]) -> None:
        """See Ledger."""

    def add_time(self, stage: str, units: int, seconds: float) -> None:
        """See Ledger."""

    # Progress.

    def total(self, documents: int) -> None:
        """See Progress."""
        self._steps.begin(f"documents read by {self._tool.name}", documents)

    def pages(self, source: Source, states: list[PageState], reused: bool) -> None:
        """See Progress."""

    def document(self, source: Source, error: str | None) -> None:
        """See Progress."""
        self._steps.advance()
        record = self._records[source.doc_id]
        if error is None and record["state"] == "ok":
            took = self._seconds.get(record["pdf_digest"], (0.0, 0))
            self._parsed[source.doc_id] = _parsed(self._store, record, took)

    def note(self, message: str) -> None:
        """See Progress."""
        self._steps.say(message)


@dataclass(frozen=True, slots=True)
class _Timed:
    """Implements Reading around another one."""

    inner: Reading
    took: Callable[[str, ReadPages], None]
    """Told the PDF's digest and what was read of it."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """See Reading."""
        return self.inner.fingerprint

    @property
    def batch_pages(self) -> int:
        """See Reading."""
        return self.inner.batch_pages

    @property
    def most_in_flight(self) -> int:
        """See Reading."""
        return self.inner.most_in_flight

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        """See Reading."""
        future = self.inner.submit(task)
        future.add_done_callback(lambda done: self._note(task.pages[0], done))
        return future

    def _note(self, page: Page, done: Future[ReadPages]) -> None:
        if not done.cancelled() and done.exception() is None:
            self.took(page.pdf_digest, done.result())


def _place(one: Parsed) -> tuple[str, str]:
    return one.source.collection, one.source.path


def _parsed(store: Store, record: Mapping[str, Any], took: tuple[float, int] | None = None) -> Parsed:
    """A document all of whose pages are there or have failed; kept as an artifact where `took` is given."""
    pages = {number: store.page_path(one) for number, one in page_digests(record).items()}
    shas = {number: _sha(path) for number, path in pages.items()}
    made = recipe(STAGE, VERSION, {"reader": record["convert"]}, {})
    digest = artifact_digest(made, [record["type"], record["pdf_digest"], list(shas.items())])
    if not has_meta(store, STAGE, digest, "timed", "states"):
        meta = {"stage": STAGE, "digest": digest, **_summed(store, record, took or (0.0, 0))}
        if took is None:
            return Parsed(record, digest, meta)
        with store.writing(STAGE, digest, meta, durable=False):
            pass
    return Parsed(record, digest, store.meta(STAGE, digest))


def _sha(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _summed(store: Store, record: Mapping[str, Any], took: tuple[float, int]) -> dict[str, Any]:
    texts = list(document_pages(store, record))
    usages = [one.usage for one in texts]
    usage = Usage(
        sum(one.input_tokens for one in usages), sum(one.output_tokens for one in usages),
        sum(one.usd for one in usages), sum(one.requests for one in usages),
    )  # fmt: skip
    states = Counter(one.state.value for one in texts)
    characters = sum(not letter.isspace() for one in texts for letter in one.markdown)
    return {"pages": record["pages"], "characters": characters,
            "seconds": round(took[0], 6), "timed": took[1],
            "usage": asdict(usage), "states": dict(sorted(states.items()))}  # fmt: skip
