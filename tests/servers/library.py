"""Fill a PageBook from PDFs: the images that D-RAC's renderer makes, and a text to say for each page."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

from drac.config import ConvertSettings, RenderSettings
from drac.ports import PageReader
from drac.records import Page
from drac.store.keys import file_digest
from tests.servers.pages import PageBook, Sheet

DPI, MAX_SIDE = RenderSettings().dpi, RenderSettings().max_side


Reader = Callable[[Path, int], str]
"""(PDF, 1-based page) to what the model says, empty: a blank page; importable by name where workers > 1."""


def text_layer(pdf: Path, number: int) -> str:
    """The words of the text layer, a paragraph for each block of lines, without any layout analysis."""
    from drac.adapters.pymupdf_layout import mupdf

    with mupdf().open(pdf) as document:
        blocks = document[number - 1].get_text("blocks", sort=True)
    texts = [" ".join(block[4].split()) for block in blocks if block[6] == 0]
    return "\n\n".join(text for text in texts if text)


def local_markdown(pdf: Path, number: int) -> str:
    """The local engine's Markdown: headings, lists and row sentences; no OCR, so scans are blank."""
    return _local().read(pdf, [Page(file_digest(pdf), number)])[0].markdown.strip("\n")


@cache
def _local() -> PageReader:
    from drac.adapters.pymupdf_reader import LocalReader

    return LocalReader(ConvertSettings(ocr="never"))


def book_of(
    pdfs: Mapping[str, Path], read: Reader = local_markdown, *, dpi: int = DPI, max_side: int = MAX_SIDE,
    workers: int = 1,
) -> PageBook:  # fmt: skip
    """Every page of these PDFs, by document name; the same settings as the run that will send them."""
    book = PageBook()
    task = partial(sheets_of, read=read, dpi=dpi, max_side=max_side)
    for sheets in _each(task, pdfs.items(), workers):
        book.extend(sheets)
    return book


def _each(
    task: Callable[[tuple[str, Path]], list[Sheet]], pdfs: Iterable[tuple[str, Path]], workers: int
) -> Iterable[list[Sheet]]:
    if workers <= 1:
        yield from map(task, pdfs)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(task, pdfs)


def sheets_of(named: tuple[str, Path], *, read: Reader, dpi: int, max_side: int) -> list[Sheet]:
    """All pages of one PDF."""
    from drac.adapters.pymupdf_pdf import inspect
    from drac.adapters.pymupdf_render import PyMuPdfRenderer

    name, pdf = named
    book, renderer = PageBook(), PyMuPdfRenderer()
    for number in range(1, inspect(pdf).pages + 1):
        image = renderer.render(pdf, number, dpi=dpi, max_side=max_side)
        book.add(name, number, image, read(pdf, number))
    return book.sheets


def pdfs_under(folder: Path) -> dict[str, Path]:
    """All PDFs below a folder by their relative path."""
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.pdf"))}
