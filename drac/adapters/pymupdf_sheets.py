"""Pages of one open document laid upright: in memory, the file stays as it is."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from drac.adapters.pymupdf_glyphs import Mender
from drac.adapters.pymupdf_text import PageContent, page_content, shown_page
from drac.stages.convert.frame import Frame


class Sheets:
    """The pages of an open `pymupdf.Document` by 0-based index, each as it was last laid."""

    def __init__(self, document: Any) -> None:
        self.document = document
        if _has_turned_forms(document):
            with suppress(RuntimeError):  # of a damaged page, which is reported when its turn comes
                document.bake(annots=False)
        self.mender = Mender()
        self._turned: dict[int, int] = {}

    def content(self, index: int) -> PageContent:
        """The text layer of the page, which is laid upright where most of its lines are not."""
        content = page_content(self.laid(index, 0), self.mender)
        if not content.turned:
            return content
        return replace(page_content(self.laid(index, content.turned), self.mender), turned=content.turned)

    def laid(self, index: int, turned: int) -> Any:
        """The page turned clockwise by so many degrees from how it is shown."""
        page = shown_page(self.document, index)
        missing = (turned - self._turned.get(index, 0)) % 360
        if missing:
            page.set_rotation(missing)
            page.remove_rotation()
            self._turned[index] = turned
        return page

    def frame(self, index: int) -> Frame:
        """How the page lies at present."""
        turned = self._turned.get(index, 0)
        rect = shown_page(self.document, index).rect
        size = (rect.height, rect.width) if turned in (90, 270) else (rect.width, rect.height)
        return Frame(*size, turned)


def _has_turned_forms(document: Any) -> bool:
    """Whether form fields would not turn with their page; they are made content before a page is loaded."""
    return bool(document.is_form_pdf) and any(_is_turned(document, at) for at in range(document.page_count))


def _is_turned(document: Any, index: int) -> bool:
    try:
        return bool(document[index].rotation)
    except Exception:  # a page that cannot be read is reported when its turn comes
        return False
