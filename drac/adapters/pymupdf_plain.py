"""The text layer of a PDF as PyMuPDF gives it, without layout: what the simplest pipelines chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from drac.adapters.page_records import failed_page, no_such_page, one_line, read_page
from drac.adapters.pymupdf_layout import hushed, mupdf
from drac.adapters.pymupdf_pdf import opened
from drac.adapters.pymupdf_render import has_ink
from drac.records import Page, PageText


def plain_pages(pdf: Path, password: str | None = None) -> list[str]:
    """Text of each physical page, from page 1; raises a DocumentError where the PDF cannot be read."""
    with opened(pdf, password) as (document, _):
        return [str(page.get_text()) for page in document]


class PlainOptions(BaseModel):
    """What the parser `pymupdf-text` can be told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sort: bool = False
    """Whether text is put in order from top to bottom, in place of the order in the file."""


class PlainTextReader:
    """`ports.PageReader` that gives the text layer as it is; a scan has none, and a note says so."""

    name = "pymupdf-text"

    def __init__(self, options: PlainOptions) -> None:
        self._options = options

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """PyMuPDF's version."""
        return {"pymupdf": version("pymupdf")}

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """See PageReader."""
        try:
            with hushed(), mupdf().open(pdf) as document:
                return [self._page(document, page) for page in pages]
        except Exception as error:
            return [failed_page(page, self.name, one_line(error, str(pdf.parent))) for page in pages]

    def _page(self, document: Any, page: Page) -> PageText:
        if not 1 <= page.number <= document.page_count:
            return no_such_page(page, self.name, document.page_count)
        try:
            sheet = document[page.number - 1]
            text = str(sheet.get_text(sort=self._options.sort))
            ink = bool(text.strip()) or has_ink(sheet)
        except Exception as error:
            return failed_page(page, self.name, one_line(error))
        note = "" if text.strip() or not ink else "no text layer"
        return read_page(page, text, self.name, ink=ink, note=note)
