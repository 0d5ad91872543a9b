"""The embedding adapters against the simulated server: what is sent, what comes back, what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from drac.adapters.bedrock_embeddings import BedrockEmbeddings, titan_body
from drac.adapters.openai_embeddings import OpenAiEmbeddings, read_embeddings
from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected
from drac.ports import ChatModel, ChatRequest
from drac.retrieve.vectors import pack, unpack
from tests.servers import embeddings
from tests.servers.faults import Fault
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer

TITAN = "amazon.titan-embed-text-v2:0"
TEXTS = ("the ferry leaves at nine", "a ticket to Hessay", "nine ferries")


def request(*texts: str, model: str = TITAN, more: str = "") -> ChatRequest:
    return ChatRequest("embed", model, "", texts, 0.0, 0, more)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def opened() -> Iterator[Callable[[type, ModelServer], ChatModel]]:
    made = []

    def open_one(kind: type, server: ModelServer) -> ChatModel:
        address = (
            {"base_url": server.openai_url} if kind is OpenAiEmbeddings else {"endpoint_url": server.url}
        )
        made.append(kind(**address, read_timeout=2.0))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


Opener = Callable[[type, ModelServer], ChatModel]


@pytest.mark.parametrize("model", ["bge-m3", "base64-bge"])
def test_openai_gives_a_vector_a_text_in_the_order_asked(
    server: ModelServer, opened: Opener, model: str
) -> None:
    reply = opened(OpenAiEmbeddings, server).ask(request(*TEXTS, model=model))
    found = unpack(reply.text, 3)
    assert np.allclose(found, [embeddings.vector(text, embeddings.SIZE) for text in TEXTS])
    assert (reply.finished, reply.input_tokens, reply.output_tokens) == (
        True, embeddings.tokens_of(TEXTS), 0,
    )  # fmt: skip


def test_dimensions_are_asked_for(server: ModelServer, opened: Opener) -> None:
    for kind in (OpenAiEmbeddings, BedrockEmbeddings):
        reply = opened(kind, server).ask(request(TEXTS[0], more='{"dimensions": 256}'))
        assert unpack(reply.text, 1).shape == (1, 256)


def test_titan_gives_one_vector_and_counts_tokens(server: ModelServer, opened: Opener) -> None:
    chat = opened(BedrockEmbeddings, server)
    assert chat.simulated
    reply = chat.ask(request(TEXTS[1]))
    assert np.allclose(unpack(reply.text, 1)[0], embeddings.vector(TEXTS[1], embeddings.SIZE))
    assert reply.input_tokens == embeddings.tokens_of(TEXTS[1:2])


def test_what_titan_is_sent() -> None:
    second = titan_body(request("text", more='{"dimensions": 512}'))
    assert second == {"inputText": "text", "dimensions": 512, "normalize": True}
    assert titan_body(request("text", model="amazon.titan-embed-text-v1")) == {"inputText": "text"}
    with pytest.raises(RequestRejected):
        titan_body(request("one", "two"))


@pytest.mark.parametrize("kind", [OpenAiEmbeddings, BedrockEmbeddings])
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("throttle", ModelBusy), ("error_500", ModelBusy), ("cut", ModelBusy), ("garbage_body", ModelBusy),
        ("wrong_shape", ModelBusy), ("access_denied", EngineUnavailable),
    ],
)  # fmt: skip
def test_errors_are_translated(opened: Opener, kind: type, fault: str, error: type[DracError]) -> None:
    behaviour = Behaviour(schedule=lambda seen: Fault(fault))
    with ModelServer(behaviour=behaviour) as server, pytest.raises(error):
        opened(kind, server).ask(request(TEXTS[0]))


@pytest.mark.parametrize("kind", [OpenAiEmbeddings, BedrockEmbeddings])
def test_a_text_that_is_too_long_is_rejected(server: ModelServer, opened: Opener, kind: type) -> None:
    with pytest.raises(RequestRejected):
        opened(kind, server).ask(request("word " * 12_000))


@pytest.mark.parametrize(
    "data",
    [
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}],
    ],
)
def test_replies_that_are_none_are_refused(data: list[dict[str, object]]) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_embeddings({"data": data}, 2, 0.0)


def test_packed_vectors_come_back_to_the_bit() -> None:
    rows = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    assert np.array_equal(unpack(pack(rows), 3), rows)
    with pytest.raises(ValueError, match="15 numbers are not 4 rows"):
        unpack(pack(rows), 4)
