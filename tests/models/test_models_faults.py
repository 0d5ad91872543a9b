"""Every fault of a model or its server: no page is lost, and none says what was not meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from drac.records import PageState
from tests.models.drawn import Corpus, draw
from tests.models.running import MODEL, Run, drac
from tests.servers.faults import TEXT, Fault, passing
from tests.servers.log import ServerLog
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer
from tests.servers.schedule import Chance, Rule, Schedule, first_of
from tests.servers.wire import Api

SLOW = 4.0
"""Seconds of the fault `slow`, past the read timeout of the settings."""
Asking = Callable[[Corpus, Schedule, Api], tuple[Run, ServerLog]]


@pytest.fixture
def ask(config: Path, tmp_path: Path) -> Asking:
    """`drac convert` of a corpus at a server with a schedule, and the server's log."""

    def asking(corpus: Corpus, schedule: Schedule, api: Api) -> tuple[Run, ServerLog]:
        with ModelServer(corpus.book, Behaviour(schedule=schedule)) as server:
            engine = (
                ("bedrock", "--endpoint-url", server.url) if api == "converse"
                else ("openai", "--base-url", server.openai_url, "--model", MODEL)
            )  # fmt: skip
            run = drac(
                "convert", corpus.folder, "--config", config, "--concurrency", "16", "--engine", *engine,
                workspace=tmp_path / "ws",
            )  # fmt: skip
            return run, server.log

    return asking


def check_pages(run: Run, log: ServerLog, corpus: Corpus) -> None:
    """Rule 2, and that nothing `ok` differs from what the server meant."""
    pages = run.pages()
    assert set(pages) == set(corpus.texts), "pages were lost"
    assert sum(run.states.values()) == len(corpus.texts)
    meant = log.meant()
    for place, page in pages.items():
        if place in corpus.blanks:
            assert page.state is PageState.BLANK
        elif page.state is PageState.OK:
            wanted = {corpus.texts[place], *meant.get(place, ())}
            assert page.markdown in wanted, f"{place}: {page.notes} {page.attempts}\n{page.markdown}"
        else:
            assert page.state in (PageState.FALLBACK, PageState.FAILED)
            assert page.attempts[0].outcome != "ok"


def check_counts(run: Run, log: ServerLog) -> None:
    """The summary says what the server's own log says."""
    totals, busy = log.totals(), sum(run.spent["busy"].values())
    assert run.spent["requests"] == totals["requests"]
    assert run.spent["replies"] == totals["replies"]
    assert run.spent["output_tokens"] == totals["output_tokens"]
    failed = [one for one in log.entries if not one.get("delivered")]
    rejected = [one for one in failed if one["error"] == "ValidationException"]
    assert busy == len(failed) - len(rejected)
    throttled = [one for one in failed if one["error"] == "ThrottlingException"]
    assert run.spent["busy"].get("throttled", 0) == len(throttled)


@pytest.mark.parametrize(("api", "seed"), [("converse", 1), ("openai", 2)])
def test_a_fifth_of_all_requests_goes_wrong(ask: Asking, corpus: Corpus, api: Api, seed: int) -> None:
    kinds = passing(api, "convert")
    run, log = ask(corpus, Chance(0.2, seed, kinds, slow=SLOW), api)
    assert run.code in (0, 4), run.told
    check_pages(run, log, corpus)
    check_counts(run, log)
    assert sum(log.faults().values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("api", ["converse", "openai"])
def test_every_fault_once(ask: Asking, tmp_path: Path, api: Api) -> None:
    """A document for each kind of fault, which hits the first request for it."""
    kinds = [kind for kind in passing(api, "convert") if api == "converse" or kind not in TEXT]
    names = {kind: f"{kind.replace(':', '-')}.pdf" for kind in kinds}
    corpus = draw(tmp_path / "docs", {name: 1 + (kind in TEXT) for kind, name in names.items()})
    rules = [Rule(Fault(kind, seconds=SLOW), document=name, times=1) for kind, name in names.items()]
    run, log = ask(corpus, first_of(*rules), api)
    check_pages(run, log, corpus)
    check_counts(run, log)
    assert (run.code, run.states) == (0, {"ok": len(corpus.texts)})
    assert set(log.faults()) == set(kinds)


@pytest.mark.parametrize("kind", ["refusal", "stop:content_filtered"])
def test_when_every_reply_fails_its_checks_the_exit_code_is_4(ask: Asking, tmp_path: Path, kind: str) -> None:
    pages = {"annals.pdf": 3, "bylaws.pdf": 1}
    corpus = draw(tmp_path / "docs", pages, blanks=[("annals.pdf", 2)])
    run, log = ask(corpus, lambda _: Fault(kind), "converse")
    assert (run.code, run.states) == (4, {"blank": 1, "fallback": 3})
    check_pages(run, log, corpus)
    check_counts(run, log)
    assert log.totals()["requests"] <= 6 * len(corpus.texts)
