"""What every parser of the bench promises, run through its worker processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from drac.config import Settings
from drac.errors import UsageError
from drac.pipeline.recipes import convert_recipe
from drac.pipeline.tasks import ReadTask
from drac.records import Page, PageState, PageText
from drac.stages.normalize.kinds import TYPES, as_native
from drac.wiring import Models
from drac.wiring.parsers import ParserTool, parser
from drac.wiring.worker import local_reader

WORDS = ("alpha", "bravo", "charlie")
SETTINGS = Settings.model_validate({"run": {"workers": 1}})


@pytest.fixture(scope="module", params=["local", "pymupdf-text", "pymupdf4llm"])
def tool(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ParserTool]:
    models = Models(SETTINGS, tmp_path_factory.mktemp("workspace"))
    with parser(request.param, {}, SETTINGS, models) as made:
        yield made


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages with a word each, then an empty one."""
    path = tmp_path_factory.mktemp("documents") / "three.pdf"
    with pymupdf.open() as made:
        for word in WORDS:
            made.new_page().insert_text((72, 300), word)
        made.new_page()
        made.save(path)
    return path


def read(tool: ParserTool, path: Path, *numbers: int) -> tuple[PageText, ...]:
    pages = tuple(Page("d1", number) for number in numbers)
    return tool.reading.submit(ReadTask(path, pages, tool.settings.convert)).result(timeout=60).texts


def test_f54_pages_count_from_one_and_come_as_asked_for(tool: ParserTool, document: Path) -> None:
    texts = read(tool, document, 3, 1)
    assert [text.markdown for text in texts] == ["charlie", "alpha"]
    assert [text.page.number for text in texts] == [3, 1]
    assert {text.engine for text in texts} == {tool.name}


def test_an_empty_page_is_blank_and_one_that_is_not_there_fails_alone(
    tool: ParserTool, document: Path
) -> None:
    first, empty, absent = read(tool, document, 2, 4, 5)
    assert (first.state, first.markdown) == (PageState.OK, "bravo")
    assert (empty.state, empty.markdown) == (PageState.BLANK, "")
    assert absent.state is PageState.FAILED
    assert "page 5" in absent.attempts[0].outcome


def test_a_file_that_is_no_document_fails_every_page(tool: ParserTool, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"\xff\xfe not a PDF")
    texts = read(tool, path, 1, 2)
    assert [text.state for text in texts] == [PageState.FAILED] * 2
    assert all(text.attempts[0].outcome and str(tmp_path) not in text.attempts[0].outcome for text in texts)


def test_the_recipe_names_who_reads(tool: ParserTool) -> None:
    assert tool.recipe["settings"]["engine"] == tool.name
    assert tool.recipe["tools"] == dict(tool.reading.fingerprint)
    assert tool.recipe["tools"] and all(tool.recipe["tools"].values())


def test_a_part_of_a_document_reads_as_in_the_whole(tool: ParserTool, tmp_path: Path) -> None:
    """What a page says does not depend on which others are missing."""
    path = tmp_path / "headings.pdf"
    with pymupdf.open() as made:
        for size in (24, 16):
            page = made.new_page()
            page.insert_text((72, 100), "A heading", fontsize=size, fontname="hebo")
            page.insert_text((72, 140), "Some words of a paragraph that follow it.", fontsize=10)
        made.save(path)
    whole = read(tool, path, 1, 2)
    assert read(tool, path, 2) == whole[1:]


def test_parsers_of_convert_have_its_recipe(tmp_path: Path) -> None:
    with parser("local", {}, SETTINGS, Models(SETTINGS, tmp_path)) as tool:
        fingerprint = local_reader(SETTINGS.convert).fingerprint
        assert tool.recipe == convert_recipe(SETTINGS, fingerprint)


def test_native_reads_web_pages_as_they_stand_and_the_rest_as_convert_does(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<h1>Fares</h1><p>Nine pounds.</p>", encoding="utf-8")
    html, pdf = as_native(TYPES["html"]), TYPES["pdf"]
    with parser("native", {}, SETTINGS, Models(SETTINGS, tmp_path)) as tool:
        task = ReadTask(page, (Page("d1", 1),), tool.settings.convert)
        (text,) = tool.reading_of(html).submit(task).result(timeout=60).texts
        assert text.markdown == "# Fares\n\nNine pounds."
        assert tool.recipe_of(html)["settings"] == {"engine": "native", "type": "html"}
        assert tool.recipe_of(pdf) == convert_recipe(SETTINGS, tool.reading.fingerprint)


def test_options_make_other_pages(tmp_path: Path) -> None:
    models = Models(SETTINGS, tmp_path)
    recipes = []
    for options in ({}, {"sort": True}):
        with parser("pymupdf-text", options, SETTINGS, models) as tool:
            recipes.append(pickle.dumps(tool.recipe))
    assert recipes[0] != recipes[1]


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("nobody", {}, "no such name"),
        ("pymupdf-text", {"sorted": True}, "sorted"),
        ("local", {"ocr": "perhaps"}, "ocr"),
        ("local", {"model": {"max_usd": 3}}, "max_usd"),
    ],
)
def test_what_cannot_be_meant_is_named(
    name: str, options: dict[str, object], says: str, tmp_path: Path
) -> None:
    with (
        pytest.raises(UsageError, match=says),
        parser(name, options, SETTINGS, Models(SETTINGS, tmp_path)),
    ):
        pass
