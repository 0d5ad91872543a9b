"""Scans: pages drawn at 200 DPI, a little crooked and a little dirty, with no text layer."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
import pymupdf
from PIL import Image

from skerrow.pdf import A4, DATE

DPI = 200
SPECKS = 70
"""Specks of dirt on a page."""


def grey_pdf(pdf: bytes, *, seed: int, angles: Sequence[float]) -> bytes:
    """A scanned PDF: grey JPEG pages, no text."""
    document = pymupdf.open()
    for image in scanned(pdf, seed=seed, angles=angles):
        page = document.new_page(width=A4[0], height=A4[1])
        page.insert_image(page.rect, stream=_bytes(image, "JPEG", quality=38, dpi=(DPI, DPI)))
    document.set_metadata({"creationDate": DATE, "modDate": DATE})
    return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def grey_png(pdf: bytes, *, seed: int, angle: float) -> bytes:
    """The first page as a PNG of sixteen greys."""
    (image,) = scanned(pdf, seed=seed, angles=(angle,))
    levels = image.point([round(value / 17) * 17 for value in range(256)])
    return _bytes(levels.quantize(16, dither=Image.Dither.NONE), "PNG", optimize=True, dpi=(DPI, DPI))


def black_tiff(pdf: bytes, *, seed: int, angles: Sequence[float]) -> bytes:
    """A TIFF of black-and-white pages, fax compressed."""
    grey = scanned(pdf, seed=seed, angles=angles)
    first, *rest = [image.point([255 * (value > 185) for value in range(256)]).convert("1") for image in grey]
    return _bytes(first, "TIFF", save_all=True, append_images=rest, compression="group4", dpi=(DPI, DPI))


def scanned(pdf: bytes, *, seed: int, angles: Sequence[float]) -> list[Image.Image]:
    """Each page as a scanner would see it, turned by so many degrees."""
    random = np.random.RandomState(seed)  # its numbers stay the same in every version of numpy
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return [_aged(_drawn(page), angle, random) for page, angle in zip(document, angles, strict=True)]


def _drawn(page: pymupdf.Page) -> Image.Image:
    drawn = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    return Image.frombytes("L", (drawn.width, drawn.height), drawn.samples)


def _aged(image: Image.Image, angle: float, random: np.random.RandomState) -> Image.Image:
    """Turned, with grey ink, uneven paper and specks."""
    turned = image.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255)
    values = np.asarray(turned, dtype=np.float64)
    height, width = values.shape
    shade = 6 * np.sin(np.linspace(0, math.pi, height))[:, None] * np.linspace(0.4, 1, width)[None, :]
    values = 22 + values * (232 / 255) - shade
    for _ in range(SPECKS):
        y, x = random.randint(0, height - 4), random.randint(0, width - 4)
        values[y : y + random.randint(1, 4), x : x + random.randint(1, 4)] = random.randint(40, 160)
    return Image.fromarray(np.clip(np.rint(values), 0, 255).astype(np.uint8))


def _bytes(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
