"""Pages to images."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from drac.adapters.pymupdf_render import PyMuPdfRenderer, health
from drac.errors import CorruptDocument, PageError

Make = Callable[[Callable[[pymupdf.Document], object]], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def build(draw: Callable[[pymupdf.Document], object]) -> Path:
        path = tmp_path / "made.pdf"
        with pymupdf.open() as document:
            draw(document)
            document.save(path)
        return path

    return build


def drawn(pdf: Path, number: int = 1, *, dpi: int = 200, max_side: int = 1568) -> Image.Image:
    return Image.open(io.BytesIO(PyMuPdfRenderer().render(pdf, number, dpi=dpi, max_side=max_side)))


def test_a_letter_page_has_the_size_of_its_dpi(make: Make) -> None:
    pdf = make(lambda document: document.new_page(width=612, height=792))
    assert drawn(pdf, dpi=100).size == (850, 1100)
    assert drawn(pdf, dpi=100).mode == "RGB"


@pytest.mark.parametrize("size", [(14_400, 14_400), (3, 9_000), (9_000, 3), (2, 14_400)])
def test_f13_a_huge_or_thin_page_is_drawn_within_the_cap(make: Make, size: tuple[float, float]) -> None:
    pdf = make(lambda document: document.new_page(width=size[0], height=size[1]))
    image = drawn(pdf)
    assert min(image.size) >= 1
    assert max(image.size) <= 1568
    assert max(image.size) >= 1560


def test_f12_cmyk_comes_out_as_rgb(make: Make) -> None:
    def draw(document: pymupdf.Document) -> None:
        out = io.BytesIO()
        Image.new("CMYK", (40, 40), (0, 255, 255, 0)).save(out, "JPEG")
        document.new_page(width=100, height=100).insert_image((0, 0, 100, 100), stream=out.getvalue())

    image = drawn(make(draw), dpi=72)
    red, green, blue = image.getpixel((50, 50))  # type: ignore[misc]
    assert image.mode == "RGB"
    assert red > 200 and green < 90 and blue < 90


def test_f15_form_values_are_drawn(make: Make) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=300, height=100)
        widget = pymupdf.Widget()
        widget.field_name, widget.field_type = "name", pymupdf.PDF_WIDGET_TYPE_TEXT
        widget.rect, widget.field_value = pymupdf.Rect(20, 20, 280, 60), "FORMVALUE"
        page.add_widget(widget)

    pdf = make(draw)
    assert np.asarray(drawn(pdf).convert("L")).min() < 100
    assert PyMuPdfRenderer().ink(pdf, 1)


def test_rotation_and_crop_are_applied(make: Make) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page(width=400, height=200)
        page.set_cropbox(pymupdf.Rect(0, 0, 300, 100))
        page.set_rotation(90)

    assert drawn(make(draw), dpi=72).size == (100, 300)


def test_the_same_page_gives_the_same_bytes(make: Make) -> None:
    pdf = make(lambda document: document.new_page().insert_text((72, 72), "the same"))
    renderer = PyMuPdfRenderer()
    assert renderer.render(pdf, 1, dpi=100, max_side=800) == renderer.render(pdf, 1, dpi=100, max_side=800)


def test_ink_is_seen_and_paper_is_not(make: Make) -> None:
    def draw(document: pymupdf.Document) -> None:
        document.new_page()
        document.new_page().insert_text((72, 72), ".", fontsize=8)
        document.new_page().draw_rect((0, 0, 595, 842), fill=(0.9, 0.9, 0.85), color=None)
        document.new_page().insert_text((72, 72), "white", color=(1, 1, 1))

    pdf = make(draw)
    assert [PyMuPdfRenderer().ink(pdf, number) for number in (1, 2, 3, 4)] == [False, True, False, False]


def test_errors_name_the_document_and_the_page(make: Make, tmp_path: Path) -> None:
    pdf = make(lambda document: document.new_page())
    for number in (0, 2):
        with pytest.raises(PageError, match=rf"made\.pdf.*page {number}"):
            PyMuPdfRenderer().render(pdf, number, dpi=72, max_side=100)
    broken = tmp_path / "broken.pdf"
    broken.write_text("no PDF")
    with pytest.raises(CorruptDocument, match=r"broken\.pdf"):
        PyMuPdfRenderer().render(broken, 1, dpi=72, max_side=100)


def test_health() -> None:
    assert health().state == "ok"
    assert "PyMuPDF" in health().detail
