"""Texts of many rows each: a document's, made, saved and read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from drac.errors import DracError
from drac.ports import RowEncoder, Rows
from drac.retrieve.vectors import Chunks

_ROWS_FILE = "rows.npy"
_HEAD_FILE = "chunks.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class DocumentRows:
    """The rows of a document's chunks, in the chunks' order."""

    chunk_ids: tuple[str, ...]
    """The document's chunks."""
    counts: tuple[int, ...]
    """For each chunk, its number of rows."""
    rows: Rows
    """All rows, one chunk's after the other's."""
    texts: tuple[str, ...]
    """For each chunk, the sha256 of its text."""

    def save(self, folder: Path) -> None:
        """Write `rows.npy` and `chunks.json` into an existing folder; same content, same bytes."""
        np.save(folder / _ROWS_FILE, np.ascontiguousarray(self.rows), allow_pickle=False)
        head = {
            "format": _FORMAT, "chunk_ids": self.chunk_ids, "counts": self.counts, "texts": self.texts,
        }  # fmt: skip
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
        (folder / _HEAD_FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> DocumentRows:
        """Read what `save` wrote; raises DracError where the files are damaged or do not agree."""
        try:
            head = json.loads((folder / _HEAD_FILE).read_text(encoding="utf-8"))
            rows = np.load(folder / _ROWS_FILE, allow_pickle=False)
            found = cls(tuple(head["chunk_ids"]), tuple(head["counts"]), rows, tuple(head["texts"]))
            if head["format"] != _FORMAT:
                raise ValueError("unknown format")
            if not len(found.chunk_ids) == len(found.counts) == len(found.texts):
                raise ValueError("chunks, counts and texts differ in number")
            if sum(found.counts) != len(rows):
                raise ValueError("chunks and rows differ in number")
            return found
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise DracError(
                f"stored rows in {folder} cannot be read: {error}",
                remedy="Delete that folder and run `drac index` again; only its rows are made anew.",
            ) from error

    def split(self) -> list[Rows]:
        """The rows of each chunk, without a copy."""
        return np.split(self.rows, np.cumsum(self.counts)[:-1]) if self.counts else []


def encode_documents(
    documents: Iterable[tuple[str, Chunks]], encoder: RowEncoder | Remembering, *, at_once: int = 128
) -> Iterator[tuple[str, DocumentRows]]:
    """(key, rows) for each (key, chunks), in order.

    Documents are encoded together until they hold `at_once` chunks, so that small ones keep all cores
    busy. More at once is no faster, and what an interruption loses grows.
    """
    waiting: list[tuple[str, Chunks]] = []
    for key, chunks in documents:
        waiting.append((key, chunks))
        if sum(len(some) for _, some in waiting) >= at_once:
            yield from _encode(waiting, encoder)
            waiting = []
    yield from _encode(waiting, encoder)


def _encode(
    waiting: Sequence[tuple[str, Chunks]], encoder: RowEncoder | Remembering
) -> Iterator[tuple[str, DocumentRows]]:
    if not waiting:
        return
    rows = iter(encoder.documents([text for _, chunks in waiting for _, text in chunks]))
    for key, chunks in waiting:
        mine = [next(rows) for _ in chunks]
        joined = np.concatenate(mine) if mine else np.zeros(0, dtype=np.float16)
        texts = tuple(text_digest(text) for _, text in chunks)
        yield key, DocumentRows(tuple(one for one, _ in chunks), tuple(map(len, mine)), joined, texts)


def text_digest(text: str) -> str:
    """What a text's rows are found by."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Remembering:
    """A RowEncoder that has rows of some texts already."""

    def __init__(self, encoder: RowEncoder, held: Iterable[DocumentRows]) -> None:
        """`held`: rows that this very model has made."""
        self._encoder = encoder
        self._rows = {text: rows for one in held for text, rows in zip(one.texts, one.split(), strict=True)}
        self.encoded = 0
        """Texts that the model was asked for."""

    def documents(self, texts: Sequence[str]) -> list[Rows]:
        """See RowEncoder."""
        names = [text_digest(text) for text in texts]
        missing = {name: text for name, text in zip(names, texts, strict=True) if name not in self._rows}
        made = self._encoder.documents(list(missing.values())) if missing else []
        self.encoded += len(missing)
        found = {**self._rows, **dict(zip(missing, made, strict=True))}
        return [found[name] for name in names]
