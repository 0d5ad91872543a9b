"""Finished pages to chunk plans, document by document; reads no source file and no page image."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from drac.config import Settings
from drac.errors import ModelError, UsageError
from drac.pipeline.recipes import plan_recipe, structure_recipe
from drac.ports import Planner
from drac.records import ChunkPlan, Element, Page, PageState, PageText, Section, Source
from drac.stages import chunk, structure
from drac.stages.convert.carry import carry_headers
from drac.store.catalog import Catalog
from drac.store.keys import artifact_digest
from drac.store.store import Store

log = logging.getLogger(__name__)
UNANSWERED = "unanswered"
"""Count of documents that a model planner did not answer for, so that local rules stood in."""
_ELEMENTS = TypeAdapter(tuple[Element, ...])
_SECTIONS = TypeAdapter(tuple[Section, ...])
_PLANS = TypeAdapter(tuple[ChunkPlan, ...])


@dataclass(frozen=True, slots=True)
class Planned:
    """One document, planned."""

    source: Source
    """The document."""
    pages: dict[int, str]
    """State of each selected page, by 1-based number."""
    structure_digest: str
    """Artifact that holds its elements and sections."""
    plan_digest: str
    """Artifact that holds its plans."""
    counts: Mapping[str, int]
    """What the reply check dropped or put back."""
    reused: bool
    """Whether the plan was there already."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time that each stage took now."""


def live_sources(store: Store) -> Iterator[dict[str, Any]]:
    """Records of the sources that are still there, by collection and path."""
    return (one for one in store.all_sources() if one["live"])


def source_of(record: Mapping[str, Any]) -> Source:
    """The Source in a stored record."""
    where = (record.get("container") or "", record.get("stored") or "")
    return Source(record["collection"], record["path"], record["root"], record["doc_id"], *where)


def page_digests(record: Mapping[str, Any]) -> dict[int, str]:
    """Page digests of a document that was converted, by 1-based number."""
    numbers = record["selected"] or range(1, record["pages"] + 1)
    return {n: artifact_digest(record["convert"], [record["pdf_digest"], n]) for n in numbers}


def document_pages(store: Store, record: Mapping[str, Any]) -> Iterator[PageText]:
    """A document's pages in order; one that failed or is not read yet comes as `failed`.

    In a PDF, rows of a table that goes on over a page have the header of the page before. Sheets repeat
    theirs by themselves, and the parts of a wide one differ in theirs.
    """
    pages = _as_read(store, record)
    yield from carry_headers(pages) if record["type"] == "pdf" else pages


def _as_read(store: Store, record: Mapping[str, Any]) -> Iterator[PageText]:
    engine = record["convert"]["settings"]["engine"]
    for number, digest in page_digests(record).items():
        page = Page(record["pdf_digest"], number)
        text = store.get_page(digest) or store.failed_page(digest, page, engine)
        if text is not None:
            yield text


class Planning:
    """Plans documents with one planner and keeps the results."""

    def __init__(
        self, store: Store, catalog: Catalog, settings: Settings, planner: Planner, planning: int = 1
    ) -> None:
        """`planning`: documents, and sections of them, that may be planned at once."""
        self._store, self._catalog, self._settings, self._planner = store, catalog, settings, planner
        self._structure = structure_recipe(settings.structure)
        self._plan = plan_recipe(settings.plan, planner.fingerprint)
        self._at_once = planning

    def all(self, records: Iterable[Mapping[str, Any]]) -> list[Planned]:
        """Elements, sections and plans of converted documents, made or found, in their order."""
        if self._at_once == 1:
            found = [self._document(one, map) for one in records]
        else:
            with (
                ThreadPoolExecutor(self._at_once) as sections,
                ThreadPoolExecutor(self._at_once) as documents,
            ):
                found = list(documents.map(lambda one: self._document(one, sections.map), records))
        for stage in ("structure", "plan"):
            took = [one.seconds[stage] for one in found if stage in one.seconds]
            self._catalog.add_time(stage, len(took), sum(took))
        return found

    def _document(self, record: Mapping[str, Any], ask_all: chunk.Map) -> Planned:
        seconds: dict[str, float] = {}
        pages, inputs = self._pages(record)
        structure_digest = artifact_digest(self._structure, inputs)
        if not self._store.complete("structure", structure_digest):
            with _timed(seconds, "structure"):
                self._make_structure(structure_digest, record)
        made_from = self._store.meta("structure", structure_digest)["output"]
        plan_digest = artifact_digest(self._plan, [made_from])
        reused = self._store.complete("plan", plan_digest) is not None
        if not reused:
            with _timed(seconds, "plan"):
                name = f"{record['collection']}/{record['path']}"
                plan_digest = self._make_plan(name, plan_digest, structure_digest, made_from, ask_all)
        counts = self._store.meta("plan", plan_digest)["counts"]
        return Planned(source_of(record), pages, structure_digest, plan_digest, counts, reused, seconds)

    def _pages(self, record: Mapping[str, Any]) -> tuple[dict[int, str], list[list[Any]]]:
        """States by page, and [page, sha256 of its text] of those that have one."""
        states: dict[int, str] = {}
        inputs: list[list[Any]] = []
        for number, digest in page_digests(record).items():
            data = self._store.page_bytes(digest)
            if data is None:
                states[number] = PageState.FAILED.value
                continue
            inputs.append([number, hashlib.sha256(data).hexdigest()])
            states[number] = json.loads(data)["state"]
        return states, inputs

    def _make_structure(self, digest: str, record: Mapping[str, Any]) -> None:
        made = structure.run(tuple(document_pages(self._store, record)), self._settings.structure)
        elements = _ELEMENTS.dump_json(made.elements, indent=1)
        sections = _SECTIONS.dump_json(made.sections, indent=1)
        output = hashlib.sha256(elements + sections).hexdigest()
        meta = {"stage": "structure", "digest": digest, "output": output}
        with self._store.writing("structure", digest, meta, durable=False) as folder:
            (folder / "elements.json").write_bytes(elements)
            (folder / "sections.json").write_bytes(sections)

    def _make_plan(
        self, name: str, digest: str, structure_digest: str, made_from: str, ask_all: chunk.Map
    ) -> str:
        """The digest of the plan made: another than asked for where the model did not answer."""
        elements, sections = load_structure(self._store, structure_digest)
        settings = self._settings.plan
        try:
            made = chunk.run(elements, sections, settings, self._planner, ask_all)
            counts = asdict(made.counts)
        except ModelError as error:
            log.warning("%s: planned by local rules, not by the model: %s", name, error.message)
            made = chunk.run(elements, sections, settings, chunk.LocalPlanner(settings))
            counts = {**asdict(made.counts), UNANSWERED: 1}
            digest = artifact_digest({**self._plan, "stand_in": "local"}, [made_from])
        if counts["unreadable"]:
            of = f"{counts['unreadable']} of {len(sections)} sections"
            log.warning("%s: the replies for %s held no plan; local rules chunked them", name, of)
        plans = _PLANS.dump_json(made.plans, indent=1)
        meta = {
            "stage": "plan", "digest": digest, "counts": {"sections": len(sections), **counts},
            "output": hashlib.sha256(plans).hexdigest(),
        }  # fmt: skip
        with self._store.writing("plan", digest, meta, durable=False) as folder:
            (folder / "plans.json").write_bytes(plans)
        return digest


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - began


def load_structure(store: Store, digest: str) -> tuple[tuple[Element, ...], tuple[Section, ...]]:
    """Elements and sections of a finished structure artifact; raises UsageError where it is damaged."""
    folder = _folder(store, "structure", digest)
    with _named_damage(folder):
        elements = _ELEMENTS.validate_json((folder / "elements.json").read_bytes())
        return elements, _SECTIONS.validate_json((folder / "sections.json").read_bytes())


def load_plans(store: Store, digest: str) -> tuple[ChunkPlan, ...]:
    """Plans of a finished plan artifact; raises UsageError where it is damaged."""
    folder = _folder(store, "plan", digest)
    with _named_damage(folder):
        return _PLANS.validate_json((folder / "plans.json").read_bytes())


@contextmanager
def _named_damage(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValidationError) as error:
        raise UsageError(
            f"{folder}: damaged", remedy="Run `drac repair`, then `drac plan`: it is made anew."
        ) from error


def _folder(store: Store, stage: str, digest: str) -> Path:
    folder = store.complete(stage, digest)
    if folder is None:
        raise KeyError(f"{stage}/{digest}")
    return folder
