"""Pages that lie on their side, slant, or are far too large, read by `local`."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from drac.adapters import pymupdf_ocr, rapidocr
from drac.adapters.pymupdf_reader import LocalReader
from drac.adapters.straighten import straighten, turn
from drac.config import ConvertSettings
from drac.records import Page, PageState, PageText

Draw = Callable[[pymupdf.Document], object]
LINES = (
    "The harbour office opens at eight in the morning.",
    "Fares rise by three per cent from the first of May.",
    "Dogs are not allowed on the upper deck.",
    "Lost luggage is kept for thirty days.",
)
ROWS = (("Berth", "Depth", "Length"), ("North 1", "7.5 m", "140 m"), ("North 2", "9.0 m", "165 m"))


def read(folder: Path, draw: Draw) -> list[PageText]:
    path = folder / "made.pdf"
    with pymupdf.open() as document:
        draw(document)
        document.save(path)
        count = len(document)
    pages = [Page(str(path), number + 1) for number in range(count)]
    return list(LocalReader(ConvertSettings()).read(path, pages))


def write_lines(page: pymupdf.Page, size: float = 12) -> None:
    for number, line in enumerate(LINES):
        page.insert_text((40, 50 + 2 * size * number), line, fontsize=size)


def pixels(dpi: int = 150, size: float = 12) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    with pymupdf.open() as document:
        page = document.new_page(width=380, height=200)
        write_lines(page, size)
        shown = page.get_pixmap(dpi=dpi, alpha=False)
        return np.frombuffer(shown.samples, np.uint8).reshape(shown.height, shown.width, 3).copy()


def scan(document: pymupdf.Document, image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
    out = io.BytesIO()
    Image.fromarray(image).save(out, "PNG")
    page = document.new_page(width=image.shape[1] * 72 / 150, height=image.shape[0] * 72 / 150)
    page.insert_image(page.rect, stream=out.getvalue())


def draw_table(document: pymupdf.Document) -> None:
    """A table in landscape on a sheet in landscape."""
    page = document.new_page(width=500, height=300)
    page.insert_text((40, 40), "Berths of the northern basin and their depth", fontsize=14)
    for row, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            page.insert_text((50 + 130 * column, 90 + 24 * row), cell, fontsize=11)
    for row in range(4):
        page.draw_line((40, 74 + 24 * row), (430, 74 + 24 * row))
    for column in range(4):
        page.draw_line((40 + 130 * column, 74), (40 + 130 * column, 146))


def lay(document: pymupdf.Document, turned: int) -> None:
    """Work a turn into the content, as programs do that print landscape pages on portrait paper."""
    document[0].set_rotation(turned)
    document[0].remove_rotation()


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_table_that_lies_on_its_side_is_read_upright(tmp_path: Path, turned: int) -> None:
    def draw(document: pymupdf.Document) -> None:
        draw_table(document)
        lay(document, turned)

    (text,) = read(tmp_path, draw)
    assert (text.turned, text.skew) == (-turned % 360, 0.0)
    rows = [line for line in text.markdown.split("\n") if "North 2" in line]
    assert len(rows) == 1 and "9.0 m" in rows[0] and "165 m" in rows[0] and "Depth" in rows[0]
    with pymupdf.open(tmp_path / "made.pdf") as document:
        (word,) = document[0].search_for("North 2")
        box = pymupdf.Rect(text.tables[0].box)
        assert box.contains((word.tl + word.br) / 2)
        assert document[0].rect.contains(box)


def test_a_page_turned_by_its_own_entry_and_in_its_content_is_read_upright(tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        draw_table(document)
        lay(document, 90)
        document[0].set_rotation(180)

    (text,) = read(tmp_path, draw)
    assert text.turned == 90
    assert "North 2" in text.markdown
    assert all(0 <= box[0] < box[2] <= 300 for one in text.regions for box in one.boxes)


def test_every_batch_of_a_document_is_turned_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pymupdf.open() as document:
        draw_table(document)
        lay(document, 270)
        document.new_page().insert_text((72, 72), "The second page stands upright as it is.")
        document.save(path)
    reader, pages = LocalReader(ConvertSettings()), [Page("d", 1), Page("d", 2)]
    together = LocalReader(ConvertSettings()).read(path, pages)
    assert [*reader.read(path, pages[1:]), *reader.read(path, pages[:1])] == [together[1], together[0]]
    assert [one.turned for one in together] == [90, 0]


def test_a_stamp_up_the_margin_turns_no_page(tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=400, height=300)
        write_lines(page)
        page.insert_text((20, 280), "arXiv:2206.01062v1 [cs.CV] 2 Jun 2022", fontsize=10, rotate=90)

    (text,) = read(tmp_path, draw)
    assert text.turned == 0
    assert LINES[0] in text.markdown


@pytest.mark.parametrize(("turned", "skew"), [(90, 0.0), (180, 0.0), (270, 0.0), (0, 4.0), (90, -3.0)])
def test_a_scan_is_turned_and_straightened(tmp_path: Path, turned: int, skew: float) -> None:
    image = turn(straighten(pixels(), -skew), -turned % 360)
    (text,) = read(tmp_path, lambda document: scan(document, image))
    assert text.method == "ocr"
    assert text.turned == turned
    assert text.skew == pytest.approx(skew, abs=0.3)
    for line in LINES:
        assert line in text.markdown.replace("\n", " ")
    width, height = image.shape[1] * 72 / 150, image.shape[0] * 72 / 150
    boxes = [box for one in text.regions for box in one.boxes]
    assert all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in boxes)


def test_a_picture_without_text_is_not_turned(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).integers(0, 255, (300, 200, 3), np.uint8)
    (text,) = read(tmp_path, lambda document: scan(document, noise))
    assert (text.turned, text.skew) == (0, 0.0)


@pytest.mark.parametrize("size", [(14_400.0, 14_400.0), (3.0, 9_000.0)])
def test_f13_a_page_of_absurd_size_is_read_within_a_bound_of_pixels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[float, float]
) -> None:
    monkeypatch.setattr(pymupdf_ocr, "_MAX_PIXELS", 4_000_000)
    drawn: list[int] = []
    whole = pymupdf_ocr.page_pixels

    def counted(page: pymupdf.Page, **options: object) -> pymupdf.Pixmap:
        shown = whole(page, **options)  # type: ignore[arg-type]
        drawn.append(shown.width * shown.height)
        return shown

    monkeypatch.setattr(pymupdf_ocr, "page_pixels", counted)

    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=size[0], height=size[1])
        page.draw_rect((0, 0, 2, 40), fill=(0, 0, 0))
        page.draw_rect((1, size[1] - 400, 3, size[1] - 300), fill=(0, 0, 0))

    (text,) = read(tmp_path, draw)
    assert text.state in (PageState.OK, PageState.BLANK)
    assert drawn and max(drawn) <= 4_100_000


def test_small_print_on_a_page_of_huge_pixels_is_read_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strip as of a receipt: within one tile its print would be nine pixels high."""
    for module in (rapidocr, pymupdf_ocr):
        monkeypatch.setattr(module, "TILE", 400)
    monkeypatch.setattr(rapidocr, "OVERLAP", 60)
    rows = [f"Item {number} costs {number}.{number % 10}5 euro" for number in range(11, 26)]

    def draw(document: pymupdf.Document) -> None:
        strip = pymupdf.open()
        page = strip.new_page(width=200, height=470)
        for number, row in enumerate(rows):
            page.insert_text((15, 30 + 29 * number), row, fontsize=11)
        shown = page.get_pixmap(dpi=150, alpha=False)
        scan(document, np.frombuffer(shown.samples, np.uint8).reshape(shown.height, shown.width, 3))

    (text,) = read(tmp_path, draw)
    found = text.markdown.replace("\n", " ")
    assert [found.count(row) for row in rows] == [1] * len(rows)
