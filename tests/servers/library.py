"""Fill a PageBook from PDFs: the images that D-RAC's renderer makes, and a text to say for each page."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from drac.config import ConvertSettings, RenderSettings
from drac.pipeline.planning import document_pages, live_sources
from drac.ports import PageReader
from drac.records import Page
from drac.store.keys import file_digest
from drac.store.store import Store
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


@dataclass(frozen=True, slots=True)
class _Document:
    name: str
    pdf: Path
    texts: Mapping[int, str] | None = None
    """What to say by 1-based page; None: the reader says it."""


def book_of(
    pdfs: Mapping[str, Path], read: Reader = local_markdown, *, dpi: int = DPI, max_side: int = MAX_SIDE,
    workers: int = 1, told: Callable[[str], None] | None = None,
) -> PageBook:  # fmt: skip
    """Every page of these PDFs, by document name; the same settings as the run that will send them.

    `told` hears the name of each document that is finished.
    """
    documents = [_Document(name, pdf) for name, pdf in pdfs.items()]
    return _book(documents, partial(_sheets, read=read, dpi=dpi, max_side=max_side), workers, told)


def book_of_workspace(
    workspace: Path, *, dpi: int = DPI, max_side: int = MAX_SIDE, workers: int = 1,
    told: Callable[[str], None] | None = None,
) -> PageBook:  # fmt: skip
    """Every page that `drac convert` has finished there, with the text that it has."""
    make = partial(_sheets, read=text_layer, dpi=dpi, max_side=max_side)
    return _book(list(_converted(Store(workspace))), make, workers, told)


def _converted(store: Store) -> Iterator[_Document]:
    for record in live_sources(store):
        if record["state"] == "ok":
            pdf = store.artifacts / "normalize" / record["normalize"] / "document.pdf"
            texts = {one.page.number: one.markdown.strip("\n") for one in document_pages(store, record)}
            yield _Document(f"{record['collection']}/{record['path']}", pdf, texts)


def _book(
    documents: list[_Document], make: Callable[[_Document], list[Sheet]], workers: int,
    told: Callable[[str], None] | None,
) -> PageBook:  # fmt: skip
    book = PageBook()
    for document, sheets in zip(documents, _each(make, documents, workers), strict=True):
        book.extend(sheets)
        if told is not None:
            told(document.name)
    return book


def _each(
    make: Callable[[_Document], list[Sheet]], documents: list[_Document], workers: int
) -> Iterable[list[Sheet]]:
    if workers <= 1 or len(documents) <= 1:
        yield from map(make, documents)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(make, documents)


def _sheets(document: _Document, *, read: Reader, dpi: int, max_side: int) -> list[Sheet]:
    from drac.adapters.pymupdf_pdf import inspect
    from drac.adapters.pymupdf_render import PyMuPdfRenderer

    book, renderer, pdf = PageBook(), PyMuPdfRenderer(), document.pdf
    for number in document.texts or range(1, inspect(pdf).pages + 1):
        image = renderer.render(pdf, number, dpi=dpi, max_side=max_side)
        text = document.texts[number] if document.texts is not None else read(pdf, number)
        book.add(document.name, number, image, text)
    return book.sheets


def pdfs_under(folder: Path) -> dict[str, Path]:
    """All PDFs below a folder by their relative path."""
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.pdf"))}
