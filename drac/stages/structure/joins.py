"""Paragraphs and lists that run over a page break become one block with a part on each page.

Careful on purpose: two blocks joined by mistake put a wrong page on a fact, two left apart only
make two elements. Headings, rows, code, captions and footnotes never join.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from drac.records import ElementKind, PageState, PageText
from drac.stages.structure.blocks import Block, Part

_OPEN_END = re.compile(r"\w ?[,\-–—&/]?[*_\"'”’)\]]*\Z")
"""A last line that goes on: a word, a comma or a dash, whatever closes after it."""
_LOWER_START = re.compile(r"[*_\"'“‘(\[]*(\w)")
_ITEM = re.compile(r"^([ \t]*)(?:([-*+•])|(\d{1,9})([.)]))[ \t]", re.MULTILINE)
_APART = {"caption", "footnote"}


def join_over_pages(pages: Sequence[PageText], blocks: Sequence[list[Block]]) -> list[Block]:
    """All pages' blocks in reading order; `blocks` holds one list a page.

    Nothing joins over a page that failed or is not among `pages`; blank pages are skipped.
    """
    texts = {page.page.number: page for page in pages}
    joined: list[Block] = []
    last = 0
    for page, found in zip(pages, blocks, strict=True):
        rest = found
        adjacent = page.page.number == last + 1
        if adjacent and joined and found and _continues(joined[-1], found[0], texts):
            joined[-1] = replace(joined[-1], parts=joined[-1].parts + found[0].parts)
            rest = found[1:]
        joined += rest
        if page.state is not PageState.FAILED:
            last = page.page.number
    return joined


def _continues(first: Block, second: Block, pages: dict[int, PageText]) -> bool:
    if first.kind not in (ElementKind.PARAGRAPH, ElementKind.LIST):
        return False
    before, after = first.parts[-1], second.parts[0]
    if _is_apart(pages[before.page], before) or _is_apart(pages[after.page], after):
        return False
    head, tail = _slice(pages, before), _slice(pages, after)
    if second.kind is ElementKind.PARAGRAPH:
        return _is_open(head) and _starts_lower(tail)
    return first.kind is second.kind and _goes_on(head, tail)


def _is_apart(page: PageText, part: Part) -> bool:
    return any(
        region.kind in _APART and region.start < part.end and part.start < region.end
        for region in page.regions
    )


def _slice(pages: dict[int, PageText], part: Part) -> str:
    return pages[part.page].markdown[part.start : part.end]


def _is_open(text: str) -> bool:
    return _OPEN_END.search(text) is not None


def _starts_lower(text: str) -> bool:
    first = _LOWER_START.match(text)
    return first is not None and first.group(1).islower()


def _goes_on(head: str, tail: str) -> bool:
    """Whether a list at a page's top has the markers, and numbers, of the one at the last page's end."""
    start = _ITEM.match(tail)
    if start is None:
        return False
    before = [item for item in _ITEM.finditer(head) if len(item.group(1)) == 0]
    if not before or before[-1].group(2) != start.group(2) or before[-1].group(4) != start.group(4):
        return False
    return start.group(3) is None or int(start.group(3)) == int(before[-1].group(3)) + 1
