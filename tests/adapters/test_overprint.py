"""Two cells printed over each other, drawn and read again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
import pytest

from drac.adapters.ocr_line import OcrLine
from drac.adapters.overprint import print_of, told_apart
from drac.adapters.rapidocr import read_apart, recognise
from drac.adapters.straighten import Image

DPI = 200
PROSE = (
    [(40, "The dragon snaps at 12 GB and 25 of 1028 pages")],
    [(40, "another map of Gangdon and Ossia, 5 pages, 4700 lines")],
    [(40, "Battery 5000mAh holds 6 hours, Bharat")],
)
Row = Sequence[tuple[float, str]]
"""Texts of a line of print with the x that they start at, in points."""


def drawn(*rows: Row) -> Image:
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=40 + 20 * len(rows))
        for place, row in enumerate(rows):
            for x, text in row:
                page.insert_text((x, 40 + 20 * place), text, fontsize=11, fontname="tiro")
        pixels = page.get_pixmap(dpi=DPI, alpha=False)
        return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


def parts(image: Image, edge: float, places: Sequence[int]) -> list[str]:
    """How the last line reads in parts, the lines at these places for glyphs."""
    found = recognise(image)
    page = print_of(image, [found[place] for place in places])
    return [one.text for one in read_apart(image, found[-1], edge * DPI / 72, page)]


@pytest.mark.parametrize(
    ("first", "second", "edge"),
    [("Maharashtra", "022-4947", 84.0), ("Snapdragon", "512GB", 86.0)],
)
def test_two_texts_printed_over_each_other_are_told_apart(first: str, second: str, edge: float) -> None:
    image = drawn(*PROSE, [(40, first), (edge, second)])
    assert [line.text for line in recognise(image)][-1] != f"{first}{second}"
    assert parts(image, edge, (0, 1, 2)) == [first, second]


def test_without_glyphs_on_the_page_nothing_is_made_up() -> None:
    image = drawn(*PROSE, [(40, "Maharashtra"), (84, "022-4947")])
    found = recognise(image)
    second = OcrLine("022-4947", found[-1].box, 1.0)
    assert told_apart(print_of(image, []), found[-1], second, 84.0 * DPI / 72) is None
    read = parts(image, 84.0, ())
    assert read[0] in ("Maharash", "Maharasht") and read[1] == "022-4947"


def test_texts_that_touch_keep_their_characters_each() -> None:
    with_font = pymupdf.Font("tiro")
    edge = 40 + with_font.text_length("Infotainment", fontsize=11) + 0.4
    image = drawn(*PROSE, [(40, "Infotainment"), (edge, "Touchscreen,")])
    assert parts(image, edge, (0, 1, 2)) in (["Infotainment", "Touchscreen,"], ["InfotainmentTouchscreen,"])
