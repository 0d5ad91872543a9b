"""What the commands do: open the workspace, wire the tools, call the pipeline."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drac import wiring
from drac.cli.options import corpora_folder, parse_pages, passwords_from
from drac.cli.progress import note, progress
from drac.config import Settings
from drac.corpus import Discovery, discover
from drac.errors import MissingExtra, UsageError
from drac.pipeline import sources as known
from drac.pipeline.asking import Spending
from drac.pipeline.audit_report import AuditReport
from drac.pipeline.auditing import Auditing
from drac.pipeline.containers import all_skipped_parts
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.encoding import index_rows
from drac.pipeline.estimating import embedding_of
from drac.pipeline.exporting import export_set, read_set, set_folder
from drac.pipeline.indexing import Indexed, current_index, index_set, texts_to_embed
from drac.pipeline.planning import UNANSWERED, Planned, Planning, live_sources
from drac.pipeline.repair import Repaired
from drac.pipeline.repair import repair as repair_store
from drac.pipeline.report import Report, first_code
from drac.pipeline.searching import Found, search_set
from drac.pipeline.status import status as count
from drac.ports import Embedder, Reranker
from drac.records import Health, PageState
from drac.stages.normalize import ARCHIVE_SUFFIXES, SUFFIXES
from drac.store.catalog import Catalog, kept_of
from drac.store.store import Store
from drac.wiring import counting, retrieval
from drac.wiring.auditing import audit_tools
from drac.wiring.embedding import embedding_costs

_LEFT_OUT = dict.fromkeys(ARCHIVE_SUFFIXES, "an archive; --archives reads what is in it")
"""Why files of these suffixes are not taken, where the reason is not that nothing reads them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options of a converting command ask for."""

    paths: list[str]
    collection: str | None
    root: Path | None
    pages: str | None
    passwords: list[str] | None
    password_file: Path | None
    retry: str | None

    def discover(self, archives: bool) -> Discovery:
        """The documents asked for, and the archives where they are read."""
        suffixes = SUFFIXES | ARCHIVE_SUFFIXES if archives else SUFFIXES
        return discover(
            self.paths, suffixes=suffixes, left_out=_LEFT_OUT, cwd=Path.cwd(),
            collection=self.collection, root=self.root, corpora=corpora_folder(),
        )  # fmt: skip

    def options(self) -> Options:
        """The rest; raises UsageError."""
        if self.retry not in (None, "failed", "fallback"):
            raise UsageError(f"--retry {self.retry}", remedy="Give `failed` or `fallback`.")
        return Options(
            parse_pages(self.pages), passwords_from(self.passwords, self.password_file), self.retry
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did, for showing."""

    exit_code: int
    workspace: Path
    report: Report | None = None
    exported: dict[str, Any] | None = None
    set_folder: Path | None = None
    planned: int = 0
    plans_reused: int = 0
    vanished: tuple[str, ...] = ()
    indexed: Indexed | None = None
    index_note: str = ""
    spending: dict[str, Spending] = field(default_factory=dict)
    audited: AuditReport | None = None


@contextmanager
def writing(workspace: Path) -> Iterator[tuple[Store, Catalog]]:
    """The workspace with its writer's lock, and its catalog, which is made anew where it is missing."""
    with Store(workspace) as store:
        fresh = not store.catalog_path.exists()
        catalog = Catalog(store.catalog_path)
        try:
            if fresh:
                repair_store(store, catalog)
            yield store, catalog
        finally:
            catalog.close()


def reading(workspace: Path) -> Store:
    """The workspace without a lock; raises UsageError where there is none."""
    store = Store(workspace)
    if not store.exists:
        raise UsageError(
            f"{workspace}: no workspace here", remedy="Make one with `drac run`, or give --workspace."
        )
    store.check_format()
    return store


def run(workspace: Path, settings: Settings, wanted: Wanted, set_name: str, audit: bool = False) -> Outcome:
    """normalize, convert, audit where wanted, plan, export, index."""
    set_folder(Store(workspace), set_name)
    found, options = wanted.discover(settings.normalize.archives), wanted.options()
    with writing(workspace) as (store, catalog), asked_models(settings, workspace) as models:
        report, vanished = _convert(store, catalog, settings, found, options, models)
        audited = _audit(store, catalog, settings, models, report) if audit else None
        planned, exported = _plan(store, catalog, settings, set_name, models)
        indexed, note = _index_if_possible(store, catalog, settings, set_name, exported, models)
    code = first_code(
        [report.exit_code, _stored_code(exported, settings.run.max_fallback), _code_of(audited)]
    )
    return Outcome(
        code, workspace, report, exported, set_folder(store, set_name), len(planned),
        sum(one.reused for one in planned), tuple(vanished), indexed, note, models.spending(), audited,
    )  # fmt: skip


def convert(workspace: Path, settings: Settings, wanted: Wanted, audit: bool = False) -> Outcome:
    """normalize, convert, and audit where wanted."""
    found, options = wanted.discover(settings.normalize.archives), wanted.options()
    with writing(workspace) as (store, catalog), asked_models(settings, workspace) as models:
        report, vanished = _convert(store, catalog, settings, found, options, models)
        audited = _audit(store, catalog, settings, models, report) if audit else None
    code = first_code([report.exit_code, _code_of(audited)])
    spending = models.spending()
    return Outcome(code, workspace, report, vanished=tuple(vanished), spending=spending, audited=audited)


def _audit(
    store: Store, catalog: Catalog, settings: Settings, models: wiring.Models, report: Report
) -> AuditReport:
    """Audit the documents of a run."""
    mine = {one.source.doc_id for one in report.documents}
    records = [one for one in live_sources(store) if one["doc_id"] in mine and one["state"] == "ok"]
    audited = audit_documents(store, catalog, settings, models, records)
    report.take_states({one.source.doc_id: one.states for one in audited.documents})
    return audited


def audit_documents(
    store: Store, catalog: Catalog, settings: Settings, models: wiring.Models, records: list[dict[str, Any]]
) -> AuditReport:
    """Audit documents of the workspace, given by their records."""
    with audit_tools(settings, models) as tools, progress() as shown:
        return Auditing(store, catalog, settings, tools, shown).run(records)


def _code_of(audited: AuditReport | None) -> int:
    return audited.exit_code if audited else 0


@contextmanager
def asked_models(settings: Settings, workspace: Path) -> Iterator[wiring.Models]:
    """The models of one command, closed at its end."""
    models = wiring.Models(settings, workspace)
    try:
        yield models
    finally:
        models.close()


def _convert(
    store: Store,
    catalog: Catalog,
    settings: Settings,
    found: Discovery,
    options: Options,
    models: wiring.Models,
) -> tuple[Report, list[str]]:
    sources = known.to_retry(store, found.sources, options.retry)
    known.check_identities(store, sources)
    for line in known.known_elsewhere(store, sources):
        note(line)
    catalog.put_skipped([(one.path, one.reason, one.kind) for one in found.skipped])
    with wiring.conversion_tools(settings, store.root, models) as tools, progress() as shown:
        if not options.retry:
            found.usable()
        report = Conversion(store, catalog, settings, tools, shown, options).run(sources, found.skipped)
    vanished = known.mark_vanished(store, catalog, found)
    skipped = [*found.skipped, *all_skipped_parts(store, store.all_sources())]
    catalog.put_skipped([(one.path, one.reason, one.kind) for one in skipped])
    return report, vanished


def _plan(
    store: Store, catalog: Catalog, settings: Settings, set_name: str, models: wiring.Models
) -> tuple[list[Planned], dict[str, Any]]:
    planner, at_once = wiring.planner(settings, models)
    planning = Planning(store, catalog, settings, planner, at_once)
    planned = planning.all(one for one in live_sources(store) if one["state"] == "ok")
    return planned, export_set(store, set_name, planned, settings)


def plan(workspace: Path, settings: Settings, set_name: str) -> Outcome:
    """Plan and export from stored pages; converts nothing."""
    reading(workspace)
    with writing(workspace) as (store, catalog), asked_models(settings, workspace) as models:
        if not any(one["state"] == "ok" for one in live_sources(store)):
            raise UsageError(
                f"{workspace}: no converted document here", remedy="Run `drac run` or `drac convert` first."
            )
        planned, exported = _plan(store, catalog, settings, set_name, models)
        note = (
            "" if current_index(store, set_name, exported) else f"not current; `drac index --set {set_name}`"
        )
    code = _stored_code(exported, settings.run.max_fallback)
    return Outcome(
        code, workspace, None, exported, set_folder(store, set_name), len(planned),
        sum(one.reused for one in planned), index_note=note, spending=models.spending(),
    )  # fmt: skip


def export(workspace: Path, set_name: str) -> Outcome:
    """Write a set again with the settings that it was made with."""
    made_with = read_set(reading(workspace), set_name)["settings"]
    return plan(workspace, Settings.model_validate(made_with), set_name)


def _stored_code(exported: dict[str, Any], max_share: float) -> int:
    """4 where a document or page has failed, or too many sections were not planned as asked."""
    failed = exported["failed"] or exported["pages_by_state"].get(PageState.FAILED.value)
    counts = exported["plan_counts"]
    unplanned = counts.get("unreadable", 0) > max_share * counts.get("sections", 0)
    return first_code([4 if failed or unplanned or counts.get(UNANSWERED) else 0])


def index(workspace: Path, settings: Settings, set_name: str) -> tuple[Indexed, dict[str, Spending]]:
    """Embed a set's chunks and build its index, for the retriever of the settings; also what was asked."""
    reading(workspace)
    with writing(workspace) as (store, catalog), asked_models(settings, workspace) as models:
        if settings.search.retriever in ("late", "sparse"):
            method = retrieval.row_method(settings.search.retriever, settings.search)
            return index_rows(store, catalog, set_name, method, note), {}
        embedder = wiring.embedder(settings.search, models)
        return _index(store, catalog, set_name, settings, embedder), models.spending()


def _index(store: Store, catalog: Catalog, set_name: str, settings: Settings, embedder: Embedder) -> Indexed:
    indexes, passages = wiring.Indexes(settings.search), settings.search.passages
    return index_set(store, catalog, set_name, embedder, indexes, note, passages)


def index_dry_run(workspace: Path, settings: Settings, set_name: str) -> dict[str, Any]:
    """What `index` would embed, and what that would cost; nothing is sent and nothing is embedded."""
    store = reading(workspace)
    if settings.search.retriever in ("late", "sparse"):
        raise UsageError(
            f"--dry-run counts what an embedder is asked, and {settings.search.retriever} asks nobody",
            remedy="Leave one of the two out.",
        )
    with asked_models(settings, workspace) as models:
        embedder = wiring.embedder(settings.search, models)
        fresh, chunks = texts_to_embed(store, set_name, embedder, settings.search.passages)
    costs = embedding_costs(settings)
    if costs is None:
        return {"what": "embed", "model": settings.search.model, "chunks": chunks, "texts": len(fresh),
                "requests": 0, "usd": 0.0}  # fmt: skip
    return embedding_of(fresh, chunks, costs)


def _index_if_possible(
    store: Store, catalog: Catalog, settings: Settings, set_name: str, exported: dict[str, Any],
    models: wiring.Models,
) -> tuple[Indexed | None, str]:  # fmt: skip
    if not exported["chunks"]:
        return None, "nothing to index"
    needed = ["faiss", *(["sentence_transformers"] if settings.search.embedder == "local" else [])]
    if any(importlib.util.find_spec(one) is None for one in needed):
        return None, "no dense index: install it with pip install 'drac[embed,offline]'; search uses BM25"
    try:
        embedder = wiring.embedder(settings.search, models)
        return _index(store, catalog, set_name, settings, embedder), ""
    except MissingExtra as error:
        return None, f"{error.message}; {error.remedy}"


def search(
    workspace: Path, settings: Settings, set_name: str, query: str, collection: str | None
) -> tuple[Found, dict[str, Spending]]:
    """Find chunks in a set; also what was asked of models."""
    with asked_models(settings, workspace) as models:
        found = search_set(
            reading(workspace), set_name, query, settings.search, collection,
            embedder=lambda: wiring.embedder(settings.search, models), load_index=wiring.load_index,
            bm25=wiring.bm25(settings.search), rows=lambda name: retrieval.row_method(name, settings.search),
            reranker=_reranker(settings, models),
        )  # fmt: skip
        return found, models.spending()


def _reranker(settings: Settings, models: wiring.Models) -> Reranker | None:
    chosen = settings.search
    if chosen.reranker == "none":
        return None
    return retrieval.reranker(chosen.reranker, chosen.reranker_model or "", settings, models)


def status(workspace: Path) -> dict[str, Any]:
    """What the workspace holds."""
    store = reading(workspace)
    if not store.catalog_path.exists():
        raise UsageError(f"{workspace}: the catalog is missing", remedy="Make it anew with `drac repair`.")
    catalog = Catalog(store.catalog_path, readonly=True)
    try:
        return count(catalog, store.root)
    finally:
        catalog.close()


def repair(workspace: Path) -> Repaired:
    """Check the files, make the catalog anew."""
    reading(workspace)
    with Store(workspace) as store:
        kept = kept_of(store.catalog_path)
        for name in ("", "-wal", "-shm"):
            Path(f"{store.catalog_path}{name}").unlink(missing_ok=True)
        catalog = Catalog(store.catalog_path)
        try:
            repaired = repair_store(store, catalog)
            catalog.put_kept(kept)
            return repaired
        finally:
            catalog.close()


def health(workspace: Path, settings: Settings) -> list[Health]:
    """Every outside thing, checked."""
    return wiring.health(workspace, settings)


def dry_run(workspace: Path, settings: Settings, wanted: Wanted, audit: bool) -> dict[str, Any]:
    """Documents, pages, requests, tokens and dollars of a run, and of its audit, without doing it."""
    found = wanted.discover(settings.normalize.archives)
    found.usable()
    wanted.options()
    return counting.dry_run(found, settings, workspace, audit=audit)
