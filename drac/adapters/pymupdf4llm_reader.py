"""Markdown of PDF pages by PyMuPDF4LLM, as it gives it: tables in Markdown's own syntax, pictures named."""

from __future__ import annotations

import importlib
import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from drac.adapters.page_records import failed_page, no_such_page, one_line, read_page
from drac.adapters.pymupdf_layout import hushed, mupdf
from drac.adapters.pymupdf_render import has_ink
from drac.records import Page, PageText

_TOOLS = ("pymupdf4llm", "pymupdf", "pymupdf-layout", "rapidocr", "onnxruntime")
"""What reads; PyMuPDF4LLM calls RapidOCR where a page has no usable text layer."""


class Pymupdf4llmOptions(BaseModel):
    """What the parser `pymupdf4llm` can be told; each goes to `to_markdown` under its own name.

    Defaults are the library's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    header: bool = True
    """Whether running headers are kept."""
    footer: bool = True
    """Whether running footers are kept."""
    ignore_code: bool = False
    """Whether text in fonts of one width is text like any other."""
    use_ocr: bool = True
    """Whether pages without a usable text layer are recognised."""
    force_ocr: bool = False
    """Whether every page is recognised."""
    ocr_dpi: int = Field(150, ge=72, le=600)
    """Dots per inch of the image that OCR reads."""
    ocr_language: str = "eng"
    """Language of the print, as Tesseract calls it."""
    force_text: bool = True
    """Whether text over pictures is kept."""


class Pymupdf4llmReader:
    """`ports.PageReader` over `pymupdf4llm.to_markdown` with page chunks; one object serves one process."""

    name = "pymupdf4llm"

    def __init__(self, options: Pymupdf4llmOptions) -> None:
        self._options = options

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of what reads."""
        found = ((name, _version(name)) for name in _TOOLS)
        return {name: one for name, one in found if one}

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """See PageReader. The library always reads the whole document, because it takes the levels of
        headings from all that it reads: a page's text would else depend on which others were asked for."""
        try:
            with _quiet():
                library = _library()
                with mupdf().open(pdf) as document:
                    written = self._written(library, document)
                    return [self._page(document, page, written) for page in pages]
        except Exception as error:
            return [failed_page(page, self.name, one_line(error, str(pdf.parent))) for page in pages]

    def _written(self, library: Any, document: Any) -> list[str | Exception]:
        """Each page's text; where the library breaks off, page by page, with errors for those that fail."""
        try:
            chunks = self._chunks(library, document, None)
        except Exception:
            return [self._alone(library, document, index) for index in range(document.page_count)]
        return [str(one["text"]) for one in chunks]

    def _alone(self, library: Any, document: Any, index: int) -> str | Exception:
        try:
            return "\n\n".join(str(one["text"]) for one in self._chunks(library, document, [index]))
        except Exception as error:
            return error

    def _chunks(self, library: Any, document: Any, pages: list[int] | None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = library.to_markdown(
            document, pages=pages, page_chunks=True, **self._options.model_dump()
        )
        return found

    def _page(self, document: Any, page: Page, written: Sequence[str | Exception]) -> PageText:
        if not 1 <= page.number <= len(written):
            return no_such_page(page, self.name, len(written))
        text = written[page.number - 1]
        if isinstance(text, Exception):
            return failed_page(page, self.name, one_line(text))
        ink = bool(text.strip()) or has_ink(document[page.number - 1])
        return read_page(page, text, self.name, ink=ink)


@cache
def _library() -> Any:
    """The library, loaded before our own set-up of PyMuPDF, which would keep its layout model out."""
    library = importlib.import_module("pymupdf4llm")
    importlib.import_module("pymupdf").set_messages(
        pylogging=True, pylogging_name=__name__, pylogging_level=logging.DEBUG
    )
    return library


@contextmanager
def _quiet() -> Iterator[None]:
    """The library tells on standard output which OCR it found."""
    with hushed(), redirect_stdout(io.StringIO()):
        yield


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
