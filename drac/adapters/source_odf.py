"""OpenDocument files' visible text, by odfdo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drac.config import NormalizeSettings
from drac.records import Passage

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_SHOW = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"

_NOT_SHOWN = frozenset(
    (
        f"{_TEXT}tracked-changes",
        f"{_OFFICE}annotation",
        f"{_OFFICE}forms",
        f"{_TEXT}page-number",
        f"{_SVG}title",
        f"{_SVG}desc",
        f"{_TEXT}hidden-text",
        f"{_TEXT}variable-decls",
        f"{_TEXT}sequence-decls",
        f"{_TABLE}covered-table-cell",
        f"{_TEXT}alphabetical-index-mark",
        f"{_TEXT}toc-mark",
        f"{_TEXT}user-index-mark",
        f"{_TABLE}tracked-changes",
        f"{_TEXT}note-citation",
        f"{_TEXT}table-of-content-source",
        f"{_TEXT}script",
        f"{_OFFICE}scripts",
        f"{_TABLE}content-validations",
        f"{_TABLE}help-message",
        f"{_TABLE}error-message",
    )
)
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_SPACES = (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break")


def read(source: Path, suffix: str, settings: NormalizeSettings) -> Iterator[Passage]:
    """A passage for each paragraph; a presentation's notes after each slide where they are asked for."""
    import odfdo
    from lxml import etree

    content = etree.fromstring(odfdo.Document(source).get_part("content.xml").serialize())
    reader = _Reader(_hiding_styles(content), settings)
    for child in content.find(f"{_OFFICE}body")[0]:
        yield from reader.passages(child)


def _hiding_styles(content: Any) -> frozenset[str]:
    """Names of styles that hide text, a slide or a sheet."""
    found = set()
    for style in content.iter(f"{_STYLE}style"):
        for one in style:
            hides = (
                one.get(f"{_TEXT}display") == "none"
                or one.get(f"{_SHOW}visibility") == "hidden"
                or one.get(f"{_TABLE}display") == "false"
            )
            if hides:
                found.add(style.get(f"{_STYLE}name"))
    return frozenset(found)


class _Reader:
    def __init__(self, hiding: frozenset[str], settings: NormalizeSettings) -> None:
        self._hiding = frozenset() if settings.hidden else hiding
        self._settings = settings
        self._place, self._paragraphs, self._slides = "", 0, 0

    def passages(self, element: Any) -> Iterator[Passage]:
        """Of the element and what is in it."""
        self._count(element)
        if self._skips(element):
            return
        if element.tag in _PARAGRAPHS:
            self._paragraphs += 1
            yield Passage("".join(self._texts(element)), self._place or f"paragraph {self._paragraphs}")
        for child in element:
            yield from self.passages(child)

    def _count(self, element: Any) -> None:
        if element.tag == f"{_DRAW}page":
            self._slides += 1
            self._place = f"slide {self._slides}"
        elif element.tag == f"{_TABLE}table" and element.getparent().tag == f"{_OFFICE}spreadsheet":
            self._place = f"sheet {element.get(f'{_TABLE}name')}"

    def _skips(self, element: Any) -> bool:
        if element.tag in _NOT_SHOWN or not isinstance(element.tag, str):
            return True
        if element.tag == f"{_SHOW}notes":
            return not self._settings.notes
        if element.get(f"{_SHOW}placeholder") == "true":
            return True
        collapsed = element.get(f"{_TABLE}visibility") in ("collapse", "filter")
        return (collapsed and not self._settings.hidden) or self._hides(element)

    def _hides(self, element: Any) -> bool:
        names = (f"{_TEXT}style-name", f"{_DRAW}style-name", f"{_TABLE}style-name")
        return any(element.get(name) in self._hiding for name in names)

    def _texts(self, element: Any) -> Iterator[str]:
        """Of one paragraph; paragraphs in it, of notes and frames, come by themselves."""
        yield element.text or ""
        for child in element:
            if child.tag in _SPACES:
                yield " "
            elif child.tag not in _PARAGRAPHS and not self._skips(child):
                yield from self._texts(child)
            yield child.tail or ""
