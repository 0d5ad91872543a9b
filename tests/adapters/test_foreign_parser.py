"""docling and Marker: recorded results of their types, and the way to their environments and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from fakes_parsers import PARSED, environment

from drac.adapters import docling_document, marker_document
from drac.adapters.foreign_parser import (
    DoclingOptions,
    DoclingReader,
    ForeignReader,
    MarkerOptions,
    MarkerReader,
)
from drac.adapters.parsed_pages import page_text, ranges
from drac.errors import MissingExtra, UsageError
from drac.records import Page, PageState

FARES = """Table 1. Fares

Route: 1 Port Ansel; Adult Single: £9.40; Adult Return: £17.20.

Route: 2 Hessay; Adult Single: £4.70; Adult Return: £8.60."""
CODE = "```\nx = 1\nif x < 2:\n    print(x)\n```"
DOCLING = [
    f"""# Fares & times

## Passengers

Children under five travel free. A child is <16> years old.

3. Buy a ticket
   - online
   - at the quay
4. Board

{FARES}

A paragraph that begins on page one""",
    f"""and ends on page two.

### Ships

Figure 1. The fleet

Three ferries at a quay.

Call 01632 960000

{CODE}

E = mc^2

☒ I agree""",
]
MARKER = [
    f"# Fares & times\n\nChildren under five travel free.\n\n- Buy a ticket\n- Board\n\n{FARES}",
    "",
    f"## Ships\n\nThree ferries at a quay.\n\nFigure 1. The fleet\n\nE = mc^2\n\n{CODE}",
]


def recorded(name: str) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads((PARSED / f"{name}.json").read_text(encoding="utf-8"))
    return whole


def pages(*numbers: int) -> list[Page]:
    return [Page("d1", number) for number in numbers]


def test_a_docling_document_page_by_page() -> None:
    found = docling_document.document_pages(recorded("docling"))
    texts = [page_text(page, found[page.number], "docling", ink=True) for page in pages(1, 2)]
    assert [one.markdown for one in texts] == DOCLING
    assert [one.furniture for one in texts] == [("Skerrow Line", "1"), ()]
    (table,) = texts[0].tables
    assert (table.rows, table.columns, table.header_rows) == (4, 3, 2)
    assert [texts[0].markdown[start:end] for _, start, end in table.sentences] == FARES.split("\n\n")[1:]


def test_cells_whose_words_are_items_of_their_own_are_told_once() -> None:
    """As of a table with formatted cells; without cells the words stand for the table."""
    whole = recorded("docling")
    (table,) = whole["tables"]
    item = {
        "self_ref": f"#/texts/{len(whole['texts'])}",
        "label": "text",
        "text": "£9.40",
        "prov": table["prov"],
    }
    whole["texts"].append(item)
    table["children"].append({"$ref": item["self_ref"]})
    for cells, told in ((table["data"]["table_cells"], 1), ([], 1)):
        table["data"] = {**table["data"], "table_cells": cells, "num_rows": 4 if cells else 0}
        found = docling_document.document_pages(whole)
        text = page_text(Page("d", 1), found[1], "docling", ink=True).markdown
        assert text.count("£9.40") == told
        assert text.count("Table 1. Fares") == 1


def test_words_in_pictures_stand_where_they_are_asked_for() -> None:
    found = docling_document.document_pages(recorded("docling"), picture_text=True)
    assert "MV Hessay" in page_text(Page("d", 2), found[2], "docling", ink=True).markdown


def test_a_text_whose_spans_are_not_all_of_it_stands_on_its_first_page() -> None:
    whole = recorded("docling")
    for item in whole["texts"]:
        for place in item["prov"]:
            place["charspan"] = [0, len(item["text"])]
    found = docling_document.document_pages(whole)
    texts = [page_text(page, found[page.number], "docling", ink=True).markdown for page in pages(1, 2)]
    assert texts[0].endswith("A paragraph that begins on page one and ends on page two.")
    assert texts[1].startswith("### Ships")


def test_marker_blocks_page_by_page() -> None:
    found = marker_document.document_pages(recorded("marker"))
    texts = [page_text(page, found[page.number], "marker", ink=True) for page in pages(1, 2, 3)]
    assert [one.markdown for one in texts] == MARKER
    assert texts[0].furniture == ("Skerrow Line", "1")
    assert texts[1].notes == ("nothing was found on it",)


def test_ranges_of_pages() -> None:
    assert ranges(pages(5, 1, 2, 3, 7, 8, 2)) == [(1, 3), (5, 5), (7, 8)]
    assert ranges([]) == []


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Three pages, the last without ink."""
    path = tmp_path / "ferry.pdf"
    with pymupdf.open() as made:
        for text in ("one", "two", ""):
            made.new_page().insert_text((72, 72), text)
        made.save(path)
    return path


def docling(folder: Path, **options: Any) -> DoclingReader:
    return DoclingReader(DoclingOptions(python=str(environment(folder, "docling")), **options))


def told(folder: Path) -> list[Any]:
    lines = (folder / "packages" / "told.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_docling_is_asked_for_the_missing_pages_in_its_own_environment(tmp_path: Path, pdf: Path) -> None:
    reader = docling(tmp_path)
    assert reader.fingerprint["docling-core"] == "9.8"
    texts = reader.read(pdf, pages(3, 1, 9))
    assert [one.state for one in texts] == [PageState.BLANK, PageState.OK, PageState.FAILED]
    assert texts[1].markdown == DOCLING[0]
    assert texts[2].attempts[0].outcome == "there is no page 9"
    assert [first for first, _, _ in told(tmp_path)] == [[1, 1], [3, 3]]


def test_docling_options_are_of_the_classes_that_they_name(
    tmp_path: Path, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "secret")
    server = {"url": "http://127.0.0.1:1/v1", "headers": {"Authorization": "Bearer $A_KEY"}}
    options: dict[str, Any] = {
        "settings": {"do_ocr": True}, "ocr": {"kind": "rapidocr", "lang": ["en"]},
        "picture_description": server,
    }  # fmt: skip
    assert docling(tmp_path, **options).read(pdf, pages(1))[0].state is PageState.OK
    ((_, pipeline, stated),) = told(tmp_path)
    assert pipeline is None
    assert stated["do_ocr"] and stated["do_picture_description"] and stated["enable_remote_services"]
    assert stated["ocr_options"] == {"lang": ["en"]}
    assert stated["picture_description_options"]["headers"] == {"Authorization": "Bearer secret"}
    assert "secret" not in DoclingOptions(**options).model_dump_json()


def test_a_vision_model_is_named_as_docling_names_it(tmp_path: Path, pdf: Path) -> None:
    docling(tmp_path, pipeline="vlm", vlm="GRANITE").read(pdf, pages(1))
    assert told(tmp_path) == [[[1, 1], "VlmPipeline", {"vlm_options": "granite"}]]


def test_marker_counts_from_zero_and_is_told_its_own_settings(tmp_path: Path, pdf: Path) -> None:
    options = MarkerOptions(
        python=str(environment(tmp_path, "marker")), settings={"force_ocr": True, "use_llm": True}
    )
    reader = MarkerReader(options)
    assert reader.fingerprint["marker-pdf"] == "9.8"
    texts = reader.read(pdf, pages(1, 2))
    assert [one.markdown for one in texts] == MARKER[:2]
    (stated,) = told(tmp_path)
    assert stated["page_range"] == "0-1" and stated["force_ocr"] and stated["use_llm"]


@pytest.mark.parametrize("kind", ["docling", "marker"])
def test_what_the_parser_says_is_why_a_page_failed(tmp_path: Path, pdf: Path, kind: str) -> None:
    python = str(environment(tmp_path, kind))
    reader: ForeignReader = (
        DoclingReader(DoclingOptions(python=python))
        if kind == "docling"
        else MarkerReader(MarkerOptions(python=python))
    )
    broken = pdf.rename(pdf.with_name("broken.pdf"))
    texts = reader.read(broken, pages(1, 2))
    assert [one.state for one in texts] == [PageState.FAILED] * 2
    assert texts[0].attempts[0].outcome == f"{kind} ended with 1: ValueError: it cannot be parsed"


def test_an_environment_without_the_parser_names_the_extra_and_what_to_do() -> None:
    with pytest.raises(MissingExtra, match="'marker'") as caught:
        _ = MarkerReader(MarkerOptions()).fingerprint
    assert caught.value.extra == "marker"
    assert "pip install marker-pdf" in caught.value.remedy


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not start"):
        _ = DoclingReader(DoclingOptions(python=str(tmp_path / "none"))).fingerprint
