"""Word documents' visible text, by python-docx."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drac.config import NormalizeSettings
from drac.records import Passage

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_NOT_SHOWN = frozenset(
    (f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}delText", f"{_W}rPr", f"{_W}pPr", f"{_W}tblPr",
     f"{_MC}Fallback", f"{_W}sdtPr", f"{_W}docPartObj", f"{_W}ruby")
)  # fmt: skip
_SPACES = frozenset((f"{_W}tab", f"{_W}br", f"{_W}cr", f"{_W}ptab"))
_NO_FIELD = ("PAGE", "XE", "TC", "SECTIONPAGES")
"""Fields whose value depends on the layout."""


def read(source: Path, suffix: str, settings: NormalizeSettings) -> Iterator[Passage]:
    """Body with tables and text boxes, notes, and the headers and footers that are sure to be printed."""
    import docx

    with source.open("rb") as file:
        document = docx.Document(file)
    hidden = frozenset() if settings.hidden else _hidden_styles(document)
    reader = _Reader(settings.hidden, hidden)
    yield from reader.passages(document.element.body, "paragraph")
    for part in document.part.package.iter_parts():
        name = str(part.partname)
        for kind in ("footnote", "endnote"):
            if name.endswith(f"/{kind}s.xml"):
                yield from reader.notes(_root(part), kind)
    yield from _headers(document, reader)


def _root(part: Any) -> Any:
    from docx.oxml import parse_xml

    return parse_xml(part.blob)


def _headers(document: Any, reader: _Reader) -> Iterator[Passage]:
    """Those of the first section's first page."""
    section = document.sections[0]
    even = document.settings.odd_and_even_pages_header_footer
    first = section.different_first_page_header_footer
    if even and not first:
        return
    for name in ("header", "footer"):
        part = getattr(section, f"first_page_{name}" if first else name)
        if not part.is_linked_to_previous:
            yield from reader.passages(part._element, name)


def _hidden_styles(document: Any) -> frozenset[str]:
    found = set()
    for style in document.styles.element.iter(f"{_W}style"):
        vanish = style.find(f"{_W}rPr/{_W}vanish")
        if vanish is not None and _on(vanish):
            found.add(style.get(f"{_W}styleId"))
    return frozenset(found)


def _on(flag: Any) -> bool:
    return flag.get(f"{_W}val", "true") not in ("0", "false", "off")


def _is_covered(element: Any) -> bool:
    """Whether it is a cell that the one above it covers."""
    merge = element.find(f"{_W}tcPr/{_W}vMerge") if element.tag == f"{_W}tc" else None
    return merge is not None and merge.get(f"{_W}val", "continue") == "continue"


class _Reader:
    def __init__(self, hidden_too: bool, hidden_styles: frozenset[str]) -> None:
        self._hidden_too, self._hidden_styles = hidden_too, hidden_styles
        self._fields: list[list[str]] = []
        """Of each open field: its instruction, and `result` once that has begun."""

    def passages(self, root: Any, name: str) -> Iterator[Passage]:
        for number, paragraph in enumerate(root.iter(f"{_W}p"), 1):
            if not any(one.tag in _NOT_SHOWN or _is_covered(one) for one in paragraph.iterancestors()):
                text = "".join(self._texts(paragraph))
                if text.strip():
                    yield Passage(text, f"{name} {number}")

    def notes(self, root: Any, kind: str) -> Iterator[Passage]:
        for note in root:
            if note.get(f"{_W}type") in (None, "normal"):
                number = note.get(f"{_W}id")
                for passage in self.passages(note, kind):
                    yield Passage(passage.text, f"{kind} {number}")

    def _texts(self, element: Any) -> Iterator[str]:
        """Of one paragraph; those of text boxes in it come by themselves."""
        for child in element:
            tag = child.tag
            if tag in _NOT_SHOWN or tag == f"{_W}p" or not isinstance(tag, str):
                self._note_instruction(child)
            elif tag == f"{_W}r":
                yield from self._run(child)
            elif tag == f"{_M}t":
                yield child.text or ""
            elif tag == f"{_W}fldSimple" and self._depends(child.get(f"{_W}instr", "")):
                yield " "
            else:
                yield from self._texts(child)

    def _run(self, run: Any) -> Iterator[str]:
        shown = self._is_shown(run)
        for child in run:
            if child.tag == f"{_W}fldChar":
                self._field(child.get(f"{_W}fldCharType"))
            elif child.tag == f"{_W}instrText":
                self._note_instruction(child)
            elif shown and not self._silent():
                yield from self._content(child)

    def _content(self, child: Any) -> Iterator[str]:
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _SPACES:
            yield " "
        elif child.tag == f"{_W}noBreakHyphen":
            yield "-"

    def _is_shown(self, run: Any) -> bool:
        properties = run.find(f"{_W}rPr")
        if properties is None or self._hidden_too:
            return True
        vanish, style = properties.find(f"{_W}vanish"), properties.find(f"{_W}rStyle")
        if vanish is not None:
            return not _on(vanish)
        return style is None or style.get(f"{_W}val") not in self._hidden_styles

    # Fields: what stands between `separate` and `end` is shown.

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append([""])
        elif self._fields and kind == "separate":
            self._fields[-1].append("result")
        elif self._fields and kind == "end":
            self._fields.pop()

    def _note_instruction(self, element: Any) -> None:
        if element.tag == f"{_W}instrText" and self._fields and len(self._fields[-1]) == 1:
            self._fields[-1][0] += element.text or ""

    def _silent(self) -> bool:
        return any(len(one) == 1 or self._depends(one[0]) for one in self._fields)

    @staticmethod
    def _depends(instruction: str) -> bool:
        return next(iter(instruction.split(maxsplit=1)), "").upper() in _NO_FIELD
