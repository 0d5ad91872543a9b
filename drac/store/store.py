"""The workspace on disk: artifacts, pages, sources, exports. README.md beside this file documents it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from drac.audit_records import AuditRecord
from drac.errors import UsageError, WorkspaceBusy
from drac.records import Attempt, Page, PageState, PageText
from drac.store.files import ASIDE, disk_errors, remove_tree, sync_folder, sync_tree, write_file

FORMAT = 1
"""Version of the layout on disk; another one is refused."""
_PAGES = TypeAdapter(PageText)
_AUDITS = TypeAdapter(AuditRecord)
_OF_EVERY_SOURCE = frozenset(("doc_id", "collection", "path", "root", "live", "state"))
_OF_A_GOOD_SOURCE = frozenset(("sha256", "normalize", "pdf_digest", "pages", "selected", "convert"))
"""Fields without which a source's record is damaged."""
_WRITTEN_TO = ("", "pages/", "attempts/", "audits/", "sources/", "exports/**/", "replies/**/", "bench/**/")
"""Folders below the workspace in which files are written one by one."""
log = logging.getLogger(__name__)


def dump_json(value: object) -> bytes:
    """JSON as people read it: one space of indent, UTF-8, keys in the order given."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def page_file(text: PageText) -> bytes:
    """A finished page as it is stored."""
    return _PAGES.dump_json(text, indent=1) + b"\n"


class Store:
    """One workspace folder. Reading needs no lock; writing needs `with store.locked():`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.artifacts = root / "artifacts"
        self.pages = root / "pages"
        self.attempts = root / "attempts"
        self.audits = root / "audits"
        self.sources = root / "sources"
        self.exports = root / "exports"
        self.temporary = root / "tmp"
        self.catalog_path = root / "catalog.sqlite3"
        self._lock: IO[bytes] | None = None

    def _make_folders(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root.chmod(0o700)
        folders = (self.artifacts, self.pages, self.attempts, self.audits, self.sources, self.exports)
        for folder in folders:
            folder.mkdir(exist_ok=True)
        self.temporary.mkdir(exist_ok=True)

    @property
    def exists(self) -> bool:
        """Whether the folder is a workspace."""
        return (self.root / "workspace.json").is_file()

    def create(self) -> None:
        """Make the folder (0700) where it is missing; raises UsageError for another format."""
        try:
            with disk_errors(self.root):
                self._make_folders()
        except OSError as error:
            reason = f"{self.root}: cannot be a workspace: {error.strerror}"
            raise UsageError(reason, remedy="Choose another --workspace, one that may be written.") from error
        marker = self.root / "workspace.json"
        if not marker.exists():
            write_file(marker, dump_json({"format": FORMAT}))
        self.check_format()

    def check_format(self) -> None:
        """Raise UsageError where another version of the layout wrote this workspace."""
        found = _read_json(self.root / "workspace.json")
        if found is None:
            raise UsageError(
                f"{self.root / 'workspace.json'}: damaged; it says nothing of the workspace's format",
                remedy=f'Where this version made the workspace, write {{"format": {FORMAT}}} into it.',
            )
        if found.get("format") != FORMAT:
            raise UsageError(
                f"{self.root}: workspace of another format than {FORMAT}",
                remedy="Choose another --workspace; the old one stays as it is.",
            )

    def __enter__(self) -> Store:
        """Take the writer's lock and clear what a killed run left; raises WorkspaceBusy."""
        self.create()
        try:
            self._lock = (self.root / "lock").open("wb")
        except OSError as error:
            raise UsageError(
                f"{self.root / 'lock'}: cannot be opened: {error.strerror}",
                remedy="Choose another --workspace, one that may be written.",
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise WorkspaceBusy(f"{self.root}: another drac process writes to this workspace") from error
        self._clear_leftovers()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _clear_leftovers(self) -> None:
        remove_tree(self.temporary)
        self.temporary.mkdir(exist_ok=True)
        for place in _WRITTEN_TO:
            for part in self.root.glob(f"{place}{ASIDE}"):
                part.unlink(missing_ok=True)

    # Artifacts: a folder per digest, complete when meta.json is there.

    def complete(self, stage: str, digest: str) -> Path | None:
        """The folder of a finished artifact, or None."""
        folder = self.artifacts / stage / digest
        return folder if self._meta(folder, digest) is not None else None

    def _meta(self, folder: Path, digest: str) -> dict[str, Any] | None:
        """The folder's meta.json; one that is damaged, or another artifact's, counts as not there."""
        found = _read_json(folder / "meta.json")
        return found if found is not None and found.get("digest") == digest else None

    def meta(self, stage: str, digest: str) -> dict[str, Any]:
        """A finished artifact's meta.json; raises KeyError where it is not finished."""
        found = self._meta(self.artifacts / stage / digest, digest)
        if found is None:
            raise KeyError(f"{stage}/{digest}")
        return found

    def begin(self) -> Path:
        """A new empty folder in the workspace, to be committed or discarded."""
        folder = self.temporary / uuid4().hex
        with disk_errors(folder):
            folder.mkdir(parents=True)
        return folder

    def commit(
        self, stage: str, digest: str, folder: Path, meta: Mapping[str, Any], *, durable: bool = True
    ) -> Path:
        """Make `folder` the artifact; meta.json is written last, then all appears by one rename."""
        final = self.artifacts / stage / digest
        with disk_errors(final):
            final.parent.mkdir(parents=True, exist_ok=True)
            if durable:
                sync_tree(folder)
            write_file(folder / "meta.json", dump_json(dict(meta)), durable=durable)
            remove_tree(final)
            folder.rename(final)
            if durable:
                sync_folder(final.parent)
        return final

    def discard(self, folder: Path) -> None:
        """Remove a folder that was begun and is not wanted any more."""
        remove_tree(folder)

    @contextmanager
    def writing(
        self, stage: str, digest: str, meta: Mapping[str, Any], *, durable: bool = True
    ) -> Iterator[Path]:
        """Yield a folder to fill; it becomes the artifact when the block ends without an error."""
        folder = self.begin()
        try:
            with disk_errors(folder):
                yield folder
            self.commit(stage, digest, folder, meta, durable=durable)
        finally:
            remove_tree(folder)

    # Pages: one file each; a failed page leaves attempts and no result.

    def page_path(self, digest: str) -> Path:
        """Where a finished page lies, or would lie."""
        return self.pages / f"{digest}.json"

    def put_page(self, digest: str, text: PageText) -> None:
        """Keep a finished page, or the attempts of a failed one."""
        if text.state is PageState.FAILED:
            self._put_attempts(digest, text)
        else:
            write_file(self.page_path(digest), page_file(text))

    def _put_attempts(self, digest: str, text: PageText) -> None:
        old = self.failed_attempts(digest)
        record = {
            "page": asdict(text.page),
            "attempts": [asdict(one) for one in (*old, *text.attempts)],
        }
        write_file(self.attempts / f"{digest}.json", dump_json(record))

    def get_page(self, digest: str) -> PageText | None:
        """A finished page, or None; a damaged file counts as not there."""
        try:
            return _PAGES.validate_json(self.page_path(digest).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def page_bytes(self, digest: str) -> bytes | None:
        """A finished page's file as it is, or None as `get_page`; for digests of what is made from it."""
        path = self.page_path(digest)
        if self.get_page(digest) is not None:
            return path.read_bytes()
        if path.exists():
            log.warning("%s: damaged, the page counts as not read; `drac convert` reads it again", path)
        return None

    def failed_attempts(self, digest: str) -> tuple[Attempt, ...]:
        """Attempts of a page that has failed so far; empty if none is known."""
        found = _read_json(self.attempts / f"{digest}.json")
        return TypeAdapter(tuple[Attempt, ...]).validate_python(found["attempts"]) if found else ()

    def failed_page(self, digest: str, page: Page, engine: str) -> PageText | None:
        """A failed page's record, or None where it was never tried."""
        attempts = self.failed_attempts(digest)
        return PageText(page, PageState.FAILED, "", engine, attempts=attempts) if attempts else None

    # Audits: one file a page, under the page's own digest.

    def audit_path(self, page_digest: str) -> Path:
        """Where a page's audit lies, or would lie."""
        return self.audits / f"{page_digest}.json"

    def put_audit(self, page_digest: str, record: AuditRecord) -> None:
        """Keep a page's audit in the place of an older one."""
        write_file(self.audit_path(page_digest), _AUDITS.dump_json(record, indent=1) + b"\n")

    def get_audit(self, page_digest: str) -> AuditRecord | None:
        """The audit of a page as the page is now, or None; a damaged file counts as not there."""
        try:
            found = _AUDITS.validate_json(self.audit_path(page_digest).read_bytes())
            page = self.page_path(page_digest).read_bytes()
        except (FileNotFoundError, ValidationError):
            return None
        return found if found.page_sha256 == hashlib.sha256(page).hexdigest() else None

    def drop_damaged_audit(self, page_digest: str) -> Path | None:
        """Remove a page's audit that cannot be used and return where it was; the next makes it anew."""
        path = self.audit_path(page_digest)
        try:
            _AUDITS.validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError:
            path.unlink()
            return path
        return None

    # Sources: one file a document, by identity.

    def put_source(self, doc_id: str, record: Mapping[str, Any]) -> None:
        """Keep what is known of one source; unchanged content is not written again."""
        path, data = self.sources / f"{doc_id}.json", dump_json(dict(record))
        if not path.exists() or path.read_bytes() != data:
            write_file(path, data)

    def get_source(self, doc_id: str) -> dict[str, Any] | None:
        """What is known of one source, or None; a damaged record counts as not there."""
        return _read_source(self.sources / f"{doc_id}.json")

    def all_sources(self) -> Iterator[dict[str, Any]]:
        """Every source ever taken, ordered by collection and path; raises UsageError for a damaged record."""
        found = {path: _read_source(path) for path in self.sources.glob("*.json")}
        for path, record in found.items():
            if record is None:
                raise UsageError(
                    f"{path}: the record of a document is damaged",
                    remedy="Run `drac repair`, then `drac run` over its folder: it is made anew.",
                )
        yield from sorted(filter(None, found.values()), key=lambda one: (one["collection"], one["path"]))

    def drop_damaged_sources(self) -> list[Path]:
        """Remove records that cannot be used; the next run over their folder makes them anew."""
        damaged = [path for path in sorted(self.sources.glob("*.json")) if _read_source(path) is None]
        for path in damaged:
            remove_tree(path) if path.is_dir() else path.unlink()
        return damaged


def _read_source(path: Path) -> dict[str, Any] | None:
    record = _read_json(path)
    if record is None or not record.keys() >= _OF_EVERY_SOURCE:
        return None
    return record if record["state"] != "ok" or record.keys() >= _OF_A_GOOD_SOURCE else None


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def is_short_of_space(place: Path, room: int) -> bool:
    """Whether less than `room` bytes, on a small disk less than a quarter of it, can still be written."""
    stat = os.statvfs(place)
    return stat.f_bavail * stat.f_frsize < min(room, stat.f_blocks * stat.f_frsize // 4)


def free_bytes(place: Path) -> int:
    """Bytes that this user can still write where `place` lies."""
    stat = os.statvfs(place)
    return stat.f_bavail * stat.f_frsize
