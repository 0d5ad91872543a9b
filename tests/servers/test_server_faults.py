"""Every fault once, as a real client sees it, and in the server's log."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from tests.servers.clients import bedrock, complete, converse, numbered, openai_client, text_of
from tests.servers.drawn import drawn_book, text_of_page
from tests.servers.faults import BUSY, PLAN, REJECTED, RUN_ENDING, STOPS, TEXT, TRANSPORT, Fault, passing
from tests.servers.model_server import ModelServer
from tests.servers.process import ServerProcess
from tests.servers.schedule import Chance, InTurn, Rule, first_of, rule
from tests.servers.spoil import INVENTED, REFUSAL

PLANNED = "Blocks:\n" + "\n".join(f"p{number}: text" for number in range(1, 13))
HONEST = [["p1", "p2", "p3", "p4", "p5"], ["p6", "p7", "p8", "p9", "p10", "p11", "p12"]]


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[ModelServer, list[bytes]]]:
    book, images = drawn_book(4)
    with ModelServer(book) as server:
        yield server, images


@pytest.fixture(scope="module")
def boto(served: tuple[ModelServer, list[bytes]]) -> Any:
    return bedrock(served[0].url, read_timeout=0.5)


@pytest.fixture(scope="module")
def chat(served: tuple[ModelServer, list[bytes]]) -> Iterator[Any]:
    with openai_client(served[0].openai_url, timeout=0.5) as client:
        yield client


def _give(served: tuple[ModelServer, list[bytes]], kind: str, **more: Any) -> list[str | bytes]:
    server, images = served
    server.behaviour.schedule = lambda seen: Fault(kind, **more)
    return numbered(images[1:4], first=2)


@pytest.mark.parametrize("kind", [*BUSY, *REJECTED, *RUN_ENDING])
def test_errors_reach_both_clients(
    kind: str, served: tuple[ModelServer, list[bytes]], boto: Any, chat: Any
) -> None:
    parts = _give(served, kind)
    with pytest.raises(ClientError) as caught:
        converse(boto, parts)
    assert caught.value.response["Error"]["Code"] == served[0].log.entries[-1]["error"]
    with pytest.raises(openai.APIStatusError):
        complete(chat, parts)
    assert [one["fault"] for one in served[0].log.entries[-2:]] == [kind, kind]
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == served[0].log.entries[-2]["status"]


def test_a_throttle_says_when_to_come_back(
    served: tuple[ModelServer, list[bytes]], boto: Any, chat: Any
) -> None:
    parts = _give(served, "throttle", retry_after=1.5)
    with pytest.raises(ClientError) as caught:
        converse(boto, parts)
    assert caught.value.response["ResponseMetadata"]["HTTPHeaders"]["retry-after"] == "1.5"
    with pytest.raises(openai.RateLimitError) as limited:
        complete(chat, parts)
    assert limited.value.response.headers["retry-after"] == "1.5"


@pytest.mark.parametrize("kind", TRANSPORT)
def test_broken_transport_reaches_both_clients(
    kind: str, served: tuple[ModelServer, list[bytes]], boto: Any, chat: Any
) -> None:
    parts = _give(served, kind, seconds=3.0)
    assert _reply_or_error(lambda: converse(boto, parts)) in BROKEN[kind]
    assert _reply_or_error(lambda: complete(chat, parts)) in BROKEN[kind]
    time.sleep(0.05)
    entry = served[0].log.entries[-1]
    assert (entry["fault"], entry["delivered"]) == (kind, False)


BROKEN = {
    "slow": ("ReadTimeoutError", "APITimeoutError"),
    "cut": ("no reply", "APIConnectionError"),
    "cut_before": ("ConnectionClosedError", "APIConnectionError"),
    "garbage_body": ("no reply",),
    "wrong_shape": ("no reply",),
}
"""What the SDKs make of it; "no reply": a reply object without a message, and no error at all."""


def _reply_or_error(send: Callable[[], Any]) -> str:
    try:
        reply = send()
    except (BotoCoreError, openai.OpenAIError) as error:
        return type(error).__name__
    told = reply.get("output") if isinstance(reply, dict) else getattr(reply, "choices", None)
    return "a reply" if told else "no reply"


def test_a_client_that_gives_up_is_seen(served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    parts = _give(served, "slow", seconds=30.0)
    with pytest.raises(ReadTimeoutError):
        converse(boto, parts)
    time.sleep(0.05)
    entry = served[0].log.entries[-1]
    assert entry["answered"] - entry["received"] < 2
    assert not entry["delivered"]


@pytest.mark.parametrize("kind", STOPS["converse"])
def test_stop_reasons_of_converse(kind: str, served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    reply = converse(boto, _give(served, kind))
    assert reply["stopReason"] == kind.removeprefix("stop:")
    whole = "".join(f"<!-- Page {n} -->\n\n{text_of_page('drawn.pdf', n)}\n\n" for n in (2, 3, 4)).strip()
    cut = kind in ("stop:max_tokens", "stop:model_context_window_exceeded")
    assert kind == "stop:tool_use" or (whole.startswith(text_of(reply)) and (text_of(reply) != whole) == cut)


@pytest.mark.parametrize("kind", STOPS["openai"])
def test_stop_reasons_of_chat_completions(
    kind: str, served: tuple[ModelServer, list[bytes]], chat: Any
) -> None:
    assert complete(chat, _give(served, kind)).choices[0].finish_reason == kind.removeprefix("stop:")


MARKS = {
    "empty": "", "wrong_numbers": "102 103 104", "renumbered": "1 2 3", "no_markers": "", "refusal": "",
    "missing_marker": "2 3", "extra_marker": "2 3 4 5", "repeated_marker": "2 3 4 4", "swapped": "3 4 2",
    "marker_unclosed": "2 3",
}  # fmt: skip
"""Markers of a reply for pages 2, 3 and 4; faults that are not here keep them."""
HOLDS = {
    "refusal": REFUSAL, "page_refusal": f"<!-- Page 4 -->\n\n{REFUSAL}", "chatter_before": "Here is the",
    "chatter_after": "Let me know", "fence": "```markdown\n<!--", "fence_inner": "```python",
    "fence_unclosed": "```markdown\n<!--", "fence_page": "```\n\n```markdown", "extra_marker": INVENTED,
    "marker_inline": "<!-- Page 2 --> ## Heading", "marker_unclosed": "<!-- Page 4\n",
    "leaked_html": "<table>",
    "leaked_table": "|------|", "image_link": "![Company logo]", "loop_line": "month.\nThe applicant",
    "loop_ngram": "agreement and the terms",
}  # fmt: skip
"""Words that a reply with the fault holds."""


@pytest.mark.parametrize("kind", TEXT)
def test_texts_go_wrong_as_named(kind: str, served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    import re

    reply = converse(boto, _give(served, kind))
    text = text_of(reply)
    assert reply["stopReason"] == "end_turn"
    assert " ".join(re.findall(r"<!-- Page (\d+) -->", text)) == MARKS.get(kind, "2 3 4")
    assert HOLDS.get(kind, "") in text
    meant = {one["number"]: one["text"] for one in served[0].log.entries[-1]["meant"]}
    assert list(meant) == [2, 3, 4]
    assert meant[2] == text_of_page("drawn.pdf", 2)
    assert text.endswith("<!-- Page 4 -->") == (kind == "page_empty")


def test_a_fault_hits_the_page_that_it_names(served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    text = text_of(converse(boto, _give(served, "page_refusal", page=3)))
    assert f"<!-- Page 3 -->\n\n{REFUSAL}\n\n<!-- Page 4 -->" in text


def test_an_invented_page_is_not_meant(served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    assert INVENTED in text_of(converse(boto, _give(served, "hallucination", page=2)))
    assert served[0].log.entries[-1]["meant"][0] == {"number": 2, "text": ""}


@pytest.mark.parametrize("kind", PLAN)
def test_plans_go_wrong_as_named(kind: str, served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    _give(served, kind)
    reply = converse(boto, [PLANNED])
    assert reply["stopReason"] == ("max_tokens" if kind == "plan_truncated" else "end_turn")
    assert served[0].log.entries[-1]["fault"] == kind
    try:
        assert json.loads(text_of(reply)) != HONEST
    except ValueError:
        assert kind in ("plan_empty", "plan_prose", "plan_prose_array", "plan_fenced", "plan_two_arrays",
                        "plan_truncated", "plan_cut")  # fmt: skip


def test_an_honest_plan(served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    served[0].behaviour.schedule = lambda seen: None
    assert json.loads(text_of(converse(boto, [PLANNED]))) == HONEST


def test_a_rule_is_about_a_page_and_its_first_attempts(
    served: tuple[ModelServer, list[bytes]], boto: Any
) -> None:
    server, images = served
    refuses = Rule(Fault("page_refusal"), document="drawn.*", page=3)
    first = Rule(Fault("empty"), attempts=2, images=1)
    server.behaviour.schedule = first_of(refuses, first)
    assert REFUSAL in text_of(converse(boto, numbered(images[1:4], first=12)))
    assert server.log.entries[-1]["fault_page"] == 13
    before = len(server.log.asked_for("drawn.pdf", 4))
    said = [text_of(converse(boto, numbered(images[3:]))) for _ in range(3)]
    assert [bool(one) for one in said] == [False, False, True]
    assert len(server.log.asked_for("drawn.pdf", 4)) == before + 3


def test_faults_in_turn(served: tuple[ModelServer, list[bytes]], boto: Any) -> None:
    server, images = served
    server.behaviour.schedule = InTurn([None] * len(server.log.entries) + ["throttle", None, "empty"])
    with pytest.raises(ClientError):
        converse(boto, numbered(images[:1]))
    assert [bool(text_of(converse(boto, numbered(images[:1])))) for _ in range(3)] == [True, False, True]


def test_chance_is_drawn_from_seed_content_and_attempt() -> None:
    book, images = drawn_book(40)
    drawn = []
    for order in (range(40), range(39, -1, -1)):
        chance = Chance(0.5, seed=3, kinds=("empty", "refusal"))
        with ModelServer(book) as server:
            server.behaviour.schedule = chance
            client = bedrock(server.url)
            for index in order:
                converse(client, numbered([images[index]]))
            drawn.append({one["images"][0]: one["fault"] for one in server.log.entries})
    assert drawn[0] == drawn[1]
    assert 10 <= sum(fault is not None for fault in drawn[0].values()) <= 30
    assert server.log.faults().total() == sum(fault is not None for fault in drawn[1].values())


def test_the_default_of_chance_leaves_out_what_ends_a_run() -> None:
    assert not set(RUN_ENDING) & {*passing("converse", "convert"), *passing("openai", "plan")}
    with pytest.raises(ValueError, match="is no fault"):
        rule({"fault": "no_such_fault"})


def test_a_process_of_its_own_keeps_its_log(tmp_path: Path) -> None:
    book, images = drawn_book(2)
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([{"fault": {"kind": "empty"}, "page": 2, "times": 1}]))
    with ServerProcess(book, "--latency", "0.3", "--rules", str(rules), folder=tmp_path) as server:
        client = bedrock(server.url)
        assert [bool(text_of(converse(client, numbered(images)))) for _ in range(2)] == [False, True]
        log = server.log()
    assert log.faults() == {"empty": 1}
    assert log.totals()["requests"] == log.totals()["replies"] == 2
    assert [one["attempt"] for one in log.entries] == [1, 2]
    (same,) = log.repeated().values()
    assert len(same) == 2
    assert [one["id"] for one in log.in_flight_at(log.entries[0]["received"] + 0.1)] == [1]
    assert server.process.returncode == 0
