"""Pages to PNG, and whether a page has ink, by PyMuPDF."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drac.adapters.pymupdf_layout import hushed, mupdf
from drac.errors import CorruptDocument, PageError
from drac.records import Health

_INK_SIDE = 800
"""Pixels of the longer side of the image in which ink is looked for."""
_SHEET = 1200.0
"""Points of a longer side (A3) above which print would vanish in an image so small."""
_INK_PIXELS = 8_000_000
"""Pixels of the image of a larger page."""
_INK_STEP = 40
"""Grey levels (of 256) from the paper's own level that make a pixel ink."""


class PyMuPdfRenderer:
    """Implements ports.Renderer."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of PyMuPDF and MuPDF."""
        pymupdf = mupdf()
        return {"pymupdf": pymupdf.__version__, "mupdf": pymupdf.mupdf_version}

    def render(self, pdf: Path, number: int, *, dpi: int, max_side: int) -> bytes:
        """PNG bytes of 1-based page `number` in RGB, annotations and form values drawn.

        The scale is lowered before drawing so that no side passes `max_side` pixels.
        """
        with open_page(pdf, number) as page:
            data: bytes = page_pixels(page, dpi=dpi, max_side=max_side).tobytes("png")
            return data

    def ink(self, pdf: Path, number: int) -> bool:
        """Whether 1-based page `number` shows anything but plain paper."""
        with open_page(pdf, number) as page:
            return has_ink(page)


@contextmanager
def open_page(pdf: Path, number: int) -> Iterator[Any]:
    """1-based page `number` as a `pymupdf.Page`; raises PageError or CorruptDocument, also while drawn."""
    pymupdf = mupdf()
    try:
        document = pymupdf.open(pdf)
    except Exception as error:
        raise CorruptDocument(f"{pdf.name}: damaged; it does not open as a PDF") from error
    try:
        if not 1 <= number <= document.page_count:
            raise PageError(f"{pdf.name}: there is no page {number}; it has {document.page_count}")
        yield document[number - 1]
    except PageError:
        raise
    except Exception as error:
        raise PageError(f"{pdf.name}, page {number}: cannot be drawn: {error}") from error
    finally:
        document.close()


def page_pixels(page: Any, *, dpi: float, max_side: int, gray: bool = False, clip: Any | None = None) -> Any:
    """A pixmap of the page as shown, or of its part `clip`, no side over `max_side`, none under 1 pixel."""
    pymupdf = mupdf()
    zoom = _zoom(clip or page.rect, dpi / 72.0, max_side)
    pymupdf.TOOLS.set_aa_level(8)
    colors = pymupdf.csGRAY if gray else pymupdf.csRGB
    matrix = pymupdf.Matrix(*zoom)
    return page.get_pixmap(matrix=matrix, colorspace=colors, alpha=False, annots=True, clip=clip)


def _zoom(area: Any, scale: float, max_side: int) -> tuple[float, float]:
    """Scale per axis: equal, but a side thinner than a pixel is widened to one.

    The cap is kept with a pixel to spare, as MuPDF rounds the edges outwards.
    """
    width, height = max(area.width, 0.01), max(area.height, 0.01)
    capped = (
        min(scale, (max_side - 1) / max(width, height)) if max(width, height) * scale > max_side else scale
    )
    return max(capped, 1.0 / width), max(capped, 1.0 / height)


def has_ink(page: Any) -> bool:
    """Whether a pixel of a small grey image of the page stands out from the paper."""
    longest = max(page.rect.width, page.rect.height)
    if longest <= _SHEET:
        return not is_plain(page_pixels(page, dpi=72, max_side=_INK_SIDE, gray=True))
    dpi = 72 * min(1.0, math.sqrt(_INK_PIXELS / (page.rect.width * page.rect.height)))
    return not is_plain(page_pixels(page, dpi=dpi, max_side=_INK_PIXELS, gray=True))


def inked(pdf: Path, numbers: Sequence[int]) -> dict[int, bool]:
    """Of those 1-based pages that the PDF has, whether they show anything but plain paper."""
    with hushed(), mupdf().open(pdf) as document:
        there = sorted({one for one in numbers if 1 <= one <= document.page_count})
        return {number: has_ink(document[number - 1]) for number in there}


def is_plain(pixels: Any) -> bool:
    """Whether no pixel of a pixmap stands out from the paper, whose level is the median."""
    import numpy as np

    levels = np.frombuffer(pixels.samples, np.uint8).astype(np.int16)
    return not np.any(np.abs(levels - np.median(levels)) >= _INK_STEP)


def health() -> Health:
    """PyMuPDF and MuPDF versions."""
    try:
        pymupdf = mupdf()
    except Exception as error:
        return Health("PyMuPDF", "missing", str(error), "Install it with: pip install 'pymupdf>=2.0'")
    return Health("PyMuPDF", "ok", f"PyMuPDF {pymupdf.__version__}, MuPDF {pymupdf.mupdf_version}")
