"""What a run would read and cost, counted before anything is sent or written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drac.config import Settings
from drac.corpus import Discovery, real_path
from drac.errors import DocumentError
from drac.pipeline.estimating import AskAgain, Counted, estimate
from drac.pipeline.planning import page_digests
from drac.ports import Executor
from drac.profiles import ModelProfile, find_profile
from drac.records import Source
from drac.stages.normalize import DocumentType
from drac.store.keys import file_digest
from drac.store.store import Store
from drac.wiring import detector
from drac.wiring.auditing import convert_by_model, jobs_of, pages_by_model
from drac.wiring.embedding import embedding_costs
from drac.wiring.worker import start_worker

if TYPE_CHECKING:
    from drac.adapters.pymupdf_images import ImageLimits, TileCount

_SECONDS = 60.0
"""Time that counting the pages or tiles of one document may take."""


@dataclass(frozen=True, slots=True)
class _Known:
    pages: int
    """Of a document that the workspace knows as it is."""
    finished: int
    """Pages of these on disk."""
    pdf: Path
    """Its PDF."""


@dataclass(frozen=True, slots=True)
class _TileTask:
    pdf: Path
    """A normalized PDF."""
    limits: ImageLimits
    """What the model takes."""


def dry_run(found: Discovery, settings: Settings, workspace: Path, *, audit: bool = False) -> dict[str, Any]:
    """What a run, with its `audit` where one is wanted, would read, ask and cost; nothing is sent."""
    from drac.wiring.models import check_named

    check_named(settings.convert.engine, settings)
    check_named(settings.plan.planner, settings)
    profile = find_profile(settings.model.name, settings.models)
    counted, problems = _counted(found, settings, Store(workspace), profile)
    by_model = settings.convert.engine != "local"
    convert = convert_by_model(settings, settings.model_read.batch_pages) if by_model else None
    again = _again(found, settings, Store(workspace)) if audit and by_model else None
    skipped = [{"path": one.path, "reason": one.reason, "kind": one.kind} for one in found.skipped]
    planner = profile if settings.plan.planner != "local" else None
    return estimate(counted, problems, convert, planner, again, embedding_costs(settings)) | {
        "skipped": skipped
    }


def _again(found: Discovery, settings: Settings, store: Store) -> AskAgain | None:
    """Finished pages that a repairing audit may ask for again; None where the audit repairs nothing."""
    if settings.audit.on_mismatch != "repair":
        return None
    known = [store.get_source(one.doc_id) for one in found.sources] if store.exists else []
    records = [one for one in known if one and one["state"] == "ok"]
    return pages_by_model([job for job in jobs_of(store, settings, records) if not job.done])


def _counted(
    found: Discovery, settings: Settings, store: Store, profile: ModelProfile
) -> tuple[list[Counted], list[str]]:
    """Each document whose type is read, in order, and what is wrong with others."""
    from drac.adapters.processes import ProcessExecutor

    executor = ProcessExecutor(settings.run.workers, start_worker, memory=settings.run.worker_memory)
    try:
        counter = _Counter(executor, settings, store, profile)
        for source in found.sources:
            counter.take(source)
        return list(counter.counted()), counter.problems
    finally:
        executor.close()


class _Counter:
    """Counts documents in worker processes: PyMuPDF can die on an odd file."""

    def __init__(self, executor: Executor, settings: Settings, store: Store, profile: ModelProfile) -> None:
        self._executor, self._settings, self._store, self._profile = executor, settings, store, profile
        self._detect = detector(settings.convert)
        self.problems: list[str] = []
        self._waiting: list[tuple[str, DocumentType, Path, _Known | None, list[Future[Any]]]] = []

    def take(self, source: Source) -> None:
        """Start to count a document."""
        name, path = f"{source.collection}/{source.path}", real_path(source)
        try:
            kind = self._detect(path, None)
        except DocumentError as error:
            self.problems.append(f"{name}: {error.message.removeprefix(f'{path}: ')}")
            return
        if kind.converter == "archive" and not self._settings.normalize.archives:
            self.problems.append(f"{name}: an archive; --archives reads what is in it")
            return
        known = _known(self._store, source, path)
        self._waiting.append((name, kind, path, known, self._started(kind, path, known)))

    def _started(self, kind: DocumentType, path: Path, known: _Known | None) -> list[Future[Any]]:
        """The tasks that tell its pages and its tiles, as far as its PDF is there."""
        pdf = known.pdf if known else path
        if kind.converter == "native" or (known is None and kind.name != "pdf"):
            return []
        tasks: list[Future[Any]] = []
        if known is None:
            tasks.append(self._executor.submit(count_pages, pdf, timeout=_SECONDS))
        if self._settings.convert.engine != "local":
            from drac.wiring.models import image_limits

            task = _TileTask(pdf, image_limits(self._profile, self._settings.render))
            work: Callable[[_TileTask], Any] = count_tiles
            tasks.append(self._executor.submit(work, task, timeout=_SECONDS))
        return tasks

    def counted(self) -> Iterator[Counted]:
        """Wait for all."""
        for name, kind, path, known, tasks in self._waiting:
            pages, finished = (known.pages, known.finished) if known else (None, 0)
            tiled = tiles = 0
            try:
                for task in tasks:
                    told = task.result()
                    if isinstance(told, int):
                        pages = told
                    else:
                        tiled, tiles = told.pages, told.tiles
            except DocumentError as error:
                self.problems.append(f"{name}: {error.message.removeprefix(f'{path}: ')}")
                continue
            native = kind.converter == "native"
            yield Counted(name, kind.name, pages, finished, native, tiled, tiles)


def _known(store: Store, source: Source, path: Path) -> _Known | None:
    record = store.get_source(source.doc_id) if store.exists else None
    if record is None or record["state"] != "ok" or record["sha256"] != file_digest(path):
        return None
    finished = sum(store.page_path(digest).exists() for digest in page_digests(record).values())
    pdf = store.artifacts / "normalize" / record["normalize"] / "document.pdf"
    return _Known(record["pages"], finished, pdf)


def count_pages(path: Path) -> int:
    """Pages of a PDF; runs in a worker."""
    from drac.adapters.pymupdf_pdf import inspect

    return inspect(path).pages


def count_tiles(task: _TileTask) -> TileCount:
    """Pages of a PDF that a model gets in tiles, and how many; runs in a worker."""
    from drac.adapters import pymupdf_images

    return pymupdf_images.count_tiles(task.pdf, task.limits)
