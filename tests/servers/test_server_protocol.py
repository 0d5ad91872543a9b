"""Both protocols against the real SDKs on the loopback."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from botocore.exceptions import ClientError

from tests.servers.clients import bedrock, complete, converse, numbered, openai_client, text_of
from tests.servers.drawn import drawn_book, encoded, page_image, text_of_page
from tests.servers.model import Behaviour, Limits
from tests.servers.model_server import ModelServer, per_image
from tests.servers.replies import UNKNOWN, numbers_of
from tests.servers.wire import Image

ARN = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123"


@pytest.fixture
def served() -> Iterator[tuple[ModelServer, list[bytes]]]:
    book, images = drawn_book(6)
    with ModelServer(book) as server:
        yield server, images


def _said(numbers: range) -> str:
    return "\n\n".join(f"<!-- Page {n} -->\n\n{text_of_page('drawn.pdf', n)}" for n in numbers)


def test_converse_reads_pages_under_their_markers(served: tuple[ModelServer, list[bytes]]) -> None:
    server, images = served
    reply = converse(
        bedrock(server.url), numbered(images[2:5], first=3), model=ARN, system=[{"text": "You transcribe."}],
        inferenceConfig={"temperature": 0.1, "maxTokens": 8192},
    )  # fmt: skip
    assert text_of(reply) == _said(range(3, 6))
    assert reply["stopReason"] == "end_turn"
    assert reply["ResponseMetadata"]["HTTPHeaders"]["x-drac-simulated"] == "1"
    (entry,) = server.log.entries
    assert entry["model"] == ARN
    assert [(one["document"], one["page"]) for one in entry["shown"]] == [("drawn.pdf", n) for n in (3, 4, 5)]
    assert entry["meant"] == [{"number": n, "text": text_of_page("drawn.pdf", n)} for n in (3, 4, 5)]
    sent = "You transcribe.Transcribe these pages.Page 3Page 4Page 5"
    assert reply["usage"]["inputTokens"] == entry["input_tokens"] == 3 * 256 + -(-len(sent) // 4)
    assert reply["usage"]["outputTokens"] == -(-len(text_of(reply)) // 4)


def test_a_chat_completion_reads_pages_under_their_markers(served: tuple[ModelServer, list[bytes]]) -> None:
    server, images = served
    client = openai_client(server.openai_url)
    reply = complete(client, numbered(images[:2]), max_tokens=8192, temperature=0.1)
    openai.types.chat.ChatCompletion.model_validate(reply.model_dump(), strict=True)
    assert text_of(reply) == _said(range(1, 3))
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert [model.id for model in client.models.list()] == ["simulated"]
    client.close()


def test_the_server_says_that_it_is_simulated(served: tuple[ModelServer, list[bytes]]) -> None:
    for base in (served[0].url, served[0].openai_url):
        with urllib.request.urlopen(f"{base}/drac-simulated") as reply:
            assert json.load(reply)["simulated"] is True
            assert reply.headers["x-drac-simulated"] == "1"


def _raw(url: str, body: dict[str, Any]) -> tuple[int, str, str]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, "", reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get("x-amzn-ErrorType", ""), error.read().decode()


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": [{"text": "x"}], "colour": "red"}]},
        {
            "messages": [
                {"role": "user", "content": [{"image": {"format": "bmp", "source": {"bytes": "AA=="}}}]}
            ]
        },
        {
            "messages": [
                {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": "AA=="}}}]}
            ]
        },
        {"messages": [{"role": "assistant", "content": [{"text": "x"}]}]},
        {"messages": [{"role": "user", "content": [{"text": 7}]}]},
        {"messages": [{"role": "user", "content": [{"text": "x"}]}], "inferenceConfig": {"temperature": 1.5}},
        {"messages": [{"role": "user", "content": [{"text": "x"}]}], "inferenceConfig": {"maxTokens": 0}},
    ],
)
def test_converse_refuses_what_the_service_model_does_not_allow(
    served: tuple[ModelServer, list[bytes]], body: dict[str, Any]
) -> None:
    status, kind, _ = _raw(f"{served[0].url}/model/m/converse", body)
    assert (status, kind.split(":")[0]) == (400, "ValidationException")
    assert served[0].log.entries[0]["error"] == "ValidationException"


@pytest.mark.parametrize(
    "body",
    [
        {"messages": []},
        {"model": "m", "messages": [{"role": "user", "content": "x"}], "colour": "red"},
        {"model": "m", "messages": [{"role": "user", "content": [{"type": "audio"}]}]},
        {"model": "m", "messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "http://127.0.0.1/x.png"}}]}]},
    ],
)  # fmt: skip
def test_chat_completions_refuse_what_is_not_valid(
    served: tuple[ModelServer, list[bytes]], body: dict[str, Any]
) -> None:
    status, _, text = _raw(f"{served[0].openai_url}/chat/completions", body)
    assert status == 400
    assert json.loads(text)["error"]["type"] == "invalid_request_error"


def test_limits_are_kept(served: tuple[ModelServer, list[bytes]]) -> None:
    server, images = served
    client = bedrock(server.url)
    big = encoded(page_image(1).resize((850, 8100)))
    for limits, parts in (
        (Limits(images=1), numbered(images[:2])),
        (Limits(image_bytes=1000), numbered(images[:1])),
        (Limits(), numbered([big])),
        (Limits(input_tokens=100), numbered(images[:1])),
    ):
        server.behaviour.limits = limits
        with pytest.raises(ClientError) as caught:
            converse(client, parts)
        assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_models_that_are_not_there_are_unknown(served: tuple[ModelServer, list[bytes]]) -> None:
    server, _ = served
    server.behaviour.models = ("only-this",)
    with pytest.raises(ClientError, match="ResourceNotFound"):
        converse(bedrock(server.url), ["Hello"])
    client = openai_client(server.openai_url)
    with pytest.raises(openai.NotFoundError):
        complete(client, ["Hello"], model="another")
    client.close()


def test_the_output_allowance_is_kept(served: tuple[ModelServer, list[bytes]]) -> None:
    server, images = served
    reply = converse(bedrock(server.url), numbered(images[:2]), inferenceConfig={"maxTokens": 20})
    assert reply["stopReason"] == "max_tokens"
    assert len(text_of(reply)) == 80


def test_an_unknown_page_is_said_to_be_unknown(served: tuple[ModelServer, list[bytes]]) -> None:
    server, _ = served
    assert UNKNOWN in text_of(converse(bedrock(server.url), numbered([encoded(page_image(999))])))


def test_a_plan_groups_the_listed_ids(served: tuple[ModelServer, list[bytes]]) -> None:
    server, _ = served
    listed = "Blocks:\nh1: # One\np1: p9 is no block\nl1: x\nr1: y\nh2: Two\np2: z\np3: z"
    reply = converse(bedrock(server.url), ["3 to 8 blocks a chunk.\n" + listed])
    assert json.loads(text_of(reply)) == [["h1", "p1", "l1", "r1"], ["h2", "p2", "p3"]]
    assert server.log.entries[0]["purpose"] == "plan"
    server.behaviour.planner = lambda prompt, ids: f"{len(ids)} blocks"
    assert text_of(converse(bedrock(server.url), [listed])) == "7 blocks"


def test_fifty_slow_requests_are_held_at_once() -> None:
    book, images = drawn_book(50)
    with ModelServer(book, Behaviour(latency=5.0)) as server, ThreadPoolExecutor(50) as pool:
        client = bedrock(server.url)
        converse(client, ["warm"])
        began = time.perf_counter()
        replies = list(pool.map(lambda n: converse(client, numbered([images[n]], n + 1)), range(50)))
        took = time.perf_counter() - began
    assert [text_of(one) for one in replies] == [_said(range(n, n + 1)) for n in range(1, 51)]
    assert server.log.peak == 50
    assert took < 25.0, "one after another they take 250 s"


def test_latency_by_image_is_exact(served: tuple[ModelServer, list[bytes]]) -> None:
    server, images = served
    server.behaviour.latency = per_image(0.1, first=0.1)
    converse(bedrock(server.url), numbered(images[:2]))
    (entry,) = server.log.entries
    assert entry["answered"] - entry["received"] == pytest.approx(0.3, abs=0.08)


def _image() -> Image:
    return Image(b"", "png")


@pytest.mark.parametrize(
    ("parts", "numbers"),
    [
        (["Markers look like <!-- Page 1 -->.", "Page 6", _image(), "Page 7", _image()], (6, 7)),
        (["As on page 3.\nPage 4", _image()], (4,)),
        (["Transcribe pages 11 to 12.", _image(), _image()], (11, 12)),
        (["Transcribe.", _image(), _image()], (1, 2)),
    ],
)
def test_numbers_come_from_the_prompt(parts: list[str | Image], numbers: tuple[int, ...]) -> None:
    assert numbers_of(parts) == numbers
