"""Sources to finished pages: one event loop over a process pool and threads that wait for LibreOffice.

The parent alone writes. A document goes through start (hash, type, artifact there already?),
normalize (a worker, or an office thread and then a worker), and batches of pages (workers). Each
finished page is on disk before the next event is looked at.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from drac.config import Settings
from drac.corpus import real_path
from drac.errors import (
    BudgetReached,
    ConverterUnavailable,
    CorruptDocument,
    DiskFull,
    DocumentError,
    DracError,
    EncryptedDocument,
    EngineUnavailable,
    Interrupted,
    LimitExceeded,
    WorkerDied,
)
from drac.pipeline.recipes import convert_recipe, normalize_recipe
from drac.pipeline.report import DocumentResult, Report
from drac.pipeline.tasks import Normalized, NormalizeTask, Progress, ReadPages, ReadTask, Tools
from drac.records import Attempt, Page, PageState, PageText, Skipped, Source
from drac.stages.normalize import DocumentType
from drac.store.catalog import Catalog
from drac.store.files import is_disk_full
from drac.store.keys import artifact_digest, file_digest
from drac.store.store import Store, is_short_of_space

log = logging.getLogger(__name__)
_REMEMBERED = "Remembered from an earlier run and not tried; `--retry failed` tries it again."
_LOW_SPACE = 8 << 20
"""Bytes free below which a failed conversion is put down to the disk, not to the document."""


@dataclass(frozen=True, slots=True)
class Options:
    """What this run asks for, beyond the settings."""

    pages: frozenset[int] | None = None
    """1-based pages to read of each document; None: all."""
    passwords: tuple[str, ...] = ()
    """Candidates for encrypted documents."""
    retry: str | None = None
    """`failed` or `fallback`: only pages and documents in that state."""


@dataclass(slots=True)
class _Document:
    source: Source
    path: Path
    result: DocumentResult
    sha256: str = ""
    kind: DocumentType | None = None
    folder: Path | None = None
    normalize_digest: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    digests: dict[int, str] = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)
    again: set[object] = field(default_factory=set)


_Event = Callable[[Future[Any]], None]


class Conversion:
    """One run of normalize and convert over many documents."""

    def __init__(
        self, store: Store, catalog: Catalog, settings: Settings, tools: Tools, progress: Progress,
        options: Options,
    ) -> None:  # fmt: skip
        self._store, self._catalog, self._tools = store, catalog, tools
        self._settings, self._progress, self._options = settings, progress, options
        self._queue: deque[_Document] = deque()
        self._office_queue: list[tuple[int, int, _Document]] = []
        self._batches: deque[tuple[_Document, tuple[Page, ...]]] = deque()
        self._events: dict[Future[Any], _Event] = {}
        self._reading = self._normalizing = 0
        self._at_office = 0
        self._order = itertools.count()
        self._office = ThreadPoolExecutor(max_workers=tools.offices, thread_name_prefix="office")
        self._convert = convert_recipe(settings, tools.reading.fingerprint)

    def run(self, sources: Sequence[Source], skipped: tuple[Skipped, ...] = ()) -> Report:
        """Every source to its end; raises EngineUnavailable or DiskFull for what stops the run."""
        documents = [_Document(one, real_path(one), DocumentResult(one)) for one in sources]
        self._queue.extend(documents)
        self._progress.total(len(documents))
        try:
            while self._queue or self._office_queue or self._batches or self._events:
                self._fill()
                self._handle_finished()
        finally:
            self._office.shutdown(wait=False, cancel_futures=True)
        results = [one.result for one in documents]
        return Report(results, skipped, self._settings.run.max_fallback, retrying=bool(self._options.retry))

    # Keep the workers busy: pages first, then the next documents.

    def _fill(self) -> None:
        most = self._tools.reading.most_in_flight
        normalizing = 2 * self._tools.executor.workers
        self._submit_batches(most)
        while self._queue and self._normalizing < normalizing and len(self._batches) < 2 * most:
            self._attempt(self._start, self._queue.popleft())
            self._submit_batches(most)
        while self._office_queue and self._at_office < self._tools.offices:
            self._submit_office(heapq.heappop(self._office_queue)[-1])

    def _submit_batches(self, most: int) -> None:
        while self._batches and self._reading < most:
            self._submit_batch(*self._batches.popleft())

    def _handle_finished(self) -> None:
        if not self._events:
            return
        done, _ = wait(self._events, return_when=FIRST_COMPLETED)
        for future in [one for one in self._events if one in done]:
            self._events.pop(future)(future)

    def _attempt(self, step: Callable[[_Document], None], document: _Document) -> None:
        """One step of one document; what is wrong with the document does not stop the others."""
        try:
            step(document)
        except Exception as error:
            self._fail(document, error)

    # Normalize.

    def _start(self, document: _Document) -> None:
        size = document.path.stat().st_size
        if size > self._settings.normalize.max_bytes:
            raise LimitExceeded(
                f"{size:,} bytes, more than the limit of {self._settings.normalize.max_bytes:,}"
            )
        document.kind = self._tools.detect(document.path, next(iter(self._options.passwords), None))
        document.sha256 = file_digest(document.path)
        document.normalize_digest = self._normalize_digest(document, document.kind)
        if self._store.complete("normalize", document.normalize_digest):
            self._normalized(document)
        elif known := self._known_failure(document):
            raise DocumentError(known, remedy=_REMEMBERED, lasting=True)
        elif document.kind.converter == "office":
            self._queue_for_office(document)
        else:
            self._submit_normalize(document, document.path, document.kind.converter)

    def _known_failure(self, document: _Document) -> str | None:
        """Why this very document failed before, where finding out took long and would end the same."""
        record = self._store.get_source(document.source.doc_id)
        if record is None or not record.get("lasting") or self._options.retry == "failed":
            return None
        same = (record["sha256"], record["normalize"]) == (document.sha256, document.normalize_digest)
        return str(record["error"]) if same else None

    def _normalize_digest(self, document: _Document, kind: DocumentType) -> str:
        tools = self._tools.converter_fingerprint(kind.converter)
        made = normalize_recipe(kind.name, tools)
        beside = self._tools.companions(document.path, kind)
        return artifact_digest(made, [document.sha256, *map(file_digest, beside)])

    def _queue_for_office(self, document: _Document) -> None:
        """The largest first, so that at the end no instance waits for another's long document."""
        size, order = document.path.stat().st_size, next(self._order)
        heapq.heappush(self._office_queue, (-size, order, document))

    def _submit_office(self, document: _Document) -> None:
        assert document.kind
        document.folder = self._store.begin()
        self._at_office += 1
        target = document.folder / "office.pdf"
        future = self._office.submit(self._convert_office, document.path, target, document.kind.suffix)
        self._events[future] = lambda done: self._office_done(document, target, done)

    def _convert_office(self, path: Path, target: Path, suffix: str) -> None:
        """In an office thread: without a password first, then with each candidate."""
        converter = self._tools.office()
        for password in (None, *self._options.passwords):
            try:
                return converter.convert(path, target, suffix=suffix, password=password)
            except EncryptedDocument as error:
                encrypted = error
        raise encrypted

    def _office_done(self, document: _Document, target: Path, future: Future[Any]) -> None:
        self._at_office -= 1
        if error := future.exception():
            self._fail(document, error)
        else:
            self._attempt(lambda one: self._submit_normalize(one, target, "finish"), document)

    def _submit_normalize(self, document: _Document, path: Path, converter: str) -> None:
        assert document.kind
        document.folder = document.folder or self._store.begin()
        task = NormalizeTask(
            path, document.folder / "document.pdf", converter, document.kind.suffix,
            self._settings.normalize.max_pages, self._options.passwords, document.path,
        )  # fmt: skip
        limit = self._settings.run.convert_timeout
        future = self._tools.executor.submit(self._tools.normalize, task, timeout=limit)
        self._normalizing += 1
        self._events[future] = lambda done: self._normalize_done(document, path, converter, done)

    def _normalize_done(self, document: _Document, path: Path, converter: str, future: Future[Any]) -> None:
        self._normalizing -= 1
        error = future.exception()
        if error and self._once_more(document, converter, error):
            self._attempt(lambda one: self._submit_normalize(one, path, converter), document)
        elif error:
            self._fail(document, error)
        else:
            self._attempt(lambda one: self._keep_pdf(one, future.result()), document)

    def _keep_pdf(self, document: _Document, made: Normalized) -> None:
        assert document.folder and document.kind
        if file_digest(document.path) != document.sha256:
            raise CorruptDocument("changed while it was read", remedy="Run again.")
        for other in document.folder.iterdir():
            if other.name != "document.pdf":
                other.unlink()
        meta = {
            "stage": "normalize", "digest": document.normalize_digest, "type": document.kind.name,
            "source_sha256": document.sha256, "outputs": {"document.pdf": made.pdf_digest},
            "pages": made.pages, "fonts": asdict(made.fonts), "words_found": made.words_found,
            "numbers": made.numbers,
        }  # fmt: skip
        self._store.commit("normalize", document.normalize_digest, document.folder, meta)
        self._catalog.add_time("normalize", 1, made.seconds)
        self._normalized(document)

    def _normalized(self, document: _Document) -> None:
        document.meta = self._store.meta("normalize", document.normalize_digest)
        pages = [Page(document.meta["outputs"]["document.pdf"], n) for n in self._selected(document)]
        document.digests = {page.number: self._page_digest(page) for page in pages}
        self._keep_source(document, state="ok", error=None, remedy=None)
        self._catalog.drop_pages(document.source.doc_id)
        missing = self._take_finished(document, pages)
        document.waiting = {page.number for page in missing}
        size = self._tools.reading.batch_pages
        self._batches.extend((document, tuple(missing[i : i + size])) for i in range(0, len(missing), size))
        self._end_if_done(document)

    def _selected(self, document: _Document) -> list[int]:
        wanted = self._options.pages
        total = int(document.meta["pages"])
        chosen = [n for n in range(1, total + 1) if wanted is None or n in wanted]
        if not chosen:
            raise DocumentError(f"has {total} pages, none of those asked for", remedy="Correct --pages.")
        return chosen

    def _page_digest(self, page: Page) -> str:
        return artifact_digest(self._convert, [page.pdf_digest, page.number])

    # Convert.

    def _take_finished(self, document: _Document, pages: Iterable[Page]) -> list[Page]:
        """Note the pages that are on disk; return those still to read."""
        missing: list[Page] = []
        found: list[tuple[str, PageText]] = []
        for page in pages:
            digest = document.digests[page.number]
            text = self._finished(digest, page)
            if text is None:
                missing.append(page)
            else:
                found.append((digest, text))
        document.result.reused = len(found)
        self._note_pages(document, found, reused=True)
        return missing

    def _finished(self, digest: str, page: Page) -> PageText | None:
        text = self._store.get_page(digest)
        if text is None and self._options.retry == "fallback":
            return self._store.failed_page(digest, page, self._settings.convert.engine)
        again = text is not None and text.state is PageState.FALLBACK and self._options.retry == "fallback"
        return None if again else text

    def _submit_batch(self, document: _Document, pages: tuple[Page, ...]) -> None:
        pdf = self._store.artifacts / "normalize" / document.normalize_digest / "document.pdf"
        task = ReadTask(pdf, pages, self._settings.convert)
        future = self._tools.reading.submit(task)
        self._reading += 1
        self._events[future] = lambda done: self._batch_done(document, pages, done)

    def _batch_done(self, document: _Document, pages: tuple[Page, ...], future: Future[Any]) -> None:
        self._reading -= 1
        error = future.exception()
        if error is None:
            self._keep_batch(document, future.result())
            return
        self._stop_if_fatal(error)
        log.warning("%s pages %s: %s", document.source.path, [one.number for one in pages], error)
        if self._once_more(document, pages, error):
            self._batches.appendleft((document, pages))
        elif len(pages) > 1:
            self._batches.extendleft((document, (page,)) for page in reversed(pages))
        else:
            self._keep_pages(document, [_failed(pages[0], self._settings.convert.engine, error)])

    def _once_more(self, document: _Document, task: object, error: BaseException) -> bool:
        """Whether a task whose worker died is tried again: it may have died of another's memory."""
        first = isinstance(error, WorkerDied) and task not in document.again
        document.again.add(task)
        return first

    def _keep_batch(self, document: _Document, read: ReadPages) -> None:
        self._catalog.add_time("convert", len(read.texts), read.seconds)
        self._keep_pages(document, list(read.texts))

    def _keep_pages(self, document: _Document, texts: list[PageText]) -> None:
        found = [(document.digests[text.page.number], text) for text in texts]
        for digest, text in found:
            self._store.put_page(digest, text)
        document.waiting -= {text.page.number for text in texts}
        self._note_pages(document, found, reused=False)
        self._end_if_done(document)

    def _note_pages(self, document: _Document, found: list[tuple[str, PageText]], reused: bool) -> None:
        for _, text in found:
            document.result.states[text.page.number] = text.state
            if text.state is PageState.FAILED:
                document.result.reasons[text.page.number] = text.attempts[-1].outcome
            if text.state is PageState.FALLBACK:
                document.result.fallbacks[text.page.number] = _last_failure(text)
        self._catalog.put_pages(document.source.doc_id, found)
        self._progress.pages(document.source, [text.state for _, text in found], reused)

    # The end of a document, good or bad.

    def _end_if_done(self, document: _Document) -> None:
        if not document.waiting:
            self._progress.document(document.source, None)

    def _fail(self, document: _Document, error: BaseException) -> None:
        self._stop_if_fatal(error)
        if document.folder:
            self._store.discard(document.folder)
        named = error if isinstance(error, DracError) else DocumentError(f"{type(error).__name__}: {error}")
        document.result.unavailable = isinstance(error, ConverterUnavailable)
        log.debug("%s", document.path, exc_info=error)
        message = named.message.removeprefix(f"{document.path}: ")
        document.result.error, document.result.remedy = message, named.remedy
        lasting = isinstance(named, DocumentError) and (named.lasting or isinstance(named, WorkerDied))
        self._keep_source(document, state="failed", error=message, remedy=named.remedy, lasting=lasting)
        self._catalog.drop_pages(document.source.doc_id)
        self._progress.document(document.source, message)

    def _stop_if_fatal(self, error: BaseException) -> None:
        """A missing LibreOffice fails the documents that need it; the others go on."""
        fatal = isinstance(error, (EngineUnavailable, BudgetReached, Interrupted))
        missing = isinstance(error, ConverterUnavailable)
        if (fatal and not missing) or not isinstance(error, Exception):
            raise error
        if is_disk_full(error) or is_short_of_space(self._store.root, _LOW_SPACE):
            raise DiskFull(f"{self._store.root}: no space left on this disk") from error

    def _keep_source(
        self, document: _Document, *, state: str, error: str | None, remedy: str | None, lasting: bool = False
    ) -> None:
        selected = sorted(document.digests) if self._options.pages else None
        good = state == "ok"
        record = {
            "doc_id": document.source.doc_id, "collection": document.source.collection,
            "path": document.source.path, "root": document.source.root, "live": True, "state": state,
            "error": error, "remedy": remedy, "lasting": lasting, "sha256": document.sha256 or None,
            "type": document.kind.name if document.kind else None,
            "normalize": document.normalize_digest or None,
            "pdf_digest": document.meta["outputs"]["document.pdf"] if good else None,
            "pages": document.meta["pages"] if good else None, "selected": selected,
            "convert": self._convert if good else None,
            "fonts": document.meta.get("fonts") if good else None,
            "words_found": document.meta.get("words_found") if good else None,
            "numbers": document.meta.get("numbers") if good else None,
        }  # fmt: skip
        self._store.put_source(document.source.doc_id, record)
        self._catalog.put_source(record)


def _last_failure(text: PageText) -> str:
    """Why the engine asked for did not read the page."""
    failures = [one.outcome for one in text.attempts if one.outcome != "ok"]
    return failures[-1] if failures else "not read by the engine asked for"


def _failed(page: Page, engine: str, error: BaseException) -> PageText:
    message = error.message if isinstance(error, DracError) else f"{type(error).__name__}: {error}"
    return PageText(page, PageState.FAILED, "", engine, attempts=(Attempt(engine, message),))
