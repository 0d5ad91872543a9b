"""catalog.sqlite3: what `drac status` counts. An index only; `drac repair` makes it anew from the files."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac.audit_records import AuditRecord
from drac.errors import DiskFull, UsageError
from drac.records import PageText, Usage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    doc_id TEXT PRIMARY KEY, collection TEXT, path TEXT, root TEXT, live INTEGER,
    state TEXT, error TEXT, remedy TEXT, sha256 TEXT, type TEXT, pdf_digest TEXT, pages INTEGER);
CREATE TABLE IF NOT EXISTS pages (
    doc_id TEXT, number INTEGER, digest TEXT, state TEXT, engine TEXT, method TEXT, reason TEXT,
    PRIMARY KEY (doc_id, number));
CREATE TABLE IF NOT EXISTS usage (
    page_digest TEXT, attempt INTEGER, stage TEXT, engine TEXT, outcome TEXT,
    input_tokens INTEGER, output_tokens INTEGER, usd REAL, requests INTEGER,
    PRIMARY KEY (page_digest, attempt));
CREATE TABLE IF NOT EXISTS timings (stage TEXT PRIMARY KEY, units INTEGER, seconds REAL);
CREATE TABLE IF NOT EXISTS fonts (
    doc_id TEXT, asked TEXT, stand_in TEXT, PRIMARY KEY (doc_id, asked));
CREATE TABLE IF NOT EXISTS parity (
    doc_id TEXT PRIMARY KEY, words REAL, numbers REAL, missing TEXT, note TEXT);
CREATE TABLE IF NOT EXISTS remarks (
    doc_id TEXT, line TEXT, left_out INTEGER, PRIMARY KEY (doc_id, line));
CREATE TABLE IF NOT EXISTS audits (
    page_digest TEXT PRIMARY KEY, reader TEXT, missing REAL, invented REAL, flagged INTEGER, action TEXT,
    outcome TEXT, findings TEXT);
CREATE TABLE IF NOT EXISTS skipped (path TEXT PRIMARY KEY, reason TEXT, kind TEXT);
"""
_TABLES = ("sources", "pages", "usage", "timings", "skipped", "fonts", "parity", "remarks", "audits")
_SOURCE_COLUMNS = (
    "doc_id", "collection", "path", "root", "live", "state", "error", "remedy", "sha256", "type",
    "pdf_digest", "pages",
)  # fmt: skip
_NOTED = ("remarks", "left_out")
"""Lists of lines in a source's record."""

_SKIPPED_KNOWN = 1
"""SQLite's `user_version` of a catalog that a run has told what it did not take."""

_DAMAGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA)
"""What SQLite says of a file that is none of its own, or has not the tables that it should have."""


_CLOSED = (
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY,
)  # fmt: skip
"""What SQLite says where the catalog's place is no file, or may not be read or written."""


def _read_only(path: Path) -> sqlite3.Connection:
    # beside a catalog that may not be written SQLite cannot keep its own files, and need not
    still = "" if os.access(path.parent, os.W_OK) else "&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{still}", uri=True)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a catalog alone holds, so that it cannot be made anew from the files."""

    skipped: tuple[tuple[str, str, str], ...] | None = None
    """(path, reason, kind) of what the last run did not take; None: not known."""
    timings: tuple[tuple[str, int, float], ...] = ()
    """(stage, units, seconds)."""


def kept_of(path: Path) -> Kept:
    """What can be read of a catalog that is about to be made anew; nothing where it is damaged or missing."""
    if not path.exists():
        return Kept()
    catalog = Catalog(path, readonly=True)
    try:
        return Kept(catalog.skipped(), catalog.timings())
    finally:
        catalog.close()


class Catalog:
    """One connection; only the workspace's writer may open it for writing."""

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        with self._named_errors():
            self._db = _read_only(path) if readonly else sqlite3.connect(path)
        if not readonly:
            self._prepare()
        self._db.row_factory = sqlite3.Row

    def _prepare(self) -> None:
        with self._named_errors():
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """DiskFull, or UsageError where the file is damaged; what else SQLite says stays as it is."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code == sqlite3.SQLITE_FULL or "SQLITE_IOERR_WRITE" in getattr(error, "sqlite_errorname", ""):
                raise DiskFull(f"{self.path}: no space left on this disk") from error
            if code in _CLOSED:
                reason = f"{self.path}: the catalog cannot be used ({error})"
                raise UsageError(
                    reason, remedy="Check that it is a file that may be written, and that the disk has space."
                ) from error
            if code not in _DAMAGED:
                raise
            reason = f"{self.path}: the catalog is damaged ({error})"
            raise UsageError(reason, remedy="Make it anew with `drac repair`.") from error

    def clear(self) -> None:
        """Forget everything but timings, which nothing else holds."""
        with self._named_errors(), self._db:
            for table in _TABLES:
                if table != "timings":
                    self._db.execute(f"DELETE FROM {table}")

    def put_source(self, record: Mapping[str, Any]) -> None:
        """Insert or replace one source."""
        values = [record.get(name) for name in _SOURCE_COLUMNS]
        marks = ",".join("?" * len(values))
        with self._named_errors(), self._db:
            self._db.execute(f"INSERT OR REPLACE INTO sources VALUES ({marks})", values)
            self._put_made(record)

    def _put_made(self, record: Mapping[str, Any]) -> None:
        """What normalizing noted: fonts replaced, words and numbers found."""
        doc_id = record["doc_id"]
        parity = record.get("parity") or {}
        missing = json.dumps(parity.get("missing", ()), ensure_ascii=False)
        row = (doc_id, parity.get("words"), parity.get("numbers"), missing, parity.get("note"))
        self._db.execute("INSERT OR REPLACE INTO parity VALUES (?,?,?,?,?)", row)
        self._db.execute("DELETE FROM fonts WHERE doc_id = ?", (doc_id,))
        replaced = (record.get("fonts") or {}).get("replaced", ())
        self._db.executemany("INSERT INTO fonts VALUES (?,?,?)", [(doc_id, *pair) for pair in replaced])
        self._db.execute("DELETE FROM remarks WHERE doc_id = ?", (doc_id,))
        lines = [(doc_id, line, key == "left_out") for key in _NOTED for line in record.get(key) or ()]
        self._db.executemany("INSERT OR REPLACE INTO remarks VALUES (?,?,?)", lines)

    def skipped(self) -> tuple[tuple[str, str, str], ...] | None:
        """What the last run did not take; None where that is not known: no run, or a damaged catalog."""
        try:
            rows = self._db.execute("SELECT path, reason, kind FROM skipped ORDER BY path").fetchall()
            known = bool(rows) or self._db.execute("PRAGMA user_version").fetchone()[0] >= _SKIPPED_KNOWN
        except sqlite3.DatabaseError:
            return None
        return tuple((row[0], row[1], row[2]) for row in rows) if known else None

    def timings(self) -> tuple[tuple[str, int, float], ...]:
        """(stage, units, seconds); none where they cannot be read."""
        try:
            rows = self._db.execute("SELECT stage, units, seconds FROM timings ORDER BY stage").fetchall()
        except sqlite3.DatabaseError:
            return ()
        return tuple((row[0], row[1], row[2]) for row in rows)

    def put_kept(self, kept: Kept) -> None:
        """Take over what an older catalog held alone."""
        if kept.skipped is not None:
            self.put_skipped(list(kept.skipped))
        for stage, units, seconds in kept.timings:
            self.add_time(stage, units, seconds)

    def put_skipped(self, rows: list[tuple[str, str, str]]) -> None:
        """Replace the list of what the last run did not take: (path, reason, kind)."""
        with self._named_errors(), self._db:
            self._db.execute("DELETE FROM skipped")
            self._db.executemany("INSERT OR REPLACE INTO skipped VALUES (?,?,?)", rows)
            self._db.execute(f"PRAGMA user_version = {_SKIPPED_KNOWN}")

    def put_pages(self, doc_id: str, found: list[tuple[str, PageText]]) -> None:
        """Insert or replace pages of one document: (page digest, page)."""
        with self._named_errors(), self._db:
            for digest, text in found:
                self._put_page(doc_id, digest, text)

    def _put_page(self, doc_id: str, digest: str, text: PageText) -> None:
        reason = text.attempts[-1].outcome if text.attempts and text.state != "ok" else ""
        row = (doc_id, text.page.number, digest, text.state.value, text.engine, text.method, reason)
        self._db.execute("INSERT OR REPLACE INTO pages VALUES (?,?,?,?,?,?,?)", row)
        for number, attempt in enumerate(text.attempts):
            usage = _usage_row(attempt.usage)
            line = (digest, number, "convert", attempt.engine, attempt.outcome, *usage)
            self._db.execute("INSERT OR REPLACE INTO usage VALUES (?,?,?,?,?,?,?,?,?)", line)

    def put_audits(self, found: Sequence[tuple[str, AuditRecord]]) -> None:
        """Insert or replace audits: (page digest, audit)."""
        rows = [(digest, *_audit_row(record)) for digest, record in found]
        with self._named_errors(), self._db:
            self._db.executemany("INSERT OR REPLACE INTO audits VALUES (?,?,?,?,?,?,?,?)", rows)

    def drop_audits(self, page_digests: Sequence[str]) -> None:
        """Forget the audits of pages that are read anew."""
        with self._named_errors(), self._db:
            names = [(one,) for one in page_digests]
            self._db.executemany("DELETE FROM audits WHERE page_digest = ?", names)

    def has_table(self, name: str) -> bool:
        """Whether this version of the catalog knows of it; one that is only read may be older."""
        return bool(self.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)))

    def drop_pages(self, doc_id: str) -> None:
        """Forget a document's pages, before those of its new content come."""
        with self._named_errors(), self._db:
            self._db.execute("DELETE FROM pages WHERE doc_id = ?", (doc_id,))

    def add_time(self, stage: str, units: int, seconds: float) -> None:
        """Add to the time that a stage took; seconds are those of the work, summed over workers."""
        with self._named_errors(), self._db:
            self._db.execute(
                "INSERT INTO timings VALUES (?,?,?) ON CONFLICT(stage) DO UPDATE SET "
                "units = units + excluded.units, seconds = seconds + excluded.seconds",
                (stage, units, seconds),
            )

    def rows(self, query: str, values: tuple[object, ...] = ()) -> list[dict[str, Any]]:
        """Rows of a SELECT, as dictionaries."""
        with self._named_errors():
            return [dict(row) for row in self._db.execute(query, values)]


def _audit_row(record: AuditRecord) -> tuple[object, ...]:
    one = record.audit
    findings = [
        {"kind": each.kind.value, "what": each.what, "text": each.text, "start": each.start, "end": each.end}
        for each in one.findings
    ]
    listed = json.dumps(findings, ensure_ascii=False)
    return (one.reader, one.missing, one.invented, one.flagged, one.action, record.outcome, listed)


def _usage_row(usage: Usage) -> tuple[int, int, float, int]:
    return (usage.input_tokens, usage.output_tokens, usage.usd, usage.requests)
