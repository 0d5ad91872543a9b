"""A user's own parser: a function or a class in a module of the current folder."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from drac.config import Settings
from drac.errors import UsageError
from drac.pipeline.tasks import ReadTask
from drac.records import Page, PageState
from drac.wiring import Models
from drac.wiring.parsers import parser

SETTINGS = Settings.model_validate({"run": {"workers": 1}})
MODULE = '''
import pymupdf
from drac.records import PageText, PageState

def pages(pdf, mark="="):
    """Each page's words in capitals."""
    with pymupdf.open(pdf) as document:
        return [mark + page.get_text().strip().upper() for page in document]

def broken(pdf):
    raise RuntimeError("out of ink")

class Reader:
    def __init__(self, word="seen"):
        self.word = word
        self.fingerprint = {"model": "m1"}

    def read(self, pdf, pages):
        return [PageText(page, PageState.OK, self.word, "theirs") for page in pages]
'''


@pytest.fixture
def pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "parsers_of_mine.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "two.pdf"
    with pymupdf.open() as made:
        for text in ("one", "two"):
            made.new_page().insert_text((72, 72), text)
        made.save(path)
    return path


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("parsers_of_mine:pages", {}, ["=TWO", "=ONE", None]),
        ("parsers_of_mine:pages", {"mark": "-"}, ["-TWO", "-ONE", None]),
        ("parsers_of_mine:Reader", {"word": "told"}, ["told"] * 3),
        ("parsers_of_mine:broken", {}, [None] * 3),
    ],
)
def test_a_parser_of_ones_own(pdf: Path, name: str, options: dict[str, str], told: list[str | None]) -> None:
    asked = tuple(Page("d1", number) for number in (2, 1, 3))
    with parser(name, options, SETTINGS, Models(SETTINGS, pdf.parent / "ws")) as tool:
        texts = tool.reading.submit(ReadTask(pdf, asked, SETTINGS.convert)).result(timeout=60).texts
    assert [one.markdown or None for one in texts] == told
    assert [one.state is PageState.FAILED for one in texts] == [one is None for one in told]
    assert tool.recipe["settings"] == {"engine": name, **options}
    assert len(tool.recipe["tools"]["code"]) == 64


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("parsers_of_mine:nothing", {}, "nothing"),
        ("parsers_of_mine:pages", {"size": 3}, "size"),
        ("parsers_of_mine:Reader", {"size": 3}, "size"),
        ("no_module_of_that_name:pages", {}, "no_module_of_that_name"),
    ],
)
def test_what_is_no_parser_is_named(pdf: Path, name: str, options: dict[str, int], says: str) -> None:
    models = Models(SETTINGS, pdf.parent / "ws")
    with pytest.raises(UsageError, match=says), parser(name, options, SETTINGS, models):
        pass
