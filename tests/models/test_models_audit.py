"""`drac audit` on pages that a model read: what it finds, and what is done about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from drac.records import PageState
from drac.store.store import Store
from tests.models.drawn import Corpus, draw, learn
from tests.models.running import Run, drac, journal, settings_file
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer

INVENTED = (
    "A quarterly dividend of seventeen percent had been promised by telegram, although nobody believed "
    "that Marguerite would ever reimburse those astonished shareholders in Rotterdam before 1893."
)
PAGES = {"good.pdf": 2, "wrong.pdf": 3}


def _with_wrong(corpus: Corpus) -> str:
    """The second page of wrong.pdf with a paragraph that does not stand there."""
    return f"{corpus.texts['wrong.pdf', 2]}\n\n{INVENTED}"


class Case:
    """A converted workspace, the server still there."""

    def __init__(self, place: Path, server: ModelServer, corpus: Corpus) -> None:
        self.place, self.server, self.corpus = place, server, corpus
        self.workspace = place / "ws"
        self.config = settings_file(place)

    @property
    def where(self) -> list[object]:
        return ["--endpoint-url", self.server.url, "--config", self.config]

    def convert(self, *more: object) -> Run:
        more = ("--engine", "bedrock", "--text-hint", "off", *more)
        return drac("convert", self.corpus.folder, *more, *self.where, workspace=self.workspace)

    def dry_run(self, workspace: Path) -> dict[str, Any]:
        """The price of reading, and of asking again, when the pages are audited and repaired."""
        more = ["--engine", "bedrock", "--audit", "--on-mismatch", "repair", "--dry-run"]
        run = drac("convert", self.corpus.folder, *more, *self.where, workspace=workspace)
        return {one["what"]: one for one in run.summary["by_stage"]} | {"all": run.summary}

    def audit(self, *more: object) -> Run:
        return drac("audit", *self.where, *more, workspace=self.workspace)

    def plan(self) -> Run:
        return drac("plan", workspace=self.workspace)

    def requests(self) -> int:
        return len(self.server.log.entries)


@pytest.fixture
def case(tmp_path: Path) -> Any:
    corpus = draw(tmp_path / "docs", PAGES)
    lies = {**corpus.texts, ("wrong.pdf", 2): _with_wrong(corpus)}
    book = learn(corpus.folder, lies).book
    with ModelServer(book, Behaviour()) as server:
        made = Case(tmp_path, server, corpus)
        run = made.convert()
        assert run.states == {"ok": 5}
        yield made


def test_an_invented_paragraph_is_flagged_with_its_sentence_and_nothing_is_changed(case: Case) -> None:
    before = {path.name: path.read_bytes() for path in (case.workspace / "pages").iterdir()}
    asked = case.requests()
    run = case.audit()
    assert run.code == 0
    assert run.summary["pages_compared"] == 5
    (page,) = run.summary["flagged"]
    assert (page["source"], page["page"], page["reader"]) == ("wrong.pdf", 2, "local text-layer")
    told = next(one for one in page["findings"] if one["kind"] == "invented")
    assert told["text"] in INVENTED or INVENTED in told["text"]
    assert all((case.workspace / "pages" / name).read_bytes() == data for name, data in before.items())
    assert case.requests() == asked


def test_a_second_audit_computes_nothing_and_status_and_repair_know_it(case: Case) -> None:
    first = case.audit()
    kept = {path: path.stat().st_mtime_ns for path in case.workspace.rglob("*.json")}
    again = case.audit()
    assert again.summary["pages_reused"] == 5
    assert again.summary["flagged"] == first.summary["flagged"]
    assert {path: path.stat().st_mtime_ns for path in case.workspace.rglob("*.json")} == kept
    status = drac_status(case.workspace)["audits"]
    assert (status["pages"], status["compared"], status["flagged"]) == (5, 5, 1)
    (wrong,) = [one for one in status["documents"] if one["flagged"]]
    assert wrong["source"] == "wrong.pdf" and wrong["pages"][0]["page"] == 2
    (case.workspace / "catalog.sqlite3").unlink()
    assert plain("repair", case.workspace)["pages"] == 5
    assert drac_status(case.workspace)["audits"] == status


def test_fallback_takes_the_second_readers_text_and_counts(case: Case) -> None:
    case.plan()
    run = case.audit("--on-mismatch", "fallback")
    assert run.code == 4, "one of five pages is more than 2 %"
    assert case.audit("--on-mismatch", "fallback", "--max-fallback", "0.5").code == 0
    text = run.pages()["wrong.pdf", 2]
    assert text.state is PageState.FALLBACK and text.engine == "local"
    assert "dividend" not in text.markdown and "audit" in [one.engine for one in text.attempts]
    record = stored_audit(case.workspace)
    assert record.before is not None and INVENTED in record.before.markdown
    assert any(one.kind == "invented" for one in record.found)
    planned = case.plan().summary
    assert (planned["documents_planned"], planned["plans_reused"]) == (2, 1)


def test_a_retry_of_a_replaced_page_asks_anew_and_takes_the_new_reply(case: Case) -> None:
    case.audit("--on-mismatch", "fallback")
    asked = case.requests()
    vars(case.server.book).update(vars(case.corpus.book))
    run = case.convert("--retry", "fallback")
    assert (run.code, case.requests()) == (0, asked + 1)
    text = run.pages()["wrong.pdf", 2]
    assert (text.state, text.engine) == (PageState.OK, "bedrock")
    assert "dividend" not in text.markdown and case.corpus.texts["wrong.pdf", 2][:200] in text.markdown
    assert [one.engine for one in text.attempts][:2] == ["bedrock", "audit"]
    assert text.attempts[-1].outcome == "ok"
    assert text.usage.requests == sum(one.usage.requests for one in text.attempts)
    case.convert("--retry", "fallback")
    assert case.requests() == asked + 1, "nothing is left to retry"


def test_each_retry_of_a_page_that_stays_wrong_is_another_attempt(case: Case) -> None:
    seen = set()
    for _ in range(3):
        case.audit("--on-mismatch", "fallback")
        asked = case.requests()
        case.convert("--retry", "fallback")
        assert case.requests() == asked + 1
        seen.add(max(one["attempt"] for one in journal(case.workspace)))
    assert len(seen) == 3


def test_repair_that_changes_nothing_leaves_the_page_and_says_so(case: Case) -> None:
    asked = case.requests()
    run = case.audit("--on-mismatch", "repair")
    assert run.code == 0
    assert case.requests() == asked + 1
    assert "The text layer of page 2" in case.server.log.entries[-1]["prompt"]
    text = run.pages()["wrong.pdf", 2]
    assert text.state is PageState.OK and INVENTED in text.markdown
    assert [one.engine for one in text.attempts] == ["bedrock", "audit", "bedrock"]
    assert "still flagged" in text.notes[-1]
    (page,) = run.summary["flagged"]
    assert page["action"] == "repair" and page["outcome"].startswith("left as it is")
    assert case.audit("--on-mismatch", "repair").summary["pages_reused"] == 5
    assert case.requests() == asked + 1, "a page that was asked for again in vain is not asked for once more"


def test_repair_takes_a_better_reply_and_the_next_audit_agrees(case: Case) -> None:
    vars(case.server.book).update(vars(case.corpus.book))
    run = case.audit("--on-mismatch", "repair")
    text = run.pages()["wrong.pdf", 2]
    assert text.state is PageState.REPAIRED
    assert "dividend" not in text.markdown
    assert [one.engine for one in text.attempts] == ["bedrock", "audit", "bedrock"]
    assert text.usage.requests == sum(one.usage.requests for one in text.attempts)
    assert run.summary["pages_flagged"] == 0 and run.summary["pages_repaired"] == 1
    assert case.audit().summary["pages_reused"] == 5
    again = case.convert()
    assert again.states == {"ok": 4, "repaired": 1}


def test_a_budget_that_is_too_small_stops_before_asking(case: Case) -> None:
    asked = case.requests()
    run = case.audit("--on-mismatch", "repair", "--max-usd", "0.01")
    assert run.code == 5
    assert case.requests() == asked
    dry = case.audit("--on-mismatch", "repair", "--dry-run")
    assert dry.summary["requests_at_most"] == 5 or dry.summary["requests"] == 0
    assert dry.summary["usd_at_most"] > 0


def test_the_dry_run_of_a_run_prices_what_its_audit_may_ask_again(case: Case) -> None:
    fresh, asked = case.dry_run(case.place / "other"), case.requests()
    assert (fresh["convert"]["requests"], fresh["convert"]["pages"]) == (2, 5)
    assert (fresh["audit"]["requests"], fresh["audit"]["requests_at_most"]) == (1, 5)
    both = fresh["convert"]["usd"] + fresh["audit"]["usd"]
    assert fresh["all"]["usd"] == pytest.approx(both, abs=1e-3)
    assert fresh["audit"]["usd_range"][0] == 0
    known = case.dry_run(case.workspace)["audit"]
    assert (known["requests"], known["requests_at_most"]) == (0, 5), "nothing is known to be flagged"
    case.audit()
    known = case.dry_run(case.workspace)["audit"]
    assert (known["requests"], known["requests_at_most"]) == (1, 1)
    assert case.requests() == asked
    spent = case.audit("--on-mismatch", "repair").spent
    low, high = known["usd_range"]
    assert spent["replies"] == 1 and low <= spent["usd"] <= high


def test_audit_of_chosen_documents(case: Case) -> None:
    run = case.audit(case.corpus.folder / "good.pdf")
    assert (run.summary["pages"], run.summary["pages_flagged"]) == (2, 0)
    assert case.audit(case.place / "nowhere").code == 2


def drac_status(workspace: Path) -> dict[str, Any]:
    return plain("status", workspace)


def plain(verb: str, workspace: Path) -> dict[str, Any]:
    import subprocess
    import sys

    words = [sys.executable, "-m", "drac", verb, "--workspace", str(workspace), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def stored_audit(workspace: Path) -> Any:
    """The one audit after which a page was changed."""
    store = Store(workspace)
    found = [store.get_audit(path.stem) for path in store.audits.glob("*.json")]
    (one,) = [record for record in found if record and record.before]
    return one
