"""What every `ports.ChatModel` promises, run on both adapters and on the fake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from fakes_chat import Answer, FakeChat, chat_request, completion_answer, converse_answer, reply, serving

from drac.adapters.bedrock import BedrockChat
from drac.adapters.openai import OpenAiChat
from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected
from drac.ports import ChatModel, ChatRequest


@dataclass
class Rig:
    """One implementation with its script and a count of the requests that reached the server."""

    model: ChatModel
    sent: Callable[[], int]


Make = Callable[..., Rig]
SECRET = "secret-token-0001"
NORMAL = {"bedrock": "end_turn", "openai": "stop", "fake": "end_turn"}
CUT_SHORT = {"bedrock": "max_tokens", "openai": "length", "fake": "max_tokens"}


@pytest.fixture(params=["bedrock", "openai", "fake"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", SECRET)
    with ExitStack() as stack:

        def build(*outcomes: str) -> Rig:
            if kind == "fake":
                fake = FakeChat([_FAKE[one] for one in outcomes] if outcomes != ("echo",) else _echo_fake)
                return Rig(fake, lambda: len(fake.requests))
            table = _BEDROCK if kind == "bedrock" else _OPENAI
            server = stack.enter_context(serving(*[table[one] for one in outcomes], simulated=True))
            model: Any = (
                BedrockChat(endpoint_url=server.url)
                if kind == "bedrock"
                else OpenAiChat(f"http://user:{SECRET}@{server.url[7:]}/v1/", SECRET)
            )
            stack.callback(model.close)
            return Rig(model, lambda: len(server.posts))

        yield build


def _error(status: int, code: str, message: str, **headers: str) -> dict[str, Answer]:
    aws = {"x-amzn-errortype": code, **{name.replace("_", "-"): value for name, value in headers.items()}}
    plain = {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "bedrock": Answer(status, {"message": message}, aws),
        "openai": Answer(status, {"error": {"message": message}}, plain),
    }


_ERRORS = {
    "throttled": _error(429, "ThrottlingException", "Too many requests", retry_after="7"),
    "down": _error(500, "InternalServerException", "internal"),
    "too_large": _error(400, "ValidationException", "too many images in the request"),
    "wrong": _error(400, "ValidationException", "the third field is odd"),
    "denied": _error(403, "AccessDeniedException", f"no access with {SECRET}"),
}
_BEDROCK: dict[str, Any] = {
    "good": Answer(body=converse_answer("# One", tokens=(1280, 40))),
    "cut": Answer(body=converse_answer("# On", "max_tokens")),
    "odd": Answer(body=converse_answer("plausible", "aligned_with_the_moon")),
    "empty": Answer(body=converse_answer("")),
    "echo": lambda body: Answer(body=converse_answer(body["messages"][0]["content"][0]["text"]), delay=0.02),
    **{name: answers["bedrock"] for name, answers in _ERRORS.items()},
}
_OPENAI: dict[str, Any] = {
    "good": Answer(body=completion_answer("# One", tokens=(1280, 40))),
    "cut": Answer(body=completion_answer("# On", "length")),
    "odd": Answer(body=completion_answer("plausible", "aligned_with_the_moon")),
    "empty": Answer(body=completion_answer(None)),
    "echo": lambda body: Answer(
        body=completion_answer(body["messages"][0]["content"][0]["text"]), delay=0.02
    ),
    **{name: answers["openai"] for name, answers in _ERRORS.items()},
}
_FAKE: dict[str, Any] = {
    "good": reply("# One", tokens=(1280, 40)),
    "cut": reply("# On", "max_tokens"),
    "odd": reply("plausible", "aligned_with_the_moon"),
    "empty": reply(""),
    "throttled": ModelBusy("slow down: google.gemma-3-27b-it", throttled=True, retry_after=7.0),
    "down": ModelBusy("internal: google.gemma-3-27b-it"),
    "too_large": RequestRejected("too many images: google.gemma-3-27b-it", too_large=True),
    "wrong": RequestRejected("odd: google.gemma-3-27b-it"),
    "denied": EngineUnavailable("no access: google.gemma-3-27b-it"),
}


def _echo_fake(request: ChatRequest) -> str:
    return str(request.parts[0])


def test_a_normal_reply_is_whole(kind: str, make: Make) -> None:
    got = make("good").model.ask(chat_request())
    assert (got.text, got.stop_reason, got.finished) == ("# One", NORMAL[kind], True)
    assert (got.input_tokens, got.output_tokens) == (1280, 40)
    assert 0 < got.seconds < 5


def test_f33_any_other_end_is_not_finished_and_is_named(kind: str, make: Make) -> None:
    model = make("cut", "odd").model
    cut, odd = model.ask(chat_request()), model.ask(chat_request())
    assert (cut.text, cut.stop_reason, cut.finished) == ("# On", CUT_SHORT[kind], False)
    assert (odd.text, odd.stop_reason, odd.finished) == ("plausible", "aligned_with_the_moon", False)


def test_an_empty_reply_is_an_empty_text(make: Make) -> None:
    got = make("empty").model.ask(chat_request())
    assert (got.text, got.finished) == ("", True)


def test_throttling_says_how_long(make: Make) -> None:
    error = _raised(make("throttled"), ModelBusy)
    assert (error.throttled, error.retry_after, error.maybe_billed) == (True, 7.0, False)


def test_a_server_error_is_transient(make: Make) -> None:
    error = _raised(make("down"), ModelBusy)
    assert (error.throttled, error.retry_after, error.maybe_billed) == (False, None, False)


def test_a_large_request_is_told_from_a_wrong_one(make: Make) -> None:
    assert _raised(make("too_large"), RequestRejected).too_large
    assert not _raised(make("wrong"), RequestRejected).too_large


def test_denied_access_ends_the_run_with_a_remedy(make: Make) -> None:
    error = _raised(make("denied"), EngineUnavailable)
    assert error.exit_code == 6 and error.remedy
    assert SECRET not in error.message


@pytest.mark.parametrize("outcome", ["good", "cut", "throttled", "down", "too_large", "denied"])
def test_f29_one_ask_is_one_request(make: Make, outcome: str) -> None:
    rig = make(outcome)
    with suppress(DracError):
        rig.model.ask(chat_request())
    assert rig.sent() == 1


def test_many_threads_get_each_their_own_reply(make: Make) -> None:
    rig = make("echo")
    gate = threading.Barrier(12)

    def one(number: int) -> str:
        gate.wait(5)
        return rig.model.ask(chat_request(f"page {number}")).text

    with ThreadPoolExecutor(12) as threads:
        assert list(threads.map(one, range(12))) == [f"page {number}" for number in range(12)]
    assert rig.sent() == 12


def test_it_says_what_it_is_without_secrets(kind: str, make: Make) -> None:
    model = make("good").model
    assert model.engine == ("openai" if kind == "openai" else "bedrock")
    assert model.endpoint and SECRET not in model.endpoint and "user" not in model.endpoint
    assert model.endpoint == model.endpoint.rstrip("/")
    assert model.simulated is True


def _raised(rig: Rig, wanted: type[Any]) -> Any:
    with pytest.raises(DracError) as raised:
        rig.model.ask(chat_request())
    assert type(raised.value) is wanted
    assert "google.gemma-3-27b-it" in raised.value.message
    return raised.value
