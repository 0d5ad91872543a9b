"""The parser `reducto`: its service asked through the run's journal and budget, its results as pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version

from drac.adapters.page_records import failed_page
from drac.adapters.parsed_pages import page_texts, ranges
from drac.adapters.reducto import CREDIT, ReductoOptions, ReductoService
from drac.adapters.reducto_result import result_pages
from drac.config import Settings
from drac.errors import ModelError, UsageError
from drac.pipeline.asking import Asker, Prices
from drac.pipeline.limiter import Limiter
from drac.pipeline.tasks import ReadPages, ReadTask
from drac.ports import ChatReply, ChatRequest, ImagePart
from drac.records import Attempt, Page, PageText, Usage
from drac.store.journal import Journal
from drac.wiring import Models

Ink = Callable[[ReadTask], Future[Mapping[int, bool]]]
"""Of a task's pages that exist, whether they show anything."""
WHOLE = 1_000_000
"""Pages in a batch: a document is not parted."""


@contextmanager
def asker(
    options: ReductoOptions, settings: Settings, models: Models
) -> Iterator[tuple[ReductoService, Asker]]:
    """The service and who asks it; nothing more is sent when the block ends."""
    if settings.model.max_usd is not None and options.usd_per_credit is None:
        raise UsageError(
            "--max-usd cannot be kept: no price is known for reducto",
            remedy="Give its option usd_per_credit.",
        )
    service = ReductoService(options)
    limiter = Limiter(settings.model.concurrency, requests_per_minute=settings.model.requests_per_minute)
    journal = Journal(models.workspace, service)
    made = Asker(
        service, journal, limiter, models.budget, Prices(0, _cost(options)), attempts=settings.model.attempts
    )
    models.count(f"reducto{' (SIMULATED)' if service.simulated else ''}", made)
    try:
        yield service, made
    finally:
        made.stop()
        service.close()


def _cost(options: ReductoOptions) -> Callable[[int, int], float | None]:
    price = options.usd_per_credit
    return lambda pages, thousandths: None if price is None else thousandths / CREDIT * price


class ReductoReading:
    """Implements pipeline.tasks.Reading: the missing pages of a document are one request."""

    batch_pages = WHOLE

    def __init__(
        self, options: ReductoOptions, service: ReductoService, asked: Asker, ink: Ink, concurrency: int
    ) -> None:
        self._options, self._asker, self._ink = options, asked, ink
        self._cost = _cost(options)
        self.most_in_flight = concurrency
        self.fingerprint = {
            "engine": "reducto", "endpoint": service.endpoint, "reductoai": version("reductoai"),
            **({"simulated": "true"} if service.simulated else {}),
        }  # fmt: skip
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="reducto")

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        """See pipeline.tasks.Reading."""
        return self._threads.submit(self._read, task)

    def close(self) -> None:
        """Wait for the replies in flight, which are paid for."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _read(self, task: ReadTask) -> ReadPages:
        began = time.perf_counter()
        inked = self._ink(task).result()
        there = [page for page in task.pages if page.number in inked]
        if not there:
            texts = page_texts(task.pages, {}, "reducto", inked)
        else:
            texts = self._asked(task, len(there), self._request(task, there), inked)
        return ReadPages(tuple(texts), time.perf_counter() - began)

    def _request(self, task: ReadTask, pages: list[Page]) -> ChatRequest:
        stated = json.dumps(self._options.told(ranges(pages)), sort_keys=True)
        pdf = ImagePart(task.pdf.read_bytes(), "application/pdf")
        most = round(len(pages) * self._options.most_credits * CREDIT)
        return ChatRequest("parse", "reducto", "", (stated, pdf), 0.0, most)

    def _asked(
        self, task: ReadTask, pages: int, request: ChatRequest, inked: Mapping[int, bool]
    ) -> list[PageText]:
        try:
            reply = self._asker.ask(request)
        except ModelError as error:
            return [failed_page(page, "reducto", error.message) for page in task.pages]
        texts = page_texts(task.pages, result_pages(json.loads(reply.text)), "reducto", inked)
        return [self._paid(text, reply, pages, first=at == 0) for at, text in enumerate(texts)]

    def _paid(self, text: PageText, reply: ChatReply, pages: int, *, first: bool) -> PageText:
        """Each page bears its share of the price, the first one the request."""
        usd = (self._cost(reply.input_tokens, reply.output_tokens) or 0.0) / pages
        usage = Usage(usd=usd, requests=int(first))
        return replace(text, usage=usage, attempts=(Attempt("reducto", text.attempts[0].outcome, usage),))
