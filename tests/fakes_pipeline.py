"""Fakes on the pipeline's ports: tasks run in this process, pages come from a text file's form feeds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drac.errors import CorruptDocument, EmptyDocument, EncryptedDocument
from drac.pipeline.tasks import Normalized, NormalizeTask, ReadPages, ReadTask, Tools, Unpacked, UnpackTask
from drac.records import Attempt, PageState, PageText, Source, UnpackedPart
from drac.stages.normalize import DocumentType


@dataclass
class InlineExecutor:
    """Implements ports.Executor by calling at once."""

    workers: int = 2
    submitted: list[Any] = field(default_factory=list)

    def submit(self, work: Callable[[Any], Any], task: Any, *, timeout: float) -> Future[Any]:
        self.submitted.append(task)
        future: Future[Any] = Future()
        try:
            future.set_result(work(task))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        pass


def detect(path: Path, password: str | None) -> DocumentType:
    """`.office` goes through the office converter, `.box` and `.mail` hold parts, all others are PDFs."""
    if path.stat().st_size == 0:
        raise EmptyDocument(f"{path}: 0 bytes")
    if path.suffix == ".office":
        return DocumentType("docx", "office", ".office")
    if path.suffix == ".box":
        return DocumentType("zip", "archive", ".box")
    if path.suffix == ".mail":
        return DocumentType("eml", "mail", ".mail")
    return DocumentType("pdf", "pdf", ".pdf")


@dataclass
class FakeUnpack:
    """Unpacks JSON {name: text}; texts say what becomes of a part."""

    unpacked: list[str] = field(default_factory=list)
    """Names of the containers unpacked, in order."""

    def __call__(self, task: UnpackTask) -> Unpacked:
        self.unpacked.append(task.source.name)
        text = task.source.read_text()
        if text.startswith("BROKEN"):
            raise CorruptDocument(f"{task.source}: damaged")
        parts = [self._part(task, name, one) for name, one in json.loads(text).items()]
        return Unpacked(tuple(parts), 0.0)

    def _part(self, task: UnpackTask, name: str, text: str) -> UnpackedPart:
        if text == "SKIPPED":
            return UnpackedPart(name, "skipped", reason="not read")
        if text == "ARCHIVE":
            return UnpackedPart(name, "unpacked", "", "0" * 64)
        if text == "FAILED" or (text == "SEALED" and "secret" not in task.passwords):
            return UnpackedPart(
                name, "failed", reason="cannot be had", remedy="Mend it.", locked=text == "SEALED"
            )
        path = task.folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return UnpackedPart(name, "document", f"files/{name}", digest)


def normalize(task: NormalizeTask) -> Normalized:
    data = task.source.read_bytes()
    if data.startswith(b"LOCKED") and "secret" not in task.passwords:
        raise EncryptedDocument(f"{task.source}: needs a password")
    if data.startswith(b"BROKEN"):
        raise CorruptDocument(f"{task.source}: damaged")
    task.target.write_bytes(data)
    return Normalized(data.count(b"\f") + 1, hashlib.sha256(data).hexdigest(), 0.0)


class FakeOffice:
    """Implements ports.PdfConverter: upper-cases, so that a test sees that it ran."""

    fingerprint: Mapping[str, str] = {"office": "fake"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        target.write_bytes(source.read_bytes().upper())


@dataclass
class FakeRead:
    """Reads form-feed pages; fails, kills or stops where told."""

    fails: dict[str, int] = field(default_factory=dict)
    """Page text to how many times it fails yet."""
    raises: dict[str, BaseException] = field(default_factory=dict)
    """Page text to what the whole batch raises."""
    read: list[str] = field(default_factory=list)
    """Texts of the pages read, in order."""

    def __call__(self, task: ReadTask) -> ReadPages:
        pages = task.pdf.read_text().split("\f")
        texts = []
        for page in task.pages:
            body = pages[page.number - 1].strip()
            self.read.append(body)
            if body in self.raises:
                raise self.raises[body]
            if self.fails.get(body, 0):
                self.fails[body] -= 1
                attempt = Attempt("local", "made to fail")
                texts.append(PageText(page, PageState.FAILED, "", "local", attempts=(attempt,)))
            else:
                state = PageState.OK if body else PageState.BLANK
                texts.append(PageText(page, state, body, "local"))
        return ReadPages(tuple(texts), 0.0)


@dataclass
class FakeReading:
    """Implements pipeline.tasks.Reading."""

    executor: InlineExecutor
    read: FakeRead
    fingerprint: Mapping[str, str]
    batch_pages: int = 8
    most_in_flight: int = 4

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        return self.executor.submit(self.read, task, timeout=1.0)


def tools(
    read: FakeRead | None = None,
    fingerprint: Mapping[str, str] | None = None,
    unpack: FakeUnpack | None = None,
) -> Tools:
    """Tools that all run in this process."""
    executor = InlineExecutor()
    return Tools(
        executor=executor,
        detect=detect,
        companions=lambda path, kind: (),
        normalize=normalize,
        office=FakeOffice,
        offices=2,
        unpack=unpack or FakeUnpack(),
        converter_fingerprint=lambda name: {"converter": name},
        reading=FakeReading(executor, read or FakeRead(), dict(fingerprint or {"reader": "fake"})),
        native=FakeReading(executor, read or FakeRead(), {"reader": "fake native"}),
    )


class SilentProgress:
    """Implements pipeline.tasks.Progress; keeps what it was told."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.page_states: list[PageState] = []

    def total(self, documents: int) -> None:
        self.documents = documents

    def pages(self, source: Source, states: list[PageState], reused: bool) -> None:
        self.page_states += states

    def document(self, source: Source, error: str | None) -> None:
        if error:
            self.errors.append(error)

    def note(self, message: str) -> None:
        pass
