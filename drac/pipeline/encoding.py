"""Chunks to an index of many rows a chunk: late interaction and sparse encoders."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from drac.errors import UsageError
from drac.pipeline.exporting import read_chunks, read_set, set_folder
from drac.pipeline.indexing import Indexed, Texts
from drac.pipeline.recipes import rows_index_recipe, rows_recipe
from drac.ports import RowEncoder, RowIndex, Rows
from drac.retrieve.retrievers import Encoded
from drac.retrieve.rows import DocumentRows, Remembering, encode_documents
from drac.store.catalog import Catalog
from drac.store.files import write_file
from drac.store.keys import artifact_digest
from drac.store.store import Store, dump_json

_CHUNKS = "chunk_ids.json"


@dataclass(frozen=True, slots=True)
class RowMethod:
    """One way to encode texts into rows and to search them."""

    name: str
    """`late` or `sparse`."""
    encoder: RowEncoder
    """The model."""
    build: Callable[[Sequence[Rows], Path], None]
    """Writes an index of texts, at least one with rows, into a folder."""
    load: Callable[[Path], RowIndex]
    """Opens the index in a folder."""
    tools: Mapping[str, str]
    """What shapes an index beside the rows."""

    @property
    def fingerprint(self) -> dict[str, str]:
        """Everything that shapes an index."""
        return {**self.encoder.fingerprint, **self.tools}


def encoded(
    store: Store, documents: Sequence[Texts], method: RowMethod, note: Callable[[str], None],
    before: Sequence[str] = (),
) -> tuple[str, int]:  # fmt: skip
    """Digest of the index of these documents, made where it is missing, and how many texts were encoded.

    `before`: digests of documents' rows by this model, of which texts that stand there too are taken.
    """
    recipe = rows_recipe(method.encoder.fingerprint)
    named = {artifact_digest(recipe, texts): texts for texts in documents}
    digests = list(named)
    number = _encode_missing(store, named, method, note, before)
    digest = artifact_digest(rows_index_recipe(method.fingerprint), digests)
    if store.complete("rows-index", digest) is None:
        note(f"building the {method.name} index of {sum(map(len, documents))} chunks")
        _build(store, digest, digests, method)
    return digest, number


def retriever(store: Store, digest: str, method: RowMethod, among: frozenset[str] | None = None) -> Encoded:
    """Search in a finished index, of the chunks `among` or of all."""
    folder = store.artifacts / "rows-index" / digest
    chunk_ids = tuple(json.loads((folder / _CHUNKS).read_bytes()))
    numbers = None if among is None else [n for n, one in enumerate(chunk_ids) if one in among]
    index: RowIndex | None = method.load(folder) if chunk_ids else None
    return Encoded(index, method.encoder.query, chunk_ids, numbers)


def index_rows(
    store: Store, catalog: Catalog, name: str, method: RowMethod, note: Callable[[str], None]
) -> Indexed:
    """Encode what is not encoded yet, build the set's index where it is missing, and point to it."""
    began = time.perf_counter()
    described = read_set(store, name)
    documents = _documents(store, name)
    if not documents:
        raise UsageError("the set has no chunks to index", remedy="Convert documents that hold text first.")
    digest, number = encoded(store, documents, method, note, _before(store, name, method))
    pointer = {
        "chunks_sha256": described["chunks_sha256"], "index": digest, "fingerprint": method.fingerprint,
    }  # fmt: skip
    write_file(_pointer(store, name, method.name), dump_json(pointer))
    meta = store.meta("rows-index", digest)
    catalog.add_time("index", meta["chunks"], time.perf_counter() - began)
    return Indexed(meta["chunks"], meta["rows"], number, method.encoder.label)


def current_rows(store: Store, name: str, method: RowMethod, described: Mapping[str, Any]) -> str:
    """Digest of the set's index as the set and the model are now; raises UsageError where there is none."""
    make = f"Make it with `drac index --set {name} --retriever {method.name}`"
    pointer = _pointed(store, name, method.name)
    held = pointer.get("chunks_sha256") == described["chunks_sha256"]
    if not held or store.complete("rows-index", pointer["index"]) is None:
        raise UsageError(f"set {name!r} has no current {method.name} index", remedy=f"{make}.")
    if pointer["fingerprint"] != method.fingerprint:
        made = f"the {method.name} index was made with {pointer['fingerprint'].get('model')}"
        raise UsageError(f"{made}, the query would be with another", remedy=f"{make} and the same model.")
    return str(pointer["index"])


def _before(store: Store, name: str, method: RowMethod) -> list[str]:
    """Digests of the rows that the set's index was made of, if by this model."""
    pointer = _pointed(store, name, method.name)
    if pointer.get("fingerprint") != method.fingerprint:
        return []
    folder = store.complete("rows-index", pointer["index"])
    listed = store.meta("rows-index", pointer["index"])["documents"] if folder else []
    return [one for one in listed if store.complete("rows", one)]


def _pointed(store: Store, name: str, method: str) -> dict[str, Any]:
    try:
        return dict(json.loads(_pointer(store, name, method).read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return {}


def _pointer(store: Store, name: str, method: str) -> Path:
    """In a set's folder: which index artifact belongs to its chunks."""
    return set_folder(store, name) / f"index-{method}.json"


def _documents(store: Store, name: str) -> list[Texts]:
    lines = groupby(read_chunks(store, name), key=lambda one: one["doc_id"])
    return [[(one["chunk_id"], one["text"]) for one in some] for _, some in lines]


def _encode_missing(
    store: Store, documents: Mapping[str, Texts], method: RowMethod, note: Callable[[str], None],
    before: Sequence[str],
) -> int:  # fmt: skip
    """Encode what has no rows yet and keep each document's as it comes; returns how many texts."""
    missing = {one: texts for one, texts in documents.items() if not store.complete("rows", one)}
    if not missing:
        return 0
    total = sum(map(len, missing.values()))
    note(f"encoding {total} chunks of {len(missing)} documents with {method.encoder.label}")
    held = (DocumentRows.load(store.artifacts / "rows" / one) for one in before)
    remembering = Remembering(method.encoder, held)
    for digest, rows in encode_documents(missing.items(), remembering):
        meta = {"stage": "rows", "digest": digest, "chunks": len(rows.chunk_ids)}
        with store.writing("rows", digest, meta, durable=False) as folder:
            rows.save(folder)
    return remembering.encoded


def _build(store: Store, digest: str, documents: Sequence[str], method: RowMethod) -> None:
    held = [DocumentRows.load(store.artifacts / "rows" / one) for one in documents]
    chunk_ids = [one for document in held for one in document.chunk_ids]
    texts = [rows for document in held for rows in document.split()]
    meta = {
        "stage": "rows-index", "digest": digest, "chunks": len(chunk_ids), "rows": sum(map(len, texts)),
        "documents": list(documents),
    }  # fmt: skip
    with store.writing("rows-index", digest, meta, durable=False) as folder:
        if texts:
            method.build(texts, folder)
        (folder / _CHUNKS).write_text(json.dumps(chunk_ids, separators=(",", ":")), encoding="utf-8")
