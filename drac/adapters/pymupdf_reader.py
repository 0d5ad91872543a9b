"""The `local` engine: text layer and layout model, OCR where there is no usable text layer."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from drac.adapters import pymupdf_layout, rapidocr, tesseract
from drac.adapters.print_style import PrintStyles
from drac.adapters.pymupdf_facts import document_facts
from drac.adapters.pymupdf_glyphs import Mender
from drac.adapters.pymupdf_layout import hushed, layout_boxes, mupdf, quiet_stdout
from drac.adapters.pymupdf_ocr import OcrPage, is_scan, ocr_page, styles_of
from drac.adapters.pymupdf_render import has_ink
from drac.adapters.pymupdf_sheets import Sheets
from drac.adapters.pymupdf_text import PageContent
from drac.adapters.straighten import Slant
from drac.config import ConvertSettings
from drac.records import Attempt, Page, PageState, PageText
from drac.stages.convert.frame import Frame, on_the_page_as_shown
from drac.stages.convert.page import DocumentFacts, PageView
from drac.stages.convert.write import write_page

__all__ = ["LocalReader", "quiet_stdout"]

_KEPT_DOCUMENTS = 4
"""Documents whose facts a process remembers."""
_KEPT_PAGES = 16
"""Pages of a short document whose text is kept from gathering the facts to reading them."""
_LOOKED_AT = 12
"""Pages, at most, from which the print of a scanned document is known; 0.1 s each at 200 DPI."""
_MUPDF = re.compile(r"code=\d+: (.+)")
"""How MuPDF tells what is wrong with a page."""
_NOTE = 200
"""Characters of hidden text quoted in a note."""


@dataclass(slots=True)
class _Known:
    """What a process remembers of a document."""

    facts: DocumentFacts
    """Gathered once."""
    contents: dict[int, PageContent]
    """Text of pages not read yet, by 0-based index; filled for short documents only."""
    mender: Mender
    """What glyphs without a character are."""
    printed: PrintStyles | None = None
    """Styles of print seen on the pages' images; None until a page is read by OCR."""
    slants: dict[int, Slant] = field(default_factory=dict)
    """How lines lie on the pages looked at for that, by 0-based index."""


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
        own = {**pymupdf_layout.fingerprint(), **rapidocr.fingerprint()}
        return {**own, **tesseract.fingerprint(self._languages)} if self._languages else own

    @property
    def _languages(self) -> tuple[str, ...]:
        """What Tesseract is asked for; empty where RapidOCR reads."""
        return self._settings.ocr_languages if self._settings.ocr_engine == "tesseract" else ()

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """One PageText a page, in order; a page that cannot be read comes back `failed`, with the reason."""
        try:
            with hushed(), mupdf().open(pdf) as document:
                sheets = Sheets(document)
                return [self._page(sheets, page) for page in pages]
        except Exception as error:
            return [_failed(page, error, pdf) for page in pages]
        finally:
            _shrink()

    def _page(self, sheets: Sheets, page: Page) -> PageText:
        try:
            count = sheets.document.page_count
            if not 1 <= page.number <= count:
                raise ValueError(f"there is no page {page.number}; the document has {count}")
            return self._read(sheets, page)
        except Exception as error:
            return _failed(page, error)

    def _read(self, sheets: Sheets, page: Page) -> PageText:
        known = self._remember(sheets, page)
        index = page.number - 1
        content = known.contents.pop(index, None) or sheets.content(index)
        ocr = self._wants_ocr(content)
        sheet = sheets.laid(index, 0 if ocr else content.turned)
        notes = _hidden_notes(content)
        if not content.lines and not has_ink(sheet):
            return _text(page, PageState.BLANK, "text-layer", notes)
        if ocr:
            styles = self._printed(sheets, known)
            slant = known.slants.get(index)
            read = ocr_page(sheet, self._settings.ocr_dpi, self._languages, styles, slant)
            return _by_ocr(read, page, styles.facts(known.facts), notes)
        view = PageView(
            content.width,
            content.height,
            content.lines,
            tuple(layout_boxes(sheet)),
            content.rules,
            page.number,
            content.fills,
        )
        return _written(page, view, known.facts, sheets.frame(index), "text-layer", notes)

    def _wants_ocr(self, content: PageContent) -> bool:
        return is_scan(content) if self._settings.ocr == "auto" else self._settings.ocr == "always"

    def _printed(self, sheets: Sheets, known: _Known) -> PrintStyles:
        """The document's styles of print: from the same pages, whichever are read."""
        if known.printed is None:
            indexes = _spread(sheets.document.page_count)
            found = styles_of(indexes, lambda index: sheets.laid(index, 0), self._settings.ocr_dpi)
            known.printed, known.slants = found
        return known.printed

    def _remember(self, sheets: Sheets, page: Page) -> _Known:
        known = self._known.get(page.pdf_digest)
        if known is None:
            contents: dict[int, PageContent] = {}
            keep = contents if sheets.document.page_count <= _KEPT_PAGES else None
            known = _Known(document_facts(sheets, keep), contents, sheets.mender)
            self._known[page.pdf_digest] = known
        sheets.mender = known.mender
        self._known.move_to_end(page.pdf_digest)
        while len(self._known) > _KEPT_DOCUMENTS:
            self._known.popitem(last=False)
        return known


def _spread(pages: int) -> list[int]:
    """0-based indexes of at most _LOOKED_AT pages, from the first to the last."""
    if pages <= _LOOKED_AT:
        return list(range(pages))
    return [round(place * (pages - 1) / (_LOOKED_AT - 1)) for place in range(_LOOKED_AT)]


def _by_ocr(read: OcrPage, page: Page, facts: DocumentFacts, notes: tuple[str, ...]) -> PageText:
    if not read.lines:
        notes = (*notes, "OCR found no text")
    view = PageView(*read.frame.size, read.lines, read.boxes, read.rules, page.number)
    written = _written(page, view, facts, read.frame, "ocr", notes)
    return replace(written, recognition=read.recognition)


def _written(
    page: Page,
    view: PageView,
    facts: DocumentFacts,
    frame: Frame,
    method: str,
    notes: tuple[str, ...],
) -> PageText:
    written = write_page(view, facts)
    text = PageText(
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
    return on_the_page_as_shown(text, frame)


def _text(page: Page, state: PageState, method: str, notes: tuple[str, ...]) -> PageText:
    return PageText(page, state, "", "local", method, notes=notes, attempts=(Attempt("local", "ok"),))


def _failed(page: Page, error: Exception, pdf: Path | None = None) -> PageText:
    reason = _reason(error)
    if pdf is not None:
        reason = reason.replace(str(pdf), pdf.name)
    return PageText(page, PageState.FAILED, "", "local", attempts=(Attempt("local", reason),))


def _reason(error: Exception) -> str:
    """One line; MuPDF's own words without its codes."""
    if damage := _MUPDF.match(str(error)):
        return f"damaged: {damage[1]}"
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _hidden_notes(content: PageContent) -> tuple[str, ...]:
    notes = []
    if content.hidden:
        text = " ".join(" ".join(content.hidden).split())
        quoted = text if len(text) <= _NOTE else f"{text[:_NOTE]}…"
        notes.append(f"text that cannot be seen was left out ({len(text)} characters): {quoted}")
    if content.blank:
        notes.append(f"characters that the font has no glyph for are not printed: {content.blank}")
    return tuple(notes)


def _shrink() -> None:
    """Empty MuPDF's store of decoded fonts and images, which would grow to 256 MB in each process."""
    mupdf().TOOLS.store_shrink(100)
