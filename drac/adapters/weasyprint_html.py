"""Web pages and Markdown to PDF, by WeasyPrint: no scripts, no network, no file outside their own folder.

WeasyPrint is imported inside the functions: that takes a second, and runs in worker processes only.
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from drac.adapters.fonts import fonts_digest
from drac.adapters.pymupdf_pdf import runs_over
from drac.errors import ConverterUnavailable, CorruptDocument, DocumentError, EmptyDocument
from drac.records import Health
from drac.stages.normalize.markup import html_text, markdown_to_html
from drac.stages.normalize.text import decode

_WIDER = ("29.7cm 21cm", "42cm 29.7cm", "84cm 59.4cm")
"""Sheets tried, one after the other, for a page whose text runs over the right edge."""

_PANGO = ("libpango-1.0.so.0", "libpango-1.0.dylib", "libpango-1.0-0.dll")
_SUBSET = ("libharfbuzz-subset.so.0", "libharfbuzz-subset.0.dylib", "libharfbuzz-subset-0.dll")
_HINT = "`sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0` (Debian, Ubuntu)"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A web page to be printed."""

    source: Path
    """The document that it is of, for messages."""
    html: str
    """The page."""
    address: str
    """What its links are relative to."""
    fetcher: Any
    """A `weasyprint.urls.URLFetcher`: what it may load."""


class HtmlConverter:
    """`ports.PdfConverter` for web pages and Markdown."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """WeasyPrint, Pango, who cuts the fonts, and the fonts; raises ConverterUnavailable."""
        cutter = "fonttools " + version("fonttools") if _library(_SUBSET) is None else "harfbuzz"
        return {
            "weasyprint": version("weasyprint"),
            "pango": _pango_version(),
            "subset": cutter,
            "fonts": fonts_digest(),
            "converter": "3",
        }

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Print `source` to `target`; the same bytes for the same page, files beside it, and tools.

        Raises EmptyDocument (no bytes), CorruptDocument (WeasyPrint fails on it) or ConverterUnavailable.
        """
        data = source.read_bytes()
        if not data:
            raise EmptyDocument(f"{source}: an empty file of 0 bytes")
        from drac.adapters.weasyprint_fetcher import BASE, BesideOnly

        sheet = Sheet(source, _page(source, data, suffix), BASE, BesideOnly(source.parent))
        target.write_bytes(printed(sheet))


def health() -> Health:
    """WeasyPrint and its libraries, for `drac doctor`."""
    name = "Web pages (WeasyPrint)"
    try:
        pango = _pango_version()
    except ConverterUnavailable as error:
        return Health(name, "missing", error.message, error.remedy)
    if _library(_SUBSET) is None:
        detail = "HarfBuzz-Subset is missing: web pages take about ten times as long"
        return Health(name, "warning", detail, f"Install it: {_HINT}")
    return Health(name, "ok", f"{version('weasyprint')}, Pango {pango}")


def _page(source: Path, data: bytes, suffix: str) -> str:
    if suffix == ".md":
        return markdown_to_html(decode(data))
    if suffix == ".svg":
        _check_drawing(source, data)
        return f'<!doctype html><img src="{quote(source.name)}" style="max-width: 100%">'
    return html_text(data)


def _check_drawing(source: Path, data: bytes) -> None:
    """WeasyPrint leaves out a drawing that it cannot parse, and says nothing."""
    try:
        ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise CorruptDocument(f"{source}: not a drawing that can be parsed ({error})") from error


def printed(page: Sheet) -> bytes:
    """The page's PDF, as its reader sees it on the screen; raises as HtmlConverter.convert.

    A page that loses words by its own style is printed without that style, if more of them are there then.
    """
    from drac.adapters.weasyprint_screen import words_lost

    styled = _on_sheet(page, styled=True)
    lost = words_lost(page.html, styled)
    if not lost:
        return styled
    plain = _on_sheet(page, styled=False)
    return plain if words_lost(page.html, plain) < lost else styled


def _on_sheet(page: Sheet, *, styled: bool) -> bytes:
    """The PDF on the first sheet that is wide enough, else on the widest."""
    pdf = b""
    for size in (None, *_WIDER):
        pdf = _print(page, size, styled)
        if not runs_over(pdf):
            break
    return pdf


def _print(page: Sheet, size: str | None, styled: bool) -> bytes:
    """The PDF; a page nested more deeply than can be drawn is drawn flat, its text in order."""
    try:
        return _drawn(page, size, styled, flat=False)
    except RecursionError:
        pass
    try:
        return _drawn(page, size, styled, flat=True)
    except RecursionError as error:
        raise CorruptDocument(f"{page.source}: its elements are nested too deeply to be printed") from error


def _drawn(page: Sheet, size: str | None, styled: bool, *, flat: bool) -> bytes:
    weasyprint = _weasyprint()
    from drac.adapters import weasyprint_screen as screen

    style = screen.STYLE + (f"@page {{ size: {size} !important }}" if size else "")
    try:
        with _fixed_time():
            html = weasyprint.HTML(
                string=page.html, base_url=page.address, url_fetcher=page.fetcher, media_type="screen"
            )
            if not styled:
                screen.strip_style(html.etree_element)
            if flat:
                screen.flatten_page(html.etree_element)
            screen.prepare(html.etree_element)
            sheets = [weasyprint.CSS(string=style)]
            return bytes(html.write_pdf(stylesheets=sheets, presentational_hints=True))
    except (DocumentError, RecursionError):
        raise
    except Exception as error:  # it has no error class of its own; CSS and images meet anything
        raise CorruptDocument(
            f"{page.source}: not printable as a web page ({type(error).__name__}: {error})"
        ) from error


@contextmanager
def _fixed_time() -> Iterator[None]:
    """FontTools stamps the fonts that it cuts with this time."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before


def _weasyprint() -> Any:
    _pango_version()
    for name in ("weasyprint", "weasyprint.progress", "fontTools"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    import weasyprint

    return weasyprint


def _pango_version() -> str:
    library = _library(_PANGO)
    if library is None:
        raise ConverterUnavailable("WeasyPrint's library Pango is missing", remedy=f"Install it: {_HINT}")
    return str(library.pango_version())


def _library(names: tuple[str, ...]) -> Any:
    """The first shared library of these names that loads, without WeasyPrint, or None."""
    for name in names:
        with suppress(OSError):
            return ctypes.CDLL(name)
    return None
