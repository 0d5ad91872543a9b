"""The Converse adapter against a loopback server."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from fakes_chat import Answer, chat_request, converse_answer, serving

from drac.adapters.bedrock import BedrockChat
from drac.adapters.model_errors import retry_after
from drac.adapters.model_http import FORBID
from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected, UsageError
from drac.ports import ImagePart
from drac.profiles import ModelFacts, find_profile

GOOD = Answer(body=converse_answer("# One"))
MODEL = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")


@pytest.fixture(autouse=True)
def no_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of the machine that runs the tests."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


class Rig:
    """Opens adapters and closes them."""

    def __init__(self) -> None:
        self.made: list[BedrockChat] = []

    def __call__(self, *args: Any, **given: Any) -> BedrockChat:
        self.made.append(BedrockChat(*args, **given))
        return self.made[-1]


@pytest.fixture
def chat() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    for one in rig.made:
        one.close()


def test_the_request_is_what_converse_takes(chat: Rig) -> None:
    request = chat_request(
        "first", ImagePart(b"\x89PNG-1", "image/png"), ImagePart(b"\xff\xd8-2", "image/jpeg"), "last",
        system="read", temperature=0.1, max_output_tokens=8192,
        model="arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.google.gemma-3-27b-it",
    )  # fmt: skip
    with serving(GOOD) as server:
        chat(endpoint_url=server.url).ask(request)
        sent = server.posts[0]
    assert sent.path == (
        "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2F"
        "us.google.gemma-3-27b-it/converse"
    )
    assert sent.body == {
        "messages": [{"role": "user", "content": [
            {"text": "first"},
            {"image": {"format": "png", "source": {"bytes": base64.b64encode(b"\x89PNG-1").decode()}}},
            {"image": {"format": "jpeg", "source": {"bytes": base64.b64encode(b"\xff\xd8-2").decode()}}},
            {"text": "last"},
        ]}],
        "system": [{"text": "read"}],
        "inferenceConfig": {"maxTokens": 8192, "temperature": 0.1},
    }  # fmt: skip


def test_no_system_text_is_no_system_field_and_no_schema_no_output_config(chat: Rig) -> None:
    with serving(GOOD) as server:
        chat(endpoint_url=server.url).ask(chat_request())
        assert not {"system", "outputConfig"} & server.posts[0].body.keys()


def test_a_schema_goes_with_the_request_where_the_model_takes_one(chat: Rig) -> None:
    schema = '{"type": "object"}'
    with serving(GOOD) as server:
        model = chat(endpoint_url=server.url)
        model.ask(chat_request(schema=schema))
        model.ask(chat_request(schema=schema, model="unknown.model"))
        first, second = (one.body for one in server.posts)
    assert first["outputConfig"]["textFormat"] == {
        "type": "json_schema",
        "structure": {"jsonSchema": {"name": "reply", "schema": schema}},
    }
    assert "outputConfig" not in second


def test_a_model_that_refuses_temperatures_gets_none(chat: Rig) -> None:
    own = {"strict.model": ModelFacts(temperature=False)}
    with serving(GOOD) as server:
        chat(endpoint_url=server.url, profiles=lambda model: find_profile(model, own)).ask(
            chat_request(model="strict.model")
        )
        assert server.posts[0].body["inferenceConfig"] == {"maxTokens": 100}


def test_an_image_type_that_converse_does_not_take_is_not_sent(chat: Rig) -> None:
    with serving(GOOD) as server:
        with pytest.raises(RequestRejected, match="image/tiff"):
            chat(endpoint_url=server.url).ask(chat_request(ImagePart(b"II", "image/tiff")))
        assert not server.posts


def test_f28_a_read_timeout_is_one_request_and_maybe_billed(
    chat: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "5")
    monkeypatch.setenv("AWS_RETRY_MODE", "legacy")
    with serving(Answer(body=converse_answer("late"), delay=1.2)) as server:
        with pytest.raises(ModelBusy) as raised:
            chat(endpoint_url=server.url, read_timeout=0.3).ask(chat_request())
        time.sleep(1.2)
        assert len(server.posts) == 1
    assert raised.value.maybe_billed and not raised.value.throttled


def test_f29_a_storm_of_429_is_one_request_an_ask(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "5")
    storm = Answer(429, {"message": "Too many tokens"}, {"x-amzn-errortype": "ThrottlingException"})
    with serving(storm) as server:
        model = chat(endpoint_url=server.url)
        for _ in range(3):
            with pytest.raises(ModelBusy) as raised:
                model.ask(chat_request())
            assert raised.value.throttled
        assert len(server.posts) == 3


@pytest.mark.parametrize("stop", [*MODEL.shape_for("StopReason").enum, "brand_new", None])
def test_f33_only_end_turn_is_a_normal_end(chat: Rig, stop: str | None) -> None:
    with serving(Answer(body=converse_answer("plausible text", stop))) as server:
        got = chat(endpoint_url=server.url).ask(chat_request())
    assert (got.stop_reason, got.finished) == (stop or "missing", stop == "end_turn")


def test_texts_are_joined_and_thoughts_left_out(chat: Rig) -> None:
    body = converse_answer("")
    thought = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    body["output"]["message"]["content"] = [{"text": "# O"}, thought, {"text": "ne"}]
    body["usage"] |= {"cacheReadInputTokens": 3, "cacheWriteInputTokens": 4}
    with serving(Answer(body=body)) as server:
        got = chat(endpoint_url=server.url).ask(chat_request())
    assert (got.text, got.input_tokens, got.output_tokens) == ("# One", 17, 5)


def test_absent_usage_is_no_tokens(chat: Rig) -> None:
    body = converse_answer("x")
    del body["usage"]
    with serving(Answer(body=body)) as server:
        got = chat(endpoint_url=server.url).ask(chat_request())
    assert (got.input_tokens, got.output_tokens) == (0, 0)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(cut="before"),
        Answer(body=converse_answer("x" * 5000), cut="within"),
        Answer(body=b"<html>gateway</html>"),
        Answer(body=b'{"output": {"mess'),
        Answer(body=b"[]"),
        Answer(body={"output": None, "stopReason": "end_turn"}),
        Answer(body={"output": {"message": {"content": "text"}}, "stopReason": "end_turn"}),
        Answer(body=converse_answer("x"), headers={"content-encoding": "gzip"}),
    ],
    ids=["cut before", "cut within", "html", "half a JSON", "a list", "no output", "odd content", "not gzip"],
)
def test_a_reply_that_is_none_is_transient_and_maybe_billed(chat: Rig, answer: Answer) -> None:
    with serving(answer) as server:
        model = chat(endpoint_url=server.url)
        if "content-encoding" in answer.headers:  # botocore does not decode; the text came whole
            assert model.ask(chat_request()).text == "x"
            return
        with pytest.raises(ModelBusy) as raised:
            model.ask(chat_request())
        assert raised.value.maybe_billed
        assert len(server.posts) == 1


def test_retry_after_is_honoured_as_seconds_and_as_a_date(chat: Rig) -> None:
    kind = {"x-amzn-errortype": "ThrottlingException"}
    dates = {"date": "Mon, 30 Nov 2026 10:00:00 GMT", "retry-after": "Mon, 30 Nov 2026 10:01:30 GMT"}
    assert _of_server(chat, Answer(429, {}, {**kind, "retry-after": "2.5"})).retry_after == 2.5
    assert _of_server(chat, Answer(503, {}, {"retry-after": "11"})).retry_after == 11
    assert _of_server(chat, Answer(429, {}, {**kind, "retry-after": "soon"})).retry_after is None
    assert retry_after(dates) == 90


def _of_server(chat: Rig, answer: Answer) -> Any:
    with serving(answer) as server:
        with pytest.raises(DracError) as raised:
            chat(endpoint_url=server.url).ask(chat_request())
        assert len(server.posts) == 1
    return raised.value


def test_a_server_that_never_answered_ends_the_run_and_one_that_did_is_waited_for(chat: Rig) -> None:
    with serving(GOOD) as server:
        known = chat(endpoint_url=server.url)
        known.ask(chat_request())
        url = server.url
    with pytest.raises(EngineUnavailable, match="EndpointConnectionError") as raised:
        chat(endpoint_url=url).ask(chat_request())
    assert "AWS_REGION" in raised.value.remedy
    known.close()  # the connection that is still open would be answered
    with pytest.raises(ModelBusy) as busy:
        known.ask(chat_request())
    assert not busy.value.maybe_billed


def test_a_proxy_is_never_asked_for_a_server_on_this_machine(
    chat: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(GOOD, simulated=True) as server:
        model = chat(endpoint_url=server.url)
        assert model.simulated
        assert model.ask(chat_request()).text == "# One"


def test_a_server_on_this_machine_needs_no_account(chat: Rig) -> None:
    with serving(GOOD) as server:
        assert chat(endpoint_url=server.url).ask(chat_request()).finished


def test_the_bearer_token_is_not_sent_in_the_clear(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "secret-bearer")
    with serving(GOOD) as server:
        chat(endpoint_url=server.url).ask(chat_request())
        assert "secret-bearer" not in str(server.seen)


def test_the_switch_forbids_all_but_this_machine(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.environ[FORBID]
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "key")
    model = chat("us-east-1")
    with pytest.raises(EngineUnavailable, match=FORBID):
        model.ask(chat_request())
    assert model.simulated is False
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://gateway.example/bedrock")
    with pytest.raises(EngineUnavailable, match=r"gateway\.example"):
        chat("us-east-1").ask(chat_request())


def test_the_endpoint_is_the_region_or_the_address(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chat("eu-central-1").endpoint == "eu-central-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    assert chat().endpoint == "us-west-2"
    monkeypatch.setenv("AWS_REGION", "ap-south-1")
    assert chat().endpoint == "ap-south-1"
    vpc = "https://vpce-1-a.bedrock-runtime.us-east-1.vpce.amazonaws.com"
    assert chat("us-east-1", endpoint_url=vpc).endpoint == "us-east-1"
    assert (
        chat("us-east-1", endpoint_url="https://u:p@gateway.example/x/").endpoint
        == "https://gateway.example/x"
    )


def test_settings_that_do_not_fit_end_the_run_with_a_remedy(chat: Rig) -> None:
    with pytest.raises(EngineUnavailable, match="region") as raised:
        chat().ask(chat_request())
    assert "AWS_REGION" in raised.value.remedy
    with pytest.raises(EngineUnavailable, match="nobody") as raised:
        chat("us-east-1", "nobody").ask(chat_request())
    assert "AWS_PROFILE" in raised.value.remedy
    with pytest.raises(UsageError):
        chat(endpoint_url="localhost:8000")


def test_without_credentials_nothing_is_sent(chat: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FORBID)
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://bedrock.invalid:9")
    with pytest.raises(EngineUnavailable, match="NoCredentialsError") as raised:
        chat("us-east-1").ask(chat_request())
    for way in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "aws sso login"):
        assert way in raised.value.remedy
