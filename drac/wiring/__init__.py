"""Names in the configuration to concrete adapters; the only importer of adapters.

Adapters are imported inside the functions: a command loads only what it uses, and `normalize_task`
and `read_task` run in worker processes, where PyMuPDF lives.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from drac.config import ConvertSettings, PlanSettings, SearchSettings, Settings
from drac.corpus import Discovery, real_path
from drac.errors import DocumentError, EncryptedDocument, LimitExceeded, UsageError
from drac.pipeline.companions import companions
from drac.pipeline.searching import KeywordIndex
from drac.pipeline.tasks import Normalized, NormalizeTask, ReadPages, ReadTask, Tools
from drac.ports import Embedder, Executor, Index, PageReader, PdfConverter, Planner
from drac.records import Health
from drac.stages import normalize
from drac.store.keys import file_digest
from drac.store.store import free_bytes

_ENOUGH = 2_000_000_000
"""Free bytes below which `drac doctor` warns."""


@contextmanager
def conversion_tools(settings: Settings, workspace: Path) -> Iterator[Tools]:
    """Workers and LibreOffice for one run; all are stopped when the block ends."""
    from drac.adapters.processes import ProcessExecutor

    office = _LazyOffice(settings, workspace)
    executor = ProcessExecutor(settings.run.workers, start_worker)
    try:
        yield Tools(
            executor=executor,
            detect=lambda path, password: normalize.detect(path, password=password),
            companions=companions,
            normalize=normalize_task,
            office=office,
            converter_fingerprint=_converter_fingerprint,
            reading=_LocalReading(executor, settings),
        )
    finally:
        executor.close()
        office.close()


class _LocalReading:
    """Pages read in worker processes."""

    def __init__(self, executor: Executor, settings: Settings) -> None:
        self._executor = executor
        self._page_timeout = settings.run.page_timeout
        self.fingerprint = _reader(settings.convert).fingerprint
        self.batch_pages = settings.run.batch_pages
        self.most_in_flight = 2 * executor.workers

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        return self._executor.submit(read_task, task, timeout=self._page_timeout * len(task.pages))


class _LazyOffice:
    """One LibreOffice, started when the first document needs it."""

    def __init__(self, settings: Settings, workspace: Path) -> None:
        self._timeout = settings.run.convert_timeout
        self._workdir = workspace / "office"
        self._converter: PdfConverter | None = None

    def __call__(self) -> PdfConverter:
        from drac.adapters.libreoffice import LibreOfficeConverter

        if self._converter is None:
            self._converter = LibreOfficeConverter(self._timeout, self._workdir)
        return self._converter

    def close(self) -> None:
        if self._converter is not None:
            self._converter.close()  # type: ignore[attr-defined]


def start_worker() -> None:
    """First thing in a worker: nothing that a library prints may reach stdout."""
    os.dup2(2, 1)


def normalize_task(task: NormalizeTask) -> Normalized:
    """Make one PDF, check it; runs in a worker."""
    from drac.adapters.pymupdf_pdf import inspect

    began = time.perf_counter()
    _convert_with_passwords(_converter(task.converter), task)
    info = inspect(task.target)
    if info.pages > task.max_pages:
        raise LimitExceeded(f"{info.pages:,} pages, more than the limit of {task.max_pages:,}")
    return Normalized(info.pages, file_digest(task.target), time.perf_counter() - began)


def _convert_with_passwords(converter: PdfConverter, task: NormalizeTask) -> None:
    for password in (None, *task.passwords):
        try:
            return converter.convert(task.source, task.target, suffix=task.suffix, password=password)
        except EncryptedDocument as error:
            failure: DocumentError = error
    raise failure


@cache
def _converter(name: str) -> PdfConverter:
    if name == "image":
        from drac.adapters.images import ImageConverter

        return ImageConverter()
    if name == "html":
        from drac.adapters.weasyprint_html import HtmlConverter

        return HtmlConverter()
    from drac.adapters.pymupdf_pdf import PdfPassthrough

    return PdfPassthrough()


@cache
def _converter_fingerprint(name: str) -> Mapping[str, str]:
    if name == "office":
        from drac.adapters.libreoffice import LibreOfficeConverter

        return LibreOfficeConverter(1.0, Path()).fingerprint
    return _converter(name).fingerprint


def read_task(task: ReadTask) -> ReadPages:
    """Read some pages; runs in a worker."""
    began = time.perf_counter()
    texts = _reader(task.settings).read(task.pdf, task.pages)
    return ReadPages(tuple(texts), time.perf_counter() - began)


@cache
def _reader(settings: ConvertSettings) -> PageReader:
    if settings.engine != "local":
        raise UsageError(f"engine {settings.engine!r} is not there yet", remedy="Use --engine local.")
    from drac.adapters.pymupdf_reader import LocalReader

    return LocalReader(settings)


def planner(settings: PlanSettings) -> Planner:
    """Who proposes the chunks."""
    if settings.planner != "local":
        raise UsageError(f"planner {settings.planner!r} is not there yet", remedy="Use --planner local.")
    from drac.stages.chunk import LocalPlanner

    return LocalPlanner(settings)


def embedder(settings: SearchSettings) -> Embedder:
    """The embedding model; raises MissingExtra without the extra `embed`."""
    from drac.adapters.sentence_transformers import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(settings.model)


def flat_index(dimension: int) -> Index:
    """An empty exact index."""
    from drac.adapters.faiss_index import FlatIndex

    return FlatIndex(dimension)


def load_index(path: Path) -> Index:
    """An index from its file."""
    from drac.adapters.faiss_index import FlatIndex

    return FlatIndex.load(path)


def bm25(texts: Sequence[str]) -> KeywordIndex:
    """Keyword search over texts."""
    from drac.adapters.bm25 import Bm25

    return Bm25(texts)


def count_pages(path: Path) -> int:
    """Pages of a PDF; runs in a worker."""
    from drac.adapters.pymupdf_pdf import inspect

    return inspect(path).pages


def estimate(found: Discovery, workers: int) -> dict[str, Any]:
    """What a run would read and cost with local engines: no calls, no dollars. Writes nothing."""
    from drac.adapters.processes import ProcessExecutor

    types: Counter[str] = Counter()
    problems: list[str] = []
    executor = ProcessExecutor(workers, start_worker)
    counting = {}
    try:
        for source in found.sources:
            path = real_path(source)
            try:
                kind = normalize.detect(path)
            except DocumentError as error:
                problems.append(f"{source.collection}/{source.path}: {error.message}")
                continue
            types[kind.name] += 1
            if kind.name == "pdf":
                counting[f"{source.collection}/{source.path}"] = executor.submit(
                    count_pages, path, timeout=60
                )
        pages = _sum_pages(counting, problems)
    finally:
        executor.close()
    return {
        "documents": len(found.sources), "types": dict(sorted(types.items())), "pdf_pages": pages,
        "documents_with_pages_known_after_normalizing": sum(types.values()) - types["pdf"],
        "model_calls": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0, "problems": problems,
    }  # fmt: skip


def _sum_pages(counting: Mapping[str, Future[int]], problems: list[str]) -> int:
    total = 0
    for name, future in counting.items():
        try:
            total += future.result()
        except DocumentError as error:
            problems.append(f"{name}: {error.message}")
    return total


def health(workspace: Path, settings: Settings) -> list[Health]:
    """Every outside thing, checked; nothing is sent and nothing is written."""
    from drac.adapters import (
        credentials,
        libreoffice_programs,
        pymupdf_render,
        rapidocr,
        sentence_transformers,
        weasyprint_html,
    )

    return [
        *libreoffice_programs.health(),
        weasyprint_html.health(),
        pymupdf_render.health(),
        rapidocr.health(),
        sentence_transformers.health(settings.search.model),
        *credentials.health(),
        _disk(workspace),
    ]


def _disk(workspace: Path) -> Health:
    place = workspace.absolute()
    while not place.exists():
        place = place.parent
    free = free_bytes(place)
    detail = f"{free / 1e9:.1f} GB free for {workspace}"
    if free >= _ENOUGH:
        return Health("disk", "ok", detail)
    return Health("disk", "warning", detail, "Free some space or choose another --workspace.")
