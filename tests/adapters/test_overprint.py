"""Two cells printed over each other, drawn and read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf
import pytest

from drac.adapters import overprint, pymupdf_ocr
from drac.adapters.ocr_line import OcrLine
from drac.adapters.overprint import print_of, told_apart
from drac.adapters.rapidocr import read_apart, recognise
from drac.adapters.straighten import Image
from drac.stages.convert.page import Line

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


def test_a_cell_of_one_digit_is_read_as_it_stands() -> None:
    edge = 40 + pymupdf.Font("tiro").text_length("Reliance", fontsize=11) + 0.3
    image = drawn(*PROSE, [(40, "Reliance"), (edge, "7")])
    found = recognise(image)
    x = edge * DPI / 72
    box = (x - 2, *found[-1].box[1:])
    one = OcrLine(found[-1].text, found[-1].box, 1.0)
    assert box[2] - box[0] < box[3] - box[1]
    assert [part.text for part in read_apart(image, one, x, print_of(image, []))] == ["Reliance", "7"]


def test_a_digit_that_letters_run_over_is_not_put_among_them() -> None:
    image = drawn(*PROSE, [(40, "Maharashtra"), (84, "7")])
    assert not any(part[-1:] == "7" and part != "7" for part in parts(image, 84.0, (0, 1, 2)))


def letters(x: float, y: float, text: str) -> OcrLine:
    """A line as it was drawn, without anybody's reading it."""
    scale, at, spans = DPI / 72, x, []
    for one in text:
        width = pymupdf.Font("tiro").text_length(one, fontsize=11)
        spans.append((at * scale, (at + 0.96 * width) * scale))
        at += width
    box = (x * scale, (y - 11) * scale, at * scale, (y + 3) * scale)
    return OcrLine(text, box, 1.0, tuple(spans), (1.0,) * len(text))


def test_a_bar_under_which_every_glyph_fits_takes_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    every = "A B C D E F G H I K L M N O P R S T U V a b c d e f g h i k l m n o p r s t u v 0 1 2 3 4 5 6 7"
    image = drawn(*[[(20, every)]] * 10, [(40, "Maharashtra")])
    image[round(228 * DPI / 72) : round(245 * DPI / 72), round(66 * DPI / 72) : round(120 * DPI / 72)] = 0
    lines = [letters(20, 40 + 20 * place, every) for place in range(10)]
    torn, second = letters(40, 240, "Maharashtra"), letters(76, 240, "022")
    laid, lay = [0], overprint._with

    def counted(*given: Any) -> Any:
        laid[0] += 1
        return lay(*given)

    monkeypatch.setattr(overprint, "_with", counted)
    page = print_of(image, lines)
    assert told_apart(page, torn, second, 76 * DPI / 72) is None
    assert 1000 < laid[0] <= overprint._MOST
    page.left, laid[0] = 500, 0
    assert [told_apart(page, torn, second, 76 * DPI / 72) for _ in range(3)] == [None] * 3
    assert laid[0] <= 500
    assert page.left == 0


def test_a_page_that_has_been_read_is_kept_where_looking_closer_fails(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> list[tuple[Line, float]]:
        raise ValueError("no median")

    monkeypatch.setattr(pymupdf_ocr, "torn", failing)
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=100)
        page.insert_text((40, 40), "The first crane lifts 40 tonnes", fontsize=11)
        read = pymupdf_ocr.ocr_page(page, DPI)
    assert [line.text for line in read.lines] == ["The first crane lifts 40 tonnes"]
    assert "no median" in caplog.text
