"""Texts of many rows each: a document's, made, saved and read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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

    def save(self, folder: Path) -> None:
        """Write `rows.npy` and `chunks.json` into an existing folder; same content, same bytes."""
        np.save(folder / _ROWS_FILE, np.ascontiguousarray(self.rows), allow_pickle=False)
        head = {"format": _FORMAT, "chunk_ids": self.chunk_ids, "counts": self.counts}
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
        (folder / _HEAD_FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> DocumentRows:
        """Read what `save` wrote; raises DracError where the files are damaged or do not agree."""
        try:
            head = json.loads((folder / _HEAD_FILE).read_text(encoding="utf-8"))
            rows = np.load(folder / _ROWS_FILE, allow_pickle=False)
            found = cls(tuple(head["chunk_ids"]), tuple(head["counts"]), rows)
            if head["format"] != _FORMAT or len(found.chunk_ids) != len(found.counts):
                raise ValueError("unknown format")
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
    documents: Iterable[tuple[str, Chunks]], encoder: RowEncoder, *, at_once: int = 128
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


def _encode(waiting: Sequence[tuple[str, Chunks]], encoder: RowEncoder) -> Iterator[tuple[str, DocumentRows]]:
    if not waiting:
        return
    rows = iter(encoder.documents([text for _, chunks in waiting for _, text in chunks]))
    for key, chunks in waiting:
        mine = [next(rows) for _ in chunks]
        joined = np.concatenate(mine) if mine else np.zeros(0, dtype=np.float16)
        yield key, DocumentRows(tuple(one for one, _ in chunks), tuple(map(len, mine)), joined)
