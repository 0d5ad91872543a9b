"""What a run knows of each document on its way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from drac.errors import DracError
from drac.pipeline.report import DocumentResult
from drac.records import Attempt, Page, PageState, PageText, Source
from drac.stages.normalize import DocumentType


@dataclass(frozen=True, slots=True)
class Options:
    """What this run asks for, beyond the settings."""

    pages: frozenset[int] | None = None
    """1-based pages to read of each document; None: all."""
    passwords: tuple[str, ...] = ()
    """Candidates for encrypted documents."""
    retry: str | None = None
    """`failed` or `fallback`: only pages and documents in that state."""
    keep_records: bool = True
    """Whether the workspace's records of the documents are to say what this run did with them; the pages
    themselves are kept in any case."""


class Ledger(Protocol):
    """Who is told what became of documents and pages; the workspace's catalog, or an experiment."""

    def put_source(self, record: Mapping[str, Any]) -> None:
        """A document's record as the store keeps it."""

    def put_pages(self, doc_id: str, found: list[tuple[str, PageText]]) -> None:
        """Finished or failed pages of a document, by digest."""

    def drop_pages(self, doc_id: str) -> None:
        """Forget a document's pages."""

    def drop_audits(self, page_digests: Sequence[str]) -> None:
        """Forget the audits of pages that were read anew."""

    def add_time(self, stage: str, units: int, seconds: float) -> None:
        """Time that a stage took now, and for how many documents or pages."""


@dataclass(slots=True)
class Document:
    """One document on its way through a run."""

    source: Source
    """Its identity."""
    path: Path
    """Where its bytes are."""
    result: DocumentResult
    """What the report will say."""
    within: str = ""
    """Path of the mail or archive that it is a part of; empty for a file of its own."""
    sha256: str = ""
    """Of its bytes, hexadecimal; empty until they are read."""
    kind: DocumentType | None = None
    """What it is; None until it is looked at."""
    folder: Path | None = None
    """Where what is made of it is written, before it becomes an artifact."""
    normalize_digest: str = ""
    """Artifact of its PDF; empty where that is not known, or there is none."""
    meta: dict[str, Any] = field(default_factory=dict)
    """meta.json of that artifact."""
    digests: dict[int, str] = field(default_factory=dict)
    """Page digests by 1-based number."""
    waiting: set[int] = field(default_factory=set)
    """Pages still to read."""
    again: set[object] = field(default_factory=set)
    """Tasks tried a second time because their worker died."""
    unpack_digest: str | None = None
    """Artifact of what is in it; None for a document that is no mail or archive."""
    parts: list[Document] = field(default_factory=list)
    """Documents unpacked from it in this run."""

    @property
    def is_native(self) -> bool:
        """Whether it is read as it stands, without a PDF."""
        return self.kind is not None and self.kind.converter == "native"

    @property
    def output(self) -> str:
        """sha256 of the file that stands for it: its PDF, or its text where it is read as it stands."""
        assert self.kind
        return str(self.meta["outputs"][self.kind.artifact])

    def with_parts(self) -> Iterator[Document]:
        """This document, then those unpacked from it."""
        yield self
        yield from self.parts


def last_failure(text: PageText) -> str:
    """Why the engine asked for did not read the page."""
    failures = [one.outcome for one in text.attempts if one.outcome != "ok"]
    return failures[-1] if failures else "not read by the engine asked for"


def failed_page(page: Page, engine: str, error: BaseException) -> PageText:
    """A page that nothing could be read of, and why."""
    message = error.message if isinstance(error, DracError) else f"{type(error).__name__}: {error}"
    return PageText(page, PageState.FAILED, "", engine, attempts=(Attempt(engine, message),))
