"""Engine `native`: web pages and Markdown as they stand, without a PDF in between."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from html import escape, unescape
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote, urlsplit

from drac.adapters.html_tree import shown_tree
from drac.errors import EmptyDocument
from drac.records import Attempt, Page, PageState, PageText
from drac.stages.convert.native.html import write_html
from drac.stages.convert.native.markdown import is_marked, write_marked
from drac.stages.convert.write import Written
from drac.stages.normalize.markup import html_text, markdown_to_html
from drac.stages.normalize.text import decode

_LINK = re.compile(r"<link\b[^>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_MAX_STYLE = 10_000_000
"""Bytes of a style sheet that are read."""
_KEPT_DOCUMENTS = 2
"""Documents whose pages a process keeps from one batch to the next."""


class NativeConverter:
    """`ports.PdfConverter` for documents that need no PDF: their text in UTF-8 stands for it."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Nothing but this code changes the text."""
        return {"converter": "native 2"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Write the text of `source` to `target`, with the style sheets beside it; raises EmptyDocument."""
        data = source.read_bytes()
        if not data:
            raise EmptyDocument(f"{source}: an empty file of 0 bytes")
        text = with_styles(html_text(data), source) if suffix == ".html" else decode(data)
        target.write_text(text, encoding="utf-8", errors="replace", newline="")


def with_styles(text: str, source: Path) -> str:
    """A web page with the style sheets of its own folder at its end: they say what it hides."""
    links = (_attributes(tag) for tag in _LINK.findall(text))
    sheets = [link for link in links if "stylesheet" in link.get("rel", "").lower().split()]
    return text + "".join(_style(link, source) for link in sheets)


def _attributes(tag: str) -> dict[str, str]:
    return {name.lower(): unescape(value.strip("\"'")) for name, value in _ATTRIBUTE.findall(tag)}


def _style(link: Mapping[str, str], source: Path) -> str:
    """A linked style sheet as an element; empty for one that is not in the page's folder."""
    path = _beside(link.get("href", ""), source.parent.resolve())
    if path is None:
        return ""
    css = decode(path.read_bytes()).replace("</", "<\\/")
    return f'\n<style media="{escape(link.get("media", ""))}">{css}</style>'


def _beside(reference: str, folder: Path) -> Path | None:
    """A style sheet of the folder, or None."""
    try:
        parts = urlsplit(reference)
        path = (folder / unquote(parts.path)).resolve()
        inside = not (parts.scheme or parts.netloc) and path.is_relative_to(folder) and path.is_file()
        return path if inside and path.stat().st_size <= _MAX_STYLE else None
    except (ValueError, OSError):
        return None


class NativeReader:
    """`ports.PageReader` for what NativeConverter wrote; the file's suffix says what it is."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], list[Written]] = OrderedDict()

    @property
    def name(self) -> str:
        """The engine's name."""
        return "native"

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of the parsers."""
        parsers = ("tinyhtml5", "tinycss2", "cssselect2", "markdown-it-py", "mdit-py-plugins")
        return {name: version(name) for name in parsers}

    def read(self, pdf: Path, pages: Sequence[Page]) -> Sequence[PageText]:
        """See PageReader; `pdf` is the file that stands for it."""
        try:
            written = self._written(pdf, pages)
        except Exception as error:
            return [_failed(page, f"{type(error).__name__}: {error}".splitlines()[0]) for page in pages]
        return [_read(page, written) for page in pages]

    def _written(self, document: Path, pages: Sequence[Page]) -> list[Written]:
        key = (pages[0].pdf_digest if pages else "", document.suffix)
        if key not in self._known:
            self._known[key] = written_pages(document)
        while len(self._known) > _KEPT_DOCUMENTS:
            self._known.popitem(last=False)
        return self._known[key]


def written_pages(document: Path) -> list[Written]:
    """All pages of a document in UTF-8, `.md` or `.html` by its suffix."""
    with document.open(encoding="utf-8", newline="") as file:
        text = file.read()
    if document.suffix != ".md":
        return write_html(shown_tree(text))
    return (
        write_marked(text, shown_tree) if is_marked(text) else write_html(shown_tree(markdown_to_html(text)))
    )


def _read(page: Page, written: Sequence[Written]) -> PageText:
    if not 1 <= page.number <= len(written):
        return _failed(page, f"there is no page {page.number}; the document has {len(written)}")
    found = written[page.number - 1]
    return PageText(
        page=page,
        state=PageState.OK if found.markdown else PageState.BLANK,
        markdown=found.markdown,
        engine="native",
        method="native",
        regions=tuple(found.regions),
        tables=tuple(found.tables),
        attempts=(Attempt("native", "ok"),),
    )


def _failed(page: Page, reason: str) -> PageText:
    return PageText(page, PageState.FAILED, "", "native", "native", attempts=(Attempt("native", reason),))
