"""The parser `reducto` against a loopback server: pages, journal, price and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from servers.reducto_server import ReductoServer, serving

from drac.config import Settings
from drac.errors import BudgetReached, EngineUnavailable, UsageError
from drac.pipeline.tasks import ReadTask
from drac.records import Page, PageState, PageText
from drac.wiring import Models
from drac.wiring.parsers import ParserTool, parser

pytest.importorskip("reducto", reason="the extra `reducto` is not installed")

TABLE = (
    '<table><tr><th rowspan="2">Route</th><th colspan="2">Adult</th></tr>'
    "<tr><th>Single</th><th>Return</th></tr>"
    "<tr><td>1 Port Ansel</td><td>£9.40</td><td>£17.20</td></tr></table>"
)
BLOCKS = [
    {"page": 1, "type": "Header", "content": "Skerrow Line"},
    {"page": 1, "type": "Title", "content": "# Fares & times"},
    {"page": 1, "type": "Text", "content": "Children under\nfive travel free.\n\nA second paragraph."},
    {"page": 1, "type": "List Item", "content": "- Buy a ticket\n- Board"},
    {"page": 1, "type": "Page Number", "content": "1"},
    {"page": 2, "type": "Section Header", "content": "Adults"},
    {"page": 2, "type": "Table", "content": TABLE},
    {"page": 2, "type": "Key Value", "content": "Phone: 01632 960000\nOpen: daily"},
]
PAGES = [
    "# Fares & times\n\nChildren under five travel free.\n\nA second paragraph.\n\n- Buy a ticket\n- Board",
    "## Adults\n\nRoute: 1 Port Ansel; Adult Single: £9.40; Adult Return: £17.20.\n\n"
    "Phone: 01632 960000 Open: daily",
]


@pytest.fixture
def server() -> Iterator[ReductoServer]:
    with serving(ReductoServer(BLOCKS)) as made:
        yield made


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Three pages, the last without ink."""
    path = tmp_path / "ferry.pdf"
    with pymupdf.open() as made:
        for text in ("one", "two", ""):
            made.new_page().insert_text((72, 72), text)
        made.save(path)
    return path


@contextmanager
def opened(
    server: ReductoServer, place: Path, options: dict[str, Any] | None = None, max_usd: float | None = None
) -> Iterator[tuple[ParserTool, Models]]:
    model = {"max_usd": max_usd, "attempts": 1}
    settings = Settings.model_validate({"run": {"workers": 1}, "model": model})
    models = Models(settings, place / "ws")
    told = {"base_url": server.url, **(options or {})}
    with parser("reducto", told, settings, models) as tool:
        yield tool, models


def read(tool: ParserTool, pdf: Path, *numbers: int) -> tuple[PageText, ...]:
    pages = tuple(Page("d1", number) for number in numbers)
    return tool.reading.submit(ReadTask(pdf, pages, tool.settings.convert)).result(timeout=60).texts


def test_pages_are_written_with_rows_as_sentences(server: ReductoServer, pdf: Path, tmp_path: Path) -> None:
    with opened(server, tmp_path) as (tool, _):
        texts = read(tool, pdf, 2, 1, 3, 9)
    assert [one.markdown for one in texts[:2]] == [PAGES[1], PAGES[0]]
    states = [one.state for one in texts]
    assert states == [PageState.OK, PageState.OK, PageState.BLANK, PageState.FAILED]
    assert texts[1].furniture == ("Skerrow Line", "1")
    assert b"%PDF" in server.uploads[0]


def test_missing_pages_only_are_asked_for_and_a_reply_on_disk_is_not_bought_again(
    server: ReductoServer, pdf: Path, tmp_path: Path
) -> None:
    with opened(server, tmp_path, {"settings": {"extraction_mode": "ocr"}}) as (tool, _):
        first = read(tool, pdf, 2)
    with opened(server, tmp_path, {"settings": {"extraction_mode": "ocr"}}) as (tool, models):
        assert read(tool, pdf, 2) == first
        (spending,) = models.spending().values()
    assert (len(server.asked), spending.requests, spending.reused) == (1, 0, 1)
    (asked,) = server.asked
    assert asked["settings"] == {"extraction_mode": "ocr", "page_range": [{"start": 2, "end": 2}]}
    assert asked["formatting"]["table_output_format"] == "html"
    (kept,) = (tmp_path / "ws" / "replies").rglob("*.json")
    assert json.loads(kept.read_bytes())["simulated"] is True


def test_credits_are_priced_and_shared_among_the_pages(
    server: ReductoServer, pdf: Path, tmp_path: Path
) -> None:
    with opened(server, tmp_path, {"usd_per_credit": 0.02}, max_usd=1.0) as (tool, models):
        texts = read(tool, pdf, 1, 2)
        ((label, spending),) = models.spending().items()
    assert label == "reducto (SIMULATED)"
    assert spending.usd == pytest.approx(0.05)
    assert [one.usage.usd for one in texts] == pytest.approx([0.025, 0.025])
    assert [one.usage.requests for one in texts] == [1, 0]


def test_a_budget_that_could_be_passed_sends_nothing(
    server: ReductoServer, pdf: Path, tmp_path: Path
) -> None:
    options = {"usd_per_credit": 0.02, "most_credits": 4}
    with (
        opened(server, tmp_path, options, max_usd=0.1) as (tool, _),
        pytest.raises(BudgetReached),
    ):
        read(tool, pdf, 1, 2)
    assert not server.uploads


def test_a_budget_needs_a_price(server: ReductoServer, tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="no price is known") as caught,
        opened(server, tmp_path, max_usd=1.0),
    ):
        pass
    assert "usd_per_credit" in caught.value.remedy


def test_a_result_may_lie_under_an_address_of_its_own(
    server: ReductoServer, pdf: Path, tmp_path: Path
) -> None:
    server.by_address = True
    with opened(server, tmp_path) as (tool, _):
        assert read(tool, pdf, 1)[0].markdown == PAGES[0]


def test_a_request_that_never_passes_fails_its_pages_and_says_why(
    server: ReductoServer, pdf: Path, tmp_path: Path
) -> None:
    server.statuses = [422]
    with opened(server, tmp_path) as (tool, _):
        texts = read(tool, pdf, 1, 2)
    assert [one.state for one in texts] == [PageState.FAILED] * 2
    assert "HTTP 422" in texts[0].attempts[0].outcome and "said by the server" in texts[0].attempts[0].outcome


@pytest.mark.parametrize("status", [401, 402, 403])
def test_what_no_request_can_pass_stops_the_run(
    server: ReductoServer, pdf: Path, tmp_path: Path, status: int
) -> None:
    server.statuses = [status]
    with opened(server, tmp_path) as (tool, _), pytest.raises(EngineUnavailable, match=f"HTTP {status}"):
        read(tool, pdf, 1)


def test_nothing_is_sent_off_this_machine_where_that_is_forbidden(pdf: Path, tmp_path: Path) -> None:
    away = ReductoServer([])
    away.url = "https://platform.reducto.ai"
    with opened(away, tmp_path) as (tool, _), pytest.raises(EngineUnavailable, match="FORBID_PAID"):
        read(tool, pdf, 1)
