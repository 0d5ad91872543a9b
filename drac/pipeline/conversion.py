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
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any

from drac.config import Settings
from drac.errors import (
    BudgetReached,
    ConverterUnavailable,
    CorruptDocument,
    DocumentError,
    DracError,
    EmptyDocument,
    EncryptedDocument,
    EngineUnavailable,
    Interrupted,
    LimitExceeded,
    UnsupportedType,
    WorkerDied,
)
from drac.pipeline.containers import Part, Unpacking
from drac.pipeline.documents import Document, Ledger, Options, failed_page, last_failure
from drac.pipeline.intake import Intake, new_document
from drac.pipeline.recipes import convert_recipe, native_recipe, normalize_recipe
from drac.pipeline.report import Report
from drac.pipeline.retrying import Retrying
from drac.pipeline.tasks import (
    Normalized,
    NormalizeTask,
    Progress,
    Reading,
    ReadPages,
    ReadTask,
    Tools,
    Unpacked,
)
from drac.records import Page, PageState, PageText, Skipped, Source
from drac.stages.normalize import DocumentType
from drac.store.files import full_disk, no_space
from drac.store.keys import artifact_digest, file_digest
from drac.store.store import Store, is_short_of_space

__all__ = ["Conversion", "Options"]

log = logging.getLogger(__name__)
_REMEMBERED = "Remembered from an earlier run and not tried; `--retry failed` tries it again."
_LOW_SPACE = 8 << 20
"""Bytes free below which a failed conversion is put down to the disk, not to the document."""


_Event = Callable[[Future[Any]], None]


class Conversion:
    """One run of normalize and convert over many documents."""

    def __init__(
        self, store: Store, catalog: Ledger, settings: Settings, tools: Tools, progress: Progress,
        options: Options, recipe: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`recipe`: what names the pages where the settings do not say it, as for other tools' readers."""
        self._store, self._catalog, self._tools = store, catalog, tools
        self._settings, self._progress, self._options = settings, progress, options
        self._queue: deque[Document] = deque()
        self._office_queue: list[tuple[int, int, Document]] = []
        self._batches: deque[tuple[Document, tuple[Page, ...]]] = deque()
        self._events: dict[Future[Any], _Event] = {}
        self._reading = self._normalizing = 0
        self._at_office = 0
        self._order = itertools.count()
        self._office = ThreadPoolExecutor(max_workers=tools.offices, thread_name_prefix="office")
        self._convert = dict(recipe or convert_recipe(settings, tools.reading.fingerprint))
        self._unpacking = Unpacking(store, settings, tools, options.passwords)
        self._total = 0
        self._intake = Intake(store, options.retry)
        self._retrying = Retrying(store, options.retry)

    def run(self, sources: Sequence[Source], skipped: tuple[Skipped, ...] = ()) -> Report:
        """Every source to its end; raises EngineUnavailable or DiskFull for what stops the run."""
        documents = [new_document(self._store, one) for one in sources]
        self._enqueue(documents, len(documents))
        try:
            while self._queue or self._office_queue or self._batches or self._events:
                self._fill()
                self._handle_finished()
        finally:
            self._office.shutdown(wait=False, cancel_futures=True)
        results = [one.result for document in documents for one in document.with_parts()]
        skipped += tuple(self._intake.skipped)
        return Report(results, skipped, self._settings.run.max_fallback, retrying=bool(self._options.retry))

    def _enqueue(self, documents: Iterable[Document], count: int) -> None:
        """`count`: by how many the run has more to tell of than before."""
        self._queue.extend(documents)
        self._total += count
        self._progress.total(self._total)

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

    def _attempt(self, step: Callable[[Document], None], document: Document) -> None:
        """One step of one document; what is wrong with the document does not stop the others."""
        try:
            step(document)
        except Exception as error:
            self._fail(document, error)

    # Normalize.

    def _start(self, document: Document) -> None:
        size = document.path.stat().st_size
        if size > self._settings.normalize.max_bytes:
            raise LimitExceeded(
                f"{size:,} bytes, more than the limit of {self._settings.normalize.max_bytes:,}"
            )
        document.kind = self._tools.detect(document.path, next(iter(self._options.passwords), None))
        document.sha256 = file_digest(document.path)
        if not document.source.container:
            document.unpack_digest = self._unpacking.digest(document.sha256, document.kind)
        if document.unpack_digest:
            self._open(document, document.unpack_digest)
        else:
            self._make_pdf(document)

    def _make_pdf(self, document: Document) -> None:
        assert document.kind
        document.normalize_digest = normalize_digest(
            document.path, document.sha256, document.kind, self._settings, self._tools
        )
        if self._store.complete("normalize", document.normalize_digest):
            self._normalized(document)
        elif known := self._known_failure(document):
            raise DocumentError(known, remedy=_REMEMBERED, lasting=True)
        elif document.kind.converter == "office":
            self._queue_for_office(document)
        else:
            self._submit_normalize(document, document.path, document.kind.converter)

    def _known_failure(self, document: Document) -> str | None:
        """Why this very document failed before, where finding out took long and would end the same."""
        record = self._store.get_source(document.source.doc_id)
        if record is None or not record.get("lasting") or self._options.retry == "failed":
            return None
        made = (document.sha256, document.normalize_digest or None)
        same = (record["sha256"], record["normalize"]) == made
        return str(record["error"]) if same else None

    # Containers: their parts first, then their own page, if they have one.

    def _open(self, document: Document, digest: str) -> None:
        assert document.kind
        if document.kind.converter == "archive" and not self._settings.normalize.archives:
            raise UnsupportedType("an archive", remedy="Run again with --archives to read what is in it.")
        if self._unpacking.is_done(digest):
            self._opened(document, digest)
        elif known := self._known_failure(document):
            raise DocumentError(known, remedy=_REMEMBERED, lasting=True)
        else:
            document.folder = self._store.begin()
            future = self._unpacking.submit(document.path, document.kind, document.folder)
            self._normalizing += 1
            self._events[future] = lambda done: self._open_done(document, digest, done)

    def _open_done(self, document: Document, digest: str, future: Future[Any]) -> None:
        self._normalizing -= 1
        error = future.exception()
        if error and self._once_more(document, digest, error):
            self._attempt(lambda one: self._open(one, digest), document)
        elif error:
            self._fail(document, error)
        else:
            self._attempt(lambda one: self._keep_parts(one, digest, future.result()), document)

    def _keep_parts(self, document: Document, digest: str, made: Unpacked) -> None:
        assert document.folder and document.kind
        if file_digest(document.path) != document.sha256:
            raise CorruptDocument("changed while it was read", remedy="Run again.")
        self._unpacking.keep(digest, document.sha256, document.kind, document.folder, made)
        document.folder = None
        self._catalog.add_time("unpack", 1, made.seconds)
        self._opened(document, digest)

    def _opened(self, document: Document, digest: str) -> None:
        """Its parts take their places in the run."""
        assert document.kind
        parts = self._intake.take(document, digest)
        document.parts = [made for _, made in parts]
        self._enqueue([made for one, made in parts if one.state == "document"], len(parts))
        for one, made in parts:
            self._end_part(one, made)
        if document.kind.converter == "archive":
            self._end_archive(document)
        else:
            self._make_pdf(document)

    def _end_part(self, part: Part, document: Document) -> None:
        """A part that is no document ends at once."""
        document.sha256 = part.sha256
        if part.state == "failed":
            self._fail(document, DocumentError(part.reason, remedy=part.remedy))
        elif part.state == "unpacked":
            self._end_archive(document)

    def _end_archive(self, document: Document) -> None:
        document.result.archive = True
        self._keep_source(document, state="unpacked", error=None, remedy=None)
        self._catalog.drop_pages(document.source.doc_id)
        self._progress.document(document.source, None)

    def _queue_for_office(self, document: Document) -> None:
        """The largest first, so that at the end no instance waits for another's long document."""
        size, order = document.path.stat().st_size, next(self._order)
        heapq.heappush(self._office_queue, (-size, order, document))

    def _submit_office(self, document: Document) -> None:
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

    def _office_done(self, document: Document, target: Path, future: Future[Any]) -> None:
        self._at_office -= 1
        if error := future.exception():
            self._fail(document, error)
        else:
            self._attempt(lambda one: self._submit_normalize(one, target, "finish"), document)

    def _submit_normalize(self, document: Document, path: Path, converter: str) -> None:
        assert document.kind
        document.folder = document.folder or self._store.begin()
        task = NormalizeTask(
            path, document.folder / document.kind.artifact, converter, document.kind.suffix,
            self._settings.normalize, self._options.passwords, document.path,
        )  # fmt: skip
        limit = self._settings.run.convert_timeout
        future = self._tools.executor.submit(self._tools.normalize, task, timeout=limit)
        self._normalizing += 1
        self._events[future] = lambda done: self._normalize_done(document, path, converter, done)

    def _normalize_done(self, document: Document, path: Path, converter: str, future: Future[Any]) -> None:
        self._normalizing -= 1
        error = future.exception()
        if error and self._once_more(document, converter, error):
            self._attempt(lambda one: self._submit_normalize(one, path, converter), document)
        elif error:
            self._fail(document, error)
        else:
            self._attempt(lambda one: self._keep_pdf(one, future.result()), document)

    def _keep_pdf(self, document: Document, made: Normalized) -> None:
        assert document.folder and document.kind
        if file_digest(document.path) != document.sha256:
            raise CorruptDocument("changed while it was read", remedy="Run again.")
        for other in document.folder.iterdir():
            if other.name != document.kind.artifact:
                other.unlink()
        meta = {
            "stage": "normalize", "digest": document.normalize_digest, "type": document.kind.name,
            "source_sha256": document.sha256, "outputs": {document.kind.artifact: made.pdf_digest},
            "pages": made.pages, "fonts": asdict(made.fonts), "parity": asdict(made.parity),
            "numbers": made.numbers, "remarks": made.remarks, "left_out": made.left_out,
            "withheld": made.withheld,
        }  # fmt: skip
        self._store.commit("normalize", document.normalize_digest, document.folder, meta)
        self._catalog.add_time("normalize", 1, made.seconds)
        self._normalized(document)

    def _normalized(self, document: Document) -> None:
        document.meta = self._store.meta("normalize", document.normalize_digest)
        document.result.left_out = tuple(document.meta.get("left_out") or ())
        document.result.withheld = str(document.meta.get("withheld") or "")
        pages = [Page(document.output, n) for n in self._selected(document)]
        recipe = self._recipe(document)
        document.digests = {
            page.number: artifact_digest(recipe, [page.pdf_digest, page.number]) for page in pages
        }
        self._keep_source(document, state="ok", error=None, remedy=None)
        self._catalog.drop_pages(document.source.doc_id)
        missing = self._take_finished(document, pages)
        document.waiting = {page.number for page in missing}
        size = self._reader(document).batch_pages
        batches = self._retrying.batches(missing, document.digests, self._engine(document), size)
        self._batches.extend((document, pages) for pages in batches)
        self._end_if_done(document)

    def _selected(self, document: Document) -> list[int]:
        wanted = self._options.pages
        total = int(document.meta["pages"])
        chosen = [n for n in range(1, total + 1) if wanted is None or n in wanted]
        if not chosen:
            noun = "page" if total == 1 else "pages"
            raise DocumentError(f"has {total} {noun}, none of those asked for", remedy="Correct --pages.")
        return chosen

    def _reader(self, document: Document) -> Reading:
        return self._tools.native if document.is_native else self._tools.reading

    def _recipe(self, document: Document) -> dict[str, Any]:
        if not document.is_native:
            return self._convert
        assert document.kind
        return native_recipe(document.kind.name, self._tools.native.fingerprint)

    def _engine(self, document: Document) -> str:
        return str(self._recipe(document)["settings"]["engine"])

    # Convert.

    def _take_finished(self, document: Document, pages: Iterable[Page]) -> list[Page]:
        """Note the pages that are on disk; return those still to read."""
        missing: list[Page] = []
        found: list[tuple[str, PageText]] = []
        for page in pages:
            digest = document.digests[page.number]
            text = self._retrying.finished(digest, page, self._engine(document))
            if text is None:
                missing.append(page)
            else:
                found.append((digest, text))
        document.result.reused = len(found)
        self._note_pages(document, found, reused=True)
        return missing

    def _submit_batch(self, document: Document, pages: tuple[Page, ...]) -> None:
        assert document.kind
        folder = self._store.artifacts / "normalize" / document.normalize_digest
        tries = self._retrying.tries(document.digests[pages[0].number], self._engine(document))
        task = ReadTask(folder / document.kind.artifact, pages, self._settings.convert, tries)
        future = self._reader(document).submit(task)
        self._reading += 1
        self._events[future] = lambda done: self._batch_done(document, pages, done)

    def _batch_done(self, document: Document, pages: tuple[Page, ...], future: Future[Any]) -> None:
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
            self._keep_pages(document, [failed_page(pages[0], self._engine(document), error)])

    def _once_more(self, document: Document, task: object, error: BaseException) -> bool:
        """Whether a task whose worker died is tried again: it may have died of another's memory."""
        first = isinstance(error, WorkerDied) and task not in document.again
        document.again.add(task)
        return first

    def _keep_batch(self, document: Document, read: ReadPages) -> None:
        self._catalog.add_time("convert", len(read.texts), read.seconds)
        self._keep_pages(document, list(read.texts))

    def _keep_pages(self, document: Document, texts: list[PageText]) -> None:
        digests = [document.digests[text.page.number] for text in texts]
        found = [
            (digest, self._retrying.with_earlier(digest, text))
            for digest, text in zip(digests, texts, strict=True)
        ]
        for digest, text in found:
            self._store.put_page(digest, text)
        self._catalog.drop_audits([digest for digest, _ in found])
        document.waiting -= {text.page.number for text in texts}
        self._note_pages(document, found, reused=False)
        self._end_if_done(document)

    def _note_pages(self, document: Document, found: list[tuple[str, PageText]], reused: bool) -> None:
        for _, text in found:
            document.result.states[text.page.number] = text.state
            if text.state is PageState.FAILED:
                document.result.reasons[text.page.number] = text.attempts[-1].outcome
            if text.state is PageState.FALLBACK:
                document.result.fallbacks[text.page.number] = last_failure(text)
        self._catalog.put_pages(document.source.doc_id, found)
        self._progress.pages(document.source, [text.state for _, text in found], reused)

    # The end of a document, good or bad.

    def _end_if_done(self, document: Document) -> None:
        if not document.waiting:
            self._progress.document(document.source, None)

    def _fail(self, document: Document, error: BaseException) -> None:
        self._stop_if_fatal(error)
        if document.folder:
            self._store.discard(document.folder)
        if document.unpack_digest and not self._unpacking.is_on_disk(document.unpack_digest):
            document.unpack_digest = None
        named = error if isinstance(error, DracError) else DocumentError(f"{type(error).__name__}: {error}")
        document.result.unavailable = isinstance(error, ConverterUnavailable)
        log.debug("%s", document.path, exc_info=error)
        message = named.message.removeprefix(f"{document.path}: ")
        if document.folder and document.kind:
            message = message.removeprefix(f"{document.folder / document.kind.artifact}: ")
        if document.source.stored:
            message = message.replace(str(document.path), document.source.path)
        remedy = named.remedy
        if document.within and isinstance(named, (CorruptDocument, EmptyDocument)):
            remedy = f"It is a part of {document.within}; repair or replace it there, then run again."
        document.result.error, document.result.remedy = message, remedy
        lasting = isinstance(named, DocumentError) and (named.lasting or isinstance(named, WorkerDied))
        self._keep_source(document, state="failed", error=message, remedy=remedy, lasting=lasting)
        self._catalog.drop_pages(document.source.doc_id)
        self._progress.document(document.source, message)

    def _stop_if_fatal(self, error: BaseException) -> None:
        """A missing LibreOffice fails the documents that need it; the others go on."""
        fatal = isinstance(error, (EngineUnavailable, BudgetReached, Interrupted))
        missing = isinstance(error, ConverterUnavailable)
        if (fatal and not missing) or not isinstance(error, Exception):
            raise error
        full = full_disk(error)
        if full or is_short_of_space(self._store.root, _LOW_SPACE):
            raise no_space(self._store.root, full) from error

    def _keep_source(
        self, document: Document, *, state: str, error: str | None, remedy: str | None, lasting: bool = False
    ) -> None:
        selected = sorted(document.digests) if self._options.pages else None
        good = state == "ok"
        record = {
            "doc_id": document.source.doc_id, "collection": document.source.collection,
            "path": document.source.path, "root": document.source.root, "live": True, "state": state,
            "error": error, "remedy": remedy, "lasting": lasting, "sha256": document.sha256 or None,
            "type": document.kind.name if document.kind else None,
            "normalize": document.normalize_digest or None,
            "pdf_digest": document.output if good else None,
            "pages": document.meta["pages"] if good else None, "selected": selected,
            "convert": self._recipe(document) if good else None,
            "fonts": document.meta.get("fonts") if good else None,
            "parity": document.meta.get("parity") if good else None,
            "numbers": document.meta.get("numbers") if good else None,
            "remarks": [*document.meta.get("remarks", ()), *filter(None, [document.result.withheld])]
            if good else None,
            "left_out": document.meta.get("left_out") if good else None,
            "container": document.source.container or None, "stored": document.source.stored or None,
            "unpack": document.unpack_digest,
        }  # fmt: skip
        if self._options.keep_records:
            self._store.put_source(document.source.doc_id, record)
        self._catalog.put_source(record)


def normalize_digest(path: Path, sha256: str, kind: DocumentType, settings: Settings, tools: Tools) -> str:
    """Artifact of a document's PDF; files beside it that the PDF can depend on count."""
    made = normalize_recipe(kind, settings.normalize, tools.converter_fingerprint(kind.converter))
    beside = tools.companions(path, kind)
    return artifact_digest(made, [sha256, *map(file_digest, beside)])
