"""Visible text of web pages, Markdown, plain text and delimited tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drac.adapters.html_tree import shown_tree
from drac.adapters.libreoffice_text import read_table
from drac.adapters.native_reader import with_styles
from drac.config import NormalizeSettings
from drac.records import Passage
from drac.stages.normalize.markup import html_text, markdown_to_html
from drac.stages.normalize.text import decode

_NOT_SHOWN = frozenset(
    (
        "head",
        "script",
        "style",
        "template",
        "select",
        "textarea",
        "iframe",
        "object",
        "audio",
        "video",
        "canvas",
        "noembed",
        "noframes",
        "datalist",
        "rp",
        "input",
        "svg",
        "math",
    )
)
_BLOCKS = frozenset(
    (
        "p",
        "div",
        "li",
        "td",
        "th",
        "tr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "dt",
        "dd",
        "pre",
        "br",
        "section",
        "article",
        "table",
        "ul",
        "ol",
        "blockquote",
        "caption",
        "figcaption",
        "header",
        "footer",
        "nav",
        "hr",
    )
)


def read(source: Path, suffix: str, settings: NormalizeSettings) -> Iterator[Passage]:
    """A passage for each row, line or block."""
    data = source.read_bytes()
    if suffix in (".csv", ".tsv"):
        for number, row in enumerate(read_table(decode(data), suffix), 1):
            yield Passage(" ".join(row), f"row {number}")
    elif suffix == ".txt":
        for number, line in enumerate(decode(data).splitlines(), 1):
            yield Passage(line, f"line {number}")
    else:
        page = markdown_to_html(decode(data)) if suffix == ".md" else html_text(data)
        yield from _of_page(with_styles(page, source))


def _of_page(page: str) -> Iterator[Passage]:
    text = "".join(_texts(shown_tree(page)))
    blocks = (" ".join(block.split()) for block in text.split("\0"))
    for number, block in enumerate(filter(None, blocks), 1):
        yield Passage(block, f"block {number}")


def _texts(element: Any) -> Iterator[str]:
    """Text of the page, with NUL between blocks."""
    tag = element.tag if isinstance(element.tag, str) else ""
    edge = "\0" if tag in _BLOCKS else ""
    if tag and tag not in _NOT_SHOWN:
        yield edge + (element.text or "")
        for child in element:
            yield from _texts(child)
    yield edge + (element.tail or "")
