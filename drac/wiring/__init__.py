"""Names in the configuration to concrete adapters; the only importer of adapters.

Adapters are imported inside the functions: a command loads only what it uses.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from drac.config import ConvertSettings, SearchSettings, Settings
from drac.errors import (
    ConverterUnavailable,
    UsageError,
)
from drac.pipeline.budget import Budget
from drac.pipeline.companions import companions
from drac.pipeline.evaluating import Tools as EvaluationTools
from drac.pipeline.tasks import ReadPages, ReadTask, Tools
from drac.ports import Embedder, Executor, Index, PdfConverter, Planner
from drac.records import Health
from drac.retrieve.index_kinds import index_kind
from drac.retrieve.pages import AGGREGATES, Aggregate
from drac.retrieve.retrievers import KeywordIndex
from drac.stages import normalize
from drac.store.store import free_bytes
from drac.wiring.retrieval import reranker, row_method
from drac.wiring.worker import (
    converter_fingerprint,
    local_reader,
    native_reader,
    native_task,
    normalize_task,
    read_task,
    start_worker,
    unpack_task,
)

if TYPE_CHECKING:
    from drac.pipeline.asking import Asker, Spending
    from drac.wiring.models import ModelAccess, ModelReading

_ENOUGH = 2_000_000_000
"""Free bytes below which `drac doctor` warns."""


class Models:
    """The models that a run asks, each made when first needed, with its own limiter; one budget for all."""

    def __init__(self, settings: Settings, workspace: Path) -> None:
        self.settings, self.workspace = settings, workspace
        self.budget = Budget(settings.model.max_usd)
        """Of all models together."""
        self._made: dict[tuple[str, str, str], ModelAccess] = {}
        self._askers: list[tuple[str, Asker]] = []

    def access(
        self,
        engine: str,
        settings: Settings | None = None,
        purpose: Literal["chat", "embed", "rerank"] = "chat",
    ) -> ModelAccess:
        """The engine's model, or the one that `settings` name in place of the run's."""
        from drac.wiring.models import ModelAccess

        wanted = settings or self.settings
        parts = {"model", "models", "render"}
        key = (engine, purpose, wanted.model_dump_json(include=parts))
        if key not in self._made:
            self._made[key] = ModelAccess(engine, wanted, self.workspace, self.budget, purpose)
            self.count(self._made[key].label, self._made[key].asker)
        return self._made[key]

    def count(self, label: str, asker: Asker) -> None:
        """Have an asker's spending told, and the asker stopped, with the others'."""
        self._askers.append((label, asker))

    def spending(self) -> dict[str, Spending]:
        """What was asked of each model, by its id."""
        found: dict[str, Spending] = {}
        for label, asker in self._askers:
            known = found.get(label)
            found[label] = known.plus(asker.spending) if known else asker.spending
        return found

    def stop(self) -> None:
        """Send nothing more: the run ends early."""
        for _, asker in self._askers:
            asker.stop()

    def close(self) -> None:
        """Send nothing more and free the connections."""
        for one in self._made.values():
            one.close()


@contextmanager
def conversion_tools(settings: Settings, workspace: Path, models: Models) -> Iterator[Tools]:
    """Workers and LibreOffice for one run; all are stopped when the block ends."""
    from drac.adapters.processes import ProcessExecutor

    office = _LazyOffice(settings, workspace)
    executor = ProcessExecutor(settings.run.workers, start_worker, memory=settings.run.worker_memory)
    reading = None
    try:
        reading = _reading(executor, settings, models)
        yield Tools(
            executor=executor,
            detect=detector(settings.convert),
            companions=companions,
            normalize=normalize_task,
            unpack=unpack_task,
            office=office,
            offices=settings.run.offices,
            converter_fingerprint=converter_fingerprint,
            reading=reading,
            native=_LocalReading(executor, settings, native_task, native_reader().fingerprint),
        )
    except BaseException:
        models.stop()
        raise
    finally:
        if reading is not None:
            reading.close()
        executor.close()
        office.close()


def _reading(executor: Executor, settings: Settings, models: Models) -> _LocalReading | ModelReading:
    if settings.convert.engine == "local":
        return _LocalReading(executor, settings, read_task, local_reader(settings.convert).fingerprint)
    from drac.wiring.models import ModelReading

    local = local_reader(settings.convert.model_copy(update={"engine": "local"})).fingerprint
    access = models.access(settings.convert.engine, settings)
    return ModelReading(executor, access, settings, read_task, local)


class _LocalReading:
    """Pages read in worker processes."""

    def __init__(
        self,
        executor: Executor,
        settings: Settings,
        read: Callable[[ReadTask], ReadPages],
        fingerprint: Mapping[str, str],
    ) -> None:
        self._executor, self._read = executor, read
        self._page_timeout = settings.run.page_timeout
        self.fingerprint = fingerprint
        self.batch_pages = settings.run.batch_pages
        self.most_in_flight = 2 * executor.workers

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        return self._executor.submit(self._read, task, timeout=self._page_timeout * len(task.pages))

    def close(self) -> None:
        """The workers belong to the executor."""


class _LazyOffice:
    """The LibreOffice instances, made when the first document needs one."""

    def __init__(self, settings: Settings, workspace: Path) -> None:
        self._settings, self._workspace = settings, workspace
        self._lock = threading.Lock()
        self._converter: PdfConverter | None = None

    def __call__(self) -> PdfConverter:
        with self._lock:
            self._converter = self._converter or self._make()
            return self._converter

    def close(self) -> None:
        if self._converter is not None:
            self._converter.close()  # type: ignore[attr-defined]

    def _make(self) -> PdfConverter:
        return office_converter(self._settings, self._workspace)


def office_converter(settings: Settings, workspace: Path) -> PdfConverter:
    """LibreOffice as the settings want it, its files in `workspace`; to be closed."""
    from drac.adapters import sandbox
    from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits

    isolation, wanted = sandbox.available(), settings.run
    if wanted.isolation == "required" and isolation.program is None:
        raise ConverterUnavailable(
            f"LibreOffice cannot be cut off from network and files here: {isolation.reason}",
            remedy="Install bubblewrap and allow user namespaces, or set run.isolation to `auto`.",
        )
    limits = OfficeLimits(
        wanted.convert_timeout, memory=wanted.office_memory, written=wanted.office_written,
        hidden=settings.normalize.hidden, notes=settings.normalize.notes,
        max_cells=settings.normalize.max_cells,
    )  # fmt: skip
    return LibreOfficeConverter(workspace / "office", limits, instances=wanted.offices)


def detector(settings: ConvertSettings) -> Callable[[Path, str | None], normalize.DocumentType]:
    """Tells what a file is; web pages and Markdown that are read as they stand are types of their own."""

    def detect(path: Path, password: str | None) -> normalize.DocumentType:
        kind = normalize.detect(path, password=password)
        return normalize.as_native(kind) if settings.native else kind

    return detect


def planner(settings: Settings, models: Models) -> tuple[Planner, int]:
    """Who proposes the chunks, and how many sections may be planned at once."""
    from drac.stages.chunk import LocalPlanner

    if settings.plan.planner == "local":
        return LocalPlanner(settings.plan), 1
    return models.access(settings.plan.planner).planner(settings), settings.model.concurrency


def embedder(search: SearchSettings, models: Models | None = None) -> Embedder:
    """The embedding model; raises MissingExtra without the extra `embed` where it is `local`.

    `models`: those of the command, which an embedder that is asked over the network belongs to.
    """
    if search.embedder == "local":
        from drac.adapters.sentence_transformers import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(search.model)
    if models is None:
        raise UsageError("no model is asked here", remedy="Give search.embedder as `local`.")
    from drac.wiring.embedding import asked_embedder

    return asked_embedder(models.settings.model_copy(update={"search": search}), models)


class Indexes:
    """Implements ports.IndexMaker by the settings."""

    def __init__(self, settings: SearchSettings) -> None:
        self._wanted = settings.index

    def fingerprint(self, rows: int) -> Mapping[str, str]:
        """See IndexMaker."""
        from drac.adapters import faiss_index

        return faiss_index.fingerprint(index_kind(self._wanted, rows))

    def make(self, dimension: int, rows: int) -> Index:
        """See IndexMaker."""
        from drac.adapters import faiss_index

        return faiss_index.new_index(index_kind(self._wanted, rows), dimension, rows)


def load_index(path: Path) -> Index:
    """An index from its file."""
    from drac.adapters import faiss_index

    return faiss_index.load_index(path)


def bm25(search: SearchSettings) -> Callable[[Sequence[str]], KeywordIndex]:
    """Keyword search over texts."""
    from drac.adapters.bm25 import Bm25

    return partial(Bm25, stop_words=search.stop_words)


def evaluation_tools(
    settings: Settings, note: Callable[[str], None], models: Models | None = None
) -> EvaluationTools:
    """What judging chunk sets needs; raises UsageError for a page score that is no function."""
    from drac.adapters.chonkie import recursive
    from drac.adapters.pymupdf_plain import plain_pages

    return EvaluationTools(
        lambda: embedder(settings.search, models), Indexes(settings.search), bm25(settings.search),
        plain_pages, recursive, aggregate(settings.evaluate.page_score), note,
        lambda name, model: row_method(name, settings.search, model),
        lambda name, model: reranker(name, model, settings, models),
    )  # fmt: skip


def parquet_writer() -> Callable[[Path, Sequence[Mapping[str, Any]]], None]:
    """Writes rows to a Parquet file; raises MissingExtra without the extra `parquet`."""
    from drac.adapters import parquet

    parquet.needed()
    return parquet.write_rows


def aggregate(name: str) -> Aggregate:
    """`max`, `mean`, `sum`, or the function `name` of a module, as `module:name`; raises UsageError.

    The module may lie in the current folder. The function is tried once.
    """
    if name in AGGREGATES:
        return AGGREGATES[name]
    from drac.wiring.registry import modules_in

    module, _, function = name.partition(":")
    try:
        with modules_in(Path.cwd()):
            found = cast(Aggregate, getattr(importlib.import_module(module), function))
            float(found([2.0, 1.0]))
    except Exception as error:  # whatever the user's own module raises
        raise UsageError(
            f"evaluate.page_score {name!r} is no function of scores: {type(error).__name__}: {error}",
            remedy=f"Give {', '.join(AGGREGATES)}, or module:name of a function from scores to a number.",
        ) from error
    return found


def health(workspace: Path, settings: Settings) -> list[Health]:
    """Every outside thing, checked; nothing is sent and nothing is written."""
    from drac.adapters import (
        credentials,
        libreoffice_programs,
        pymupdf_render,
        rapidocr,
        sentence_transformers,
        tesseract,
        weasyprint_html,
    )

    chosen = settings.convert.ocr_engine == "tesseract"
    return [
        *libreoffice_programs.health(),
        weasyprint_html.health(),
        pymupdf_render.health(),
        rapidocr.health(),
        tesseract.health(settings.convert.ocr_languages, chosen=chosen),
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
