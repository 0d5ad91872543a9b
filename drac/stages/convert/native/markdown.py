"""Markdown with page markers to its pages.

Such a file is retrieval-aware Markdown already, ours or a model's: its text stays as it is, to the byte. Only
what the contract does not know, tables and blocks of HTML, is read as what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from markdown_it import MarkdownIt

from drac.stages.convert.native.html import write_html
from drac.stages.convert.native.pages import Pages
from drac.stages.convert.write import Written

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*[Pp]age[ \t]+(\d{1,6})[ \t]*-->[ \t]*$\n?", re.MULTILINE)
_LINE = re.compile(r"\r\n?|\n")
_TAG = re.compile(
    r"<!--|</?(?:table|div|details|section|article|p|ul|ol|dl|h[1-6]|pre|figure|center|script|style|template)\b",
    re.IGNORECASE,
)
_TABLE_END = re.compile(r"</table\s*>[^\n]*(?:\n|\Z)", re.IGNORECASE)
_PARSER = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join", "reference", "lheading"])
_TABLES = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
Parse = Callable[[str], Element]
"""HTML text to its tree."""


def is_marked(text: str) -> bool:
    """Whether the text has a page marker on a line of its own."""
    return next(_markers(text), None) is not None


def _markers(text: str) -> Iterator[re.Match[str]]:
    """The page markers; one in a block of code that is closed is code."""
    found = list(_MARKER.finditer(text))
    code = list(_code(text)) if found else []
    for marker in found:
        if not any(start < marker.start() < end for start, end in code):
            yield marker


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Where closed fences stand: one that is not closed would swallow all that follows."""
    lines = [0, *(match.end() for match in _LINE.finditer(text)), len(text)]
    for token in _PARSER.parse(text):
        if token.type == "fence" and token.map is not None:
            start, end = (lines[line] for line in token.map)
            last = text[lines[token.map[1] - 1] : end].strip("> \t\r\n")
            if token.map[1] - token.map[0] > 1 and last and not last.strip(token.markup[0]):
                yield start, end


def write_marked(text: str, parse: Parse) -> list[Written]:
    """Pages in order; a marker's page is the number that it gives."""
    pages, at = Pages(), 0
    for marker in _markers(text):
        _add(pages.page, text[at : marker.start()], parse)
        pages.turn(int(marker[1]))
        at = marker.end()
    _add(pages.page, text[at:], parse)
    return pages.finish()


def _add(page: Written, text: str, parse: Parse) -> None:
    """Append a stretch of one page to it."""
    at = 0
    for start, end, is_html in _structured(text):
        if start < at:
            continue
        _keep(page, text[at:start])
        shown = text[start:end] if is_html else _TABLES.render(text[start:end])
        for one in write_html(parse(shown)):
            if one.markdown:
                page.join(one)
        at = end
    _keep(page, text[at:])


def _structured(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where tables and blocks of HTML stand, and whether it is HTML."""
    lines = [0, *(match.end() for match in _LINE.finditer(text)), len(text)]
    for token in _PARSER.parse(text):
        if token.level or token.map is None:
            continue
        start, end = (lines[line] for line in token.map)
        if token.type == "table_open":
            yield start, end, False
        elif token.type == "html_block" and _TAG.match(token.content.lstrip()):
            yield start, _whole(text, start, end), True


def _whole(text: str, start: int, end: int) -> int:
    """End of a block of HTML; a table goes on over blank lines."""
    if "<table" not in text[start:end].lower() or _TABLE_END.search(text, start, end):
        return end
    closing = _TABLE_END.search(text, end)
    return closing.end() if closing else end


def _keep(page: Written, text: str) -> None:
    """Text that is retrieval-aware Markdown already."""
    words = text.strip("\n")
    if words.strip():
        page.markdown += f"\n\n{words}" if page.markdown else words
