"""Which documents the workspace holds: identity conflicts, and sources that vanished."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from drac.corpus import Discovery, real_path
from drac.errors import UsageError
from drac.pipeline.planning import document_pages
from drac.records import Source
from drac.store.catalog import Catalog
from drac.store.keys import file_digest
from drac.store.store import Store


def check_identities(store: Store, sources: Iterable[Source]) -> None:
    """Raise UsageError where a source would silently take the place of another folder's document."""
    for source in sources:
        known = store.get_source(source.doc_id)
        if known is None or not known["live"] or known["root"] == source.root:
            continue
        path, other = real_path(source), _known_path(known)
        if other.is_file() and not other.samefile(path) and file_digest(path) != file_digest(other):
            raise UsageError(
                f"{path} and {other} would both be {source.path!r} in collection {source.collection!r}",
                remedy="Give one of them another name with --collection.",
            )


def known_elsewhere(store: Store, sources: Iterable[Source]) -> list[str]:
    """A line for each new source whose very file the workspace holds under another name already."""
    sources = [one for one in sources if store.get_source(one.doc_id) is None]
    if not sources:
        return []
    held = {_known_path(one): one for one in store.all_sources() if one["live"]}
    by_file = {path.resolve(): record for path, record in held.items()}
    twice = [(one, by_file.get(real_path(one).resolve())) for one in sources]
    return [
        f"{one.collection}/{one.path} is the file of {record['collection']}/{record['path']}: it will be in "
        "the exports twice; give the folder of the first run again to keep it one document"
        for one, record in twice
        if record is not None
    ]


def _known_path(record: dict[str, Any]) -> Path:
    return real_path(Source(record["collection"], record["path"], record["root"], record["doc_id"]))


def mark_vanished(store: Store, catalog: Catalog, found: Discovery) -> list[str]:
    """Note the sources of the folders walked that are no longer there; returns their names.

    What lies in a folder that could not be listed may still be there, and stays.
    """
    walked_whole = {(root.collection, root.folder) for root in found.roots if root.whole}
    closed = tuple(f"{one.path}/" for one in found.skipped if one.kind == "unusable")
    present = {source.doc_id for source in found.sources}
    vanished: list[str] = []
    for record in store.all_sources():
        walked = (record["collection"], record["root"]) in walked_whole
        hidden = f"{record['root']}/{record['path']}".startswith(closed)
        if walked and record["live"] and record["doc_id"] not in present and not hidden:
            gone = {**record, "live": False}
            store.put_source(record["doc_id"], gone)
            catalog.put_source(gone)
            vanished.append(f"{record['collection']}/{record['path']}")
    return vanished


def to_retry(store: Store, sources: Sequence[Source], retry: str | None) -> tuple[Source, ...]:
    """All sources, or with `failed` or `fallback` those that have such a page or have failed wholly."""
    if retry is None:
        return tuple(sources)
    return tuple(one for one in sources if _is_in_state(store, one, retry))


def _is_in_state(store: Store, source: Source, state: str) -> bool:
    record = store.get_source(source.doc_id)
    if record is None:
        return False
    if record["state"] != "ok":
        return bool(state == record["state"])
    return any(page.state == state for page in document_pages(store, record))
