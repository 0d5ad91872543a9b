"""Parsers of the experiment bench by name: each reads the pages of a document into PageText.

A parser is a recipe, which names its pages, and a `Reading`, which makes them. `local`, `bedrock`, `openai`
and `native` are `drac convert`'s own, with its recipes: what one has read, the other finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from drac.config import Settings
from drac.errors import UsageError
from drac.mistakes import explain
from drac.pipeline.recipes import convert_recipe, native_recipe
from drac.pipeline.tasks import Reading, ReadPages, ReadTask
from drac.ports import Executor, PageReader
from drac.stages import convert
from drac.stages.normalize import DocumentType
from drac.store.keys import recipe
from drac.wiring import Models, conversion_tools
from drac.wiring.worker import start_worker

ENGINES = ("local", "bedrock", "openai")
"""Parsers that are engines of `drac convert`; their options are the settings of its stages."""
Options = Mapping[str, Any]
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ParserTool:
    """One parser, ready to read; open as long as the block that it was opened for."""

    name: str
    """As experiments and tables call it."""
    settings: Settings
    """What the run's documents are to be normalized with."""
    recipe: dict[str, Any]
    """Names its pages, with the PDF's digest and the page's number; `settings.engine` says who reads."""
    reading: Reading
    """Reads them."""
    native: Reading | None = field(default=None, repr=False)
    """Reads documents of the types that are read as they stand; None: they are read from their PDF."""

    def recipe_of(self, kind: DocumentType) -> dict[str, Any]:
        """The recipe for pages of documents of that type."""
        if self.native is None or kind.converter != "native":
            return self.recipe
        return native_recipe(kind.name, self.native.fingerprint)

    def reading_of(self, kind: DocumentType) -> Reading:
        """Who reads documents of that type."""
        return self.native if self.native is not None and kind.converter == "native" else self.reading


@contextmanager
def parser(name: str, options: Options, settings: Settings, models: Models) -> Iterator[ParserTool]:
    """The parser `name` with its options; raises UsageError for options or a name that there are not.

    Raises MissingExtra where a package that it needs is not there, EngineUnavailable where it cannot work.
    """
    if name in ENGINES or name == "native":
        with _engine(name, options, settings, models) as tool:
            yield tool
        return
    if name == "reducto":
        with _reducto(options, settings, models) as tool:
            yield tool
        return
    with _in_workers(name, options, settings) as tool:
        yield tool


def names() -> tuple[str, ...]:
    """All parsers that there are by themselves; others are entry points, or `module:name`."""
    return (*ENGINES, "native", *_READERS, "reducto")


_STAGES = ("render", "model", "model_read")
"""Tables of settings that a parser may state beside those of [convert]."""


@contextmanager
def _engine(name: str, options: Options, settings: Settings, models: Models) -> Iterator[ParserTool]:
    """An engine of `drac convert`; options are settings of [convert], or tables of what a model is told."""
    wanted = _engine_settings(name, options, settings)
    with conversion_tools(wanted, models.workspace, models) as tools:
        made = convert_recipe(wanted, tools.reading.fingerprint)
        native = tools.native if wanted.convert.native else None
        yield ParserTool(name, wanted, made, tools.reading, native)


def _engine_settings(name: str, options: Options, settings: Settings) -> Settings:
    """The run's settings, with what the options say in their place; the budget stays the run's."""
    engine = settings.convert.engine if name == "native" else name
    tables = {stage: options.get(stage, {}) for stage in _STAGES}
    convert_table = {key: value for key, value in options.items() if key not in _STAGES}
    tables["convert"] = {**convert_table, "engine": engine, "native": name == "native"}
    changed = {}
    for stage, stated in tables.items():
        now: BaseModel = getattr(settings, stage)
        changed[stage] = _validated(name, type(now), {**now.model_dump(exclude_unset=True), **stated})
    if "max_usd" in tables["model"]:
        raise UsageError(f"parser {name!r}: model.max_usd is the whole run's", remedy="Give --max-usd.")
    return settings.model_copy(update=changed)


# Readers of our own adapters, in worker processes.


@dataclass(frozen=True, slots=True)
class Reader:
    """How a reader that works in worker processes is made."""

    options: type[BaseModel]
    """What it can be told."""
    make: Callable[[Any], PageReader]
    """A reader; runs in the worker, and once in the parent for its fingerprint."""
    version: int
    """Raised when our part of the work gives another text."""
    whole: bool = False
    """Whether it reads whole documents, so that all missing pages of one go to it together."""
    elsewhere: bool = False
    """Whether it works in another process, whose memory is not the worker's to limit."""


class WorkerReading:
    """Implements pipeline.tasks.Reading with a reader in worker processes."""

    def __init__(
        self, executor: Executor, settings: Settings, name: str, options: BaseModel, reader: PageReader,
        batch_pages: int,
    ) -> None:  # fmt: skip
        self._executor = executor
        self._read = partial(read_with, name, options)
        self._page_timeout = settings.run.page_timeout
        self._least = _LEAST if batch_pages == _WHOLE else 1
        self.fingerprint = reader.fingerprint
        self.batch_pages = batch_pages
        self.most_in_flight = 2 * executor.workers

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        """See pipeline.tasks.Reading."""
        seconds = self._page_timeout * max(len(task.pages), self._least)
        return self._executor.submit(self._read, task, timeout=seconds)


def read_with(name: str, options: BaseModel, task: ReadTask) -> ReadPages:
    """Read some pages with the reader of that name; runs in a worker."""
    began = time.perf_counter()
    texts = convert.run(task.pdf, task.pages, _reader(name, options))
    return ReadPages(tuple(texts), time.perf_counter() - began)


@cache
def _reader(name: str, options: BaseModel) -> PageReader:
    return _how(name).make(options)


@contextmanager
def _in_workers(name: str, options: Options, settings: Settings) -> Iterator[ParserTool]:
    from drac.adapters.processes import ProcessExecutor

    how = _how(name)
    chosen = _validated(name, how.options, options)
    reader = how.make(chosen)
    stated = {"engine": name, **chosen.model_dump(exclude={"python"})}
    made = recipe(convert.NAME, f"{name} {how.version}", stated, reader.fingerprint)
    memory = None if how.elsewhere else settings.run.worker_memory
    executor = ProcessExecutor(settings.run.workers, start_worker, memory=memory)
    batch = _WHOLE if how.whole else settings.run.batch_pages
    try:
        reading = WorkerReading(executor, settings, name, chosen, reader, batch)
        yield ParserTool(name, settings, made, reading)
    finally:
        executor.close()


_WHOLE = 1_000_000
"""Pages in a batch where a document is not to be parted; more than any has."""
_LEAST = 50
"""Pages for which such a parser has time at least: one page may ask for a whole document to be read."""


def _plain() -> Reader:
    from drac.adapters.pymupdf_plain import PlainOptions, PlainTextReader

    return Reader(PlainOptions, PlainTextReader, 1)


def _pymupdf4llm() -> Reader:
    from drac.adapters.pymupdf4llm_reader import Pymupdf4llmOptions, Pymupdf4llmReader

    return Reader(Pymupdf4llmOptions, Pymupdf4llmReader, 1, whole=True)


def _docling() -> Reader:
    from drac.adapters.foreign_parser import DoclingOptions, DoclingReader

    return Reader(DoclingOptions, DoclingReader, 1, whole=True, elsewhere=True)


def _marker() -> Reader:
    from drac.adapters.foreign_parser import MarkerOptions, MarkerReader

    return Reader(MarkerOptions, MarkerReader, 1, whole=True, elsewhere=True)


_READERS: dict[str, Callable[[], Reader]] = {
    "pymupdf-text": _plain, "pymupdf4llm": _pymupdf4llm, "docling": _docling, "marker": _marker,
}  # fmt: skip


def _how(name: str) -> Reader:
    """One of ours, or the user's own."""
    if name in _READERS:
        return _READERS[name]()
    from drac.wiring.own_parser import OwnOptions, own_parser
    from drac.wiring.registry import load

    return Reader(OwnOptions, partial(own_parser, load("parsers", name, names())), 1, whole=True)


@contextmanager
def _reducto(options: Options, settings: Settings, models: Models) -> Iterator[ParserTool]:
    from drac.adapters.processes import ProcessExecutor
    from drac.adapters.reducto import ReductoOptions
    from drac.wiring.reducto import ReductoReading, asker

    chosen = _validated("reducto", ReductoOptions, options)
    executor = ProcessExecutor(settings.run.workers, start_worker, memory=settings.run.worker_memory)

    def ink(task: ReadTask) -> Future[Mapping[int, bool]]:
        return executor.submit(ink_task, task, timeout=settings.run.page_timeout * len(task.pages))

    try:
        with asker(chosen, settings, models) as (service, asked):
            reading = ReductoReading(chosen, service, asked, ink, settings.model.concurrency)
            told = chosen.told([])
            made = recipe(convert.NAME, "reducto 1", {"engine": "reducto", **told}, reading.fingerprint)
            try:
                yield ParserTool("reducto", settings, made, reading)
            except BaseException:
                asked.stop()
                raise
            finally:
                reading.close()
    finally:
        executor.close()


def ink_task(task: ReadTask) -> Mapping[int, bool]:
    """Of the task's pages that the PDF has, whether they show anything; runs in a worker."""
    from drac.adapters.pymupdf_render import inked

    return inked(task.pdf, [page.number for page in task.pages])


def _validated(name: str, kind: type[T], options: Options) -> T:
    try:
        return kind.model_validate(dict(options))
    except ValidationError as error:
        raise _bad_options(name, error, kind) from error


def _bad_options(name: str, error: ValidationError, kind: type[BaseModel]) -> UsageError:
    said = explain(error, kind)
    return UsageError(f"parser {name!r}: {said}", remedy="Correct the option named.")
