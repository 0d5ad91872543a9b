"""Pages as images that a model takes: upright and level, within its limits of pixels and bytes.

Whole, in halves, or, where the print of a large page would be too small to read, in overlapping tiles.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from drac.adapters.pymupdf_drawing import Drawing, Piece, pieces, print_size, scan_frame
from drac.adapters.pymupdf_layout import mupdf
from drac.adapters.pymupdf_ocr import is_scan
from drac.adapters.pymupdf_pdf import opened
from drac.adapters.pymupdf_render import has_ink, is_plain, open_page
from drac.adapters.pymupdf_sheets import Sheets
from drac.errors import PageError
from drac.ports import ImagePart
from drac.records import Box
from drac.stages.convert.model_reading import Tile

Shape = Literal["whole", "smaller", "halves", "tiles"]

_OVERLAP = 0.05
"""Share of the page's height that each half reaches past the middle: some lines of print."""
_SMALLER = 0.65
"""Side of the smaller image over that of the whole one."""
_WORTH = 1.3
"""Times that print must be larger at the full resolution, in tiles, than on the page drawn whole."""
_SURELY_READABLE = 5.5
"""Points of print that hardly a page is set in: where it would be readable, no page needs a look."""
_SCANNED = 9.0
"""Points of print that large scans are taken to have before they are drawn."""
_QUALITIES = (90, 75, 55)
"""JPEG qualities tried where PNG is too large; the last one still shows print."""


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """What a model takes."""

    dpi: int
    """Dots per inch that pages are drawn at."""
    max_side: int
    """Pixels of the longer side at most."""
    max_bytes: int
    """Encoded bytes at most."""
    formats: tuple[str, ...]
    """Media types taken, `image/png` or `image/jpeg`."""
    readable: int = 0
    """Pixels of print below which a page needs tiles; 0: never."""


@dataclass(frozen=True, slots=True)
class PageView:
    """One page as a model's reader looks at it."""

    ink: bool
    """Whether anything is drawn on it."""
    text_layer: str
    """The text layer, lines parted; empty where there is none."""
    images: tuple[ImagePart, ...]
    """The page whole, or its top and bottom half; empty without ink, and where tiles were asked for."""
    small_print: bool = False
    """Whether print of the page is too small to be read in one image."""
    tiles: tuple[Tile, ...] = ()
    """Its tiles with ink, where they were asked for."""


@dataclass(frozen=True, slots=True)
class TileCount:
    """Tiles of one document, for the price before a run."""

    pages: int
    """Pages that need tiles."""
    tiles: int
    """Tiles of these pages; each is a request of its own."""


def page_view(pdf: Path, number: int, shape: Shape, limits: ImageLimits) -> PageView:
    """Look at 1-based page `number`; raises PageError or CorruptDocument."""
    with open_page(pdf, number) as page:
        try:
            return _view(page, shape, limits)
        except PageError as error:
            raise PageError(f"{pdf.name}, page {number}: {error.message}", remedy=error.remedy) from error


def _view(page: Any, shape: Shape, limits: ImageLimits) -> PageView:
    sheets, index = Sheets(page.parent), page.number
    content = sheets.content(index)
    scan = is_scan(content)
    sheet = sheets.laid(index, 0 if scan else content.turned)
    layer = str(sheet.get_text("text", sort=True)).strip()
    if not content.lines and not has_ink(sheet):
        return PageView(False, layer, ())
    frame, size = scan_frame(sheet) if scan else (sheets.frame(index), print_size(content))
    drawing = Drawing(sheet, frame, limits.dpi, laid=not scan)
    small = _is_small(size, max(frame.size), limits)
    if shape != "tiles":
        return PageView(True, layer, tuple(_images(drawing, shape, limits)), small)
    return PageView(True, layer, (), small, tuple(_tiles(drawing, size, limits)) if small else ())


def _is_small(size: float, longest: float, limits: ImageLimits) -> bool:
    """Whether print of `size` points is too small on a page drawn whole, and larger in tiles."""
    most = limits.dpi / 72
    scale = min(most, limits.max_side / longest)
    return 0 < size * scale < limits.readable and most >= _WORTH * scale


def _images(drawing: Drawing, shape: Shape, limits: ImageLimits) -> Iterator[ImagePart]:
    side = int(limits.max_side * (_SMALLER if shape == "smaller" else 1))
    for box in _boxes(*drawing.frame.size, shape):
        yield _encode(drawing.pixmap(box, side), limits)


def _boxes(width: float, height: float, shape: Shape) -> list[Box]:
    if shape != "halves":
        return [(0, 0, width, height)]
    reach = height * (0.5 + _OVERLAP)
    return [(0, 0, width, reach), (0, height - reach, width, height)]


def _tiles(drawing: Drawing, size: float, limits: ImageLimits) -> Iterator[Tile]:
    """The tiles that have ink."""
    for one in _cut(drawing.frame.size, size, limits):
        pixels = drawing.pixmap(one.box, limits.max_side)
        if is_plain(pixels):
            continue
        yield Tile(
            one.row,
            one.column,
            drawing.frame.shown(one.box),
            _encode(pixels, limits),
            drawing.text(one.box),
            drawing.text(one.shared) if one.shared else "",
        )


def _cut(page: tuple[float, float], size: float, limits: ImageLimits) -> Iterator[Piece]:
    return pieces(page, size, dpi=limits.dpi, max_side=limits.max_side, readable=limits.readable)


def count_tiles(pdf: Path, limits: ImageLimits) -> TileCount:
    """How many pages need tiles, and how many; a quick look at large pages, where nothing is drawn.

    Large scans are taken to have print of `_SCANNED` points, and no tile is taken to be blank. Raises what
    `pymupdf_pdf.opened` raises.
    """
    counted = TileCount(0, 0)
    pymupdf = mupdf()
    with opened(pdf) as (document, _):
        sheets = Sheets(document)
        for index in range(document.page_count):
            with suppress(RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):  # the run names the page
                if tiles := _tiles_of(sheets, index, limits):
                    counted = TileCount(counted.pages + 1, counted.tiles + tiles)
    return counted


def _tiles_of(sheets: Sheets, index: int, limits: ImageLimits) -> int:
    """Tiles that the page needs at 0-based `index`; 0: it is read whole."""
    rect = sheets.document[index].rect
    if limits.readable * max(rect.width, rect.height) / limits.max_side < _SURELY_READABLE:
        return 0
    size = print_size(sheets.content(index)) or _SCANNED
    if not _is_small(size, max(rect.width, rect.height), limits):
        return 0
    return sum(1 for _ in _cut((rect.width, rect.height), size, limits))


def _encode(pixels: Any, limits: ImageLimits) -> ImagePart:
    """PNG where the model takes it and it is small enough, else JPEG, at last with fewer pixels."""
    if "image/png" in limits.formats:
        data = bytes(pixels.tobytes("png"))
        if len(data) <= limits.max_bytes:
            return ImagePart(data, "image/png")
    if "image/jpeg" not in limits.formats:
        raise PageError(f"no image of it is under {limits.max_bytes:,} bytes as PNG")
    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    while min(image.size) > 1:
        for quality in _QUALITIES:
            data = _jpeg(image, quality)
            if len(data) <= limits.max_bytes:
                return ImagePart(data, "image/jpeg")
        image = image.resize((max(1, image.width * 3 // 4), max(1, image.height * 3 // 4)))
    raise PageError(f"no image of it is under {limits.max_bytes:,} bytes")


def _jpeg(image: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()
