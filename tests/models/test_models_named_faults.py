"""Faults that users of other tools met (the numbers name them), each on a document of its own, in one run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from drac.records import PageState, PageText
from tests.models.drawn import learn, page_text, write
from tests.models.running import Run, drac, settings_file
from tests.servers.converse import stop_reasons
from tests.servers.faults import Fault
from tests.servers.log import Entry, ServerLog
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer
from tests.servers.schedule import Rule, first_of

HEADER = ("Pier", "Boat", "Leaves", "Fare")
STOPS = [one for one in stop_reasons() if one != "end_turn"] + ["paused_by_provider"]
STORM = [f"f29-{number}.pdf" for number in range(5)]
ATTEMPTS = 3


def row_sentences(page: int, rows: int) -> str:
    return "\n\n".join(
        f"Pier: pier {page}-{row}; Boat: boat {page * row}; Leaves: {row % 24}:15; Fare: {page + row} crowns."
        for row in range(rows)
    )


def _rules() -> list[Rule]:
    return [
        *(Rule(Fault("validation"), document="f19.pdf", page=page) for page in (2, 3)),
        Rule(Fault("hallucination"), document="f20.pdf"),
        Rule(Fault("stop:max_tokens"), document="f21.pdf", at_least=3),
        Rule(Fault("page_empty"), document="f23.pdf", page=6),
        Rule(Fault("slow", seconds=4.0), document="f28.pdf"),
        *(Rule(Fault("throttle"), document=name, times=2) for name in STORM),
        Rule(Fault("too_many_images"), document="f31.pdf", at_least=2),
        *(Rule(Fault(f"stop:{one}"), document=f"f33-{one}.pdf") for one in STOPS),
    ]


def _texts() -> dict[tuple[str, int], str]:
    counts = {"f19.pdf": 4, "f23.pdf": 10, "f28.pdf": 1, "f31.pdf": 3, "neighbour.pdf": 2}
    counts |= dict.fromkeys(STORM, 1) | {f"f33-{one}.pdf": 1 for one in STOPS}
    texts = {(name, page): page_text(name, page) for name, count in counts.items()
             for page in range(1, count + 1)}  # fmt: skip
    texts |= {("f20.pdf", 1): "", ("f20.pdf", 2): ""}
    texts |= {("number.pdf", 1): page_text("number.pdf", 1), ("number.pdf", 2): ""}
    texts |= {("f21.pdf", page): row_sentences(page, 20) for page in range(1, 6)}
    texts |= {("f25.pdf", page): page_text("f25.pdf", page) for page in range(1, 5)}
    return texts | {("f25.pdf", page): row_sentences(page, 3) for page in (5, 6)}


def _draw_all(folder: Path, texts: dict[tuple[str, int], str]) -> None:
    import pymupdf

    folder.mkdir()
    for name in sorted({name for name, _ in texts}):
        document = pymupdf.open()
        for page in sorted(number for one, number in texts if one == name):
            _draw(document.new_page(), name, page, texts[name, page])
        document.save(folder / name, no_new_id=True)


def _draw(page: Any, name: str, number: int, text: str) -> None:
    import pymupdf

    if name == "f20.pdf" and number == 2:
        grey = (0.97, 0.97, 0.97)
        mirrored = pymupdf.Point(300, 400), pymupdf.Matrix(-1, 0, 0, 1, 0, 0)
        page.insert_text((100, 400), "A ghost of the page behind", fontsize=20, color=grey, morph=mirrored)
    elif name == "f25.pdf" and number in (5, 6):
        _draw_table(page, number)
    elif name == "number.pdf" and number == 2:
        page.draw_line((200, 150), (400, 150))
        page.insert_text((297, 815), "2")
    else:
        write(page, text)


def _draw_table(page: Any, number: int) -> None:
    rows = [HEADER] if number == 5 else []
    rows += [(f"pier {number}-{r}", f"boat {number * r}", f"{r}:15", f"{number + r}") for r in range(3)]
    bottom = 800 if number == 5 else 120
    top = bottom - 24 * len(rows)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            x, y = 60 + 120 * column, top + 24 * place
            page.draw_rect((x, y, x + 120, y + 24))
            page.insert_text((x + 6, y + 16), cell)
    if number == 5:
        page.insert_text((60, 100), "The boats leave from the piers as follows, every day of the week.")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, ServerLog]:
    place = tmp_path_factory.mktemp("named")
    texts = _texts()
    _draw_all(place / "docs", texts)
    corpus = learn(place / "docs", texts)
    with ModelServer(corpus.book, Behaviour(schedule=first_of(*_rules()))) as server:
        run = drac(
            "convert", corpus.folder, "--engine", "bedrock", "--endpoint-url", server.url, "--config",
            settings_file(place), "--concurrency", "5", workspace=place / "ws",
        )  # fmt: skip
        return run, server.log


@pytest.fixture(scope="module")
def pages(outcome: tuple[Run, ServerLog]) -> dict[tuple[str, int], PageText]:
    return outcome[0].pages()


@pytest.fixture(scope="module")
def log(outcome: tuple[Run, ServerLog]) -> ServerLog:
    return outcome[1]


Pages = dict[tuple[str, int], PageText]


def states(pages: Pages, name: str) -> list[str]:
    return [text.state.value for (one, _), text in pages.items() if one == name]


def shown(log: ServerLog, name: str) -> list[Entry]:
    return [one for one in log.entries if any(s["document"] == name for s in one["shown"])]


def test_the_neighbour_is_not_touched_and_all_is_said(outcome: tuple[Run, ServerLog], pages: Pages) -> None:
    run, _ = outcome
    assert run.code == 4
    assert set(pages) == set(_texts())
    assert all(pages["neighbour.pdf", page].markdown == page_text("neighbour.pdf", page) for page in (1, 2))


def test_f19_pages_that_fail_stay_in_their_places(pages: Pages) -> None:
    assert states(pages, "f19.pdf") == ["ok", "fallback", "fallback", "ok"]
    for page in (1, 4):
        assert pages["f19.pdf", page].markdown == page_text("f19.pdf", page)
    assert "rejected" in pages["f19.pdf", 2].attempts[0].outcome


def test_f20_a_page_without_ink_or_with_a_ghost_of_it_is_never_sent(pages: Pages, log: ServerLog) -> None:
    assert states(pages, "f20.pdf") == ["blank", "blank"]
    assert shown(log, "f20.pdf") == []
    assert pages["f20.pdf", 2].markdown == ""


def test_a_page_of_nothing_but_its_number_is_ok_without_text(pages: Pages) -> None:
    assert states(pages, "number.pdf") == ["ok", "ok"]
    assert pages["number.pdf", 2].markdown == ""
    assert len(pages["number.pdf", 2].attempts) == 3


def test_f21_pages_past_the_output_budget_are_asked_for_again(pages: Pages, log: ServerLog) -> None:
    assert states(pages, "f21.pdf") == ["ok"] * 5
    for page in range(1, 6):
        assert pages["f21.pdf", page].markdown == row_sentences(page, 20)
    first, *others = shown(log, "f21.pdf")
    assert first["stop"] == "max_tokens"
    assert {1, 2}.isdisjoint(s["page"] for one in others for s in one["shown"]), "good pages were paid twice"


def test_f23_one_page_without_content_fails_alone_and_ends(pages: Pages, log: ServerLog) -> None:
    assert states(pages, "f23.pdf") == [*["ok"] * 5, "fallback", *["ok"] * 4]
    assert len(log.asked_for("f23.pdf", 6)) <= 8
    assert "no text" in pages["f23.pdf", 6].attempts[0].outcome


def test_f25_a_table_over_a_batch_boundary_takes_its_header_along(pages: Pages, log: ServerLog) -> None:
    (request,) = log.asked_for("f25.pdf", 6)
    assert all(word in request["prompt"] for word in HEADER), request["prompt"]
    (before,) = log.asked_for("f25.pdf", 5)
    assert "whose header row is" not in before["prompt"]
    assert pages["f25.pdf", 6].state is PageState.OK


def test_f28_a_read_timeout_is_one_request_a_try(pages: Pages, log: ServerLog) -> None:
    assert len(shown(log, "f28.pdf")) == ATTEMPTS
    assert states(pages, "f28.pdf") == ["fallback"]
    assert pages["f28.pdf", 1].attempts[0].usage.requests == 1


def test_f29_a_storm_of_429_is_one_request_a_try_and_waits_are_spread(pages: Pages, log: ServerLog) -> None:
    waits = []
    for name in STORM:
        tries = shown(log, name)
        assert len(tries) == 3
        assert states(pages, name) == ["ok"]
        waits += [after["received"] - before["answered"] for before, after in pairwise(tries)]
    assert min(waits) >= 0.2, "Retry-After was not honoured"
    assert max(waits) - min(waits) > 0.2, "no jitter"


def test_f31_pages_go_singly_where_one_image_is_taken(pages: Pages, log: ServerLog) -> None:
    assert states(pages, "f31.pdf") == ["ok"] * 3
    sizes = [len(one["shown"]) for one in shown(log, "f31.pdf")]
    assert sizes == [3, 2, 1, 1, 1]


@pytest.mark.parametrize("reason", STOPS)
def test_f33_no_other_stop_is_success(pages: Pages, reason: str) -> None:
    text = pages[f"f33-{reason}.pdf", 1]
    assert text.state is PageState.FALLBACK
    assert all(one.outcome != "ok" for one in text.attempts if one.engine == "bedrock")
    assert reason in text.attempts[0].outcome
