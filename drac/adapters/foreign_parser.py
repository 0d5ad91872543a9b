"""Parsers that live in an environment of their own: docling and Marker.

Their packages ask for versions of typer and Pillow that ours rule out, and they bring their own models. So
they are run as a process of the Python that the option `python` names, whose result comes back as JSON.
Nothing of them is imported here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from drac.adapters import docling_document, marker_document
from drac.adapters.page_records import failed_page, one_line
from drac.adapters.parsed_pages import ParsedPage, page_texts, ranges
from drac.adapters.pymupdf_render import inked
from drac.errors import DocumentError, MissingExtra, UsageError
from drac.records import Page, PageText

_WORKER = Path(__file__).resolve().parent / "foreign" / "worker.py"
_STARTING = 120.0
"""Seconds in which an environment tells its versions."""


class ForeignOptions(BaseModel):
    """What both parsers can be told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    python: str = ""
    """Path of the Python in whose environment the parser is installed; empty: ours."""
    settings: dict[str, Any] = {}
    """The parser's own settings, under its own names; `$NAME` in a text is the environment's."""

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    def told(self) -> dict[str, Any]:
        """What the parser is told, and so what can change its result."""
        return self.model_dump(exclude={"python"})


class DoclingOptions(ForeignOptions):
    """What the parser `docling` can be told; `settings` are fields of its pipeline's options."""

    pipeline: Literal["standard", "vlm"] = "standard"
    """`vlm`: a vision model reads whole pages."""
    vlm: str = ""
    """The vision model, by its name in docling's `vlm_model_specs`; empty: docling's default."""
    ocr: dict[str, Any] = {}
    """`kind` of OCR (`auto`, `rapidocr`, `tesseract`) and fields of its options, such as `lang`."""
    picture_description: dict[str, Any] = {}
    """Has pictures described: fields of docling's options, with `url` by a server, else by a model."""
    picture_text: bool = False
    """Whether words found in pictures are kept."""

    __hash__ = ForeignOptions.__hash__


class MarkerOptions(ForeignOptions):
    """What the parser `marker` can be told: `settings` are its configuration, as `force_ocr`, `use_llm`."""

    __hash__ = ForeignOptions.__hash__


class ForeignReader(ABC):
    """`ports.PageReader` over a parser in another environment; asks for the missing pages alone."""

    name: ClassVar[str]
    package: ClassVar[str]

    def __init__(self, options: ForeignOptions) -> None:
        self._options = options

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of the parser's packages; raises MissingExtra where it is not installed there."""
        return self._versions

    @abstractmethod
    def pages(self, document: Mapping[str, Any]) -> dict[int, ParsedPage]:
        """What one of the parser's documents has on each page."""

    @cached_property
    def _versions(self) -> dict[str, str]:
        found: dict[str, str] = self._ask({"versions": True}, _STARTING)
        if not found:
            raise MissingExtra(f"the parser {self.name!r}", self.name, remedy=self._install())
        return found

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """See PageReader."""
        try:
            shown = inked(pdf, [page.number for page in pages])
            found: dict[int, ParsedPage] = {}
            for document in self._parsed(pdf, [page for page in pages if page.number in shown]):
                found = self.pages(document) | found
            return page_texts(pages, found, self.name, shown)
        except Exception as error:
            return [failed_page(page, self.name, one_line(error, str(pdf.parent))) for page in pages]

    def _parsed(self, pdf: Path, pages: Sequence[Page]) -> list[Any]:
        if not pages:
            return []
        asked = {"pdf": str(pdf.resolve()), "ranges": ranges(pages), "options": self._options.told()}
        found: list[Any] = self._ask(asked, None)
        return found

    def _ask(self, request: Mapping[str, Any], timeout: float | None) -> Any:
        """What the parser answers; raises DocumentError with what it said last."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "answer.json"
            code, said = self._run(json.dumps({**request, "out": str(out)}), timeout)
            if code == 0 and out.is_file():
                return json.loads(out.read_text(encoding="utf-8"))
        raise DocumentError(
            f"{self.name} ended with {code}: {said}", remedy="Run it by itself on the document."
        )

    def _run(self, request: str, timeout: float | None) -> tuple[int, str]:
        """Exit code, and the last line of what was written to standard error."""
        command = [self._options.python or sys.executable, "-I", str(_WORKER), self.name]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        try:
            with subprocess.Popen(command, text=True, **pipes) as process, _ended_after(process, timeout):  # type: ignore[call-overload]
                process.stdin.write(request + "\n")
                process.stdin.flush()
                said = process.stderr.read().strip().splitlines()
                return process.wait(), said[-1] if said else "it said nothing"
        except OSError as error:
            raise UsageError(
                f"parser {self.name!r}: {command[0]} does not start: {error.strerror}", remedy=self._install()
            ) from error

    def _install(self) -> str:
        made = f"python -m venv ENV; ENV/bin/pip install {self.package}"
        return f"Its packages clash with ours, so: {made}; and set the option python to ENV/bin/python."


class DoclingReader(ForeignReader):
    """docling, by its DoclingDocument."""

    name = "docling"
    package = "docling"

    def pages(self, document: Mapping[str, Any]) -> dict[int, ParsedPage]:
        """See ForeignReader."""
        wanted = isinstance(self._options, DoclingOptions) and self._options.picture_text
        return docling_document.document_pages(document, picture_text=wanted)


class MarkerReader(ForeignReader):
    """Marker, by its JSON output."""

    name = "marker"
    package = "marker-pdf"

    def pages(self, document: Mapping[str, Any]) -> dict[int, ParsedPage]:
        """See ForeignReader."""
        return marker_document.document_pages(document)


@contextmanager
def _ended_after(process: subprocess.Popen[str], seconds: float | None) -> Iterator[None]:
    """Kill a process that takes longer; what reads pages has its time limit from the executor."""
    timer = threading.Timer(seconds or 0, process.kill)
    if seconds:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
