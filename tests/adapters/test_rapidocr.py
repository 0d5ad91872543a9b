"""OCR with the weights of the wheel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from drac.adapters import rapidocr
from drac.adapters.rapidocr import _corners as corners
from drac.adapters.rapidocr import fingerprint, health, look_again, quarter_turns, recognise
from drac.adapters.straighten import turn


def image(*texts: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    with pymupdf.open() as document:
        page = document.new_page(width=360, height=40 + 30 * len(texts))
        for place, text in enumerate(texts):
            page.insert_text((20, 40 + 30 * place), text, fontsize=14)
        pixels = page.get_pixmap(dpi=144, alpha=False)
        return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


def test_lines_come_top_to_bottom_with_their_boxes() -> None:
    lines = recognise(image("Invoice 20417", "Total due 1,093.50"))
    assert [line.text for line in lines] == ["Invoice 20417", "Total due 1,093.50"]
    assert lines[0].box[3] < lines[1].box[1]
    assert abs(lines[0].box[0] - 40) < 12
    assert all(line.score > 0.8 for line in lines)


def large(size: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A Letter page at 260 dots an inch, 2860 pixels high, with eight lines of print."""
    with pymupdf.open() as document:
        page = document.new_page(width=612, height=792)
        for place in range(8):
            text = "Lockage fees of 48.20 are payable before the boat leaves the basin"
            page.insert_text((72, 100 + 1.4 * size * place), text, fontsize=size)
        pixels = page.get_pixmap(dpi=260, alpha=False)
        return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3).copy()


def test_lines_seen_on_a_smaller_image_stand_where_they_do_on_the_whole() -> None:
    lines = recognise(large(9.0))
    assert {line.text for line in lines} == {
        "Lockage fees of 48.20 are payable before the boat leaves the basin"
    }
    left, top, _, foot = lines[0].box
    assert abs(left - 260) < 8 and top < 100 * 260 / 72 < foot


@pytest.mark.parametrize(("size", "looks"), [(9.0, 1), (3.0, 2)])
def test_small_print_is_looked_for_at_full_size(
    size: float, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heights = []
    monkeypatch.setattr(
        rapidocr, "_corners", lambda pixels: heights.append(pixels.shape[0]) or corners(pixels)
    )
    recognise(large(size))
    assert heights == [1600, 2860][:looks]


def test_an_empty_image_has_no_lines() -> None:
    assert recognise(np.full((200, 200, 3), 255, np.uint8)) == []


def test_fingerprint_holds_the_weights() -> None:
    assert fingerprint()["rapidocr"].startswith("3.")
    assert len(fingerprint()["ocr-weights"]) == 16


def test_health() -> None:
    assert health().state == "ok"


def test_sound_lines_are_not_turned_round(repository: Path) -> None:
    """RapidOCR's own direction check turns four lines of this scan, which then read as noise."""
    with pymupdf.open(repository / "corpora/sample/documents/archive/charter-agreement-1987.pdf") as document:
        pixels = document[0].get_pixmap(dpi=200, alpha=False, colorspace=pymupdf.csRGB)
    picture = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    text = " ".join(line.text for line in recognise(picture))
    assert "licensed for 60 passengers and eight motor cars, in good order and" in text
    assert "may extend it by four weeks if they give notice in writing before 31" in text


def test_which_way_up_a_page_is() -> None:
    upright = image("The harbour office opens at eight", "Fares rise by three per cent", "No dogs on deck")
    assert [quarter_turns(turn(upright, -way)) for way in (0, 90, 180, 270)] == [0, 90, 180, 270]


def test_doubtful_lines_are_read_again_and_the_others_are_left() -> None:
    sheet = image("Invoice 20417", "Total due 1,093.50")
    lines = recognise(sheet)
    doubtful = [replace(lines[0], text="Invoice 20477", scores=(0.5,) * 13), lines[1]]
    again = look_again(sheet, doubtful)
    assert again[0].text == "Invoice 20417" and again[1] is lines[1]
    assert again[0].box == lines[0].box
