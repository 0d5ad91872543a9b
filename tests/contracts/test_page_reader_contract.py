"""What every ports.PageReader promises, run on the real reader and on the fake."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from fakes import FakeReader

from drac.adapters.pymupdf_reader import LocalReader
from drac.config import ConvertSettings
from drac.ports import PageReader
from drac.records import Page, PageState
from drac.stages import convert

WORDS = ("alpha", "bravo", "charlie")


@pytest.fixture(scope="module", params=["local", "fake"])
def reader(request: pytest.FixtureRequest) -> PageReader:
    return LocalReader(ConvertSettings()) if request.param == "local" else FakeReader()


@pytest.fixture
def document(reader: PageReader, tmp_path: Path) -> Path:
    """Three pages with a word each, then an empty one."""
    path = tmp_path / "three.pdf"
    if isinstance(reader, FakeReader):
        path.write_text("\f".join((*WORDS, "")))
        return path
    with pymupdf.open() as made:
        for word in WORDS:
            made.new_page().insert_text((72, 300), word)
        made.new_page()
        made.save(path)
    return path


def pages(*numbers: int) -> list[Page]:
    return [Page("d1", number) for number in numbers]


def test_f54_pages_count_from_one(reader: PageReader, document: Path) -> None:
    texts = reader.read(document, pages(1, 2, 3))
    assert [text.markdown for text in texts] == list(WORDS)
    assert [text.page.number for text in texts] == [1, 2, 3]


def test_pages_come_in_the_order_asked_for(reader: PageReader, document: Path) -> None:
    texts = reader.read(document, pages(3, 1))
    assert [text.markdown for text in texts] == ["charlie", "alpha"]


def test_an_empty_page_is_blank(reader: PageReader, document: Path) -> None:
    (text,) = reader.read(document, pages(4))
    assert (text.state, text.markdown) == (PageState.BLANK, "")


@pytest.mark.parametrize("number", [0, -1, 5])
def test_a_page_that_is_not_there_fails_alone(reader: PageReader, document: Path, number: int) -> None:
    texts = reader.read(document, pages(1, number, 2))
    assert [text.state for text in texts] == [PageState.OK, PageState.FAILED, PageState.OK]
    assert texts[1].attempts[0].outcome != "ok"
    assert texts[1].markdown == ""


def test_a_file_that_is_no_document_fails_every_page(reader: PageReader, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"\xff\xfe not a PDF")
    texts = reader.read(path, pages(1, 2))
    assert [text.state for text in texts] == [PageState.FAILED] * 2
    assert all(text.attempts[0].outcome and str(tmp_path) not in text.attempts[0].outcome for text in texts)


def test_regions_lie_inside_the_text(reader: PageReader, document: Path) -> None:
    for text in reader.read(document, pages(1, 2, 3)):
        assert text.regions
        assert all(0 <= region.start < region.end <= len(text.markdown) for region in text.regions)


def test_run_answers_for_every_page(reader: PageReader, document: Path) -> None:
    texts = convert.run(document, pages(2, 1), reader)
    assert [text.page.number for text in texts] == [2, 1]


def test_fingerprint_says_what_reads(reader: PageReader) -> None:
    assert reader.name == "local"
    assert reader.fingerprint
    assert all(reader.fingerprint.values())
