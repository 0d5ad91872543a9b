"""Honest replies in any order: every page is there, in its place, with the text that was meant."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from drac.records import PageState
from tests.models.drawn import Corpus
from tests.models.running import Run, drac
from tests.servers.log import ServerLog
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer
from tests.servers.schedule import Seen

Honest = tuple[Run, ServerLog]
Told = dict[str, Any]


def convert(corpus: Corpus, config: Path, server: ModelServer, workspace: Path, *more: object) -> Run:
    return drac(
        "convert", corpus.folder, "--engine", "bedrock", "--endpoint-url", server.url, "--config", config,
        "--concurrency", "8", *more, workspace=workspace,
    )  # fmt: skip


class SecondBatchFirst:
    """A latency by which the first batch of manual.pdf ends after the second, on any machine."""

    def __init__(self) -> None:
        self._second = threading.Event()

    def __call__(self, seen: Seen) -> float:
        began, numbers = time.monotonic(), {one.number for one in seen.shown}
        if seen.shows("manual.pdf", 7):
            self._second.set()
        elif seen.shows("manual.pdf", 1):
            assert self._second.wait(60), numbers
            return time.monotonic() - began + 0.3
        return 0.02 * (7 - min(numbers))


@pytest.fixture(scope="module")
def honest(corpus: Corpus, config: Path, tmp_path_factory: pytest.TempPathFactory) -> Honest:
    """A run in which later pages come back first."""
    behaviour = Behaviour(latency=SecondBatchFirst())
    with ModelServer(corpus.book, behaviour) as server:
        run = convert(corpus, config, server, tmp_path_factory.mktemp("honest") / "ws")
        planned = drac("plan", workspace=run.workspace)
        assert planned.code == 0, planned.told
        return run, server.log


def test_every_page_is_ok_or_blank(honest: Honest, corpus: Corpus) -> None:
    run, _ = honest
    assert run.code == 0, run.told
    assert run.states == {"ok": 38, "blank": 2}
    assert set(run.pages()) == set(corpus.texts)
    blank = [page for page, text in run.pages().items() if text.state is PageState.BLANK]
    assert sorted(blank) == sorted(corpus.blanks)


def test_f18_order_and_text_are_what_was_meant_whatever_came_back_first(
    honest: Honest, corpus: Corpus
) -> None:
    run, log = honest
    ended = {entry["shown"][0]["page"]: entry["answered"] for entry in log.entries
             if entry["shown"][0]["document"] == "manual.pdf"}  # fmt: skip
    assert ended[7] < ended[1]
    assert {page: one.markdown for page, one in run.pages().items()} == dict(corpus.texts)
    for name, markdown in run.exported().items():
        numbers = sorted(number for path, number in corpus.texts if path == name)
        blocks = (f"<!-- Page {n} -->\n\n{corpus.texts[name, n]}".rstrip() for n in numbers)
        assert markdown.rstrip("\n") == "\n\n".join(blocks)


def test_blank_pages_are_never_sent(honest: Honest, corpus: Corpus) -> None:
    _, log = honest
    assert all(log.asked_for(*page) == [] for page in corpus.blanks)


def test_requests_are_batches_and_the_summary_is_the_servers_log(honest: Honest, corpus: Corpus) -> None:
    run, log = honest
    totals = log.totals()
    assert totals["requests"] == corpus.batches
    assert log.repeated() == {}
    for name in ("requests", "replies", "input_tokens", "output_tokens"):
        assert run.spent[name] == totals[name]
    assert run.spent["busy"] == {}


@pytest.fixture(scope="module")
def told(corpus: Corpus, config: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What a dry run says."""
    workspace = tmp_path_factory.mktemp("dry") / "ws"
    with ModelServer(corpus.book) as server:
        run = convert(corpus, config, server, workspace, "--dry-run")
    assert (run.code, server.log.entries, workspace.exists()) == (0, [], False)
    return run.summary


def test_the_dry_run_tells_what_then_happens(told: Told, honest: Honest) -> None:
    run, _ = honest
    assert (told["documents"], told["pages"]) == (12, 40)
    assert told["requests"] == run.spent["requests"]
    (stage,) = told["by_stage"]
    assert stage["input_tokens"] == pytest.approx(run.spent["input_tokens"], rel=0.15)
    low, high = stage["output_tokens_range"]
    assert low <= run.spent["output_tokens"] <= high
    low, high = told["usd_range"]
    assert low <= run.spent["usd"] <= high
    assert told["usd"] == pytest.approx(run.spent["usd"], rel=0.5)
