"""E-books to PDF: each chapter printed by WeasyPrint with the book's own styles and pictures, then joined.

Chapter by chapter, because a print of a whole book takes more than its chapters' time and memory together.
"""

from __future__ import annotations

import logging
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from drac.adapters.weasyprint_html import HtmlConverter, Sheet, printed
from drac.errors import CorruptDocument, EmptyDocument, LimitExceeded
from drac.stages.normalize.epub import Book, Chapter, read_book
from drac.stages.normalize.markup import html_text, xhtml_to_html

log = logging.getLogger(__name__)
_HEADING = re.compile(r"<h([1-6])[\s>]", re.IGNORECASE)
MAX_CHAPTER = 50_000_000
"""Bytes of one chapter's markup; a larger one would take hours."""


class EpubConverter:
    """`ports.PdfConverter` for EPUB 2 and 3."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What prints the chapters, and PyMuPDF, which joins them; raises ConverterUnavailable."""
        return {**HtmlConverter().fingerprint, "pymupdf": version("pymupdf"), "epub": "1"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Print the chapters of `source` in the spine's order to `target`; same bytes for the same book.

        A chapter that the package lacks is logged and left out. Raises EmptyDocument (no chapter is there),
        CorruptDocument, LimitExceeded or ConverterUnavailable.
        """
        try:
            with zipfile.ZipFile(source) as package:
                book = read_book(source, package)
                _check(source, book)
                target.write_bytes(_joined(_chapters(source, package, book)))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise CorruptDocument(f"{source}: a damaged or truncated zip package ({error})") from error


def _check(source: Path, book: Book) -> None:
    if book.missing:
        named = ", ".join(book.missing[:10])
        log.warning("%s: chapters that are listed but not in the package: %s", source, named)
    if not book.chapters:
        raise EmptyDocument(f"{source}: an e-book without a chapter")


def _chapters(source: Path, package: zipfile.ZipFile, book: Book) -> Iterator[tuple[bytes, list[int]]]:
    """One PDF a chapter, and the levels of the headings in it."""
    from drac.adapters.weasyprint_fetcher import BASE, InPackage

    fetcher = InPackage(package)
    for chapter in book.chapters:
        page = _page(source, package, chapter)
        levels = [int(found[1]) for found in _HEADING.finditer(page)]
        yield printed(Sheet(source, page, BASE + quote(chapter.name), fetcher)), levels


def _page(source: Path, package: zipfile.ZipFile, chapter: Chapter) -> str:
    if chapter.is_picture:
        return f'<!doctype html><img src="{quote(Path(chapter.name).name)}" style="max-width: 100%">'
    size = package.getinfo(chapter.name).file_size
    if size > MAX_CHAPTER:
        raise LimitExceeded(f"{source}: {chapter.name} has {size:,} bytes; the limit is {MAX_CHAPTER:,}")
    return xhtml_to_html(html_text(package.read(chapter.name)))


def _joined(chapters: Iterable[tuple[bytes, list[int]]]) -> bytes:
    """One PDF with the bookmarks of all; what chapters share, such as fonts, is kept once."""
    import pymupdf

    outline: list[tuple[int, str, int]] = []
    with pymupdf.open() as book:
        for data, levels in chapters:
            with pymupdf.open(stream=data, filetype="pdf") as chapter:
                toc = [(level, title, book.page_count + page) for level, title, page in chapter.get_toc()]
                outline += _with_levels(toc, levels)
                book.insert_pdf(chapter)
        depths = _depths([level for level, _, _ in outline])
        book.set_toc([[depth, *one[1:]] for depth, one in zip(depths, outline, strict=True)])
        return bytes(book.tobytes(garbage=3, deflate=True, no_new_id=True))


def _with_levels(toc: list[tuple[int, str, int]], levels: list[int]) -> list[tuple[int, str, int]]:
    """Bookmarks with their headings' own levels: in its own PDF a chapter's first is at level 1."""
    if len(toc) != len(levels):
        return toc
    return [(level, title, page) for level, (_, title, page) in zip(levels, toc, strict=True)]


def _depths(levels: list[int]) -> list[int]:
    """Depths in the tree of bookmarks, where no level may be skipped on the way down."""
    above: list[int] = []
    depths = []
    for level in levels:
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        depths.append(len(above))
    return depths
