"""The catalog made anew from the files, and damaged files named and set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drac.pipeline.planning import page_digests
from drac.records import Page, PageText
from drac.store.catalog import Catalog
from drac.store.keys import file_digest
from drac.store.store import Store


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
    return Repaired(sources, pages, tuple(damaged))


def _check_pdf(store: Store, record: dict[str, Any]) -> list[str]:
    folder = store.artifacts / "normalize" / record["normalize"]
    pdf = folder / "document.pdf"
    if (
        store.complete("normalize", record["normalize"])
        and pdf.is_file()
        and file_digest(pdf) == record["pdf_digest"]
    ):
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
    catalog.put_pages(record["doc_id"], found)
    return len(found)
