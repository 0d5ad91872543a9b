"""Pages to retrieval-aware Markdown: one PageText a page, whatever the engine.

A reader sees a page and hands over a `PageView`: lines, layout boxes, ruling lines. Here the lines
become blocks in reading order (`blocks`, `order`), headings get levels that hold for the whole
document (`headings`), lists their nesting (`lists`), tables a grid (`grid`) and a sentence a row
(`rows`), and all of it Markdown that cannot turn into another construct by accident (`text`,
`write`). Nothing here knows a PDF library.

A multimodal model is asked for several pages at once (`model_request`), its reply is checked page by page
(`reply`), and a page that fails goes down the `ladder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drac.ports import PageReader
from drac.records import Attempt, Page, PageState, PageText
from drac.stages.convert.ladder import read_batch
from drac.stages.convert.model_reading import Look, ReadingModel

__all__ = ["NAME", "VERSION", "Look", "ReadingModel", "read_batch", "run"]

NAME = "convert"
VERSION = 13
"""Raised when the same pages under the same settings and tools give another text."""


def run(pdf: Path, pages: Sequence[Page], reader: PageReader) -> list[PageText]:
    """Read `pages` of one PDF: N pages in, N records out, in order.

    A page for which the reader brings nothing, or the wrong page, comes back `failed`.
    """
    read = list(reader.read(pdf, pages))
    if len(read) == len(pages) and all(text.page == page for text, page in zip(read, pages, strict=True)):
        return read
    by_page = {text.page: text for text in read}
    return [by_page.get(page) or _missing(page, reader.name) for page in pages]


def _missing(page: Page, engine: str) -> PageText:
    return PageText(
        page, PageState.FAILED, "", engine, attempts=(Attempt(engine, "the reader returned nothing for it"),)
    )
