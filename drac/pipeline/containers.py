"""Mails and archives, and the documents that were unpacked from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from drac.config import Settings
from drac.corpus import doc_id, real_path
from drac.pipeline.recipes import unpack_recipe
from drac.pipeline.tasks import Tools, Unpacked, UnpackTask
from drac.records import Skipped, Source, UnpackedPart
from drac.stages.normalize import CONTAINERS, DocumentType
from drac.store.keys import artifact_digest
from drac.store.store import Store

STAGE = "unpack"
_PARTS = TypeAdapter(tuple[UnpackedPart, ...])


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a container that is a document, or an archive whose files are."""

    source: Source
    """Its identity: the container's path and its own."""
    state: str
    """`document`, `unpacked` or `failed`."""
    sha256: str
    """Of its bytes; empty where they could not be had."""
    reason: str
    """Why it failed."""
    remedy: str
    """What to do about it."""


class Unpacking:
    """Unpacks containers in workers; what was unpacked once is found again by content."""

    def __init__(self, store: Store, settings: Settings, tools: Tools, passwords: tuple[str, ...]) -> None:
        self._store, self._settings, self._tools, self._passwords = store, settings, tools, passwords

    def digest(self, sha256: str, kind: DocumentType) -> str | None:
        """Name of the artifact that holds a container's parts; None for a type that has none."""
        if kind.name not in CONTAINERS:
            return None
        tools = self._tools.converter_fingerprint(STAGE)
        return artifact_digest(unpack_recipe(kind.name, self._settings.normalize, tools), [sha256])

    def is_on_disk(self, digest: str) -> bool:
        """Whether the container was unpacked."""
        return self._store.complete(STAGE, digest) is not None

    def is_done(self, digest: str) -> bool:
        """Whether the parts are on disk; those that lacked a password are tried again with those given."""
        if not self.is_on_disk(digest):
            return False
        return not (self._passwords and any(one.locked for one in unpacked_parts(self._store, digest)))

    def submit(self, path: Path, kind: DocumentType, folder: Path) -> Future[Unpacked]:
        """Unpack into a folder that was begun."""
        task = UnpackTask(path, folder, kind, self._settings.normalize, self._passwords)
        return self._tools.executor.submit(
            self._tools.unpack, task, timeout=self._settings.run.convert_timeout
        )

    def keep(self, digest: str, sha256: str, kind: DocumentType, folder: Path, made: Unpacked) -> None:
        """Make the folder the artifact."""
        meta = {
            "stage": STAGE, "digest": digest, "type": kind.name, "source_sha256": sha256,
            "parts": [asdict(one) for one in made.parts],
        }  # fmt: skip
        self._store.commit(STAGE, digest, folder, meta)


def unpacked_parts(store: Store, digest: str) -> tuple[UnpackedPart, ...]:
    """What an artifact of this stage holds; raises KeyError where it is not there."""
    return _PARTS.validate_python(store.meta(STAGE, digest)["parts"])


def document_file(store: Store, source: Source) -> Path:
    """Where a document's bytes are: where it was found, or what was unpacked of its container."""
    return store.root / source.stored if source.stored else real_path(source)


def parts_of(store: Store, container: Source, digest: str) -> list[Part]:
    """The parts of a container that are documents or should be, in order."""
    return [
        Part(_source(container, digest, one), one.state, one.sha256, one.reason, one.remedy)
        for one in unpacked_parts(store, digest)
        if one.state != "skipped"
    ]


def _source(container: Source, digest: str, part: UnpackedPart) -> Source:
    path = f"{container.path}/{part.name}"
    return replace(
        container, path=path, doc_id=doc_id(container.collection, path), container=container.doc_id,
        stored=f"artifacts/{STAGE}/{digest}/{part.file}" if part.file else "",
    )  # fmt: skip


def skipped_parts(store: Store, container: Source, digest: str) -> Iterator[Skipped]:
    """The parts of a container that are not read, by the container's name and their own."""
    for one in unpacked_parts(store, digest):
        if one.state == "skipped":
            kind = "unusable" if one.unusable else "ignored"
            yield Skipped(f"{container.root}/{container.path}/{one.name}", one.reason, kind)


def all_skipped_parts(store: Store, records: Iterable[Mapping[str, Any]]) -> list[Skipped]:
    """The same, of all containers among the records of live sources."""
    found: list[Skipped] = []
    for record in records:
        digest = record.get("unpack")
        if record["live"] and digest and store.complete(STAGE, digest):
            source = Source(record["collection"], record["path"], record["root"], record["doc_id"])
            found += skipped_parts(store, source, digest)
    return found


class Held:
    """Which parts containers hold, by their records; each container is looked into once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[str, set[str] | None] = {}

    def still_has(self, part: Mapping[str, Any]) -> bool:
        """Whether a part's record stands for something that its container still holds.

        Also where that cannot be told because what was unpacked is damaged and removed.
        """
        container = self._store.get_source(part["container"])
        if container is None or not container["live"] or not container.get("unpack"):
            return False
        names = self._of(container["unpack"])
        return names is None or part["path"].removeprefix(f"{container['path']}/") in names

    def _of(self, digest: str) -> set[str] | None:
        if digest not in self._names:
            self._names[digest] = self._read(digest)
        return self._names[digest]

    def _read(self, digest: str) -> set[str] | None:
        if self._store.complete(STAGE, digest) is None:
            return None
        return {one.name for one in unpacked_parts(self._store, digest) if one.state != "skipped"}
