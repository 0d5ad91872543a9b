"""OCR with the weights of the wheel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf

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
