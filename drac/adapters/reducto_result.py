"""Reducto's parse result to pages: chunks of blocks, each with its type, text and page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from drac.adapters.parsed_pages import ParsedPage
from drac.stages.normalize.markup import markdown_to_html

_FURNITURE = frozenset(("Header", "Footer", "Page Number"))
_LEVELS = {"Title": 1, "Section Header": 2}
_HASHES = re.compile(r"^#+\s+")
_BLANK = re.compile(r"\n\s*\n")


def result_pages(answer: Mapping[str, Any]) -> dict[int, ParsedPage]:
    """What stands on each 1-based page of the document."""
    found: dict[int, ParsedPage] = defaultdict(ParsedPage)
    for block in _blocks(answer):
        box = block.get("bbox") or {}
        page = found[int(box.get("original_page") or box.get("page") or 1)]
        text = str(block.get("content") or "").strip()
        if block.get("type") in _FURNITURE:
            page.furniture += [text] if text else []
        elif text:
            page.blocks.append(_html(str(block.get("type")), text))
    return dict(found)


def _blocks(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for chunk in (answer.get("result") or {}).get("chunks") or ():
        yield from chunk.get("blocks") or ()


def _html(kind: str, text: str) -> str:
    if level := _LEVELS.get(kind):
        return f"<h{level}>{escape(_HASHES.sub('', text))}</h{level}>"
    if kind == "Table":
        return text if text.startswith("<") else markdown_to_html(text)
    if kind == "List Item":
        return markdown_to_html(text if re.match(r"([-*+]|\d+[.)])\s", text) else f"- {text}")
    lines = "<br>" if kind == "Key Value" else " "
    parts = (escape(part).replace("\n", lines) for part in _BLANK.split(text))
    return "".join(f"<p>{part}</p>" for part in parts)
