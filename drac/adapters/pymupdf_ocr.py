"""A page without a usable text layer: drawn, recognised, and given to the layout model."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from drac.adapters import rapidocr, tesseract
from drac.adapters.ocr_line import DOUBT, OcrLine, least_sure, recognition
from drac.adapters.overprint import print_of
from drac.adapters.print_style import PrintStyles, print_styles, prints_in
from drac.adapters.pymupdf_layout import layout_boxes, mupdf
from drac.adapters.pymupdf_render import page_pixels
from drac.adapters.pymupdf_text import PageContent
from drac.adapters.rapidocr import TILE, look_again, mean_score, quarter_turns, read_apart
from drac.adapters.ruling import ruling_lines
from drac.adapters.straighten import Image, Slant, slant_of, straighten, turn
from drac.records import Box, Recognition
from drac.stages.convert.frame import Frame
from drac.stages.convert.page import LayoutBox, Line, Word, union
from drac.stages.convert.recognised import as_drawn, torn

log = logging.getLogger(__name__)
_MAX_PIXELS = 90_000_000
"""Pixels of a drawn page at most: A0 at 240 dots an inch, 270 MB in colour."""
_READABLE = 16
"""Pixels of a line's box under which a page is read again, larger, piece by piece: print of 12 pixels."""
_LAYOUT_SIDE = 1200
"""Pixels of the longer side of the image that the layout model sees; it scales it down further."""
_SOUND = 0.8
"""Mean confidence of a page's lines below which it may lie another way up."""
TEXT_HEIGHT = 0.8
"""Font size over the height of a recognised line's box (PP-OCR boxes reach past the glyphs)."""


_GARBAGE = 0.3
"""Share of characters without a Unicode value above which a text layer is not used."""
_SCAN = 0.5
"""Share of the page under images from which few letters count as a scan's stamp, not its text."""
_FEW = 60
"""Characters that count as few."""
_WHOLE = 0.85
"""Share of the page under images from which what is printed in its margins is a stamp, however long."""
_MARGIN = 0.08
"""Share of the page's width or height that is margin."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class OcrPage:
    """A page as it was read: turned upright and straightened."""

    frame: Frame
    """How it was laid for reading."""
    lines: tuple[Line, ...]
    """Recognised lines, in points of the page as read."""
    boxes: tuple[LayoutBox, ...]
    """Layout boxes, in points of the page as read."""
    rules: tuple[Box, ...] = ()
    """Ruling lines, in points of the page as read."""
    recognition: Recognition | None = None
    """How sure the recogniser was; None where it saw no text."""


def is_scan(content: PageContent) -> bool:
    """Whether the page's text has to be read from its image."""
    lines = [line for line in content.lines if not (content.pictures >= _WHOLE and _in_margin(line, content))]
    scanned = content.pictures >= _SCAN and sum(len(line.raw) for line in lines) < _FEW
    return not content.lines or content.garbage > _GARBAGE or scanned


def _in_margin(line: Line, content: PageContent) -> bool:
    """Whether a line stands where stamps do, such as a court's "Case 2:18 Document 1 Filed 09/13/18"."""
    x0, y0, x1, y1 = line.box
    wide, high = _MARGIN * content.width, _MARGIN * content.height
    return y1 <= high or y0 >= content.height - high or x1 <= wide or x0 >= content.width - wide


def styles_of(
    indexes: Sequence[int], sheet: Callable[[int], Any], dpi: int
) -> tuple[PrintStyles, dict[int, Slant]]:
    """The print of the pages that `sheet` gives for these indexes, and how each one's lines lie."""
    slants: dict[int, Slant] = {}
    return print_styles(_levelled(indexes, sheet, dpi, slants)), slants


def _levelled(
    indexes: Sequence[int], sheet: Callable[[int], Any], dpi: int, slants: dict[int, Slant]
) -> Iterator[tuple[Image, float]]:
    """Level images with the points that a pixel has; `slants` takes how each page's lines lie.

    A page on its side may be left upside down, which is the same to one who only measures. One that cannot
    be drawn is left out: it is reported when its turn comes.
    """
    for index in indexes:
        try:
            page = sheet(index)
            image = page_image(page, dpi, TILE)
        except Exception:
            continue
        slants[index] = slant = slant_of(image)
        points = max(page.rect.width, page.rect.height) / max(image.shape[:2])
        yield straighten(turn(image, 90) if slant.sideways else image, slant.skew), points


def ocr_page(
    page: Any,
    dpi: int,
    languages: Sequence[str] = (),
    styles: PrintStyles | None = None,
    slant: Slant | None = None,
) -> OcrPage:
    """Lines and layout boxes of the page as drawn, upright and level.

    Tesseract reads where `languages` are given, else RapidOCR. `styles` are those of the document, which
    lines of text are compared with; `slant` is how the page's lines lie, where that is known.

    A page of more than `TILE` pixels at `dpi` is first drawn within them, and as large as asked only where
    its print is then too small to read.
    """
    image = page_image(page, dpi, TILE)
    slant = slant or slant_of(image)
    turned = quarter_turns(image) if slant.sideways else 0
    read = _reader(languages)
    frame = page_frame(page, image, turned) if turned else _frame(page, 0, slant.skew)
    level, found = _read(image, frame, read)
    if not turned and mean_score(found) < _SOUND and (turned := quarter_turns(image)):
        frame = page_frame(page, image, turned)
        level, found = _read(image, frame, read)
    if max(page.rect.width, page.rect.height) * dpi / 72 > TILE and not _readable(found):
        level = as_read(page_image(page, dpi), frame)
        found = read(level)
    size = frame.size
    scale = (size[0] / level.shape[1], size[1] / level.shape[0])
    lines = tuple(_line(one, scale, order) for order, one in enumerate(found))
    if not lines:
        return OcrPage(frame, (), ())
    first = found
    if not languages:
        found = look_again(level, found)
        lines = tuple(_line(one, scale, order) for order, one in enumerate(found))
    boxes = tuple(_layout(level, size, lines))
    rules = tuple(_scaled(rule, scale) for rule in ruling_lines(level, [one.box for one in found]))
    if not languages:
        lines = _apart_where_torn(level, lines, found, scale, boxes, rules)
    sure = _sureness("tesseract" if languages else "rapidocr", first, found)
    drawn = as_drawn(lines, boxes, rules)
    drawn = tuple(_styled(level, drawn, scale, styles)) if styles else drawn
    return OcrPage(frame, drawn, boxes, rules, sure)


def _styled(
    image: Image, lines: Sequence[Line], scale: tuple[float, float], styles: PrintStyles
) -> Iterator[Line]:
    """The lines with size and weight by their ink, those in tables as they are."""
    back = (1 / scale[0], 1 / scale[1])
    places = [_scaled(union(word.box for word in line.words), back) for line in lines]
    seen = prints_in(image, zip(places, (line.text for line in lines), strict=True))
    return (styles.styled(line, one, scale[1]) for line, one in zip(lines, seen, strict=True))


def _sureness(engine: str, first: Sequence[OcrLine], found: Sequence[OcrLine]) -> Recognition:
    again = 0 if engine == "tesseract" else sum(least_sure(line) < DOUBT for line in first)
    changed = sum(one.text != other.text for one, other in zip(first, found, strict=True))
    return recognition(engine, found, again, changed)


def _apart_where_torn(
    image: Image,
    lines: tuple[Line, ...],
    found: Sequence[OcrLine],
    scale: tuple[float, float],
    boxes: Sequence[LayoutBox],
    rules: Sequence[Box],
) -> tuple[Line, ...]:
    """The lines, those of two cells as two; all as they were read where looking closer fails."""
    try:
        return tuple(_apart(image, lines, found, scale, list(torn(lines, boxes, rules))))
    except Exception as error:  # no reason to lose a page that has been read
        log.warning("cells that run into each other stay one line: %s: %s", type(error).__name__, error)
        return lines


def _apart(
    image: Image,
    lines: Sequence[Line],
    found: Sequence[OcrLine],
    scale: tuple[float, float],
    edges: Sequence[tuple[Line, float]],
) -> Iterator[Line]:
    """The lines, those of two cells that run into each other read again as two."""
    at = {line.order: x / scale[0] for line, x in edges}
    pairs = list(zip((at.get(line.order) for line in lines), found, strict=True))
    page = print_of(image, [one for x, one in pairs if x is None]) if at else None
    parts = (read_apart(image, one, x, page) if page and x is not None else [one] for x, one in pairs)
    return (_line(one, scale, order) for order, one in enumerate(chain.from_iterable(parts)))


def page_image(page: Any, dpi: float, max_side: int | None = None) -> Image:
    """The page as shown, within `max_side` pixels and within `_MAX_PIXELS` in all."""
    area = max(page.rect.width * page.rect.height, 1.0)
    dpi = min(dpi, 72 * math.sqrt(_MAX_PIXELS / area))
    pixels = page_pixels(page, dpi=dpi, max_side=max_side or _MAX_PIXELS)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)


def page_frame(page: Any, image: Image, turned: int) -> Frame:
    """How a page is laid for reading that has to be turned so, seen on an image of it."""
    return _frame(page, turned, slant_of(turn(image, turned)).skew)


def _frame(page: Any, turned: int, skew: float) -> Frame:
    return Frame(page.rect.width, page.rect.height, turned, skew)


def as_read(image: Image, frame: Frame) -> Image:
    """The image of a page as shown, laid for reading."""
    return straighten(turn(image, frame.turned), frame.skew)


def _reader(languages: Sequence[str]) -> Callable[[Image], list[OcrLine]]:
    return (lambda image: tesseract.recognise(image, languages)) if languages else rapidocr.recognise


def _read(image: Image, frame: Frame, read: Callable[[Image], list[OcrLine]]) -> tuple[Image, list[OcrLine]]:
    level = as_read(image, frame)
    return level, read(level)


def _readable(found: Sequence[OcrLine]) -> bool:
    """Whether there is print, and at most a quarter of it is small."""
    heights = [min(x1 - x0, y1 - y0) for x0, y0, x1, y1 in (line.box for line in found)]
    return bool(heights) and float(np.quantile(heights, 0.25)) >= _READABLE


def _scaled(box: Box, scale: tuple[float, float]) -> Box:
    return (box[0] * scale[0], box[1] * scale[1], box[2] * scale[0], box[3] * scale[1])


def _line(found: OcrLine, scale: tuple[float, float], order: int) -> Line:
    box = _scaled(found.box, scale)
    height, width = box[3] - box[1], box[2] - box[0]
    upright = height <= 2 * width or len(found.text) < 3
    size = TEXT_HEIGHT * (height if upright else width)
    foot = (box[1] + box[3]) / 2 + size / 2
    line_box = (box[0], foot - size, box[2], foot) if upright else box
    return Line(
        words=tuple(_words(found, scale[0], box)),
        box=line_box,
        size=round(size, 1),
        upright=upright,
        order=order,
        run=order,
        raw=found.text,
    )


def _words(found: OcrLine, scale: float, box: Box) -> list[Word]:
    """Words where their characters were seen, else with the line's box shared out by length."""
    text, step = found.text, (box[2] - box[0]) / len(found.text)
    even = [(box[0] + place * step, box[0] + (place + 1) * step) for place in range(len(text))]
    spans = [(start * scale, end * scale) for start, end in found.spans] or even
    words = []
    for match in _WORD.finditer(text):
        own = spans[match.start() : match.end()]
        starts = tuple(start for start, _ in own) if found.spans else ()
        words.append(Word(match[0], (own[0][0], box[1], own[-1][1], box[3]), starts))
    return words


def _layout(image: Image, size: tuple[float, float], lines: Sequence[Line]) -> list[LayoutBox]:
    """Layout boxes of the page's image with the recognised text laid over it unseen.

    The model needs lines of text as its nodes; a page of its own gets them, the document stays.
    """
    import cv2

    scale = min(1.0, _LAYOUT_SIDE / max(image.shape[:2]))
    shape = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    small = cv2.resize(image, shape, interpolation=cv2.INTER_AREA)
    pymupdf = mupdf()
    with pymupdf.open() as scratch:
        sheet = scratch.new_page(width=size[0], height=size[1])
        sheet.insert_image(sheet.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, *shape, small.tobytes(), False))
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
