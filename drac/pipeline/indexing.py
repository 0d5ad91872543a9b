"""An export set to a dense index: vectors once a document, one index a set, found by its recipe."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from drac.errors import UsageError
from drac.pipeline.exporting import read_chunks, read_set, set_folder
from drac.pipeline.recipes import embed_recipe, index_recipe
from drac.pipeline.remembering import remembering
from drac.ports import Embedder, IndexMaker
from drac.retrieve.search import Owners, fill
from drac.retrieve.vectors import DocumentVectors, embed_documents, embedded_texts
from drac.store.catalog import Catalog
from drac.store.files import write_file
from drac.store.keys import artifact_digest
from drac.store.store import Store, dump_json
from drac.store.vector_table import ARTIFACT, listed, text_keys

Texts = list[tuple[str, str]]
"""A document's chunks: (chunk_id, text)."""
TOLD_EVERY = 15.0
"""Seconds after which it is told how far embedding has come."""
POINTER = "index.json"
"""In a set's folder: which index artifact belongs to its chunks."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What `drac index` did."""

    chunks: int
    """Chunks in the index."""
    windows: int
    """Vectors in the index; a long chunk has several."""
    embedded: int
    """Texts embedded now, that is chunks or windows of long ones; the others were there."""
    model: str
    """Embedding model."""


def index_set(
    store: Store,
    catalog: Catalog,
    name: str,
    embedder: Embedder,
    indexes: IndexMaker,
    note: Callable[[str], None],
    passages: int = 0,
) -> Indexed:
    """Embed what is not embedded yet, build the set's index where it is missing, and point to it.

    `passages`: as in `SearchSettings`.
    """
    began = time.perf_counter()
    described = read_set(store, name)
    documents = _digests(store, name, embedder, passages)
    digests = list(documents)
    embedded = embed_missing(store, documents, embedder, note, passages)
    shape = _shape(store, digests)
    index_digest = artifact_digest(index_recipe(indexes.fingerprint(shape[0])), digests)
    if store.complete("index", index_digest) is None:
        _build(store, index_digest, digests, indexes, shape)
    pointer = {
        "chunks_sha256": described["chunks_sha256"], "index": index_digest, "vectors": digests,
        "model": dict(embedder.fingerprint),
    }  # fmt: skip
    write_file(set_folder(store, name) / POINTER, dump_json(pointer))
    meta = store.meta("index", index_digest)
    catalog.add_time("index", meta["chunks"], time.perf_counter() - began)
    return Indexed(meta["chunks"], meta["windows"], embedded, embedder.fingerprint["model"])


def _digests(store: Store, name: str, embedder: Embedder, passages: int) -> dict[str, Texts]:
    """A set's documents as (chunk_id, text) lists, by the digest of their vectors, in order."""
    recipe = embed_recipe(embedder.fingerprint, passages)
    found: dict[str, Texts] = {}
    for _, lines in groupby(read_chunks(store, name), key=lambda one: one["doc_id"]):
        chunks = [(one["chunk_id"], one["text"]) for one in lines]
        found[artifact_digest(recipe, chunks)] = chunks
    return found


def embed_missing(
    store: Store, documents: dict[str, Texts], embedder: Embedder, note: Callable[[str], None],
    passages: int = 0,
) -> int:  # fmt: skip
    """Keep the vectors of documents that have none yet, each document's as they come.

    Only texts that the workspace has no vector of are embedded; returns how many.
    """
    missing = {one: texts for one, texts in documents.items() if not store.complete(ARTIFACT, one)}
    if not missing:
        return 0
    chunks = sum(map(len, missing.values()))
    note(f"embedding what is new in {chunks} chunks of {len(missing)} documents")
    with remembering(store, embedder) as memory:
        made = embed_documents(missing.items(), memory, passages=passages, at_once=memory.at_once)
        done, told = 0, time.perf_counter()
        for digest, vectors in made:
            memory.keep(digest, vectors)
            done += len(missing[digest])
            if done < chunks and time.perf_counter() - told >= TOLD_EVERY:
                note(f"embedded {done} of {chunks} chunks")
                told = time.perf_counter()
        return memory.embedded


def texts_to_embed(store: Store, name: str, embedder: Embedder, passages: int = 0) -> tuple[list[str], int]:
    """Texts of a set that `index_set` would embed, and how many chunks the set has; writes nothing."""
    documents = _digests(store, name, embedder, passages)
    missing = [texts for one, texts in documents.items() if not store.complete(ARTIFACT, one)]
    pieces = list(
        dict.fromkeys(one for texts in missing for one in embedded_texts(texts, embedder, passages))
    )
    keys = text_keys(embedder.fingerprint, pieces)
    known = listed(store.root, keys)
    fresh = [piece for piece, key in zip(pieces, keys, strict=True) if key not in known]
    return fresh, sum(map(len, documents.values()))


def _shape(store: Store, vectors: list[str]) -> tuple[int, int]:
    """Rows and dimension of all documents together; raises UsageError where there is none."""
    shapes = [DocumentVectors.shape(store.artifacts / "embed" / one) for one in vectors]
    if not shapes:
        raise UsageError("the set has no chunks to index", remedy="Convert documents that hold text first.")
    return sum(rows for rows, _ in shapes), shapes[0][1]


def _build(
    store: Store, digest: str, vectors: list[str], indexes: IndexMaker, shape: tuple[int, int]
) -> None:
    rows, dimension = shape
    index = indexes.make(dimension, rows)
    owners = fill(index, (DocumentVectors.load(store.artifacts / "embed" / one) for one in vectors), shape)
    meta = {
        "stage": "index", "digest": digest, "chunks": len(owners.chunk_ids), "windows": rows,
        "dimension": dimension, "kind": indexes.fingerprint(rows).get("kind", "flat"),
    }  # fmt: skip
    with store.writing("index", digest, meta, durable=False) as folder:
        index.save(folder / "index.faiss")
        _save_owners(folder / "owners.json", owners)


def _save_owners(path: Path, owners: Owners) -> None:
    record = {"chunk_ids": owners.chunk_ids, "rows": owners.rows.tolist(), "stretches": owners.stretches}
    path.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")


def load_owners(folder: Path) -> Owners:
    """Which chunk each row of an index artifact belongs to."""
    record = json.loads((folder / "owners.json").read_text(encoding="utf-8"))
    stretches = tuple((start, end) for start, end in record["stretches"])
    return Owners(tuple(record["chunk_ids"]), np.asarray(record["rows"], dtype=np.int64), stretches)


def current_index(store: Store, name: str, described: dict[str, Any]) -> tuple[Path, dict[str, str]] | None:
    """Folder and model of the index that fits the set's chunks as they are now, or None."""
    try:
        pointer = json.loads((set_folder(store, name) / POINTER).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    folder = store.complete("index", pointer["index"])
    fits = pointer["chunks_sha256"] == described["chunks_sha256"]
    return (folder, pointer["model"]) if folder and fits else None
