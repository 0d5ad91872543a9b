import shutil
from pathlib import Path

import cv2
import numpy as np
import pymupdf
import pytest

from drac.adapters import tesseract
from drac.adapters.pymupdf_reader import LocalReader
from drac.config import ConvertSettings
from drac.errors import EngineUnavailable
from drac.records import Page

HAS = shutil.which("tesseract") is not None and "eng" in tesseract.installed()
needed = pytest.mark.skipif(not HAS, reason="tesseract with its language eng is not installed")


def image(*texts: str) -> np.ndarray:
    sheet = np.full((60 + 60 * len(texts), 900, 3), 255, np.uint8)
    for place, text in enumerate(texts):
        cv2.putText(sheet, text, (40, 80 + 60 * place), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (0, 0, 0), 2)
    return sheet


@needed
def test_lines_have_words_places_and_confidences() -> None:
    lines = tesseract.recognise(image("Invoice 20417", "Total due 1,093.50"), ["eng"])
    assert [line.text for line in lines] == ["Invoice 20417", "Total due 1,093.50"]
    for line in lines:
        assert len(line.spans) == len(line.scores) == len(line.text)
        assert 0 < line.score <= 1
        assert list(line.spans) == sorted(line.spans)


@needed
def test_an_empty_image_has_no_lines() -> None:
    assert tesseract.recognise(image(), ["eng"]) == []


@needed
def test_a_language_that_is_not_there_is_named_with_its_package() -> None:
    with pytest.raises(EngineUnavailable, match="xyz") as caught:
        tesseract.recognise(image("a"), ["eng", "xyz"])
    assert "tesseract-ocr-xyz" in caught.value.remedy
    found = tesseract.health(["xyz"], chosen=True)
    assert found.state == "missing" and "tesseract-ocr-xyz" in found.remedy
    assert tesseract.health(["xyz"], chosen=False).state == "ok"


def test_without_the_program_only_those_who_chose_it_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    tesseract.installed.cache_clear()
    try:
        assert tesseract.health(["eng"], chosen=False).state == "ok"
        found = tesseract.health(["chi_sim"], chosen=True)
        assert found.state == "missing" and "tesseract-ocr-chi-sim" in found.remedy
    finally:
        tesseract.installed.cache_clear()


@needed
def test_a_scan_is_read_by_it_and_its_record_says_so(tmp_path: Path) -> None:
    pdf = tmp_path / "scan.pdf"
    with pymupdf.open() as document:
        page = document.new_page(width=324, height=130)
        page.insert_image(
            page.rect, stream=cv2.imencode(".png", image("Invoice 20417", "Due 93"))[1].tobytes()
        )
        document.save(pdf)
    reader = LocalReader(ConvertSettings(ocr_engine="tesseract"))
    (text,) = reader.read(pdf, [Page("0" * 64, 1)])
    assert "20417" in text.markdown
    assert text.recognition is not None and text.recognition.engine == "tesseract"
    assert "tesseract" in reader.fingerprint
    assert "tesseract" not in LocalReader(ConvertSettings()).fingerprint
