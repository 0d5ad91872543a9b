"""The slant of a scan's lines."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from drac.adapters.straighten import Image, lies_sideways, skew_of, slant_of, straighten, turn


@pytest.fixture(scope="module")
def page() -> Image:
    with pymupdf.open() as document:
        sheet = document.new_page(width=420, height=595)
        for line in range(28):
            text = "Goods are received at the north gate between seven and noon."
            start = 7 * line % 60
            sheet.insert_text((50, 60 + 17 * line), text[start:] + " " + text[:start], fontsize=11)
        pixels = sheet.get_pixmap(dpi=110, alpha=False)
        return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


@pytest.mark.parametrize("skew", [-5.0, -2.3, -0.6, 0.8, 3.0, 6.5])
def test_a_slant_is_found_and_taken_out(page: Image, skew: float) -> None:
    slanted = straighten(page, -skew)
    found = skew_of(slanted)
    assert found == pytest.approx(skew, abs=0.2)
    assert skew_of(straighten(slanted, found)) == 0.0


@pytest.mark.parametrize("skew", [0.0, 0.2, -0.2])
def test_a_page_that_is_nearly_level_stays_as_it_is(page: Image, skew: float) -> None:
    assert skew_of(straighten(page, skew)) == 0.0


def test_a_page_without_lines_has_no_slant() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (300, 300, 3), np.uint8)
    assert skew_of(noise) == 0.0
    assert skew_of(np.full((300, 300, 3), 255, np.uint8)) == 0.0
    assert skew_of(np.full((1, 4000, 3), 255, np.uint8)) == 0.0


def test_lines_that_run_down_are_seen(page: Image) -> None:
    for skew in (0.0, 4.0):
        assert not lies_sideways(straighten(page, skew))
        assert lies_sideways(turn(straighten(page, skew), 90))


def test_nothing_is_cut_off_and_the_paper_goes_on() -> None:
    page = np.full((200, 100, 3), 240, np.uint8)
    page[:6, :6] = page[-6:, -6:] = 0
    level = straighten(page, 5.0)
    assert level.shape[0] > 200 and level.shape[1] > 100
    assert tuple(level[0, -1]) == (240, 240, 240)
    assert int((level < 60).all(axis=2).sum()) == pytest.approx(72, abs=22)


def test_how_lines_lie_is_told_at_once(page: Image) -> None:
    slanted = straighten(page, -3.0)
    for image, sideways in ((slanted, False), (turn(slanted, 90), True)):
        slant = slant_of(image)
        assert slant.sideways is sideways
        assert slant.skew == skew_of(turn(image, 90) if sideways else image)
