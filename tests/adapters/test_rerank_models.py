"""The rerank adapters against the simulated server: what is sent, what comes back, what goes wrong."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator

import pytest

from drac.adapters.bedrock_rerank import BedrockRerank, rerank_body
from drac.adapters.cohere_errors import sort_error
from drac.adapters.cohere_rerank import CohereRerank
from drac.errors import DracError, EngineUnavailable, MissingExtra, ModelBusy, RequestRejected
from drac.pipeline.reranking import rerank_request
from drac.ports import ChatModel, ChatRequest
from drac.retrieve.rerank_reply import unpack_scores
from tests.servers import rerank
from tests.servers.faults import Fault
from tests.servers.model_server import ModelServer

MODELS = {"cohere": "rerank-v3.5", "bedrock": "cohere.rerank-v3-5:0"}
QUERY = "when does the ferry leave"
TEXTS = ("a ticket to Hessay", "the ferry does leave at nine", "the ferry")
needs_cohere = pytest.mark.skipif(
    importlib.util.find_spec("cohere") is None, reason="needs the extra 'cohere'"
)
ENGINES = [pytest.param("cohere", marks=needs_cohere), "bedrock"]


def request(engine: str, *texts: str) -> ChatRequest:
    return rerank_request(MODELS[engine], QUERY, texts or TEXTS)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def opened() -> Iterator[Callable[[str, str], ChatModel]]:
    made: list[CohereRerank | BedrockRerank] = []

    def open_one(engine: str, url: str) -> ChatModel:
        one = (
            CohereRerank(url, read_timeout=2.0)
            if engine == "cohere"
            else BedrockRerank(endpoint_url=url, read_timeout=2.0)
        )
        made.append(one)
        return one

    yield open_one
    for one in made:
        one.close()


Opener = Callable[[str, str], ChatModel]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_score_a_text_in_the_order_asked(server: ModelServer, opened: Opener, engine: str) -> None:
    model = opened(engine, server.url)
    reply = model.ask(request(engine))
    assert unpack_scores(reply.text, 3) == [rerank.score(QUERY, text) for text in TEXTS]
    assert (reply.finished, reply.input_tokens) == (True, 0)
    assert reply.output_tokens == (1 if engine == "cohere" else 0)
    assert (model.engine, model.simulated) == (engine, True)
    (entry,) = server.log.entries
    assert (entry["purpose"], entry["model"]) == ("rerank", MODELS[engine])


def test_cohere_on_bedrock_is_asked_by_its_version_and_amazon_is_not() -> None:
    assert rerank_body(request("bedrock"))["api_version"] == 2
    assert "api_version" not in rerank_body(rerank_request("amazon.rerank-v1:0", QUERY, TEXTS))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("throttle", ModelBusy), ("error_500", ModelBusy), ("error_503", ModelBusy), ("cut", ModelBusy),
        ("cut_before", ModelBusy), ("garbage_body", ModelBusy), ("wrong_shape", ModelBusy),
        ("validation", RequestRejected), ("input_too_long", RequestRejected),
        ("access_denied", EngineUnavailable), ("bad_credentials", EngineUnavailable),
        ("unknown_model", EngineUnavailable),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_sorted(
    server: ModelServer, opened: Opener, engine: str, kind: str, error: type[DracError]
) -> None:
    server.behaviour.schedule = lambda seen: Fault(kind)
    with pytest.raises(error) as raised:
        opened(engine, server.url).ask(request(engine))
    assert MODELS[engine] in raised.value.message
    if kind == "throttle":
        assert isinstance(raised.value, ModelBusy)
        assert (raised.value.throttled, raised.value.retry_after) == (True, 0.2)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_late_reply_may_be_billed(server: ModelServer, opened: Opener, engine: str) -> None:
    server.behaviour.latency = 4.0
    with pytest.raises(ModelBusy) as raised:
        opened(engine, server.url).ask(request(engine))
    assert raised.value.maybe_billed


@needs_cohere
def test_nothing_is_sent_to_a_paid_server_while_that_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CO_API_URL", raising=False)
    with pytest.raises(EngineUnavailable, match="nothing was sent"):
        CohereRerank(api_key="secret").ask(request("cohere"))


@needs_cohere
def test_without_a_key_cohere_itself_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CO_API_URL", "CO_API_KEY", "DRAC_FORBID_PAID_MODELS"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EngineUnavailable, match="CO_API_KEY"):
        CohereRerank().ask(request("cohere"))


@needs_cohere
def test_a_server_that_is_not_there_ends_the_run(opened: Opener) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        opened("cohere", "http://127.0.0.1:1").ask(request("cohere"))
    assert "CO_API_URL" in raised.value.remedy


class Said(Exception):
    """An error as the package raises it."""

    def __init__(self, status_code: int, body: object) -> None:
        super().__init__("said")
        self.status_code, self.body, self.headers = status_code, body, {"retry-after": "3"}


@pytest.mark.parametrize(
    ("status", "said", "error"),
    [
        (429, "You are using a Trial key, which is limited to 1000 API calls / month.", EngineUnavailable),
        (429, "You are using a Trial key, which is limited to 10 API calls / minute.", ModelBusy),
        (498, "invalid token", EngineUnavailable), (402, "payment required", EngineUnavailable),
        (404, "model 'x' not found", EngineUnavailable), (499, "client closed request", ModelBusy),
        (422, "documents: too long", RequestRejected),
    ],
)  # fmt: skip
def test_statuses_of_cohere_alone(status: int, said: str, error: type[DracError]) -> None:
    found = sort_error(Said(status, {"message": said}), model="m", endpoint="e", reached=True)
    assert type(found) is error
    assert said[:20] in found.message


def test_a_key_is_never_shown() -> None:
    found = sort_error(
        Said(401, "no such key: sesame"), model="m", endpoint="e", reached=True, secrets=("sesame",)
    )
    assert "sesame" not in found.message


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="'cohere'"):
        CohereRerank()
