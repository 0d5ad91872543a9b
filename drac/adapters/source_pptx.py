"""Presentations' visible text, by python-pptx."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drac.config import NormalizeSettings
from drac.records import Passage

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


def read(source: Path, suffix: str, settings: NormalizeSettings) -> Iterator[Passage]:
    """Text of slides in their order, tables and groups included; speaker notes after each where asked for."""
    import pptx

    with source.open("rb") as file:
        presentation = pptx.Presentation(file)
    for number, slide in enumerate(presentation.slides, 1):
        if slide._element.get("show") in ("0", "false") and not settings.hidden:
            continue
        for shape in slide.shapes:
            if not _is_beside(shape, presentation):
                for text in _texts([shape._element]):
                    yield Passage(text, f"slide {number}")
        if settings.notes and slide.has_notes_slide:
            frame = slide.notes_slide.notes_text_frame
            yield Passage(frame.text if frame is not None else "", f"notes of slide {number}")


def _is_beside(shape: Any, presentation: Any) -> bool:
    """Whether it lies wholly outside the slide, where no reader sees it."""
    if None in (shape.left, shape.top, shape.width, shape.height):
        return False
    return not (
        -shape.width < shape.left < presentation.slide_width
        and -shape.height < shape.top < presentation.slide_height
    )


def _texts(element: Any) -> Iterator[str]:
    """Of each paragraph."""
    for child in element:
        if child.tag == f"{_A}p":
            yield "".join(_paragraph(child))
        elif child.tag not in (f"{_MC}Fallback", f"{_P}nvSpPr") and not _is_hidden(child):
            yield from _texts(child)


def _is_hidden(shape: Any) -> bool:
    names = shape.find("*/" + f"{_P}cNvPr")
    return names is not None and names.get("hidden") in ("1", "true")


def _paragraph(paragraph: Any) -> Iterator[str]:
    for child in paragraph:
        if child.tag == f"{_A}br":
            yield " "
        elif child.tag == f"{_A}r" or (child.tag == f"{_A}fld" and child.get("type") != "slidenum"):
            yield child.findtext(f"{_A}t") or ""
