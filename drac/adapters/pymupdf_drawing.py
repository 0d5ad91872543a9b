"""A page drawn as it is read: upright and level, whole or a piece of it, within a bound of pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from drac.adapters.pymupdf_layout import mupdf
from drac.adapters.pymupdf_ocr import TEXT_HEIGHT, as_read, page_frame, page_image
from drac.adapters.pymupdf_render import page_pixels
from drac.adapters.pymupdf_text import PageContent
from drac.adapters.rapidocr import line_heights, quarter_turns
from drac.adapters.straighten import Image
from drac.records import Box
from drac.stages.convert.frame import Frame
from drac.stages.convert.tiling import spans

_PROBE_DPI = 120
"""Dots per inch of the image of a scan that its way up, slant and size of print are told from."""
_PROBE_SIDE = 2000
"""Pixels of that image's longer side at most."""
_SMALLEST_SHARE = 0.25
"""Share of a page's characters or lines that may be smaller than the size of print that decides."""
_STRIP = 4
"""Times as long as wide from which a scan on which no lines are seen is taken for a strip of small print."""
_STRIP_PRINT = 8.0
"""Points of print on such a strip: receipts and web pages have 8 and more."""
_COMFORT = 1.6
"""Pixels of print in a tile over those that are just readable."""
_OVERLAP = 5.0
"""Font sizes that tiles overlap by: three lines of print."""
_MOST_TILES = 40
"""Tiles of a page at most; print that needs more becomes smaller instead."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a tile stands."""

    row: int
    """From 0."""
    column: int
    """From 0."""
    box: Box
    """In points of the page as read."""
    shared: Box | None
    """What the tile on the left shows too."""


class Drawing:
    """Draws a page as it is read."""

    def __init__(self, sheet: Any, frame: Frame, dpi: int, *, laid: bool) -> None:
        self.sheet, self.frame, self._dpi = sheet, frame, dpi
        self.laid = laid
        """Whether the sheet itself is turned already, as where its text layer said so."""
        self._drawn: tuple[float, Image] | None = None

    def pixmap(self, box: Box, max_side: int) -> Any:
        """A pixmap of a box, in points of the page as read, no side of it over `max_side` pixels."""
        if self.laid or not (self.frame.turned or self.frame.skew):
            return page_pixels(self.sheet, dpi=self._dpi, max_side=max_side, clip=mupdf().Rect(box))
        longer = max(box[2] - box[0], box[3] - box[1])
        image = self._image(min(self._dpi / 72, (max_side - 1) / longer))
        across, down = image.shape[1] / self.frame.size[0], image.shape[0] / self.frame.size[1]
        x0, y0, x1, y1 = (round(box[0] * across), round(box[1] * down), box[2] * across, box[3] * down)
        part = np.ascontiguousarray(image[y0 : max(y0 + 1, math.floor(y1)), x0 : max(x0 + 1, math.floor(x1))])
        pymupdf = mupdf()
        return pymupdf.Pixmap(pymupdf.csRGB, part.shape[1], part.shape[0], part.tobytes(), False)

    def text(self, box: Box) -> str:
        """The text layer in a box; empty where the image decides."""
        if not self.laid:
            return ""
        return str(self.sheet.get_text("text", clip=mupdf().Rect(box), sort=True)).strip()

    def _image(self, scale: float) -> Image:
        if self._drawn is None or self._drawn[0] != scale:
            self._drawn = scale, as_read(page_image(self.sheet, scale * 72), self.frame)
        return self._drawn[1]


def scan_frame(sheet: Any) -> tuple[Frame, float]:
    """How a scan is laid upright and level, and its size of print in points; 0 where none is seen."""
    image = page_image(sheet, _PROBE_DPI, _PROBE_SIDE)
    frame = page_frame(sheet, image, quarter_turns(image, keep_columns=True))
    width, height = sheet.rect.width, sheet.rect.height
    if _PROBE_DPI / 72 * max(width, height) <= _PROBE_SIDE:
        return frame, 0.0  # no larger than tabloid, whose print is readable in one image
    heights = line_heights(image)
    if heights:
        return frame, TEXT_HEIGHT * float(np.quantile(heights, _SMALLEST_SHARE)) * height / image.shape[0]
    thin, long = sorted((width, height))
    return frame, _STRIP_PRINT if long > _STRIP * thin > 2 * _STRIP * _STRIP_PRINT else 0.0


def print_size(content: PageContent) -> float:
    """Points of the size that a quarter of the page's characters are smaller than; 0 without any."""
    lines = sorted(content.lines, key=lambda line: line.size)
    left = _SMALLEST_SHARE * sum(len(line.raw) for line in lines)
    for line in lines:
        left -= len(line.raw)
        if left <= 0:
            return line.size
    return 0.0


def pieces(
    page: tuple[float, float], size: float, *, dpi: int, max_side: int, readable: int
) -> Iterator[Piece]:
    """Tiles of a page, row by row; its print of `size` points has more than `readable` pixels in them.

    `page` is its width and height in points.
    """
    rows, columns = _cuts(page, size, min(dpi / 72, _COMFORT * readable / size), max_side)
    for row, (top, bottom) in enumerate(rows):
        for column, (left, right) in enumerate(columns):
            shared = (left, top, columns[column - 1][1], bottom) if column else None
            yield Piece(row, column, (left, top, right, bottom), shared)


def _cuts(
    page: tuple[float, float], size: float, scale: float, max_side: int
) -> tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]:
    """(start, end) of rows and of columns of tiles, in points."""
    while True:
        side = max(4, math.floor((max_side - 1) / scale))
        overlap = min(math.ceil(_OVERLAP * size), side // 4)
        columns, rows = (spans(math.ceil(length), side, overlap) for length in page)
        if len(rows) * len(columns) <= _MOST_TILES:
            return rows, columns
        scale *= 0.9
