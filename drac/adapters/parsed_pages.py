"""Pages of parsers that hand over a structure, not text: their blocks as HTML, written by our own writer.

So a table of any parser becomes a sentence for each row, as `native` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from drac.adapters.html_parser import flatten, parse
from drac.adapters.page_records import failed_page, read_page
from drac.records import Page, PageText
from drac.stages.convert.native.html import write_html

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(slots=True)
class ParsedPage:
    """What a parser found on one page."""

    blocks: list[str] = field(default_factory=list)
    """HTML of each block, in reading order."""
    furniture: list[str] = field(default_factory=list)
    """Running headers, footers and page numbers, which are left out."""


def page_text(page: Page, found: ParsedPage, engine: str, *, ink: bool) -> PageText:
    """The page as retrieval-aware Markdown; blank where nothing was found and it has no ink."""
    root = parse(_COMMENT.sub("", "\n".join(found.blocks)))
    flatten(root)
    written = write_html(root)[0]
    note = "nothing was found on it" if ink and not written.markdown else ""
    text = read_page(page, written.markdown, engine, method="document", ink=ink, note=note)
    return replace(
        text, regions=tuple(written.regions), tables=tuple(written.tables), furniture=tuple(found.furniture)
    )


def page_texts(
    pages: Iterable[Page], found: Mapping[int, ParsedPage], engine: str, inked: Mapping[int, bool]
) -> list[PageText]:
    """One a page; `inked` says of pages that exist whether they show anything."""
    return [
        page_text(page, found.get(page.number, ParsedPage()), engine, ink=inked[page.number])
        if page.number in inked
        else failed_page(page, engine, f"there is no page {page.number}")
        for page in pages
    ]


def ranges(pages: Sequence[Page]) -> list[tuple[int, int]]:
    """Runs of pages, (first, last), ascending."""
    numbers = sorted({page.number for page in pages})
    runs = groupby(enumerate(numbers), key=lambda one: one[1] - one[0])
    return [(some[0], some[-1]) for some in ([number for _, number in run] for _, run in runs)]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list that is written flat, with the depth at which it stands."""

    depth: int
    """1 for a list that is in no other."""
    text: str
    """HTML of what it says."""
    number: int | None = None
    """Of an ordered list."""


def list_html(items: Sequence[ListItem]) -> str:
    """Lists within each other of items with depths."""
    html, open_ones = "", list[str]()
    for item in items:
        tag = "ul" if item.number is None else "ol"
        while len(open_ones) > item.depth or (len(open_ones) == item.depth and open_ones[-1] != tag):
            html += f"</{open_ones.pop()}>"
        while len(open_ones) < item.depth:
            html += f"<{tag}>"
            open_ones.append(tag)
        value = "" if item.number is None else f' value="{item.number}"'
        html += f"<li{value}>{item.text}</li>"
    return html + "".join(f"</{tag}>" for tag in reversed(open_ones))
