"""What the policy of normalize leaves out of OpenDocument files, counted."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

HIDDEN_SHEET, HIDDEN_ROW, HIDDEN_COLUMN = "hidden sheet", "hidden row", "hidden column"
HIDDEN_SLIDE, HIDDEN_SHAPE, HIDDEN_TEXT = "hidden slide", "hidden shape", "hidden text"
NOTES, COMMENT, DELETED = "speaker notes", "comment", "deleted text"
"""Kinds of what is left out."""

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_SHOW = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_MOST = 200_000_000
"""Bytes read of the content."""


def count(document: Path) -> Counter[str]:
    """How much of each kind there is."""
    root = _content(document)
    hiding = _hiding_styles(root)
    found: Counter[str] = Counter()
    for element in root.find(f"{_OFFICE}body").iter():
        if isinstance(element.tag, str):
            kind = _kind(element, hiding)
            if kind and not _is_within_hidden(element, hiding):
                found[kind] += 1
    return found


def _content(document: Path) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    if not zipfile.is_zipfile(document):
        return etree.fromstring(document.read_bytes()[:_MOST], parser)
    with zipfile.ZipFile(document) as package, package.open("content.xml") as part:
        return etree.fromstring(part.read(_MOST), parser)


def _hiding_styles(root: Any) -> frozenset[str]:
    marks = ((f"{_TEXT}display", "none"), (f"{_SHOW}visibility", "hidden"), (f"{_TABLE}display", "false"))
    return frozenset(
        style.get(f"{_STYLE}name", "")
        for style in root.iter(f"{_STYLE}style")
        if any(one.get(name) == value for one in style for name, value in marks)
    )


def _kind(element: Any, hiding: frozenset[str]) -> str:
    """What of it is left out; empty: nothing."""
    tag = element.tag
    if tag == f"{_OFFICE}annotation":
        return COMMENT
    if tag in (f"{_TEXT}deletion", f"{_TABLE}deletion"):
        return DELETED
    if tag == f"{_SHOW}notes":
        return NOTES if _says(element) else ""
    if tag == f"{_TABLE}table-row":
        return HIDDEN_ROW if _is_collapsed(element) and _says(element) else ""
    return _kind_by_style(element, hiding)


def _kind_by_style(element: Any, hiding: frozenset[str]) -> str:
    if element.tag == f"{_DRAW}page":
        return HIDDEN_SLIDE if element.get(f"{_DRAW}style-name") in hiding else ""
    if element.tag == f"{_TABLE}table":
        return HIDDEN_SHEET if element.get(f"{_TABLE}style-name") in hiding else ""
    styled = element.get(f"{_TEXT}style-name") in hiding and _says(element)
    return HIDDEN_TEXT if styled or element.tag == f"{_TEXT}hidden-text" else ""


def _is_collapsed(row: Any) -> bool:
    return row.get(f"{_TABLE}visibility") in ("collapse", "filter")


def _says(element: Any) -> bool:
    """Whether there is text in it that is no field's."""
    return any(map(_own_text, element.iter(f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}span")))


def _own_text(element: Any) -> bool:
    tails = (child.tail for child in element)
    return any((text or "").strip() for text in (element.text, *tails))


def _is_within_hidden(element: Any, hiding: frozenset[str]) -> bool:
    """Whether it lies in a slide, sheet or row that is counted as a whole."""
    return any(
        _is_collapsed(one) or _kind_by_style(one, hiding) in (HIDDEN_SLIDE, HIDDEN_SHEET)
        for one in element.iterancestors(f"{_DRAW}page", f"{_TABLE}table", f"{_TABLE}table-row")
    )
