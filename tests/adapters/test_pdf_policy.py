"""A PDF's pages are read and drawn as a viewer shows them: forms, notes, layers, crops, turns, labels."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image

from drac.adapters.pymupdf_pdf import page_labels
from drac.adapters.pymupdf_reader import LocalReader
from drac.adapters.pymupdf_render import PyMuPdfRenderer
from drac.config import ConvertSettings
from drac.records import Page


@pytest.fixture
def page(tmp_path: Path) -> Callable[[Callable[[Any, Any], object]], tuple[str, Image.Image]]:
    """Text as the local engine reads it and image of a page that is drawn by a function."""

    def build(draw: Callable[[Any, Any], object]) -> tuple[str, Image.Image]:
        path = tmp_path / "made.pdf"
        with pymupdf.open() as document:
            sheet = document.new_page(width=400, height=400)
            sheet.insert_text((50, 50), "BODYTEXT")
            draw(document, sheet)
            document.save(path)
        (text,) = LocalReader(ConvertSettings(ocr="never")).read(path, (Page("x", 1),))
        image = PyMuPdfRenderer().render(path, 1, dpi=72, max_side=1568)
        return text.markdown, Image.open(io.BytesIO(image)).convert("L")

    return build


def ink(image: Image.Image, box: tuple[int, int, int, int]) -> int:
    return int((np.asarray(image.crop(box)) < 128).sum())


def widget(document: Any, sheet: Any) -> Any:
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "name"
    field.field_value, field.rect = "FORMVALUE", pymupdf.Rect(50, 100, 300, 130)
    sheet.add_widget(field)
    return field


def without_appearance(document: Any, sheet: Any) -> None:
    xref = widget(document, sheet).xref
    document.xref_set_key(xref, "AP", "null")
    document.xref_set_key(document.pdf_catalog(), "AcroForm/NeedAppearances", "true")


@pytest.mark.parametrize("draw", [widget, without_appearance])
def test_f15_form_values_are_drawn_and_read(page: Any, draw: Any) -> None:
    text, image = page(draw)
    assert "FORMVALUE" in text
    assert ink(image, (50, 100, 300, 130)) > 50


def test_annotations_that_are_shown_are_drawn_and_read(page: Any) -> None:
    text, image = page(lambda _, sheet: sheet.add_freetext_annot(pymupdf.Rect(50, 200, 200, 230), "REMARK"))
    assert "REMARK" in text
    assert ink(image, (50, 200, 200, 230)) > 20


def test_layers_are_shown_as_a_viewer_does_by_default(page: Any) -> None:
    def draw(document: Any, sheet: Any) -> None:
        for name, on, height in (("SHOWNLAYER", True, 100), ("HIDDENLAYER", False, 200)):
            sheet.insert_text((50, height), name, oc=document.add_ocg(name, on=on))

    text, image = page(draw)
    assert "SHOWNLAYER" in text and "HIDDENLAYER" not in text
    assert ink(image, (50, 85, 200, 105)) > 20 and ink(image, (50, 185, 200, 205)) == 0


def test_text_outside_the_crop_is_not_content(page: Any) -> None:
    def draw(document: Any, sheet: Any) -> None:
        sheet.insert_text((50, 300), "CROPPED")
        sheet.set_cropbox(pymupdf.Rect(0, 0, 400, 200))

    text, image = page(draw)
    assert text.strip() == "BODYTEXT"
    assert image.size == (400, 200)


def test_a_turned_page_is_drawn_as_it_is_shown(page: Any) -> None:
    def draw(document: Any, sheet: Any) -> None:
        sheet.set_mediabox(pymupdf.Rect(0, 0, 400, 200))
        sheet.set_rotation(90)

    assert page(draw)[1].size == (200, 400)


def test_labels_of_pages_are_those_of_the_file(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for _ in range(4):
            document.new_page()
        document.save(tmp_path / "plain.pdf")
        document.set_page_labels([{"startpage": 0, "style": "D", "firstpagenum": 1}])
        document.save(tmp_path / "same.pdf")
        document.set_page_labels(
            [{"startpage": 0, "style": "r"}, {"startpage": 2, "style": "D", "firstpagenum": 7}]
        )
        document.save(tmp_path / "roman.pdf")
    assert page_labels(tmp_path / "plain.pdf") == page_labels(tmp_path / "same.pdf") == ()
    assert page_labels(tmp_path / "roman.pdf") == ("i", "ii", 7, 8)
