"""Pages of the workspace compared with a second reader; what is found is kept, and acted on where asked.

The parent alone writes. A page goes through a worker, which reads it a second time where that is not on
disk, and compares; where the page is to be repaired, through the model and a worker again. Each audit is on
disk before the next event is looked at; an audit that changes its page is written before the page, so that
a kill between the two makes it out of date and not believed.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from typing import Any

from drac.audit_records import AuditRecord, Finding, PageAudit
from drac.config import Settings
from drac.errors import BudgetReached, DracError, EngineUnavailable, Interrupted
from drac.pipeline.audit_actions import (
    AIMED,
    NOT_REPAIRED,
    NOT_REPLACED,
    fallen_back,
    is_doubtful,
    left,
    may_replace,
    repaired,
    summary,
)
from drac.pipeline.audit_report import AuditedDocument, AuditedPage, AuditReport
from drac.pipeline.audit_selection import PageJob, Selection, page_sha256
from drac.pipeline.audit_tasks import Audited, AuditedPages, AuditItem, AuditTask, AuditTools
from drac.pipeline.planning import page_digests, source_of
from drac.pipeline.tasks import Progress, ReadTask
from drac.records import PageState, PageText
from drac.stages.convert.audit.patch import patch
from drac.store.catalog import Catalog
from drac.store.store import Store

log = logging.getLogger(__name__)
_READINGS = 3
"""Page timeouts that auditing a page may take: it may be read twice, and the page before it too."""
_Event = Callable[[Future[Any]], None]
_Batch = tuple[AuditedDocument, tuple[PageJob, ...]]


class Auditing:
    """One run of the audit over documents of the workspace."""

    def __init__(
        self, store: Store, catalog: Catalog, settings: Settings, tools: AuditTools, progress: Progress
    ) -> None:
        self._store, self._catalog, self._tools, self._progress = store, catalog, tools, progress
        self._settings = settings
        self._select = Selection(store, settings.audit, tools.reader)
        self._batches: deque[_Batch] = deque()
        self._events: dict[Future[Any], _Event] = {}
        self._waiting: dict[str, int] = {}

    def run(self, records: Sequence[Mapping[str, Any]]) -> AuditReport:
        """Every page of these documents; raises EngineUnavailable, BudgetReached or DiskFull."""
        self._progress.total(len(records))
        left, documents = deque(records), list[AuditedDocument]()
        while left or self._batches or self._events:
            while left and len(self._batches) < 2 * self._tools.executor.workers:
                documents.append(self._take(left.popleft()))
            while self._batches and len(self._events) < 2 * self._tools.executor.workers:
                self._submit(*self._batches.popleft())
            self._handle_finished()
        for one in documents:
            self._sum_up(one)
        return AuditReport(documents, self._settings.run.max_fallback)

    def _handle_finished(self) -> None:
        if not self._events:
            return
        done, _ = wait(self._events, return_when=FIRST_COMPLETED)
        for future in [one for one in self._events if one in done]:
            self._events.pop(future)(future)

    def _take(self, record: Mapping[str, Any]) -> AuditedDocument:
        document = AuditedDocument(source_of(record), len(page_digests(record)))
        jobs = list(self._select.jobs(record))
        if not jobs:
            document.note = "read as it stands, or not read yet: there is no page to compare"
        for job in jobs:
            if job.done and job.stored:
                self._note(document, job, job.written, job.stored, reused=True)
        todo = [job for job in jobs if not job.done]
        self._waiting[document.source.doc_id] = len(todo)
        size = self._settings.run.batch_pages
        self._batches.extend((document, tuple(todo[i : i + size])) for i in range(0, len(todo), size))
        if not todo:
            self._progress.document(document.source, None)
        return document

    # Workers.

    def _submit(self, document: AuditedDocument, jobs: tuple[PageJob, ...]) -> None:
        self._work(jobs, [one.written for one in jobs], lambda done: self._audited(document, jobs, done))

    def _work(self, jobs: Sequence[PageJob], texts: Sequence[PageText], event: _Event) -> None:
        items = tuple(
            AuditItem(text, job.readers, tuple(map(self._store.get_page, job.reading_digests)), job.carries)
            for job, text in zip(jobs, texts, strict=True)
        )
        limit = _READINGS * self._settings.run.page_timeout * len(items)
        task = AuditTask(jobs[0].pdf, items)
        self._events[self._tools.executor.submit(self._tools.audit, task, timeout=limit)] = event

    def _audited(self, document: AuditedDocument, jobs: tuple[PageJob, ...], future: Future[Any]) -> None:
        error = future.exception()
        if error is None:
            self._keep_all(document, jobs, future.result())
            return
        _stop_if_fatal(error)
        if len(jobs) > 1:
            self._batches.extendleft((document, (one,)) for one in reversed(jobs))
            return
        document.unread[jobs[0].written.page.number] = _reason(error)
        self._one_less(document)

    def _keep_all(self, document: AuditedDocument, jobs: tuple[PageJob, ...], found: AuditedPages) -> None:
        self._catalog.add_time("audit", len(jobs), found.seconds)
        for job, one in zip(jobs, found.pages, strict=True):
            for digest, text in zip(job.reading_digests, one.read, strict=True):
                if text is not None and text.state is not PageState.FAILED:
                    self._store.put_page(digest, text)
            self._judge(document, job, one)

    # What is done about a page.

    def _judge(self, document: AuditedDocument, job: PageJob, found: Audited) -> None:
        wanted = self._settings.audit.on_mismatch
        if (
            wanted == "report"
            or found.reference is None
            or not is_doubtful(found.audit)
            or not job.may_change
        ):
            self._keep(document, job, job.written, found.audit, found.note)
        elif wanted == "fallback" and may_replace(job.written, found.reference, found.audit):
            self._fall_back(document, job, found.audit, found.reference)
        elif wanted == "fallback":
            self._keep(document, job, job.written, replace(found.audit, action="fallback"), NOT_REPLACED)
        elif job.written.method == "image":
            self._ask_again(document, job, found.audit, found.reference)
        elif job.written.method == "ocr" and found.reference.method == "text-layer":
            text = patch(job.written, found.reference)
            self._try(document, job, found.audit, text, "misread words put right from the text layer")
        else:
            self._keep(document, job, job.written, replace(found.audit, action="repair"), NOT_REPAIRED)

    def _fall_back(
        self, document: AuditedDocument, job: PageJob, found: PageAudit, reference: PageText
    ) -> None:
        text = fallen_back(job.written, found, reference)
        kept = replace(found, findings=_aimed(found), flagged=bool(_aimed(found)), action="fallback")
        self._keep(document, job, text, kept, f"replaced by {found.reader}: {summary(found.findings)}", found)

    def _ask_again(
        self, document: AuditedDocument, job: PageJob, found: PageAudit, reference: PageText
    ) -> None:
        model = self._tools.model(job.written.engine)
        task = ReadTask(job.pdf, (job.written.page,), self._settings.convert)
        future = model.reread(task, reference.markdown)
        self._events[future] = lambda done: self._asked_again(document, job, found, done)

    def _asked_again(
        self, document: AuditedDocument, job: PageJob, found: PageAudit, future: Future[Any]
    ) -> None:
        if error := future.exception():
            _stop_if_fatal(error)
            why = f"left as it is: asked again, and {_reason(error)}"
            self._keep(document, job, job.written, replace(found, action="repair"), why)
            return
        again: PageText = future.result().texts[0]
        if again.state is not PageState.OK:
            self._leave(document, job, found, again, "asked again, no reply was any better")
        else:
            self._try(document, job, found, again, "asked again with the second reader's text as an aid")

    def _try(
        self, document: AuditedDocument, job: PageJob, found: PageAudit, again: PageText, how: str
    ) -> None:
        """Audit a new text; it is taken where it is not flagged."""

        def event(done: Future[Any]) -> None:
            if error := done.exception():
                _stop_if_fatal(error)
                self._leave(document, job, found, again, f"{how}, and {_reason(error)}")
                return
            audit: PageAudit = done.result().pages[0].audit
            if is_doubtful(audit):
                self._leave(document, job, found, again, f"{how}, and still flagged")
                return
            text = repaired(job.written, found, again, how)
            outcome = f"repaired: {how}; before: {summary(found.findings)}"
            self._keep(document, job, text, replace(audit, action="repair"), outcome, found)

        self._work([job], [again], event)

    def _leave(
        self, document: AuditedDocument, job: PageJob, found: PageAudit, again: PageText, why: str
    ) -> None:
        text = left(job.written, found, again, f"{why}; left as it is")
        self._keep(document, job, text, replace(found, action="repair"), f"left as it is: {why}")

    # Records.

    def _keep(
        self, document: AuditedDocument, job: PageJob, text: PageText, audit: PageAudit, outcome: str,
        found: PageAudit | None = None,
    ) -> None:  # fmt: skip
        """`found`: what was wrong with the text that `text` stands in the place of."""
        old = job.stored
        before = job.written if found else old.before if old else None
        findings = found.findings if found else old.found if old else ()
        key = self._select.key(job.recipe, text)
        record = AuditRecord(key, page_sha256(text), audit, outcome, findings, before)
        self._store.put_audit(job.digest, record)
        if text is not job.written:
            self._store.put_page(job.digest, text)
            self._catalog.put_pages(document.source.doc_id, [(job.digest, text)])
        self._catalog.put_audits([(job.digest, record)])
        self._note(document, job, text, record, reused=False)
        self._one_less(document)

    def _note(
        self, document: AuditedDocument, job: PageJob, text: PageText, record: AuditRecord, *, reused: bool
    ) -> None:
        if record.outcome.startswith("not compared"):
            document.unread[text.page.number] = record.outcome
        document.pages.append(AuditedPage(text.page.number, text.state, record, reused))
        self._progress.pages(document.source, [text.state], reused)

    def _one_less(self, document: AuditedDocument) -> None:
        self._waiting[document.source.doc_id] -= 1
        if not self._waiting[document.source.doc_id]:
            self._progress.document(document.source, None)

    def _sum_up(self, document: AuditedDocument) -> None:
        document.pages.sort(key=lambda one: one.number)
        document.fallbacks = sum(one.state is PageState.FALLBACK for one in document.pages)


def _aimed(audit: PageAudit) -> tuple[Finding, ...]:
    return tuple(one for one in audit.findings if one.kind in AIMED)


def _stop_if_fatal(error: BaseException) -> None:
    if isinstance(error, (EngineUnavailable, BudgetReached, Interrupted)) or not isinstance(error, Exception):
        raise error


def _reason(error: BaseException) -> str:
    log.debug("a page that could not be audited", exc_info=error)
    return error.message if isinstance(error, DracError) else f"{type(error).__name__}: {error}"
