"""The chat completions adapter against a loopback server."""

from __future__ import annotations

import base64
import gzip
import json
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fakes_chat import Answer, chat_request, completion_answer, serving

from drac.adapters.model_http import FORBID, Simulation, is_loopback, public_url
from drac.adapters.openai import OpenAiChat
from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected, UsageError
from drac.ports import ImagePart
from drac.profiles import ModelFacts, find_profile

GOOD = Answer(body=completion_answer("# One"))


@pytest.fixture(autouse=True)
def no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the machine that runs the tests."""
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)


class Rig:
    """Opens adapters and closes them."""

    def __init__(self) -> None:
        self.made: list[OpenAiChat] = []

    def __call__(self, url: str | None = None, *args: Any, **given: Any) -> OpenAiChat:
        self.made.append(OpenAiChat(url, *args, **given))
        return self.made[-1]


@pytest.fixture
def chat() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    for one in rig.made:
        one.close()


def test_the_request_is_what_chat_completions_take(chat: Rig) -> None:
    request = chat_request(
        "first", ImagePart(b"\x89PNG-1", "image/png"), ImagePart(b"\xff\xd8-2", "image/jpeg"), "last",
        system="read", temperature=0.1, max_output_tokens=8192, model="qwen2.5-vl",
    )  # fmt: skip
    with serving(GOOD) as server:
        chat(f"{server.url}/v1", "key-1").ask(request)
        sent = server.posts[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == "Bearer key-1"
    images = [
        f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
        for kind, data in (("png", b"\x89PNG-1"), ("jpeg", b"\xff\xd8-2"))
    ]
    assert sent.body == {
        "model": "qwen2.5-vl",
        "messages": [
            {"role": "system", "content": "read"},
            {"role": "user", "content": [
                {"type": "text", "text": "first"},
                {"type": "image_url", "image_url": {"url": images[0]}},
                {"type": "image_url", "image_url": {"url": images[1]}},
                {"type": "text", "text": "last"},
            ]},
        ],
        "max_tokens": 8192,
        "temperature": 0.1,
    }  # fmt: skip


def test_the_profile_says_where_the_output_allowance_goes(chat: Rig) -> None:
    own = {"o": ModelFacts(max_tokens_field="max_completion_tokens", temperature=False)}
    with serving(GOOD) as server:
        chat(server.url, profiles=lambda model: find_profile(model, own)).ask(chat_request(model="o"))
        body = server.posts[0].body
    assert body["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature", "response_format"} & body.keys()


def test_a_schema_goes_with_the_request_where_the_model_takes_one(chat: Rig) -> None:
    with serving(GOOD) as server:
        model = chat(server.url)
        model.ask(chat_request(schema='{"type": "object"}', model="gpt-4.1"))
        model.ask(chat_request(schema='{"type": "object"}', model="unknown"))
        first, second = (one.body for one in server.posts)
    assert first["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}},
    }
    assert "response_format" not in second


def test_f28_a_read_timeout_is_one_request_and_maybe_billed(chat: Rig) -> None:
    with serving(Answer(body=completion_answer("late"), delay=1.2)) as server:
        with pytest.raises(ModelBusy) as raised:
            chat(server.url, read_timeout=0.3).ask(chat_request())
        time.sleep(1.2)
        assert len(server.posts) == 1
    assert raised.value.maybe_billed and not raised.value.throttled


def test_a_reply_that_drips_past_the_time_limit_is_left(chat: Rig) -> None:
    began = time.monotonic()
    with serving(Answer(body=completion_answer("x" * 100), cut="drip")) as server:
        with pytest.raises(ModelBusy, match="in time") as raised:
            chat(server.url, read_timeout=0.5).ask(chat_request())
        assert time.monotonic() - began < 5
    assert raised.value.maybe_billed


@pytest.mark.parametrize(
    "stop", ["stop", "length", "content_filter", "tool_calls", "function_call", "eos", "STOP", None]
)
def test_f33_only_stop_is_a_normal_end(chat: Rig, stop: str | None) -> None:
    with serving(Answer(body=completion_answer("plausible", stop))) as server:
        got = chat(server.url).ask(chat_request())
    assert (got.stop_reason, got.finished) == (stop or "missing", stop == "stop")


def test_f23_a_refusal_is_no_normal_end_and_no_text(chat: Rig) -> None:
    body = completion_answer(None)
    body["choices"][0]["message"]["refusal"] = "I can't help with that."
    with serving(Answer(body=body)) as server:
        got = chat(server.url).ask(chat_request())
    assert (got.text, got.stop_reason, got.finished) == ("", "refusal", False)


def test_a_call_of_a_tool_is_no_normal_end(chat: Rig) -> None:
    body = completion_answer("")
    body["choices"][0]["message"]["tool_calls"] = [{"id": "1"}]
    with serving(Answer(body=body)) as server:
        got = chat(server.url).ask(chat_request())
    assert (got.stop_reason, got.finished) == ("tool_calls", False)


def test_no_choices_is_no_normal_end_and_keeps_its_cost(chat: Rig) -> None:
    with serving(Answer(body=completion_answer("") | {"choices": []})) as server:
        got = chat(server.url).ask(chat_request())
    assert (got.text, got.stop_reason, got.finished, got.input_tokens) == ("", "no_choices", False, 10)


def test_content_in_parts_is_joined(chat: Rig) -> None:
    body = completion_answer("")
    body["choices"][0]["message"]["content"] = [
        {"type": "text", "text": "# O"},
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "ne"},
    ]
    with serving(Answer(body=body)) as server:
        assert chat(server.url).ask(chat_request()).text == "# One"


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        (None, (0, 0)),
        ({}, (0, 0)),
        ({"prompt_tokens": 7}, (7, 0)),
        # thoughts are in the total only
        ({"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 32}, (7, 25)),
        ({"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 0}, (7, 5)),
    ],
)
def test_usage_as_servers_send_it(chat: Rig, usage: Any, wanted: tuple[int, int]) -> None:
    with serving(Answer(body=completion_answer("x") | {"usage": usage})) as server:
        got = chat(server.url).ask(chat_request())
    assert (got.input_tokens, got.output_tokens) == wanted


@pytest.mark.parametrize(
    "answer",
    [
        Answer(cut="before"),
        Answer(body=completion_answer("x" * 5000), cut="within"),
        Answer(body=b"<html>gateway</html>", headers={"content-type": "text/html"}),
        Answer(body=b'{"choices": [{"mess'),
        Answer(body=b"[]"),
        Answer(body=b"null"),
        Answer(body=b"\xff\xfe\x00"),
        Answer(body={"choices": None}),
        Answer(body={"choices": [{"finish_reason": "stop", "message": "text"}]}),
        Answer(body={"choices": [{"finish_reason": "stop", "message": {"content": 5}}]}),
        Answer(body=b"plain", headers={"content-encoding": "gzip"}),
        Answer(
            body=gzip.compress(json.dumps(completion_answer("x" * 9000)).encode())[:40],
            headers={"content-encoding": "gzip"},
        ),
    ],
    ids=["cut before", "cut within", "html", "half a JSON", "list", "null", "not UTF-8", "no choices",
         "odd message", "odd content", "not gzip", "half a gzip"],
)  # fmt: skip
def test_a_reply_that_is_none_is_transient_and_maybe_billed(chat: Rig, answer: Answer) -> None:
    with serving(answer) as server:
        with pytest.raises(ModelBusy) as raised:
            chat(server.url).ask(chat_request())
        assert raised.value.maybe_billed
        assert len(server.posts) == 1


def test_a_compressed_reply_is_read(chat: Rig) -> None:
    body = gzip.compress(json.dumps(completion_answer("# One")).encode())
    with serving(Answer(body=body, headers={"content-encoding": "gzip"})) as server:
        assert chat(server.url).ask(chat_request()).text == "# One"


def test_an_error_with_status_200_is_an_error(chat: Rig) -> None:
    limited = Answer(body={"error": {"code": 429, "message": "Rate limit exceeded"}})
    broken = Answer(body={"error": {"message": "Provider returned error"}, "choices": []})
    with serving(limited, broken) as server:
        model = chat(server.url)
        with pytest.raises(ModelBusy) as raised:
            model.ask(chat_request())
        assert raised.value.throttled
        with pytest.raises(ModelBusy, match="Provider"):
            model.ask(chat_request())


def test_a_server_that_never_answered_ends_the_run_and_one_that_did_is_waited_for(chat: Rig) -> None:
    with serving(GOOD) as server:
        known = chat(server.url)
        known.ask(chat_request())
        url = server.url
    with pytest.raises(EngineUnavailable, match="ConnectError") as raised:
        chat(url).ask(chat_request())
    assert "--base-url" in raised.value.remedy
    known.close()  # the connection that is still open would be answered
    with pytest.raises(ModelBusy) as busy:
        known.ask(chat_request())
    assert not busy.value.maybe_billed


def test_no_redirect_is_followed(chat: Rig) -> None:
    with serving(GOOD) as other, serving(Answer(307, b"", {"location": f"{other.url}/v1/x"})) as server:
        with pytest.raises(EngineUnavailable, match="307"):
            chat(server.url).ask(chat_request())
        assert not other.seen


def test_a_proxy_is_never_asked_for_a_server_on_this_machine(
    chat: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(GOOD, simulated=True) as server:
        model = chat(server.url)
        assert model.simulated
        assert model.ask(chat_request()).text == "# One"


def test_the_settings_of_the_environment_count(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(GOOD) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1/")
        monkeypatch.setenv("OPENAI_API_KEY", "key-2")
        model = chat()
        assert model.endpoint == f"{server.url}/v1"
        model.ask(chat_request())
        assert server.posts[0].path == "/v1/chat/completions"
        assert server.posts[0].headers["authorization"] == "Bearer key-2"


def test_a_server_on_this_machine_needs_no_key(chat: Rig) -> None:
    with serving(GOOD) as server:
        assert chat(server.url).ask(chat_request()).finished


def test_the_switch_forbids_all_but_this_machine(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.environ[FORBID]
    for url in (
        None,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "http://localhost.example/v1",
    ):
        model = chat(url, "key")
        with pytest.raises(EngineUnavailable, match=FORBID):
            model.ask(chat_request())
        assert model.simulated is False


def test_openai_itself_wants_a_key(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FORBID)
    with pytest.raises(EngineUnavailable, match="OPENAI_API_KEY") as raised:
        chat().ask(chat_request())
    assert "OPENAI_API_KEY" in raised.value.remedy


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://x", "http://", "http://[::1", "http://h:99999/"])
def test_an_address_that_is_none_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError):
        OpenAiChat(url)


def test_keys_said_back_are_not_shown(chat: Rig) -> None:
    echo = Answer(401, {"error": {"message": "Received key sk-very-secret, not known"}})
    with serving(echo) as server, pytest.raises(EngineUnavailable) as raised:
        chat(server.url, "sk-very-secret").ask(chat_request())
    assert "***" in raised.value.message and "sk-very-secret" not in raised.value.message


# --- over the wire, as servers send them

_OVER_THE_WIRE = [
    ("vLLM: one image", Answer(400, {"object": "error", "type": "BadRequestError", "code": 400,
     "message": "At most 1 image(s) may be provided in one request."}), RequestRejected, "too_large"),
    ("too long", Answer(400, {"error": {"code": "context_length_exceeded", "message": "too long"}}),
     RequestRejected, "too_large"),
    ("413 of a proxy", Answer(413, b"<html>Request Entity Too Large</html>", {"content-type": "text/html"}),
     RequestRejected, "too_large"),
    ("bad image", Answer(400, {"error": {"message": "You uploaded an unsupported image."}}),
     RequestRejected, ""),
    ("moderated", Answer(403, {"error": {"code": 403, "message": "Your input was flagged"}}),
     RequestRejected, ""),
    ("rate", Answer(429, {"error": {"code": "rate_limit_exceeded", "message": "x"}},
     {"retry-after-ms": "1500"}), ModelBusy, "1.5"),
    ("Gemini's rate", Answer(429, [{"error": {"code": 429, "message": "Quota exceeded", "details": [
     {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]}}]), ModelBusy, "34.0"),
    ("no money", Answer(429, {"error": {"code": "insufficient_quota", "message": "x"}}),
     EngineUnavailable, "credit"),
    ("no money either", Answer(402, {"error": {"code": 402, "message": "x"}}), EngineUnavailable, "credit"),
    ("wrong key", Answer(401, {"error": {"code": "invalid_api_key", "message": "x"}}),
     EngineUnavailable, "OPENAI_API_KEY"),
    ("Gemini's wrong key", Answer(400, [{"error": {"code": 400, "message": "API key not valid. Please pass a "
     "valid API key."}}]), EngineUnavailable, "OPENAI_API_KEY"),
    ("Ollama's model", Answer(404, {"error": {"message": 'model "x" not found, try pulling it first'}}),
     EngineUnavailable, "ollama pull"),
    ("wrong path", Answer(404, {"detail": "Not Found"}), EngineUnavailable, "--base-url"),
    ("wrong field", Answer(400, {"error": {"code": "unsupported_parameter", "message": "Unsupported "
     "parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}),
     EngineUnavailable, "max_tokens_field"),
    ("temperature", Answer(400, {"error": {"code": "unsupported_value", "message": "Unsupported value: "
     "'temperature' does not support 0.1 with this model. Only the default (1) value is supported."}}),
     EngineUnavailable, "temperature"),
    ("system", Answer(400, [{"error": {"message": "Developer instruction is not enabled for "
     "models/gemma-3-27b-it"}}]), EngineUnavailable, "system_prompt"),
    ("output", Answer(400, {"error": {"message": "max_tokens is too large: 100000. This model supports at "
     "most 32768 completion tokens, whereas you provided 100000."}}), EngineUnavailable, "output_tokens"),
    ("vLLM: context", Answer(400, {"error": {"message": "'max_tokens' is too large: 8192. This model's "
     "maximum context length is 8192 tokens and your request has 2000 input tokens"}}),
     RequestRejected, "too_large"),
    ("blind", Answer(400, {"error": {"message": "x-7b is not a multimodal model"}}),
     EngineUnavailable, "reads images"),
    ("overloaded", Answer(503, {"error": {"message": "Slow down"}}), ModelBusy, "throttled"),
    ("overloaded too", Answer(529, {"error": {"message": "x"}}), ModelBusy, "throttled"),
    ("down", Answer(502, b"<html>Bad Gateway</html>", {"content-type": "text/html"}), ModelBusy, "None"),
    ("timeout of a gateway", Answer(504, b""), ModelBusy, "billed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "wanted", "detail"),
    [one[1:] for one in _OVER_THE_WIRE],
    ids=[one[0] for one in _OVER_THE_WIRE],
)
def test_errors_are_sorted(chat: Rig, answer: Answer, wanted: type[DracError], detail: str) -> None:
    with serving(answer) as server:
        with pytest.raises(DracError) as raised:
            chat(server.url).ask(chat_request())
        assert len(server.posts) == 1
    error = raised.value
    assert type(error) is wanted
    if isinstance(error, RequestRejected):
        assert error.too_large == (detail == "too_large")
    elif isinstance(error, ModelBusy):
        assert error.throttled == (detail in {"throttled", "1.5", "34.0"})
        assert error.maybe_billed == (detail == "billed")
        assert str(error.retry_after) == (detail if detail in {"1.5", "34.0"} else "None")
    else:
        assert detail in error.remedy


# --- which server it is


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True), ("http://LOCALHOST", True), ("http://127.0.0.1", True),
        ("http://127.8.9.1:5", True), ("http://[::1]:5/v1", True), ("http://0.0.0.0:5", False),
        ("http://10.0.0.1", False), ("http://localhost.example", False), ("http://127.0.0.1.nip.io", False),
        ("http://127.0.0.1@evil.example/", False), ("https://api.openai.com/v1", False),
        ("http://[::ffff:8.8.8.8]", False), ("http://2130706433", False),
    ],
)  # fmt: skip
def test_which_hosts_are_this_machine(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def test_the_public_address_has_no_secrets() -> None:
    assert public_url("https://u:p@Host.example:8443/v1/?key=s#f") == "https://host.example:8443/v1"
    assert public_url("http://[::1]:80/v1/") == "http://[::1]:80/v1"


def test_only_a_server_that_says_so_is_simulated_and_it_is_asked_once(chat: Rig) -> None:
    with serving(GOOD, simulated=True) as playing, serving(GOOD) as real:
        player, other = chat(f"{playing.url}/v1"), chat(f"{real.url}/v1")
        assert [player.simulated, player.simulated, other.simulated, other.simulated] == [
            True,
            True,
            False,
            False,
        ]
        assert [one.path for one in playing.seen] == ["/drac-simulated"]
        assert len(real.seen) == 1


def test_a_server_that_does_not_answer_is_not_taken_for_a_real_one() -> None:
    with serving(GOOD) as server:
        url = server.url
    with pytest.raises(EngineUnavailable, match="no server answers"):
        Simulation(url)()
