"""Images to PDF, losslessly by img2pdf; what it cannot take as it is, Pillow decodes first.

One page a frame of a TIFF; of an animation (GIF, WebP, AVIF, PNG), a multi-picture JPEG or HEIC the first
frame only: the others are the same picture a moment later, not pages.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drac.errors import CorruptDocument, DracError, LimitExceeded, UnsupportedType

if TYPE_CHECKING:
    from PIL import Image

MAX_PIXELS = 300_000_000
"""Pixels of one frame; A0 at 400 dpi has 246 million. Counted from the header, before anything is decoded."""
MAX_FRAMES = 20_000
"""Frames of one file, as many as the pages that a document may have by default."""

_TRUSTED_DPI = (150.0, 2400.0)
"""A resolution in this range is believed for any size; 72 and 96 are what programs write who know none."""
_LOW_DPI = 50.0
"""A lower one is never believed; between the two it is, if the page is no longer than `_SHEET`."""
_SHEET = 17.0
"""Longer side in inches of the largest common sheet (tabloid)."""
_ASSUMED_DPI = (72.0, 300.0)
"""Where the resolution is not known: so that the longer side is A4's, within this range.

A page's usual size makes renderers draw small scans larger and huge ones no larger than they are.
"""
_A4_LONG = 11.69
_ORIENTATION = 0x0112
"""EXIF tag."""
_BITS_PER_SAMPLE = 258
"""TIFF tag."""
_PAGE_POINTS = (3.0, 14_400.0)
"""Smallest and largest side of a page that PDF viewers take (ISO 32000-1, annex C.2)."""

_DIRECT = {
    "JPEG": ("L", "RGB", "CMYK"),
    "MPO": ("L", "RGB", "CMYK"),
    "PNG": ("1", "L", "P", "RGB", "I;16"),
    "TIFF": ("1", "L", "RGB", "CMYK"),
}
"""Formats and modes that img2pdf embeds without loss; the rest is decoded to PNG."""
_PLAIN = ("1", "L", "P", "RGB", "I;16")
"""Modes that a PNG holds as they are."""


class ImageConverter:
    """`ports.PdfConverter` for PNG, JPEG, JPEG 2000, TIFF, WebP, BMP, GIF, HEIC and AVIF."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Versions of img2pdf, Pillow and pi-heif."""
        names = ("img2pdf", "pillow", "pi-heif")
        return {**{name: _version(name) for name in names}, "converter": "2"}

    def convert(self, source: Path, target: Path, *, suffix: str, password: str | None = None) -> None:
        """Write one page a frame to `target`; the same bytes for the same image.

        Pixels are kept, JPEG and CCITT data as they are; EXIF orientation is applied, transparency falls on
        white. Raises CorruptDocument (damaged or cut short), LimitExceeded (`MAX_PIXELS`, `MAX_FRAMES`) or
        UnsupportedType (HEIC where no decoder is installed).
        """
        data = source.read_bytes()
        if suffix == ".heic":
            _register_heif(source)
        with _reading(source, data) as image:
            direct = _check_frames(source, image)
            frames = [data] if direct else list(_decoded(image))
            multiple = image.format == "TIFF"
        target.write_bytes(_to_pdf(source, frames, multiple))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _register_heif(source: Path) -> None:
    """Let Pillow read HEIC, which it cannot by itself."""
    try:
        from pi_heif import register_heif_opener
    except ImportError as error:
        reason, remedy = "reading HEIC needs the package pi-heif", "Install it with: pip install pi-heif"
        raise UnsupportedType(f"{source}: {reason}", remedy=remedy) from error
    register_heif_opener(thumbnails=False)


@contextmanager
def _reading(source: Path, data: bytes) -> Iterator[Image.Image]:
    """The image opened; what Pillow raises on a damaged or absurd one becomes ours.

    From memory: Pillow 13 does not turn a TIFF upright that it maps from a file.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with _strict_pillow(), Image.open(io.BytesIO(data)) as image:
            yield image
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise LimitExceeded(f"{source}: {error}", remedy="Scale the image down.") from error
    except UnidentifiedImageError as error:
        raise CorruptDocument(f"{source}: not readable as an image") from error
    except DracError:
        raise
    except Exception as error:  # on damaged files Pillow's plugins raise whatever their parsing meets
        raise CorruptDocument(f"{source}: a damaged or truncated image ({error})") from error


@contextmanager
def _strict_pillow() -> Iterator[None]:
    """Pillow's global settings as we need them; WeasyPrint, in the same process, needs its own."""
    from PIL import Image, ImageFile

    before = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES
    Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES = MAX_PIXELS, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    finally:
        Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES = before


def _check_frames(source: Path, image: Image.Image) -> bool:
    """Decode every frame, to know that it is whole; whether img2pdf can take the file as it is."""
    count = _frames(image)
    if count > MAX_FRAMES:
        raise LimitExceeded(f"{source}: {count:,} frames; the limit is {MAX_FRAMES:,}")
    direct = [_check_frame(source, image, number) for number in range(count)]
    return all(direct)


def _check_frame(source: Path, image: Image.Image, number: int) -> bool:
    image.seek(number)
    if image.width * image.height > MAX_PIXELS:
        raise LimitExceeded(f"{source}: frame {number + 1} has more than {MAX_PIXELS:,} pixels")
    upright = image.getexif().get(_ORIENTATION, 1) in _direct_orientations(image)
    direct = image.mode in _DIRECT.get(image.format or "", ()) and not _is_deep(image)
    image.load()
    return direct and upright and "transparency" not in image.info


def _is_deep(image: Image.Image) -> bool:
    """Whether a TIFF in colour has more than the 8 bits a sample that img2pdf keeps."""
    depths = image.tag_v2.get(_BITS_PER_SAMPLE, (8,)) if image.format == "TIFF" else (8,)  # type: ignore[attr-defined]
    return image.mode in ("RGB", "CMYK") and max(depths) > 8


def _frames(image: Image.Image) -> int:
    return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


def _direct_orientations(image: Image.Image) -> tuple[int, ...]:
    """Values of the EXIF tag that a page's own rotation can show; Pillow turns TIFF frames itself."""
    return (0, 1) if image.format == "TIFF" else (0, 1, 3, 6, 8)


def _decoded(image: Image.Image) -> Iterator[bytes]:
    from PIL import ImageOps

    for number in range(_frames(image)):
        image.seek(number)
        resolution = image.info.get("dpi")
        upright = ImageOps.exif_transpose(image)
        if resolution and upright.size != image.size:
            resolution = resolution[::-1]
        yield _png(_plain(upright), resolution)


def _plain(image: Image.Image) -> Image.Image:
    """In a mode that PNG holds without transparency; only depths beyond 16 bits are reduced."""
    from PIL import Image

    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        ground = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")
    if image.mode in _PLAIN:
        return image
    if image.mode in ("I", "F", "I;16B", "I;16L", "I;16N"):
        return _reduced(image)
    return image.convert("RGB")


def _reduced(image: Image.Image) -> Image.Image:
    """Grey values of 16, 32 bits or floating point; 16 bits stay, others are stretched to 8."""
    import numpy as np
    from PIL import Image

    values = np.asarray(image, dtype=np.float64)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if image.mode != "F" and low >= 0 and high < 65_536:
        return Image.fromarray(values.astype(np.uint16))
    stretched = np.nan_to_num((values - low) * (255.0 / ((high - low) or 1.0)))
    return Image.fromarray(stretched.round().astype(np.uint8))


def _png(image: Image.Image, resolution: tuple[float, float] | None) -> bytes:
    out = io.BytesIO()
    options: dict[str, Any] = {"dpi": resolution} if resolution and min(resolution) > 0 else {}
    image.save(out, "PNG", icc_profile=image.info.get("icc_profile"), compress_level=1, **options)
    return out.getvalue()


def _to_pdf(source: Path, frames: list[bytes], multiple: bool) -> bytes:
    import img2pdf

    logging.getLogger("img2pdf").setLevel(logging.ERROR)
    try:
        made = img2pdf.convert(
            frames,
            engine=img2pdf.Engine.internal,
            nodate=True,
            layout_fun=page_layout,
            rotation=img2pdf.Rotation.ifvalid,
            first_frame_only=not multiple,
        )
    except Exception as error:  # img2pdf's own errors share no base, and it raises plain Exception too
        raise CorruptDocument(f"{source}: not embeddable as an image ({error})") from error
    return bytes(made)


def page_layout(
    width: int, height: int, resolution: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Page and image size in points, (page width, page height, image width, image height).

    `width` and `height` are pixels, `resolution` dots per inch as the file says. See `_TRUSTED_DPI`.
    """
    across, down = resolution if _believed(width, height, resolution) else _assumed(width, height)
    size = (width * 72 / across, height * 72 / down)
    smallest, largest = _PAGE_POINTS
    shrink = max(1.0, *(side / largest for side in size))
    image = (size[0] / shrink, size[1] / shrink)
    return max(image[0], smallest), max(image[1], smallest), *image


def _believed(width: int, height: int, resolution: tuple[float, float]) -> bool:
    low, high = min(resolution), max(resolution)
    if low < _LOW_DPI or high > _TRUSTED_DPI[1]:
        return False
    return low >= _TRUSTED_DPI[0] or max(width / resolution[0], height / resolution[1]) <= _SHEET


def _assumed(width: int, height: int) -> tuple[float, float]:
    low, high = _ASSUMED_DPI
    dpi = min(max(max(width, height) / _A4_LONG, low), high)
    return dpi, dpi
