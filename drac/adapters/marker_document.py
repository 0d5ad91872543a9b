"""Marker's JSON output to pages: a tree of blocks, pages at its top, each block with its HTML.

A block's HTML names its children by `<content-ref src='ID'>`. Blocks of Marker 1 and 2 are alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from drac.adapters.parsed_pages import ParsedPage

Block = Mapping[str, Any]
_REFERENCE = re.compile(r"""<content-ref\s+src=(['"])(.*?)\1\s*>\s*(?:</content-ref>)?""")
_TAG = re.compile(r"<[^>]*>")
_DESCRIPTION = re.compile(r"Image /page/\S+ description:\s*")
"""What Marker puts before a model's words on a picture."""
_PAGE = re.compile(r"/page/(\d+)(?:/|$)")
_FURNITURE = frozenset(("PageHeader", "PageFooter"))


def document_pages(document: Block) -> dict[int, ParsedPage]:
    """What stands on each page; Marker counts pages from 0, this from 1."""
    found: dict[int, ParsedPage] = {}
    for block in document.get("children") or ():
        number = _PAGE.match(str(block.get("id", "")))
        if block.get("block_type") != "Page" or number is None:
            continue
        page = found.setdefault(int(number[1]) + 1, ParsedPage())
        for child in block.get("children") or ():
            _take(page, child)
    return found


def _take(page: ParsedPage, block: Block) -> None:
    html = _html(block)
    if block.get("block_type") in _FURNITURE:
        if words := " ".join(unescape(_TAG.sub(" ", html)).split()):
            page.furniture.append(words)
    elif html:
        page.blocks.append(html)


def _html(block: Block) -> str:
    """A block's HTML with its children's in their places; children that it does not name follow."""
    children = {str(one.get("id", "")): one for one in block.get("children") or ()}
    named: set[str] = set()

    def insert(reference: re.Match[str]) -> str:
        named.add(reference[2])
        return _html(children[reference[2]]) if reference[2] in children else ""

    html = _REFERENCE.sub(insert, _DESCRIPTION.sub("", str(block.get("html") or "")))
    rest = "".join(_html(one) for name, one in children.items() if name not in named)
    return html + rest
