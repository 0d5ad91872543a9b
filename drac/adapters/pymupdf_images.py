"""Pages as images that a model takes: within its limits of pixels and bytes, whole or in halves."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from drac.adapters.pymupdf_layout import mupdf
from drac.adapters.pymupdf_render import has_ink, open_page, page_pixels
from drac.errors import PageError
from drac.ports import ImagePart

Shape = Literal["whole", "smaller", "halves"]

_OVERLAP = 0.05
"""Share of the page's height that each half reaches past the middle: some lines of print."""
_SMALLER = 0.65
"""Side of the smaller image over that of the whole one."""
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


@dataclass(frozen=True, slots=True)
class PageView:
    """One page as a model's reader looks at it."""

    ink: bool
    """Whether anything is drawn on it."""
    text_layer: str
    """The text layer, lines parted; empty where there is none."""
    images: tuple[ImagePart, ...]
    """The page whole, or its top and bottom half; empty without ink."""


def page_view(pdf: Path, number: int, shape: Shape, limits: ImageLimits) -> PageView:
    """Look at 1-based page `number`; raises PageError or CorruptDocument."""
    with open_page(pdf, number) as page:
        ink = has_ink(page)
        images = tuple(_images(page, shape, limits)) if ink else ()
        return PageView(ink, page.get_text("text", sort=True).strip(), images)


def _images(page: Any, shape: Shape, limits: ImageLimits) -> Iterator[ImagePart]:
    side = int(limits.max_side * (_SMALLER if shape == "smaller" else 1))
    for clip in _clips(page, shape):
        yield _encode(page_pixels(page, dpi=limits.dpi, max_side=side, clip=clip), limits)


def _clips(page: Any, shape: Shape) -> list[Any]:
    if shape != "halves":
        return [None]
    rect, reach = page.rect, page.rect.height * (0.5 + _OVERLAP)
    pymupdf = mupdf()
    return [
        pymupdf.Rect(rect.x0, rect.y0, rect.x1, rect.y0 + reach),
        pymupdf.Rect(rect.x0, rect.y1 - reach, rect.x1, rect.y1),
    ]


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
