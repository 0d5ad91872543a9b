"""Which documents the workspace holds: identity conflicts, and sources that vanished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from drac.corpus import Discovery, real_path
from drac.errors import UsageError
from drac.pipeline.containers import Held, document_file
from drac.pipeline.planning import document_pages, source_of
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
        path, other = real_path(source), _known_path(store, known)
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
    records = (one for one in store.all_sources() if one["live"] and not one.get("container"))
    held = {_known_path(store, one): one for one in records}
    by_file = {path.resolve(): record for path, record in held.items()}
    twice = [(one, by_file.get(real_path(one).resolve())) for one in sources]
    return [
        f"{one.collection}/{one.path} is the file of {record['collection']}/{record['path']}: it will be in "
        "the exports twice; give the folder of the first run again to keep it one document"
        for one, record in twice
        if record is not None
    ]


def _known_path(store: Store, record: dict[str, Any]) -> Path:
    return document_file(store, source_of(record))


def mark_vanished(store: Store, catalog: Catalog, found: Discovery) -> list[str]:
    """Note the sources of the folders walked that are no longer there, and what was in them; returns names.

    What lies in a folder that could not be listed may still be there, and stays.
    """
    walked_whole = {(root.collection, root.folder) for root in found.roots if root.whole}
    closed = tuple(f"{one.path}/" for one in found.skipped if one.kind == "unusable")
    present = {source.doc_id for source in found.sources}
    vanished: list[str] = []
    held = Held(store)
    for record in sorted(store.all_sources(), key=lambda one: bool(one.get("container"))):
        walked = (record["collection"], record["root"]) in walked_whole
        hidden = f"{record['root']}/{record['path']}".startswith(closed)
        if record.get("container"):
            is_there = held.still_has(record)
        else:
            is_there = not walked or record["doc_id"] in present or hidden
        if record["live"] and not is_there:
            gone = {**record, "live": False}
            store.put_source(record["doc_id"], gone)
            catalog.put_source(gone)
            vanished.append(f"{record['collection']}/{record['path']}")
    return sorted(vanished)


def to_retry(store: Store, sources: Sequence[Source], retry: str | None) -> tuple[Source, ...]:
    """All sources, or with `failed` or `fallback` those that have such a page or have failed wholly.

    A mail or archive of which that is true of a part is among them.
    """
    if retry is None:
        return tuple(sources)
    records = {one["doc_id"]: one for one in store.all_sources()}
    wanted = {name for name, one in records.items() if one["live"] and is_in_state(store, one, retry)}
    wanted |= {records[name].get("container") for name in wanted}
    return tuple(one for one in sources if one.doc_id in wanted)


def is_in_state(store: Store, record: Mapping[str, Any], state: str) -> bool:
    """Whether a document failed wholly, or has a page in this state."""
    if record["state"] != "ok":
        return bool(state == record["state"])
    return any(page.state == state for page in document_pages(store, record))
