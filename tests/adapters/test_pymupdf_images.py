"""Pages as images for a model: upright, level, readable, and within the model's limits."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from fakes_normalize import damaged_page_of_three, encrypted_pdf
from PIL import Image

from drac.adapters.pymupdf_images import ImageLimits, PageView, Shape, TileCount, count_tiles, page_view
from drac.adapters.rapidocr import recognise
from drac.adapters.straighten import skew_of, straighten, turn
from drac.errors import CorruptDocument, EncryptedDocument, PageError

BOTH = ("image/png", "image/jpeg")
LIMITS = ImageLimits(200, 1568, 3_750_000, BOTH, readable=9)
Pixels = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
Draw = Callable[[pymupdf.Document], object]
WORDS = "Goods are received at the north gate between seven and noon and leave by the south gate until six."


def view(folder: Path, draw: Draw, limits: ImageLimits = LIMITS, shape: Shape = "whole") -> PageView:
    path = folder / "made.pdf"
    with pymupdf.open() as document:
        draw(document)
        document.save(path)
    return page_view(path, 1, shape, limits)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def write(page: pymupdf.Page, lines: int = 20, size: float = 11) -> None:
    for line in range(lines):
        start = 7 * line % 60
        page.insert_text((50, 60 + 17 * line), WORDS[start : start + 70], fontsize=size)


def upright() -> Pixels:
    with pymupdf.open() as document:
        page = document.new_page(width=500, height=450)
        write(page)
        shown = page.get_pixmap(dpi=150, alpha=False)
        return np.frombuffer(shown.samples, np.uint8).reshape(shown.height, shown.width, 3).copy()


def likeness(image: Image.Image, other: Pixels) -> float:
    """How alike two pictures of one page are, as the correlation of small grey ones."""
    small = [
        np.asarray(one.convert("L").resize((200, 180)), float) for one in (image, Image.fromarray(other))
    ]
    return float(np.corrcoef(small[0].ravel(), small[1].ravel())[0, 1])


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_page_that_lies_on_its_side_is_sent_upright(tmp_path: Path, turned: int) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=500, height=450)
        write(page)
        page.set_rotation(turned)
        page.remove_rotation()

    seen = view(tmp_path, draw)
    assert seen.text_layer.startswith(WORDS[:20])
    assert likeness(opened(seen.images[0].data), upright()) > 0.9


@pytest.mark.parametrize(("turned", "skew"), [(180, 0.0), (90, 3.0)])
def test_a_scan_is_sent_upright_and_level(tmp_path: Path, turned: int, skew: float) -> None:
    scanned = turn(straighten(upright(), -skew), turned)

    def draw(document: pymupdf.Document) -> None:
        out = io.BytesIO()
        Image.fromarray(scanned).save(out, "PNG")
        page = document.new_page(width=scanned.shape[1] * 72 / 150, height=scanned.shape[0] * 72 / 150)
        page.insert_image(page.rect, stream=out.getvalue())

    image = np.asarray(opened(view(tmp_path, draw).images[0].data))
    assert abs(skew_of(image)) <= 0.3
    lines = [line.text for line in recognise(image[:300])]
    assert any(WORDS[21:40] in line for line in lines)
    top, bottom = view(tmp_path, draw, shape="halves").images
    assert opened(top.data).width == opened(bottom.data).width


def test_tiles_are_counted_before_they_are_drawn(tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        write(document.new_page())
        plan = document.new_page(width=2400, height=1700)
        for line in range(60):
            plan.insert_text((50, 40 + 27 * line), WORDS * 8, fontsize=7)

    shown = view(tmp_path, draw)
    assert not shown.small_print
    counted = count_tiles(tmp_path / "made.pdf", LIMITS)
    sent = page_view(tmp_path / "made.pdf", 2, "tiles", LIMITS).tiles
    assert counted == TileCount(1, len(sent)) and len(sent) > 3
    assert count_tiles(tmp_path / "made.pdf", replace(LIMITS, readable=0)) == TileCount(0, 0)


def test_ordinary_print_needs_no_tiles(tmp_path: Path) -> None:
    seen = view(tmp_path, lambda document: write(document.new_page(width=612, height=792)))
    assert not seen.small_print
    assert len(seen.images) == 1
    assert view(tmp_path, lambda document: write(document.new_page()), shape="tiles").tiles == ()


def test_a_long_page_becomes_tiles_that_overlap_and_know_their_place(tmp_path: Path) -> None:
    """A web page printed as one page of 200 inches: print of one pixel in one image."""

    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=600, height=14_400)
        for line in range(700):
            if not 200 < line < 400:
                page.insert_text((50, 60 + 20 * line), f"Entry {line}: {WORDS[:40]}", fontsize=11)

    assert view(tmp_path, draw).small_print
    tiles = view(tmp_path, draw, shape="tiles").tiles
    assert 5 < len(tiles) <= 40 and {one.column for one in tiles} == {0}
    assert all(max(opened(one.image.data).size) <= 1568 for one in tiles)
    for before, after in pairwise(tiles):
        if after.row == before.row + 1:
            assert 40 < before.box[3] - after.box[1] < 80  # points: three lines
    assert any(b.row > a.row + 1 for a, b in pairwise(tiles))  # the empty part is not sent
    said = "\n".join(one.text_layer for one in tiles)
    assert all(f"Entry {line}:" in said for line in (0, 1, 150, 200, 400, 555, 699))
    scale = opened(tiles[0].image.data).height / (tiles[0].box[3] - tiles[0].box[1])
    assert 11 * scale >= 9


def test_a_plan_becomes_rows_and_columns(tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=3370, height=2384)  # A0
        for row in range(12):
            for column in range(10):
                page.insert_text(
                    (100 + 320 * column, 100 + 190 * row), f"Room {row}.{column} 24 m2", fontsize=8
                )

    tiles = view(tmp_path, draw, shape="tiles").tiles
    assert max(one.column for one in tiles) >= 1 and max(one.row for one in tiles) >= 1
    said = " ".join(one.text_layer for one in tiles)
    assert all(f"Room {row}.{column}" in said for row in range(12) for column in range(10))
    assert all(one.box[2] <= 3370 and one.box[3] <= 2384 for one in tiles)


def test_tiles_can_be_switched_off(tmp_path: Path) -> None:
    limits = ImageLimits(200, 1568, 3_750_000, BOTH, readable=0)
    assert not view(tmp_path, lambda one: write(one.new_page(width=600, height=9000)), limits).small_print


@pytest.mark.parametrize("size", [(14_400.0, 14_400.0), (3.0, 9_000.0)])
def test_f13_a_page_of_absurd_size_becomes_images_within_the_caps(
    tmp_path: Path, size: tuple[float, float]
) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=size[0], height=size[1])
        page.draw_rect((0, 0, 3, 900), fill=(0, 0, 0))

    seen = view(tmp_path, draw)
    assert len(seen.images) == 1 and max(opened(seen.images[0].data).size) <= 1568
    assert not seen.small_print


def test_f12_a_page_with_a_cmyk_image_is_sent_in_colours_that_a_model_takes(tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        out = io.BytesIO()
        Image.new("CMYK", (40, 40), (0, 255, 255, 0)).save(out, "JPEG")
        document.new_page(width=100, height=100).insert_image((0, 0, 100, 60), stream=out.getvalue())

    image = opened(view(tmp_path, draw).images[0].data)
    red, green, blue = image.convert("RGB").getpixel((image.width // 2, image.height // 4))  # type: ignore[misc]
    assert image.mode == "RGB"
    assert red > 200 and green < 90 and blue < 90


def noise(document: pymupdf.Document) -> None:
    out = io.BytesIO()
    pixels = np.random.default_rng(5).integers(0, 255, (600, 600, 3), np.uint8)
    Image.fromarray(pixels).save(out, "PNG")
    page = document.new_page(width=216, height=216)
    page.insert_image(page.rect, stream=out.getvalue())


def test_an_image_too_large_in_bytes_becomes_jpeg_then_poorer_then_smaller(tmp_path: Path) -> None:
    sizes = []
    for most in (4_000_000, 400_000, 150_000, 40_000):
        (one,) = view(tmp_path, noise, ImageLimits(200, 1568, most, BOTH)).images
        assert len(one.data) <= most
        sizes.append((one.media_type, opened(one.data).width))
    assert [kind for kind, _ in sizes] == ["image/png", *["image/jpeg"] * 3]
    assert sizes[0][1] == sizes[1][1] > sizes[3][1]


def test_an_image_that_no_way_fits_names_page_and_limit(tmp_path: Path) -> None:
    with pytest.raises(PageError, match=r"made\.pdf, page 1: .*100,000 bytes as PNG"):
        view(tmp_path, noise, ImageLimits(200, 1568, 100_000, ("image/png",)))
    with pytest.raises(PageError, match=r"made\.pdf, page 1: .*100 bytes"):
        view(tmp_path, noise, ImageLimits(200, 1568, 100, BOTH))


def test_tiles_of_an_odd_document_are_counted_or_it_is_named(tmp_path: Path) -> None:
    odd = tmp_path / "odd.pdf"
    odd.write_bytes(damaged_page_of_three(b"/AcroForm<</Fields[8 0 R]>>", side=3000))
    assert count_tiles(odd, LIMITS).pages == 2
    odd.write_bytes(b"no PDF at all")
    with pytest.raises(CorruptDocument, match="cannot be read as a PDF"):
        count_tiles(odd, LIMITS)
    odd.write_bytes(encrypted_pdf("x", user="secret"))
    with pytest.raises(EncryptedDocument):
        count_tiles(odd, LIMITS)
