"""A page without a usable text layer: drawn, recognised, and given to the layout model."""

from __future__ import annotations

from typing import Any

import numpy as np

from drac.adapters.pymupdf_layout import layout_boxes, mupdf
from drac.adapters.pymupdf_render import page_pixels
from drac.adapters.rapidocr import OcrLine, recognise
from drac.records import Box
from drac.stages.convert.page import LayoutBox, Line, Word

_MAX_SIDE = 3000
"""Pixels of the drawn page's longer side, at most."""
_TEXT_HEIGHT = 0.8
"""Font size over the height of a recognised line's box (PP-OCR boxes reach past the glyphs)."""


def ocr_page(page: Any, dpi: int) -> tuple[list[Line], list[LayoutBox]]:
    """Lines and layout boxes of the page as drawn, in page points."""
    pixels = page_pixels(page, dpi=dpi, max_side=_MAX_SIDE)
    image = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    scale = (page.rect.width / pixels.width, page.rect.height / pixels.height)
    lines = [_line(one, scale, order) for order, one in enumerate(recognise(image))]
    return lines, _layout(page, lines) if lines else []


def _line(found: OcrLine, scale: tuple[float, float], order: int) -> Line:
    x0, y0, x1, y1 = found.box
    box = (x0 * scale[0], y0 * scale[1], x1 * scale[0], y1 * scale[1])
    height, width = box[3] - box[1], box[2] - box[0]
    upright = height <= 2 * width or len(found.text) < 3
    size = _TEXT_HEIGHT * (height if upright else width)
    foot = (box[1] + box[3]) / 2 + size / 2
    line_box = (box[0], foot - size, box[2], foot) if upright else box
    return Line(
        words=tuple(_words(found.text, box)),
        box=line_box,
        size=round(size, 1),
        upright=upright,
        order=order,
        run=order,
        raw=found.text,
    )


def _words(text: str, box: Box) -> list[Word]:
    """Words with the line's box shared out by length."""
    step = (box[2] - box[0]) / len(text)
    words, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        words.append(Word(word, (box[0] + place * step, box[1], box[0] + (place + len(word)) * step, box[3])))
        place += len(word)
    return words


def _layout(page: Any, lines: list[Line]) -> list[LayoutBox]:
    """Layout boxes of the page's image with the recognised text laid over it unseen.

    The model needs lines of text as its nodes; a copy of the page gets them, the document stays.
    """
    pymupdf = mupdf()
    with pymupdf.open() as scratch:
        rect = page.rect
        sheet = scratch.new_page(width=rect.width, height=rect.height)
        sheet.insert_image(sheet.rect, pixmap=page_pixels(page, dpi=100, max_side=1600))
        for line in lines:
            _overlay(pymupdf, sheet, line)
        return layout_boxes(scratch.reload_page(sheet))


def _overlay(pymupdf: Any, sheet: Any, line: Line) -> None:
    """Write a line at its place, stretched to its width, in render mode 3."""
    if not line.upright:
        return
    font = pymupdf.Font("cjk" if any(ord(c) > 0x2E80 for c in line.raw) else "helv")
    length = font.text_length(line.raw, fontsize=line.size)
    start = pymupdf.Point(line.box[0], line.baseline)
    writer = pymupdf.TextWriter(sheet.rect)
    writer.append(start, line.raw, font=font, fontsize=line.size)
    stretch = (line.box[2] - line.box[0]) / length if length else 1.0
    writer.write_text(sheet, render_mode=3, morph=(start, pymupdf.Matrix(stretch, 1.0)))
