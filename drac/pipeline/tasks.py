"""What the pipeline hands to workers, and the tools that it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from drac.config import ConvertSettings, NormalizeSettings
from drac.ports import Executor, PdfConverter
from drac.records import Fonts, Page, PageState, PageText, Parity, Source, UnpackedPart
from drac.stages.normalize import DocumentType


@dataclass(frozen=True, slots=True)
class NormalizeTask:
    """Make a PDF of one document, in a worker process."""

    source: Path
    """The document."""
    target: Path
    """Where the PDF goes."""
    converter: str
    """`pdf`, `image`, `html`, `epub`, `mail`, `native`, or `finish` for a PDF that LibreOffice wrote to
    `source`."""
    suffix: str
    """The document's true type, with its dot."""
    settings: NormalizeSettings = field(default_factory=NormalizeSettings)
    """Limits, and what is shown of the document."""
    passwords: tuple[str, ...] = ()
    """Candidates, tried in order; empty: none given."""
    original: Path | None = None
    """The document itself where `source` is not."""


@dataclass(frozen=True, slots=True)
class Normalized:
    """What became of a NormalizeTask."""

    pages: int
    """Physical pages, at least 1."""
    pdf_digest: str
    """sha256 of the PDF's bytes."""
    seconds: float
    """Time that the work took."""
    fonts: Fonts = field(default_factory=Fonts)
    """What the document asked for, and what the PDF has."""
    parity: Parity = field(default_factory=Parity)
    """How much of the document's text is in the PDF's."""
    numbers: tuple[int | str, ...] = ()
    """Number of each page in the original, where that is not the PDF's (a text: such as `iv`); else empty."""
    remarks: tuple[str, ...] = ()
    """What a reader of the PDF should know, such as empty rows that are left out: a line each."""
    left_out: tuple[str, ...] = ()
    """Parts of the document that are not in the PDF because they are past a limit, a line each."""
    withheld: str = ""
    """A line on what policy leaves out: hidden, deleted, comments, notes; empty where nothing is."""


@dataclass(frozen=True, slots=True)
class UnpackTask:
    """Write the parts of one mail or archive as files, in a worker process."""

    source: Path
    """The mail or archive."""
    folder: Path
    """Where its parts go."""
    kind: DocumentType
    """What it is."""
    settings: NormalizeSettings
    """Limits, and whether archives within are unpacked."""
    passwords: tuple[str, ...] = ()
    """Candidates for encrypted archives."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What became of an UnpackTask."""

    parts: tuple[UnpackedPart, ...]
    """In their order in the container, those within others after them."""
    seconds: float
    """Time that the work took."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Read some pages of one PDF, in a worker process."""

    pdf: Path
    """The normalized PDF."""
    pages: tuple[Page, ...]
    """Pages to read, ascending."""
    settings: ConvertSettings
    """How to read."""
    tries: int = 0
    """Times that these pages were tried before, where they are read anew: a request that is the same as one
    of these counts as another attempt, so that its old reply does not answer it."""


@dataclass(frozen=True, slots=True)
class ReadPages:
    """What became of a ReadTask."""

    texts: tuple[PageText, ...]
    """One a page, in the order asked for."""
    seconds: float
    """Time that the work took."""


class Reading(Protocol):
    """Reads batches of pages beside each other, in workers or by asking a model."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Everything outside the settings that can change the text."""

    @property
    def batch_pages(self) -> int:
        """Pages of one document in a batch."""

    @property
    def most_in_flight(self) -> int:
        """Batches worth submitting at once."""

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        """Start a batch; the future raises as Executor.submit's, or what stops the whole run."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything outside that a conversion needs; wiring makes it."""

    executor: Executor
    """Worker processes."""
    detect: Callable[[Path, str | None], DocumentType]
    """The true type of a file; raises a DocumentError, EncryptedDocument where no password is given."""
    companions: Callable[[Path, DocumentType], tuple[Path, ...]]
    """Files beside a document that its PDF can depend on, such as a web page's images."""
    normalize: Callable[[NormalizeTask], Normalized]
    """Importable by name; runs in a worker."""
    unpack: Callable[[UnpackTask], Unpacked]
    """Importable by name; runs in a worker."""
    office: Callable[[], PdfConverter]
    """LibreOffice, made when first asked for; may be called and used by several threads."""
    offices: int
    """Documents that LibreOffice converts at once."""
    converter_fingerprint: Callable[[str], Mapping[str, str]]
    """Tool versions of a converter by its name, or of what unpacks by `unpack`."""
    reading: Reading
    """Who reads the pages."""
    native: Reading
    """Who reads documents whose type's converter is `native`."""


class Progress(Protocol):
    """Who is told how far a run is; called from the parent only."""

    def total(self, documents: int) -> None:
        """How many documents the run has."""

    def pages(self, source: Source, states: list[PageState], reused: bool) -> None:
        """Pages of a document that are finished."""

    def document(self, source: Source, error: str | None) -> None:
        """A document is finished, or failed with `error`."""

    def note(self, message: str) -> None:
        """Something that the user should see."""
