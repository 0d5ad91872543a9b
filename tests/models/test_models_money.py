"""--max-usd is never passed, and a run that cannot go on says so and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from drac.profiles import ModelFacts
from tests.models.drawn import Corpus
from tests.models.running import PRICED, Run, drac, journal, stored_pages
from tests.servers.faults import Fault
from tests.servers.log import ServerLog
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer
from tests.servers.schedule import Chance, Rule, Schedule, no_faults

CONCURRENCY = 6


def convert(corpus: Corpus, config: Path, server: ModelServer, workspace: Path, *more: object) -> Run:
    return drac(
        "convert", corpus.folder, "--engine", "bedrock", "--endpoint-url", server.url, "--config", config,
        "--concurrency", CONCURRENCY, *more, workspace=workspace,
    )  # fmt: skip


def price(log: ServerLog, since: int = 0) -> float:
    """Dollars of all that the server would bill, also for replies that did not arrive."""
    facts = ModelFacts.model_validate(PRICED)
    assert facts.price_input is not None and facts.price_output is not None
    sent: int = sum(one.get("input_tokens", 0) for one in log.entries[since:])
    got: int = sum(one.get("output_tokens", 0) for one in log.entries[since:])
    return (sent * facts.price_input + got * facts.price_output) / 1e6


def test_max_usd_is_never_passed_and_the_rest_follows_with_more(
    corpus: Corpus, config: Path, tmp_path: Path
) -> None:
    unsure = Chance(0.2, 3, ("slow", "cut", "garbage_body", "stop:max_tokens", "refusal"), slow=4.0)
    with ModelServer(corpus.book, Behaviour(latency=0.1, schedule=unsure)) as server:
        first = convert(corpus, config, server, tmp_path / "ws", "--max-usd", "60")
        assert first.code == 5, first.told
        assert "--max-usd" in first.told
        assert 0 < price(server.log) <= 60
        kept, asked = len(journal(tmp_path / "ws")), len(server.log.entries)
        assert kept == server.log.totals()["replies"]
        server.behaviour.schedule = no_faults
        second = convert(corpus, config, server, tmp_path / "ws", "--max-usd", "1000")
    assert second.code == 0, second.told
    assert second.states == {"ok": 38, "blank": 2}
    assert second.spent["usd"] == pytest.approx(price(server.log, asked))
    for one in server.log.repeated().values():
        assert not any(entry["delivered"] for entry in one[:-1]), "a reply on disk was paid again"


def test_max_usd_with_a_model_without_a_price_is_a_usage_error(corpus: Corpus, tmp_path: Path) -> None:
    with ModelServer(corpus.book) as server:
        run = drac(
            "convert", corpus.folder, "--engine", "openai", "--base-url", server.openai_url, "--model",
            "nobody/knows-it", "--max-usd", "5", workspace=tmp_path / "ws",
        )  # fmt: skip
    assert run.code == 2
    assert "price" in run.told and "nobody/knows-it" in run.told
    assert server.log.entries == []


def test_expired_credentials_end_the_run_at_the_first_and_lose_nothing(
    corpus: Corpus, config: Path, tmp_path: Path
) -> None:
    after: Schedule = Rule(Fault("expired_credentials"), requests=(8, 10**6))
    with ModelServer(corpus.book, Behaviour(latency=0.2, schedule=after)) as server:
        first = convert(corpus, config, server, tmp_path / "ws")
        assert first.code == 6, first.told
        assert "expired" in first.told and _has_remedy(first)
        assert 1 <= server.log.faults()["expired_credentials"] <= CONCURRENCY
        assert len(journal(tmp_path / "ws")) == server.log.totals()["replies"] == 7
        assert _unread(tmp_path / "ws")
        server.behaviour.schedule = no_faults
        second = convert(corpus, config, server, tmp_path / "ws")
    assert (second.code, second.states) == (0, {"ok": 38, "blank": 2})
    assert server.log.totals()["replies"] == corpus.batches


def test_an_unknown_model_ends_the_run_at_the_first(corpus: Corpus, config: Path, tmp_path: Path) -> None:
    with ModelServer(corpus.book, Behaviour(latency=0.2, models=("another.model",))) as server:
        run = convert(corpus, config, server, tmp_path / "ws")
    assert run.code == 6 and "does not exist" in run.told and _has_remedy(run)
    assert 1 <= len(server.log.entries) <= CONCURRENCY


def _has_remedy(run: Run) -> bool:
    """Whether a line that says what to do follows what happened."""
    return len(run.told.strip().splitlines()[-1].strip()) > 10 and run.told.strip().count("\n") >= 1


def _unread(workspace: Path) -> bool:
    """Pages that were not read yet come as `failed` without a try."""
    return all(not one.attempts for one in stored_pages(workspace).values() if one.state.value == "failed")
