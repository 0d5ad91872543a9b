"""The catalog made anew from the files, and damaged files named and set aside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac.pipeline.containers import STAGE, unpacked_parts
from drac.pipeline.planning import page_digests
from drac.pipeline.remembering import VECTOR_FILES
from drac.records import Page, PageText, UnpackedPart
from drac.store import vector_table
from drac.store.catalog import Catalog
from drac.store.keys import file_digest, output_of
from drac.store.store import Store

_STRUCTURE = ("elements.json", "sections.json")
_PLAN = ("plans.json",)
_EXPERIMENTS = {
    "chunks": ("chunks.jsonl",),
    "chunk-vectors": ("vectors.npy", "windows.json"),
    "judged": ("rows.jsonl",),
}
"""Files of an artifact in the order in which its `output` was counted."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What `drac repair` found."""

    sources: int
    """Sources in the catalog now."""
    pages: int
    """Pages in the catalog now."""
    damaged: tuple[str, ...]
    """Files that were damaged and are removed; the next run makes them anew."""


def repair(store: Store, catalog: Catalog) -> Repaired:
    """Check every artifact and page that a live source needs, then rebuild the catalog."""
    catalog.clear()
    damaged = [str(path.relative_to(store.root)) for path in store.drop_damaged_sources()]
    sources = pages = 0
    for record in store.all_sources():
        catalog.put_source(record)
        sources += 1
        if record["state"] == "ok":
            damaged += _check_pdf(store, record)
            pages += _restore_pages(store, catalog, record, damaged)
    damaged += _check_unpacked(store)
    damaged += [*_check_outputs(store, "structure", _STRUCTURE), *_check_outputs(store, "plan", _PLAN)]
    damaged += _check_outputs(store, vector_table.ARTIFACT, VECTOR_FILES)
    for stage, files in _EXPERIMENTS.items():
        damaged += _check_outputs(store, stage, files)
    vector_table.remove(store.root)
    return Repaired(sources, pages, tuple(damaged))


def _check_outputs(store: Store, stage: str, files: tuple[str, ...]) -> Iterator[str]:
    """Remove artifacts whose files are not those that their meta.json was written for."""
    for folder in sorted((store.artifacts / stage).glob("*")):
        whole = store.complete(stage, folder.name) is not None
        if not whole or output_of(folder, files) != store.meta(stage, folder.name).get("output"):
            store.discard(folder)
            yield str(folder.relative_to(store.root))


def _check_unpacked(store: Store) -> Iterator[str]:
    """Remove what was unpacked of a container where a part is not as it was."""
    for folder in sorted((store.artifacts / STAGE).glob("*")):
        whole = store.complete(STAGE, folder.name) is not None
        if not whole or not all(_is_as_it_was(folder, one) for one in unpacked_parts(store, folder.name)):
            store.discard(folder)
            yield str(folder.relative_to(store.root))


def _is_as_it_was(folder: Path, part: UnpackedPart) -> bool:
    path = folder / part.file
    return not part.file or (path.is_file() and file_digest(path) == part.sha256)


def _check_pdf(store: Store, record: dict[str, Any]) -> list[str]:
    folder = store.artifacts / "normalize" / record["normalize"]
    whole = store.complete("normalize", record["normalize"]) is not None
    names = store.meta("normalize", record["normalize"])["outputs"] if whole else {}
    files = [folder / name for name in names]
    if files and all(one.is_file() and file_digest(one) == record["pdf_digest"] for one in files):
        return []
    store.discard(folder)
    return [str(folder.relative_to(store.root))]


def _restore_pages(store: Store, catalog: Catalog, record: dict[str, Any], damaged: list[str]) -> int:
    found: list[tuple[str, PageText]] = []
    for number, digest in page_digests(record).items():
        text = store.get_page(digest)
        path = store.page_path(digest)
        if text is None and path.exists():
            path.unlink()
            damaged.append(str(path.relative_to(store.root)))
        page = Page(record["pdf_digest"], number)
        text = text or store.failed_page(digest, page, record["convert"]["settings"]["engine"])
        if text is not None:
            found.append((digest, text))
        if lost := store.drop_damaged_audit(digest):
            damaged.append(str(lost.relative_to(store.root)))
        if audit := store.get_audit(digest):
            catalog.put_audits([(digest, audit)])
    catalog.put_pages(record["doc_id"], found)
    return len(found)
