"""Plans to an export set: chunks.jsonl, one Markdown file a document, set.json last.

A set is cumulative over the workspace's live sources. Nothing in it depends on when, where or in
how many runs it was made.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from drac.config import Settings
from drac.errors import UsageError
from drac.pipeline.planning import Planned, document_pages, live_sources, load_plans, load_structure
from drac.records import Chunk, PageText
from drac.stages import chunk
from drac.store.files import disk_errors, remove_tree, write_file
from drac.store.store import Store, dump_json

_SET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NAME_BYTES = 240
"""Longest file name that is kept as it is; common file systems allow 255 bytes."""


def set_folder(store: Store, name: str) -> Path:
    """Folder of an export set; raises UsageError for a name that is no plain file name."""
    if not _SET_NAME.fullmatch(name):
        raise UsageError(f"set name {name!r} is not usable", remedy="Use letters, digits, '.', '_' and '-'.")
    return store.exports / name


def chunk_line(one: Chunk) -> str:
    """A chunk as a line of chunks.jsonl, without the line's end."""
    spans = [{"page": span.page, "start": span.start, "end": span.end} for span in one.spans]
    record = {
        "chunk_id": one.chunk_id, "doc_id": one.doc_id, "collection": one.collection,
        "source": one.source, "pages": list(one.pages), "spans": spans,
        "element_ids": list(one.element_ids), "breadcrumb": list(one.breadcrumb),
        "parent_id": one.parent_id, "body": one.body, "text": one.text,
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False)


def planned_chunks(store: Store, planned: Planned) -> tuple[Chunk, ...]:
    """A planned document's chunks, text put back."""
    elements, _ = load_structure(store, planned.structure_digest)
    return chunk.rebuild(planned.source, elements, load_plans(store, planned.plan_digest))


def export_set(store: Store, name: str, planned: Iterable[Planned], settings: Settings) -> dict[str, Any]:
    """Write the set; returns what set.json says. `planned` are all live documents, in order."""
    folder = set_folder(store, name)
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    everything = list(planned)
    total, documents = _write_chunks(store, folder / "chunks.jsonl", everything)
    _write_markdown(store, folder / "markdown")
    record = {
        "set": name,
        "settings": _settings_record(settings),
        "chunks": sum(one["chunks"] for one in documents), "chunks_sha256": total,
        "pages_by_state": dict(sorted(Counter(s for one in everything for s in one.pages.values()).items())),
        "plan_counts": _sum(one.counts for one in everything),
        "documents": documents,
        "simulated": simulated_documents(store),
        "failed": _names(store, lambda one: one["live"] and one["state"] == "failed"),
        "vanished": _names(store, lambda one: not one["live"]),
    }  # fmt: skip
    write_file(folder / "set.json", dump_json(record))
    return record


def _settings_record(settings: Settings) -> dict[str, Any]:
    """The settings that made the set; addresses without user names and passwords."""
    record = settings.model_dump(include={"render", "convert", "structure", "plan"})
    if settings.plan.planner != "local":
        asked = settings.model.model_dump(include={"name", "base_url", "endpoint_url", "region"})
        record["model"] = {key: re.sub(r"//[^/@]*@", "//", value) for key, value in asked.items() if value}
    return record


def simulated_documents(store: Store) -> list[str]:
    """Documents whose pages a server that only plays a model has read, as collection and path."""
    return [
        f"{one['collection']}/{one['path']}"
        for one in live_sources(store)
        if one["state"] == "ok" and one["convert"]["tools"].get("simulated")
    ]


def _write_chunks(store: Store, path: Path, planned: list[Planned]) -> tuple[str, list[dict[str, Any]]]:
    total = hashlib.sha256()
    documents: list[dict[str, Any]] = []
    aside = store.begin() / path.name
    with disk_errors(path), aside.open("wb") as stream:
        for one in planned:
            chunks = planned_chunks(store, one)
            for line in map(chunk_line, chunks):
                data = f"{line}\n".encode()
                total.update(data)
                stream.write(data)
            documents.append(_document_record(store, one, len(chunks)))
        stream.flush()
    with disk_errors(path):
        aside.replace(path)
    store.discard(aside.parent)
    return total.hexdigest(), documents


def _document_record(store: Store, planned: Planned, chunks: int) -> dict[str, Any]:
    """`page_numbers`: of each page in the original (slides, a PDF's labels), where not 1, 2, 3 and so on.

    `parity`: what its PDF has of the document's own text, where that was compared. `remarks` and `left_out`:
    what to know of its PDF, and parts that are past a limit.
    """
    source = planned.source
    record = store.get_source(source.doc_id) or {}
    parity = record.get("parity") or {}
    compared = parity if any(parity.get(key) is not None for key in ("words", "numbers")) else None
    said = {"page_numbers": record.get("numbers"), "parity": compared}
    said |= {name: record.get(name) for name in ("remarks", "left_out")}
    return {
        "doc_id": source.doc_id, "collection": source.collection, "source": source.path,
        "pages": len(planned.pages), "chunks": chunks,
        "pages_not_ok": {str(n): state for n, state in planned.pages.items() if state != "ok"},
        "plan_counts": dict(planned.counts), **{name: one for name, one in said.items() if one},
    }  # fmt: skip


def _write_markdown(store: Store, folder: Path) -> None:
    """One file a document; files of documents that are gone are removed."""
    kept: set[Path] = set()
    for record in live_sources(store):
        if record["state"] != "ok":
            continue
        path = folder / markdown_name(record["collection"], record["path"])
        data = markdown_text(document_pages(store, record)).encode()
        kept.add(path)
        if not path.is_file() or path.read_bytes() != data:
            with disk_errors(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, data, durable=False)
    _remove_others(folder, kept)


def _remove_others(folder: Path, kept: set[Path]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                remove_tree(path)
        elif path not in kept:
            path.unlink()


def markdown_name(collection: str, path: str) -> Path:
    """Path of a document's Markdown under the set's `markdown` folder."""
    parts = [collection, *path.split("/")]
    parts[-1] += ".md"
    return Path(*map(_file_name, parts))


def _file_name(part: str) -> str:
    """The part as one safe file name; long or special ones end in a digest so that they stay apart."""
    plain = re.sub(r"[/\\\x00-\x1f]", "_", part)
    if plain in (".", "..") or plain.startswith("."):
        plain = "_" + plain
    if plain == part and len(plain.encode()) <= _NAME_BYTES:
        return plain
    mark = hashlib.sha256(part.encode()).hexdigest()[:12]
    short = plain.encode()[: _NAME_BYTES - 20].decode(errors="ignore")
    return f"{short}~{mark}.md" if plain.endswith(".md") else f"{short}~{mark}"


def markdown_text(pages: Iterable[PageText]) -> str:
    """Pages in order, each behind its marker; a page without text is its marker alone."""
    return "\n".join(_page_blocks(pages))


def _page_blocks(pages: Iterable[PageText]) -> Iterator[str]:
    for text in pages:
        yield f"<!-- Page {text.page.number} -->\n"
        if text.markdown:
            yield text.markdown.rstrip("\n") + "\n"


def read_set(store: Store, name: str) -> dict[str, Any]:
    """A set's set.json; raises UsageError where there is none."""
    path = set_folder(store, name) / "set.json"
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise _no_set(store, name) from None
    except ValueError as error:
        raise _damaged_set(path, name) from error
    return found


def _damaged_set(path: Path, name: str) -> UsageError:
    return UsageError(f"{path}: damaged", remedy=f"Write it anew with `drac plan --set {name}`.")


def _no_set(store: Store, name: str) -> UsageError:
    names = sorted(path.parent.name for path in store.exports.glob("*/set.json"))
    there = f" There are: {', '.join(names)}." if names else ""
    return UsageError(
        f"{store.root}: no set {name!r}", remedy=f"Make it with `drac plan --set {name}`.{there}"
    )


def read_chunks(store: Store, name: str) -> Iterator[dict[str, Any]]:
    """The set's chunks as written, in order."""
    path = set_folder(store, name) / "chunks.jsonl"
    try:
        with path.open(encoding="utf-8") as stream:
            yield from map(json.loads, stream)
    except ValueError as error:
        raise _damaged_set(path, name) from error


def _names(store: Store, wanted: Any) -> list[dict[str, str]]:
    return [
        {"collection": one["collection"], "source": one["path"], "reason": one["error"] or "no longer there"}
        for one in store.all_sources() if wanted(one)
    ]  # fmt: skip


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))
