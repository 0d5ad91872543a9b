"""An embedder that embeds no text twice: what the workspace has a vector of is read from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from drac.ports import Embedder, Vectors
from drac.retrieve.vectors import AT_ONCE, VECTORS_FILE, WINDOWS_FILE, DocumentVectors
from drac.store.keys import output_of
from drac.store.store import Store
from drac.store.vector_table import ARTIFACT, REPLY, Place, VectorTable, text_keys

TEXTS_FILE = "texts.bin"
"""In an artifact of vectors: the key of each row's text and model, 32 bytes each (`store.vector_table`)."""
VECTOR_FILES = (VECTORS_FILE, WINDOWS_FILE, TEXTS_FILE)
"""Files of such an artifact, in the order in which its `output` is counted."""
_KEY = 32


@runtime_checkable
class Replies(Protocol):
    """What an embedder that pays for its replies has on disk."""

    @property
    def texts_at_once(self) -> int:
        """Texts to be embedded together, so that it waits for no reply alone."""

    def reply_names(self) -> frozenset[str]:
        """Names of all replies."""

    def reply(self, name: str) -> tuple[Sequence[str], Vectors]:
        """Texts and vectors of a reply; none where it is another model's. Raises ValueError if damaged."""


class Remembering:
    """Implements ports.Embedder over another one. A text's vector has the same bytes again."""

    def __init__(self, embedder: Embedder, store: Store, table: VectorTable) -> None:
        self._embedder, self._store, self._table = embedder, store, table
        self._replies = embedder if isinstance(embedder, Replies) else None
        self._fingerprint = dict(embedder.fingerprint)
        self._open_place = lru_cache(maxsize=64)(self._vectors)
        self.at_once = self._replies.texts_at_once if self._replies else AT_ONCE
        """Texts to be embedded together."""
        self.embedded = 0
        """Texts that were embedded now."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The embedder's."""
        return self._fingerprint

    @property
    def window(self) -> int:
        """The embedder's."""
        return self._embedder.window

    def windows(self, text: str) -> Sequence[str]:
        """The embedder's."""
        return self._embedder.windows(text)

    def cut(self, text: str) -> str:
        """The embedder's."""
        return self._embedder.cut(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ports.Embedder; a text that stands twice is embedded once."""
        held = self._held(texts)
        fresh = [text for text in dict.fromkeys(texts) if text not in held]
        if fresh and self._list_replies():
            held |= self._held(fresh)
            fresh = [text for text in fresh if text not in held]
        if fresh or not texts:
            made = self._embedder.embed(fresh)
            held |= dict(zip(fresh, made, strict=True))
            self.embedded += len(fresh)
        return np.stack([held[text] for text in texts]) if texts else made

    def keep(self, digest: str, vectors: DocumentVectors) -> None:
        """Store a document's vectors, made now, as the artifact `digest`, and list them."""
        keys = self.keys(vectors.embedded)
        meta: dict[str, object] = {"stage": ARTIFACT, "digest": digest, "chunks": len(vectors.chunk_ids)}
        with self._store.writing(ARTIFACT, digest, meta, durable=False) as folder:
            vectors.save(folder)
            (folder / TEXTS_FILE).write_bytes(b"".join(keys))
            meta["output"] = output_of(folder, VECTOR_FILES)
        self._table.put(ARTIFACT, digest, keys)

    def keys(self, texts: Sequence[str]) -> list[bytes]:
        """What names the vectors of texts."""
        return text_keys(self._fingerprint, texts)

    def _held(self, texts: Sequence[str]) -> dict[str, Vectors]:
        keys = self.keys(texts)
        places = self._table.find(list(dict.fromkeys(keys)))
        rows = {key: self._row(place) for key, place in places.items()}
        return {
            text: row for text, key in zip(texts, keys, strict=True) if (row := rows.get(key)) is not None
        }

    def _row(self, place: Place) -> Vectors | None:
        """One vector; None where its place is gone, which is then forgotten."""
        kind, name, row = place
        try:
            found: Vectors = self._open_place(kind, name)[row]
        except (OSError, ValueError, IndexError):
            self._table.drop(kind, name)
            return None
        return found

    def _vectors(self, kind: str, name: str) -> Vectors:
        if kind == REPLY and self._replies is not None:
            return self._replies.reply(name)[1]
        folder = self._store.complete(kind, name)
        if folder is None:
            raise ValueError(f"{kind} {name} is gone")
        vectors: Vectors = np.load(folder / VECTORS_FILE, mmap_mode="r", allow_pickle=False)
        return vectors

    def _list_replies(self) -> bool:
        """List replies that came and were not used before the run ended; whether there were any."""
        if self._replies is None:
            return False
        fresh = sorted(self._replies.reply_names() - self._table.known(REPLY))
        for name in fresh:
            try:
                texts, _ = self._replies.reply(name)
            except (OSError, ValueError):
                continue
            self._table.put(REPLY, name, self.keys(texts))
        return bool(fresh)


@contextmanager
def remembering(store: Store, embedder: Embedder) -> Iterator[Remembering]:
    """The embedder over all vectors of the workspace; needs the writer's lock."""
    table = VectorTable(store.root, embedder.fingerprint)
    try:
        list_artifacts(store, table)
        yield Remembering(embedder, store, table)
    finally:
        table.close()


def list_artifacts(store: Store, table: VectorTable) -> None:
    """List the vectors of artifacts that the table lacks; one without keys is of an older version."""
    place = store.artifacts / ARTIFACT
    names = {one.name for one in place.iterdir()} if place.is_dir() else set()
    for name in sorted(names - table.known(ARTIFACT)):
        keys = read_keys(place / name / TEXTS_FILE) if store.complete(ARTIFACT, name) else []
        table.put(ARTIFACT, name, keys)


def read_keys(path: Path) -> list[bytes]:
    """Keys of an artifact's rows; none where the file is not there."""
    data = path.read_bytes() if path.is_file() else b""
    return [data[start : start + _KEY] for start in range(0, len(data) - _KEY + 1, _KEY)]
