"""vectors.sqlite3: where the vector of each text lies. An index only: what it lacks is listed anew."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from drac.errors import DiskFull
from drac.store.keys import digest

FILE = "vectors.sqlite3"
ARTIFACT = "embed"
REPLY = "reply"
"""Kinds of places: an artifact of a document's vectors, a model's reply."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS places (
    id INTEGER PRIMARY KEY, kind TEXT, name TEXT, model BLOB, UNIQUE (kind, name, model));
CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, place INTEGER, row INTEGER) WITHOUT ROWID;
"""
_AT_ONCE = 500
"""Texts of one SELECT; SQLite takes 32,766 values."""

Place = tuple[str, str, int]
"""Kind, its name, and the 0-based row there."""


def text_keys(fingerprint: Mapping[str, str], texts: Sequence[str]) -> list[bytes]:
    """32 bytes a text: sha256 over the model's digest and the text."""
    model = hashlib.sha256(bytes.fromhex(digest(dict(fingerprint))))
    found = []
    for text in texts:
        one = model.copy()
        one.update(text.encode("utf-8", "surrogatepass"))
        found.append(one.digest())
    return found


class VectorTable:
    """One model's part of the table; only the workspace's writer may open it."""

    def __init__(self, root: Path, fingerprint: Mapping[str, str]) -> None:
        """Open the table, a new one in the place of a damaged one."""
        self._path = root / FILE
        self._model = bytes.fromhex(digest(dict(fingerprint)))
        try:
            self._db = self._open()
        except sqlite3.DatabaseError:
            remove(root)
            self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=OFF")  # what a power cut takes is listed anew
        connection.executescript(_SCHEMA)
        return connection

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def known(self, kind: str) -> frozenset[str]:
        """Names of the places of a kind that are listed."""
        which = "SELECT name FROM places WHERE kind = ? AND model = ?"
        rows = self._db.execute(which, (kind, self._of(kind)))
        return frozenset(row[0] for row in rows)

    def put(self, kind: str, name: str, keys: Sequence[bytes]) -> None:
        """List a place; row n of it is the vector of `keys[n]`. The first place of a text stands."""
        with self._named_errors(), self._db:
            made = self._db.execute(
                "INSERT OR IGNORE INTO places (kind, name, model) VALUES (?,?,?)",
                (kind, name, self._of(kind)),
            )
            if made.rowcount:
                rows = [(key, made.lastrowid, row) for row, key in enumerate(keys)]
                self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?,?,?)", rows)

    def _of(self, kind: str) -> bytes:
        """An artifact names its texts by model; a reply is listed for each model that looks at it."""
        return self._model if kind == REPLY else b""

    def drop(self, kind: str, name: str) -> None:
        """Forget a place that is not there any more."""
        with self._named_errors(), self._db:
            which = "SELECT id FROM places WHERE kind = ? AND name = ?"
            self._db.execute(f"DELETE FROM vectors WHERE place IN ({which})", (kind, name))
            self._db.execute("DELETE FROM places WHERE kind = ? AND name = ?", (kind, name))

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Place]:
        """Where the vectors are, of those texts that have one."""
        return _find(self._db, keys)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise DiskFull(f"{self._path}: no space left on this disk") from error
            raise


def listed(root: Path, keys: Sequence[bytes]) -> frozenset[bytes]:
    """Which of these texts have a vector, as far as the table knows; writes nothing, needs no lock."""
    path = root / FILE
    if not path.is_file():
        return frozenset()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return frozenset(_find(connection, keys))
    except sqlite3.DatabaseError:
        return frozenset()


def _find(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Place]:
    found: dict[bytes, Place] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        rows = connection.execute(
            "SELECT text, kind, name, row FROM vectors JOIN places ON places.id = vectors.place "
            f"WHERE text IN ({marks})",
            some,
        )
        found |= {text: (kind, name, row) for text, kind, name, row in rows}
    return found


def remove(root: Path) -> None:
    """Delete the table; the next one lists all that is there."""
    for name in ("", "-wal", "-shm"):
        (root / f"{FILE}{name}").unlink(missing_ok=True)
