"""Images to PDF: every pixel kept, pages of a sane size, damage named."""

from __future__ import annotations

import io
import random
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageFile

from drac.adapters.images import ImageConverter, page_layout
from drac.errors import CorruptDocument, DocumentError, LimitExceeded, UnsupportedType


def _bytes(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def _noise(mode: str = "RGB", size: tuple[int, int] = (60, 40)) -> Image.Image:
    """The same random pixels every time."""
    bands = len(Image.new(mode, (1, 1)).getbands())
    return Image.frombytes(mode, size, random.Random(1).randbytes(size[0] * size[1] * bands))


def _convert(folder: Path, data: bytes, suffix: str = ".png") -> pymupdf.Document:
    source, target = folder / f"a{suffix}", folder / "a.pdf"
    source.write_bytes(data)
    ImageConverter().convert(source, target, suffix=suffix)
    return pymupdf.open(target)


def _pixels(document: pymupdf.Document, page: int = 0) -> tuple[int, int, bytes]:
    """Width, height and bytes of the image on a page, as it is embedded."""
    (image,) = document[page].get_images()
    pixmap = pymupdf.Pixmap(document, image[0])
    return pixmap.width, pixmap.height, bytes(pixmap.samples)


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("RGB", "PNG"), ("L", "PNG"), ("RGB", "TIFF"), ("RGB", "BMP"), ("RGB", "WEBP"), ("L", "TIFF")],
)
def test_pixels_are_kept(tmp_path: Path, mode: str, kind: str) -> None:
    image = _noise(mode)
    options = {"lossless": True} if kind == "WEBP" else {}
    with _convert(tmp_path, _bytes(image, kind, **options)) as document:
        assert _pixels(document) == (60, 40, image.tobytes())


def test_jpeg_is_embedded_as_it_is(tmp_path: Path) -> None:
    for mode in ("RGB", "L", "CMYK"):
        data = _bytes(_noise(mode), "JPEG")
        with _convert(tmp_path, data, ".jpg") as document:
            (image,) = document[0].get_images()
            assert document.xref_stream_raw(image[0]) == data


def test_fax_data_is_embedded_as_it_is(tmp_path: Path) -> None:
    image = Image.new("1", (64, 64), 1)
    image.paste(0, (8, 8, 30, 30))
    with _convert(tmp_path, _bytes(image, "TIFF", compression="group4"), ".tif") as document:
        assert document[0].get_images()[0][8] == "CCITTFaxDecode"
        shown = document[0].get_pixmap(matrix=_native(document[0], 64), colorspace=pymupdf.csGRAY)
        assert (shown.pixel(20, 20), shown.pixel(50, 50)) == ((0,), (255,))


def test_sixteen_bits_are_kept(tmp_path: Path) -> None:
    image = Image.frombytes("I;16", (40, 30), bytes(at * 31 % 256 for at in range(2400)))
    for kind in ("PNG", "TIFF"):
        with _convert(tmp_path, _bytes(image, kind)) as document:
            xref = document[0].get_images()[0][0]
            assert document.xref_get_key(xref, "BitsPerComponent")[1] == "16"
            assert _depth16(document.xref_stream(xref), document, xref) == image.tobytes()


def test_transparency_falls_on_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    image.paste((200, 0, 0, 255), (0, 0, 20, 40))
    palette = Image.new("P", (40, 40), 0)
    for data in (_bytes(image, "PNG"), _bytes(image, "WEBP", lossless=True), _bytes(image, "TIFF")):
        with _convert(tmp_path, data) as document:
            shown = document[0].get_pixmap(matrix=_native(document[0], 40))
            assert (shown.pixel(5, 20), shown.pixel(35, 20)) == ((200, 0, 0), (255, 255, 255))
    with _convert(tmp_path, _bytes(palette, "PNG", transparency=0)) as document:
        assert document[0].get_pixmap().pixel(3, 3) == (255, 255, 255)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF"])
def test_orientation_is_applied(tmp_path: Path, kind: str, orientation: int) -> None:
    """A dark corner ends where a viewer shows it (EXIF 2.3, table 6)."""
    image = Image.new("L", (64, 48), 255)
    image.paste(0, (0, 0, 24, 16))
    exif = Image.Exif()
    exif[0x0112] = orientation
    with _convert(tmp_path, _bytes(image, kind, exif=exif)) as document:
        page = document[0]
        width = 64 if orientation < 5 else 48
        assert (page.rect.width > page.rect.height) == (orientation < 5)
        shown = page.get_pixmap(matrix=_native(page, width), colorspace=pymupdf.csGRAY)
        corners = {
            "top left": shown.pixel(4, 4),
            "top right": shown.pixel(shown.width - 5, 4),
            "bottom right": shown.pixel(shown.width - 5, shown.height - 5),
            "bottom left": shown.pixel(4, shown.height - 5),
        }
        dark = [name for name, (value,) in corners.items() if value < 128]
        first = ("top left", "top right", "bottom right", "bottom left")
        expected = (*first, "top left", "top right", "bottom right", "bottom left")[orientation - 1]
        assert dark == [expected]


def test_every_frame_of_a_tiff_is_a_page_and_one_of_an_animation(tmp_path: Path) -> None:
    frames = [Image.new("L", (40, 60), shade) for shade in (0, 90, 180)]
    more = {"save_all": True, "append_images": frames[1:]}
    with _convert(tmp_path, _bytes(frames[0], "TIFF", **more), ".tif") as document:
        assert [_pixels(document, page)[2][0] for page in range(len(document))] == [0, 90, 180]
    for kind in ("GIF", "WEBP", "PNG"):
        with _convert(tmp_path, _bytes(frames[0].convert("RGB"), kind, **more)) as document:
            assert len(document) == 1


def test_mixed_frames_are_all_there(tmp_path: Path) -> None:
    first, second = Image.new("1", (40, 60), 1), _noise("RGBA")
    data = _bytes(first, "TIFF", save_all=True, append_images=[second])
    with _convert(tmp_path, data, ".tif") as document:
        assert len(document) == 2


@pytest.mark.parametrize(
    ("pixels", "resolution", "inches"),
    [
        ((2480, 3508), (300, 300), (8.27, 11.69)),
        ((2480, 3508), (72, 72), (8.26, 11.69)),
        ((2480, 3508), (1, 1), (8.26, 11.69)),
        ((1728, 1100), (204, 98), (8.47, 11.22)),
        ((1280, 800), (96, 96), (13.33, 8.33)),
        ((612, 792), (1, 1), (8.5, 11.0)),
        ((14000, 20000), (72, 72), (46.67, 66.67)),
        ((7000, 10000), (200, 200), (35.0, 50.0)),
        ((1000, 1000), (100_000, 100_000), (11.69, 11.69)),
    ],
)
def test_page_sizes_are_sane(
    pixels: tuple[int, int], resolution: tuple[float, float], inches: tuple[float, float]
) -> None:
    page = page_layout(*pixels, resolution)[:2]
    assert tuple(side / 72 for side in page) == pytest.approx(inches, abs=0.01)


@given(
    st.integers(1, 200_000),
    st.integers(1, 200_000),
    st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)),
)
def test_any_image_fits_its_page_and_viewers(width: int, height: int, dpi: tuple[float, float]) -> None:
    page_width, page_height, image_width, image_height = page_layout(width, height, dpi)
    assert 3.0 <= page_width <= 14_400.001 and 3.0 <= page_height <= 14_400.001
    assert 0 < image_width <= page_width and 0 < image_height <= page_height


def test_damage_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)  # as WeasyPrint does
    big = _noise(size=(300, 300))
    frames = {"save_all": True, "append_images": [big]}
    damaged = {
        "cut.png": _bytes(big, "PNG")[:-3000],
        "cut.jpg": _bytes(big, "JPEG")[:9000],
        "cut.tif": _bytes(big, "TIFF", **frames)[:300_000],
        "cut.gif": _bytes(big, "GIF")[:2000],
        "junk.png": b"\x89PNG\r\n\x1a\n" + b"x" * 300,
        "empty.png": b"",
    }
    for name, data in damaged.items():
        source = tmp_path / name
        source.write_bytes(data)
        with pytest.raises(CorruptDocument, match=name):
            ImageConverter().convert(source, tmp_path / "a.pdf", suffix=source.suffix)
        assert not (tmp_path / "a.pdf").exists()
    assert ImageFile.LOAD_TRUNCATED_IMAGES


def _sheet() -> Image.Image:
    """White, its top left quarter red, its bottom right quarter blue."""
    image = Image.new("RGB", (80, 60), "white")
    image.paste((200, 30, 30), (0, 0, 40, 30))
    image.paste((20, 40, 180), (40, 30, 80, 60))
    return image


def _lab(image: Image.Image) -> Image.Image:
    profiles = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    return ImageCms.applyTransform(image, ImageCms.buildTransformFromOpenProfiles(*profiles, "RGB", "LAB"))


def _deep(kind: str) -> bytes:
    """Sixteen bits a sample in colour, which Pillow cannot write."""
    samples = np.asarray(_sheet())[:, :, ::-1].astype(np.uint16) * 257
    return bytes(cv2.imencode(kind, samples)[1])


_SHEETS = {
    "cmyk.jpg": lambda: _bytes(_sheet().convert("CMYK"), "JPEG"),  # with Adobe's marker: inverted samples
    "cmyk.tif": lambda: _bytes(_sheet().convert("CMYK"), "TIFF"),
    "ycbcr.tif": lambda: _bytes(_sheet().convert("YCbCr"), "TIFF", compression="jpeg"),
    "lab.tif": lambda: _bytes(_lab(_sheet()), "TIFF"),
    "palette.png": lambda: _bytes(_sheet().quantize(4), "PNG"),
    "palette.gif": lambda: _bytes(_sheet().quantize(4), "GIF"),
    "palette.tif": lambda: _bytes(_sheet().quantize(4), "TIFF"),
    "deep.png": lambda: _deep(".png"),
    "deep.tif": lambda: _deep(".tif"),
    "a.jp2": lambda: _bytes(_sheet(), "JPEG2000"),
    "a.avif": lambda: _bytes(_sheet(), "AVIF", quality=95),
    "a.heic": lambda: _heic(_sheet()),
}


def _heic(image: Image.Image, **options: Any) -> bytes:
    out = io.BytesIO()
    pillow_heif.from_pillow(image).save(out, quality=95, **options)
    return out.getvalue()


@pytest.mark.parametrize("name", _SHEETS)
def test_colours_are_those_that_a_viewer_shows(tmp_path: Path, name: str) -> None:
    with _convert(tmp_path, _SHEETS[name](), Path(name).suffix) as document:
        shown = document[0].get_pixmap(matrix=_native(document[0], 80), colorspace=pymupdf.csRGB)
        found = np.array([shown.pixel(20, 15), shown.pixel(60, 45), shown.pixel(60, 15), shown.pixel(20, 45)])
    wanted = [(200, 30, 30), (20, 40, 180), (255, 255, 255), (255, 255, 255)]
    assert np.abs(found - wanted).max() <= (60 if "cmyk" in name else 6)  # CMYK has no profile here


@pytest.mark.parametrize("compression", ["group3", "group4", "tiff_lzw", "raw"])
def test_black_stays_black_in_one_bit(tmp_path: Path, compression: str) -> None:
    image = Image.new("1", (64, 64), 1)
    image.paste(0, (8, 8, 30, 30))
    with _convert(tmp_path, _bytes(image, "TIFF", compression=compression), ".tif") as document:
        shown = document[0].get_pixmap(matrix=_native(document[0], 64), colorspace=pymupdf.csGRAY)
        assert (shown.pixel(20, 20), shown.pixel(50, 50)) == ((0,), (255,))


def test_heic_without_its_decoder_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    with pytest.raises(UnsupportedType, match="pi-heif") as raised:
        _convert(tmp_path, _heic(_sheet()), ".heic")
    assert "pip install" in raised.value.remedy


def test_a_fax_has_the_shape_of_its_paper(tmp_path: Path) -> None:
    """204 x 98 dots an inch: pixels twice as high as wide."""
    image = Image.new("1", (1728, 1078), 1)
    image.paste(0, (204, 98, 408, 196))
    with _convert(tmp_path, _bytes(image, "TIFF", compression="group3", dpi=(204, 98)), ".tif") as document:
        assert (document[0].rect.width, document[0].rect.height) == pytest.approx((610, 792), abs=1)
        shown = document[0].get_pixmap(dpi=72, colorspace=pymupdf.csGRAY)
        dark = np.argwhere(np.frombuffer(shown.samples, np.uint8).reshape(shown.height, -1) < 128)
        assert np.ptp(dark, axis=0) == pytest.approx((72, 72), abs=2)  # a square inch


def test_bombs_are_refused_before_they_are_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drac.adapters.images.MAX_PIXELS", 10_000)
    with pytest.raises(LimitExceeded):
        _convert(tmp_path, _bytes(Image.new("1", (101, 100)), "PNG"))
    with pytest.raises(LimitExceeded):
        _convert(tmp_path, _bytes(Image.new("1", (201, 100)), "PNG"))
    with _convert(tmp_path, _bytes(Image.new("1", (100, 100)), "PNG")) as document:
        assert len(document) == 1


def test_too_many_frames_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drac.adapters.images.MAX_FRAMES", 2)
    frames = [Image.new("L", (4, 4))] * 3
    with pytest.raises(LimitExceeded, match="3 frames"):
        _convert(tmp_path, _bytes(frames[0], "TIFF", save_all=True, append_images=frames[1:]))


def test_real_images(corpora: Path, tmp_path: Path) -> None:
    found = {}
    for name in ("png/linn.png", "jpeg/jpn-vert.jpeg", "tif/2206.01062.tif"):
        source = corpora / "documents" / name
        try:
            with _convert(tmp_path, source.read_bytes(), source.suffix) as document:
                found[name] = len(document)
        except DocumentError as error:
            found[name] = error.message
    assert found == {"png/linn.png": 1, "jpeg/jpn-vert.jpeg": 1, "tif/2206.01062.tif": 2}


def _native(page: pymupdf.Page, width: int) -> pymupdf.Matrix:
    scale = width / page.rect.width
    return pymupdf.Matrix(scale, scale)


def _depth16(stream: bytes, document: pymupdf.Document, xref: int) -> bytes:
    """Samples little-endian, PNG's row prediction undone by way of a PNG file's own decoder."""
    raw = document.xref_stream_raw(xref)
    header = struct.pack(">IIBBBBB", 40, 30, 16, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", raw), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return Image.open(io.BytesIO(png)).tobytes()
