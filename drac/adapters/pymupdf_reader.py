"""The `local` engine: text layer and layout model, OCR where there is no usable text layer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac.adapters import pymupdf_layout, rapidocr
from drac.adapters.pymupdf_facts import document_facts
from drac.adapters.pymupdf_layout import hushed, layout_boxes, mupdf, quiet_stdout
from drac.adapters.pymupdf_ocr import ocr_page
from drac.adapters.pymupdf_render import has_ink
from drac.adapters.pymupdf_text import PageContent, page_content, shown_page
from drac.config import ConvertSettings
from drac.records import Attempt, Page, PageState, PageText
from drac.stages.convert.page import DocumentFacts, PageView
from drac.stages.convert.write import write_page

__all__ = ["LocalReader", "quiet_stdout"]

_KEPT_DOCUMENTS = 4
"""Documents whose facts a process remembers."""
_KEPT_PAGES = 16
"""Pages of a short document whose text is kept from gathering the facts to reading them."""
_GARBAGE = 0.3
"""Share of characters without a Unicode value above which a text layer is not used."""
_SCAN = 0.5
"""Share of the page under images from which few letters count as a scan's stamp, not its text."""
_FEW = 60
"""Characters that count as few."""
_NOTE = 200
"""Characters of hidden text quoted in a note."""


@dataclass(slots=True)
class _Known:
    """What a process remembers of a document."""

    facts: DocumentFacts
    """Gathered once."""
    contents: dict[int, PageContent]
    """Text of pages not read yet, by 0-based index; filled for short documents only."""


class LocalReader:
    """Implements ports.PageReader without network or account.

    One object serves one process; it keeps the facts of the last few documents, not their pages.
    """

    def __init__(self, settings: ConvertSettings) -> None:
        self._settings = settings
        self._known: OrderedDict[str, _Known] = OrderedDict()

    @property
    def name(self) -> str:
        """The engine's name."""
        return "local"

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of PyMuPDF, MuPDF, onnxruntime and RapidOCR, digests of layout and OCR weights."""
        return {**pymupdf_layout.fingerprint(), **rapidocr.fingerprint()}

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """One PageText a page, in order; a page that cannot be read comes back `failed`, with the reason."""
        try:
            with hushed(), mupdf().open(pdf) as document:
                return [self._page(document, page) for page in pages]
        except Exception as error:
            return [_failed(page, error, pdf) for page in pages]
        finally:
            _shrink()

    def _page(self, document: Any, page: Page) -> PageText:
        try:
            if not 1 <= page.number <= document.page_count:
                raise ValueError(f"there is no page {page.number}; the document has {document.page_count}")
            return self._read(document, page)
        except Exception as error:
            return _failed(page, error)

    def _read(self, document: Any, page: Page) -> PageText:
        known = self._remember(document, page)
        sheet = shown_page(document, page.number - 1)
        content = known.contents.pop(page.number - 1, None) or page_content(sheet)
        notes = _hidden_notes(content)
        if not content.lines and not has_ink(sheet):
            return _text(page, PageState.BLANK, "text-layer", notes)
        if self._wants_ocr(content):
            return _by_ocr(sheet, page, known.facts, self._settings.ocr_dpi, notes)
        view = PageView(
            content.width,
            content.height,
            content.lines,
            tuple(layout_boxes(sheet)),
            content.rules,
            page.number,
        )
        return _written(page, view, known.facts, "text-layer", notes)

    def _wants_ocr(self, content: PageContent) -> bool:
        if self._settings.ocr != "auto":
            return self._settings.ocr == "always"
        characters = sum(len(line.raw) for line in content.lines)
        scanned = content.pictures >= _SCAN and characters < _FEW
        return not content.lines or content.garbage > _GARBAGE or scanned

    def _remember(self, document: Any, page: Page) -> _Known:
        known = self._known.get(page.pdf_digest)
        if known is None:
            contents: dict[int, PageContent] = {}
            keep = contents if document.page_count <= _KEPT_PAGES else None
            known = _Known(document_facts(document, keep), contents)
            self._known[page.pdf_digest] = known
        self._known.move_to_end(page.pdf_digest)
        while len(self._known) > _KEPT_DOCUMENTS:
            self._known.popitem(last=False)
        return known


def _by_ocr(sheet: Any, page: Page, facts: DocumentFacts, dpi: int, notes: tuple[str, ...]) -> PageText:
    lines, boxes = ocr_page(sheet, dpi)
    if not lines:
        notes = (*notes, "OCR found no text")
    view = PageView(sheet.rect.width, sheet.rect.height, tuple(lines), tuple(boxes), number=page.number)
    return _written(page, view, facts, "ocr", notes)


def _written(
    page: Page,
    view: PageView,
    facts: DocumentFacts,
    method: str,
    notes: tuple[str, ...],
) -> PageText:
    written = write_page(view, facts)
    return PageText(
        page=page,
        state=PageState.OK,
        markdown=written.markdown,
        engine="local",
        method=method,
        regions=tuple(written.regions),
        tables=tuple(written.tables),
        furniture=tuple(written.furniture),
        notes=notes,
        attempts=(Attempt("local", "ok"),),
    )


def _text(page: Page, state: PageState, method: str, notes: tuple[str, ...]) -> PageText:
    return PageText(page, state, "", "local", method, notes=notes, attempts=(Attempt("local", "ok"),))


def _failed(page: Page, error: Exception, pdf: Path | None = None) -> PageText:
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    if pdf is not None:
        reason = reason.replace(str(pdf), pdf.name)
    return PageText(page, PageState.FAILED, "", "local", attempts=(Attempt("local", reason),))


def _hidden_notes(content: PageContent) -> tuple[str, ...]:
    if not content.hidden:
        return ()
    text = " ".join(" ".join(content.hidden).split())
    quoted = text if len(text) <= _NOTE else f"{text[:_NOTE]}…"
    return (f"text that cannot be seen was left out ({len(text)} characters): {quoted}",)


def _shrink() -> None:
    """Empty MuPDF's store of decoded fonts and images, which would grow to 256 MB in each process."""
    mupdf().TOOLS.store_shrink(100)
