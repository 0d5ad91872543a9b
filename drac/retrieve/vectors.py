"""Vectors of the chunks of one document: made, saved and read."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.errors import DracError
from drac.ports import Embedder, Vectors
from drac.retrieve.passages import passages as passages_of
from drac.sentences import Stretch

VECTORS_FILE = "vectors.npy"
WINDOWS_FILE = "windows.json"
_FORMAT = 1
AT_ONCE = 128
"""Windows embedded together."""
_UNIT = 4e-6
"""Deviation of a squared length from 1 that sums in float32 explain."""
_ROWS = 4096
"""Rows looked at at once."""


def normalise(vectors: npt.ArrayLike) -> Vectors:
    """Rows of length 1, float32, shape (n, dimension); a zero row stays zero. One row may be flat.

    Raises DracError where a value is no finite number.
    """
    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float32))
    if not np.isfinite(rows).all():
        raise DracError("a vector holds a value that is no number", remedy="Run `drac index` again.")
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def unit_rows(vectors: npt.ArrayLike) -> Vectors:
    """As `normalise`, without a copy where all rows are of length 1 already; raises DracError alike."""
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if rows.ndim == 1:
        rows = rows[np.newaxis]
    if len(rows) == 1:  # a question: half of what D-RAC adds to FAISS's own time would be spent here
        return rows if abs(float(np.vdot(rows, rows)) - 1.0) < _UNIT else normalise(rows)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        squares = np.einsum("ij,ij->i", block, block)
        if not (abs(squares - 1.0) < _UNIT).all():
            return normalise(rows)
    return rows


def pack(vectors: npt.ArrayLike) -> str:
    """Vectors as text that fits a reply's place: base64 of float32, little end first, row by row.

    Raises ValueError where they are not rows of finite numbers.
    """
    rows = np.asarray(vectors, dtype="<f4")
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise ValueError("not rows of numbers")
    return b64encode(rows.tobytes()).decode("ascii")


def unpack(text: str, rows: int) -> Vectors:
    """What `pack` wrote, given how many rows; raises ValueError where it cannot have been that."""
    numbers = np.frombuffer(b64decode(text, validate=True), dtype="<f4")
    if not rows or not len(numbers) or len(numbers) % rows:
        raise ValueError(f"{len(numbers)} numbers are not {rows} rows")
    return numbers.reshape(rows, -1).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class DocumentVectors:
    """The windows of a document's chunks and their vectors, in the chunks' order."""

    chunk_ids: tuple[str, ...]
    """The document's chunks; each has one window at least."""
    owners: tuple[int, ...]
    """For each window, the 0-based place of its chunk in `chunk_ids`, ascending."""
    stretches: tuple[Stretch, ...]
    """For each window, where it stands in its chunk's text, in code points."""
    vectors: Vectors
    """Shape (windows, dimension), rows of length 1."""
    embedded: tuple[str, ...] = ()
    """For each window, the text that its vector is of; empty where they were read from files."""

    def save(self, folder: Path) -> None:
        """Write `vectors.npy` and `windows.json` into an existing folder; same content, same bytes."""
        np.save(folder / VECTORS_FILE, np.ascontiguousarray(self.vectors, dtype="<f4"), allow_pickle=False)
        head = {
            "format": _FORMAT,
            "chunk_ids": self.chunk_ids,
            "owners": self.owners,
            "stretches": self.stretches,
        }
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
        (folder / WINDOWS_FILE).write_text(text + "\n", encoding="utf-8")

    @staticmethod
    def shape(folder: Path) -> tuple[int, int]:
        """Windows and dimension of what `save` wrote, without reading it; raises DracError as `load`."""
        try:
            rows, dimension = np.load(folder / VECTORS_FILE, mmap_mode="r", allow_pickle=False).shape
        except (OSError, EOFError, ValueError) as error:
            raise _unreadable(folder, error) from error
        return int(rows), int(dimension)

    @classmethod
    def load(cls, folder: Path) -> DocumentVectors:
        """Read what `save` wrote; raises DracError where the files are damaged or do not agree."""
        try:
            head = json.loads((folder / WINDOWS_FILE).read_text(encoding="utf-8"))
            vectors = np.load(folder / VECTORS_FILE, allow_pickle=False)
            return _checked(head, vectors)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: Exception) -> DracError:
    return DracError(
        f"stored vectors in {folder} cannot be read: {error}",
        remedy="Delete that folder and run `drac index` again; only the vectors are made anew.",
    )


def _checked(head: dict[str, Any], vectors: Vectors) -> DocumentVectors:
    chunk_ids = tuple(str(one) for one in head["chunk_ids"])
    owners = tuple(int(one) for one in head["owners"])
    stretches = tuple((int(start), int(end)) for start, end in head["stretches"])
    if head["format"] != _FORMAT or vectors.dtype != np.float32 or vectors.ndim != 2:
        raise ValueError("unknown format")
    if not len(owners) == len(stretches) == len(vectors):
        raise ValueError("windows and vectors differ in number")
    if sorted(set(owners)) != list(range(len(chunk_ids))) or list(owners) != sorted(owners):
        raise ValueError("windows and chunks do not agree")
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds no number")
    return DocumentVectors(chunk_ids, owners, stretches, vectors)


Chunks = Sequence[tuple[str, str]]
"""(chunk_id, text) of one document's chunks."""


def embed_chunks(chunks: Chunks, embedder: Embedder, *, passages: int = 0) -> DocumentVectors:
    """Vectors of one document's chunks; see `embed_documents`."""
    return next(vectors for _, vectors in embed_documents([("", chunks)], embedder, passages=passages))


def embed_documents(
    documents: Iterable[tuple[str, Chunks]], embedder: Embedder, *, passages: int = 0, at_once: int = AT_ONCE
) -> Iterator[tuple[str, DocumentVectors]]:
    """(key, vectors) for each (key, chunks), in order.

    Each text is embedded whole, in windows where it is long. With `passages`, the characters of one at most,
    its passages follow as further windows, each under its headings (see `retrieve.passages`).

    Documents are embedded together until they hold `at_once` windows, so that small ones keep all
    cores busy. More at once is no faster, and what an interruption loses grows.
    """
    waiting: list[tuple[str, _Cut]] = []
    for key, chunks in documents:
        waiting.append((key, _cut(chunks, embedder, passages)))
        if sum(len(cut.pieces) for _, cut in waiting) >= at_once:
            yield from _embed(waiting, embedder)
            waiting = []
    yield from _embed(waiting, embedder)


def embedded_texts(chunks: Chunks, embedder: Embedder, passages: int = 0) -> tuple[str, ...]:
    """The texts of one document that `embed_documents` embeds, in order."""
    return _cut(chunks, embedder, passages).pieces


@dataclass(frozen=True, slots=True)
class _Cut:
    """A document's chunks cut into windows."""

    chunk_ids: tuple[str, ...]
    owners: tuple[int, ...]
    stretches: tuple[Stretch, ...]
    pieces: tuple[str, ...]


def _cut(chunks: Chunks, embedder: Embedder, most: int) -> _Cut:
    rows = [[*_windows(text, embedder), *_passages(text, embedder, most)] for _, text in chunks]
    return _Cut(
        chunk_ids=tuple(chunk_id for chunk_id, _ in chunks),
        owners=tuple(row for row, pieces in enumerate(rows) for _ in pieces),
        stretches=tuple(stretch for pieces in rows for stretch, _ in pieces),
        pieces=tuple(piece for pieces in rows for _, piece in pieces),
    )


def _windows(text: str, embedder: Embedder) -> Iterator[tuple[Stretch, str]]:
    pieces = embedder.windows(text)
    return zip(_stretches(pieces), pieces, strict=True)


def _passages(text: str, embedder: Embedder, most: int) -> Iterator[tuple[Stretch, str]]:
    """One past the model's window, as in scripts of many tokens a character, has several rows."""
    for one in passages_of(text, most) if most else ():
        for piece in embedder.windows(one.embedded(text)):
            yield one.stretch, piece


def _embed(waiting: Sequence[tuple[str, _Cut]], embedder: Embedder) -> Iterator[tuple[str, DocumentVectors]]:
    if not waiting:
        return
    vectors = embedder.embed([piece for _, cut in waiting for piece in cut.pieces])
    first = 0
    for key, cut in waiting:
        rows = vectors[first : first + len(cut.pieces)]
        first += len(cut.pieces)
        yield key, DocumentVectors(cut.chunk_ids, cut.owners, cut.stretches, rows, cut.pieces)


def _stretches(windows: Sequence[str]) -> list[Stretch]:
    """Windows follow one another without a gap (`Embedder.windows`)."""
    ends = np.cumsum([0, *(len(window) for window in windows)]).tolist()
    return list(pairwise(ends))
