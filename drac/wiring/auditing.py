"""The audit's tools: pages read a second time and compared in workers, models asked again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drac.audit_records import PageAudit
from drac.config import ConvertSettings, Settings, load_prompt
from drac.pipeline.audit_actions import is_doubtful
from drac.pipeline.audit_selection import PageJob, Selection
from drac.pipeline.audit_tasks import Audited, AuditedPages, AuditItem, AuditTask, AuditTools
from drac.pipeline.estimating import AskAgain, Convert, asking_again
from drac.profiles import find_profile
from drac.records import Page, PageState, PageText
from drac.stages.convert.audit import EXACT, NOISY, audit_page
from drac.stages.convert.audit.aimed import PageInk, aimed_findings
from drac.stages.convert.audit.pictured import without_pictured
from drac.stages.convert.carry import carry_headers
from drac.store.store import Store
from drac.wiring import Models
from drac.wiring.worker import local_reader, read_task, start_worker

if TYPE_CHECKING:
    from drac.wiring.models import ModelReading

_MOST_PAGES_BACK = 20
"""Pages that the header of a table is looked for before the page it goes on to."""


def reader_fingerprint() -> Mapping[str, str]:
    """Fingerprint of the second reader."""
    return local_reader(ConvertSettings()).fingerprint


def of_the_pages(settings: Settings, records: Sequence[Mapping[str, Any]]) -> Settings:
    """The settings with the model, and its server, that read the pages, where none is named."""
    asked = [
        one["convert"] for one in records if one["state"] == "ok" and one["convert"]["tools"].get("model")
    ]
    if not asked:
        return settings
    tools, given = asked[0]["tools"], settings.model.model_fields_set
    named = {} if "name" in given else {"name": tools["model"]}
    if tools["engine"] == "openai" and "base_url" not in given and "name" not in given:
        named["base_url"] = tools["endpoint"]
    return settings.model_copy(update={"model": settings.model.model_copy(update=named)})


@contextmanager
def audit_tools(settings: Settings, models: Models) -> Iterator[AuditTools]:
    """Workers for one audit; all are stopped when the block ends."""
    from drac.adapters.processes import ProcessExecutor

    executor = ProcessExecutor(settings.run.workers, start_worker, memory=settings.run.worker_memory)
    asked: dict[str, ModelReading] = {}

    def model(engine: str) -> ModelReading:
        from drac.wiring.models import ModelReading

        if engine not in asked:
            access = models.access(engine)
            asked[engine] = ModelReading(executor, access, settings, read_task, reader_fingerprint())
        return asked[engine]

    try:
        yield AuditTools(executor, audit_task, reader_fingerprint(), model)
    except BaseException:
        models.stop()
        raise
    finally:
        for one in asked.values():
            one.close()
        executor.close()


def audit_task(task: AuditTask) -> AuditedPages:
    """Audit some pages; runs in a worker."""
    from drac.adapters.pymupdf_hidden import page_inks

    began = time.perf_counter()
    inks = page_inks(task.pdf, [one.written.page.number for one in task.items])
    pages = [_audited(task.pdf, one, ink) for one, ink in zip(task.items, inks, strict=True)]
    return AuditedPages(tuple(pages), time.perf_counter() - began)


def _audited(pdf: Path, item: AuditItem, ink: PageInk) -> Audited:
    written, second = item.written, _SecondReading(pdf, item)
    reference = second.reference()
    if reference is None:
        audit = PageAudit(written.page, "", 0.0, 0.0)
        return Audited(_with_aimed(audit, written, ink), None, tuple(second.read), second.note)
    audit = _compared(written, reference, item.readers[second.place])
    if audit.flagged and second.has_more and reference.method == "text-layer":
        audit = without_pictured(audit, reference, second.next())
    return Audited(_with_aimed(audit, written, ink), reference, tuple(second.read))


class _SecondReading:
    """A page's second readers, asked one after the other."""

    def __init__(self, pdf: Path, item: AuditItem) -> None:
        self._pdf, self._item = pdf, item
        self.read: list[PageText | None] = [None] * len(item.readers)
        self.place = -1
        self.note = ""

    @property
    def has_more(self) -> bool:
        """Whether a reader has not been asked."""
        return self.place + 1 < len(self._item.readers)

    def next(self) -> PageText:
        """What the next reader reads, or read before."""
        self.place += 1
        known = self._item.known[self.place]
        text = known or _read(self._pdf, self._item.written.page, self._item.readers[self.place])
        self.read[self.place] = None if known else text
        return text

    def reference(self) -> PageText | None:
        """What the page is compared with; None where nobody is asked or could read it."""
        text: PageText | None = None
        while self.has_more:
            text = self.next()
            if text.state is not PageState.FAILED and text.method != self._item.written.method:
                break
        if text is None or text.state is PageState.FAILED:
            self.note = f"not compared: the second reader failed: {text.attempts[-1].outcome}" if text else ""
            return None
        return _carried(self._pdf, text, self._item.readers[self.place]) if self._item.carries else text


def _compared(written: PageText, reference: PageText, asked: ConvertSettings) -> PageAudit:
    by_ocr = reference.method == "ocr"
    name = f"local {reference.method}" + (f" at {asked.ocr_dpi} dpi" if by_ocr else "")
    return audit_page(written, reference, NOISY if by_ocr else EXACT, reader=name)


def _with_aimed(audit: PageAudit, written: PageText, ink: PageInk) -> PageAudit:
    aimed = aimed_findings(written, ink)
    return replace(audit, findings=(*audit.findings, *aimed), flagged=audit.flagged or bool(aimed))


def _read(pdf: Path, page: Page, reader: ConvertSettings) -> PageText:
    return local_reader(reader).read(pdf, [page])[0]


def _carried(pdf: Path, reference: PageText, reader: ConvertSettings) -> PageText:
    """The reading with the header of a table that goes on from the pages before."""
    pages = [reference]
    while _goes_on(pages[0]) and len(pages) < _MOST_PAGES_BACK:
        before = replace(pages[0].page, number=pages[0].page.number - 1)
        pages.insert(0, _read(pdf, before, reader))
    return list(carry_headers(pages))[-1]


def _goes_on(page: PageText) -> bool:
    """Whether the page begins with a table that has no header of its own."""
    table = page.tables[0] if page.tables else None
    if page.page.number < 2 or table is None or table.header_rows or not table.sentences:
        return False
    return not page.markdown[: table.sentences[0][1]].strip()


def estimate_audit(jobs: Sequence[PageJob], settings: Settings, store: Store) -> dict[str, Any]:
    """Pages to compare and to read, and what asking a model again would cost; nothing is sent."""
    todo = [one for one in jobs if not one.done]
    missing = [
        reader.ocr
        for one in todo
        for reader, digest in zip(one.readers[:1], one.reading_digests[:1], strict=True)
        if store.get_page(digest) is None
    ]
    told = {
        "pages": len(jobs), "pages_done_already": len(jobs) - len(todo),
        "pages_to_compare": sum(bool(one.readers) for one in todo),
        "readings": len(missing), "readings_by_ocr": missing.count("always"),
        "on_mismatch": settings.audit.on_mismatch,
    }  # fmt: skip
    return told | (_asking_again(todo, settings) if settings.audit.on_mismatch == "repair" else {})


def _asking_again(todo: Sequence[PageJob], settings: Settings) -> dict[str, Any]:
    told = asking_again(convert_by_model(settings, 1), pages_by_model(todo))
    return {
        "requests": told["requests"], "requests_at_most": told["requests_at_most"],
        "usd": told["usd"], "usd_at_most": told["usd_range"][1],
    }  # fmt: skip


def pages_by_model(jobs: Sequence[PageJob]) -> AskAgain:
    """Pages that a model read and may be asked for again."""
    by_model = [one for one in jobs if one.written.method == "image" and one.may_change]
    flagged = sum(bool(one.stored and is_doubtful(one.stored.audit)) for one in by_model)
    return AskAgain(len(by_model), flagged)


def convert_by_model(settings: Settings, batch_pages: int) -> Convert:
    """How pages would be read by the model of these settings, so many in a request where it takes them."""
    profile = find_profile(settings.model.name, settings.models)
    side = min(settings.render.max_side, profile.image_side)
    batch = min(batch_pages, profile.images_per_request)
    return Convert(profile, batch, side, load_prompt("convert").text)


def jobs_of(store: Store, settings: Settings, records: Sequence[Mapping[str, Any]]) -> list[PageJob]:
    """Pages with text of these documents."""
    select = Selection(store, settings.audit, reader_fingerprint())
    return [job for record in records for job in select.jobs(record)]
