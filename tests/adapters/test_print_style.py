"""Sizes and weights of print, measured from its ink."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from drac.adapters.print_style import Print, PrintStyles, lines_of_print, print_of, print_styles
from drac.adapters.pymupdf_ocr import styles_of
from drac.adapters.pymupdf_reader import LocalReader
from drac.adapters.straighten import Image
from drac.config import ConvertSettings
from drac.records import Page
from drac.stages.convert.page import DocumentFacts, Line, Word

DPI = 200
POINTS = 72 / DPI
BODY = "The lock keeper takes the toll before the boat leaves the basin"
Printed = tuple[str, str, float]
"""(text, font, size)."""
FIRST: list[Printed] = [
    ("Tolls of the Upper Canal", "hebo", 20),
    ("Boats under oars", "hebo", 14),
    *[(BODY, "helv", 10)] * 4,
    ("Exceptions", "hebo", 10),
    *[(BODY, "helv", 10)] * 2,
]
SECOND: list[Printed] = [("Barges in tow", "hebo", 14), *[(BODY, "helv", 10)] * 5]


def printed(document: pymupdf.Document, lines: Sequence[Printed]) -> pymupdf.Page:
    page = document.new_page(width=400, height=320)
    top = 30.0
    for text, font, size in lines:
        top += 1.3 * size + (10 if font == "hebo" else 2)
        page.insert_text((40, top), text, fontname=font, fontsize=size)
        top += 4 if font == "hebo" else 0
    return page


def drawn(page: pymupdf.Page) -> Image:
    pixels = page.get_pixmap(dpi=DPI, alpha=False)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


@pytest.fixture(scope="module")
def images() -> Iterator[list[tuple[Image, float]]]:
    with pymupdf.open() as document:
        yield [(drawn(printed(document, lines)), POINTS) for lines in (FIRST, SECOND)]


def test_a_documents_styles_are_seen_in_its_ink(images: list[tuple[Image, float]]) -> None:
    facts = print_styles(images).facts(DocumentFacts())
    assert facts.body_size == pytest.approx(10, abs=0.6) and not facts.body_bold
    sizes, bold = zip(*facts.heading_styles, strict=True)
    assert sizes == pytest.approx((20, 14, 10), rel=0.07) and all(bold)


def test_light_print_on_dark_paper_has_the_same_styles(images: list[tuple[Image, float]]) -> None:
    dark = [(255 - image // 2, points) for image, points in images]
    light = [(image // 2 + 127, points) for image, points in images]
    found, other = (print_styles(some).facts(DocumentFacts()) for some in (dark, light))
    assert found.body_size == other.body_size == pytest.approx(10, abs=0.6)
    assert len(found.heading_styles) == len(other.heading_styles) == 3


def test_a_page_without_print_leaves_what_is_known() -> None:
    known = DocumentFacts(body_size=11.0)
    blank = np.full((600, 500, 3), 255, np.uint8)
    assert lines_of_print(blank, POINTS) == []
    assert print_styles([(blank, POINTS)]).facts(known) == known


@pytest.mark.parametrize("text", ["Overview", "overseas concerns (2)", "FEES 2024", "Quay & jetty (all)"])
def test_letters_of_all_heights_tell_one_size(text: str) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=28)
        page.insert_text((10, 20), text, fontname="hebo", fontsize=16)
        seen = print_of(drawn(page)[:, :, 0], text)
    assert seen is not None
    assert seen.tall * POINTS / 16 == pytest.approx(0.72, abs=0.06)


def test_lines_take_the_nearest_style_and_cells_stay() -> None:
    styles = PrintStyles((10.0, 14.0), 0.12, frozenset({14.0}))
    seen = Print(tall=14.3 * 0.7 / POINTS, stroke=0.12, glyphs=4)
    line = Line((Word("Fees", (10, 10, 40, 24)),), (10, 11, 40, 23), 12.0)
    found = styles.styled(line, seen, POINTS)
    assert (found.size, found.bold, found.bold_words) == (14.0, True, 1)
    assert found.box[3] - found.box[1] == 14.0
    for left in (replace(line, cell=(0, 1)), replace(line, upright=False)):
        assert styles.styled(left, seen, POINTS) == left
    assert styles.styled(line, None, POINTS) == line


def test_pages_that_cannot_be_drawn_are_left_out() -> None:
    with pymupdf.open() as document:
        whole = printed(document, FIRST)

        def sheet(index: int) -> pymupdf.Page:
            if index:
                raise RuntimeError("code=7: cannot find page in page tree")
            return whole

        styles, slants = styles_of([0, 1], sheet, DPI)
    assert len(styles.sizes) == 3 and list(slants) == [0]


def scan(path: Path) -> Path:
    with pymupdf.open() as source, pymupdf.open() as target:
        for lines in (FIRST, SECOND):
            page = printed(source, lines)
            sheet = target.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=page.get_pixmap(dpi=DPI).tobytes("png"))
        target.save(path)
    return path


def test_headings_of_a_scan_have_the_same_levels_whichever_pages_are_read(tmp_path: Path) -> None:
    path = scan(tmp_path / "tolls.pdf")
    pages = [Page("a" * 64, 1), Page("a" * 64, 2)]
    together = LocalReader(ConvertSettings()).read(path, pages)
    heads = [line for text in together for line in text.markdown.splitlines() if line.startswith("#")]
    assert [head for head in heads if "Exceptions" not in head] == [
        "# Tolls of the Upper Canal",
        "## Boats under oars",
        "## Barges in tow",
    ]
    (alone,) = LocalReader(ConvertSettings()).read(path, pages[1:])
    assert alone == together[1]
