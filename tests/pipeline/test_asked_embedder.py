"""Embedding by a model that is asked: batches, windows, budget; no paid vector is asked for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drac.config import Settings
from drac.errors import BudgetReached, RequestRejected, UsageError
from drac.pipeline.embedding import AskedEmbedder
from drac.pipeline.indexing import embed_missing
from drac.retrieve.vectors import DocumentVectors, normalise
from drac.stages.tokens import estimate_tokens, estimated_pieces
from drac.store.store import Store
from drac.wiring import Models, embedder
from tests.servers import embeddings
from tests.servers.faults import Fault
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer

DIGEST = "0" * 63
MODEL = "bge-m3"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def settings(server: ModelServer, engine: str = "openai", **more: Any) -> Settings:
    search = {
        "embedder": engine,
        **({"model": MODEL} if engine == "openai" else {}),
        **more.pop("search", {}),
    }
    where = {"base_url": server.openai_url, "endpoint_url": server.url, "read_timeout": 2.0}
    return Settings.model_validate({"search": search, "model": {**where, **more.pop("model", {})}, **more})


class Run:
    """One run of a command over a workspace."""

    def __init__(self, place: Path, given: Settings) -> None:
        self.store = Store(place)
        self.models = Models(given, place)
        self.embedder = embedder(given.search, self.models)

    def __enter__(self) -> Run:
        self.store.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.models.close()
        self.store.__exit__(*error)

    def embed(self, name: str, *texts: str) -> int:
        """Embed a document; gives how many texts were embedded."""
        chunks = [(f"{name}{n}", text) for n, text in enumerate(texts)]
        return embed_missing(self.store, {DIGEST + name: chunks}, self.embedder, str)

    def vectors(self, name: str) -> np.ndarray[Any, Any]:
        """What is stored of a document."""
        return DocumentVectors.load(self.store.artifacts / "embed" / (DIGEST + name)).vectors

    @property
    def asked(self) -> AskedEmbedder:
        assert isinstance(self.embedder, AskedEmbedder)
        return self.embedder


def sent(server: ModelServer) -> list[str]:
    """Texts of all requests; a test's texts hold no blank line."""
    return [text for one in server.log.entries for text in one["prompt"].split("\n\n")]


@pytest.mark.parametrize("engine", ["openai", "bedrock"])
def test_texts_become_unit_vectors_of_the_server(server: ModelServer, tmp_path: Path, engine: str) -> None:
    with Run(tmp_path / "ws", settings(server, engine)) as run:
        assert run.embed("1", "the ferry", "a ticket", "the ferry") == 2
        expected = normalise([embeddings.vector(one, 64) for one in ("the ferry", "a ticket", "the ferry")])
        assert np.allclose(run.vectors("1"), expected, atol=1e-6)
        (spent,) = run.models.spending().items()
    assert sorted(sent(server)) == ["a ticket", "the ferry"]
    assert "SIMULATED" in spent[0]
    assert spent[1].input_tokens == embeddings.tokens_of(["the ferry", "a ticket"])
    assert spent[1].output_tokens == 0
    replies = list((tmp_path / "ws" / "replies").rglob("*.json"))
    assert replies and all(one.parent.match("replies/simulated/embed") for one in replies)


def test_a_second_run_asks_for_what_is_new_only(server: ModelServer, tmp_path: Path) -> None:
    with Run(tmp_path / "ws", settings(server)) as run:
        run.embed("1", "one", "two")
    with Run(tmp_path / "ws", settings(server)) as run:
        assert run.embed("1", "one", "two") == 0
        assert run.embed("2", "two", "three", "one") == 1
    assert sent(server) == ["one", "two", "three"]


def test_paid_replies_of_a_run_that_ended_are_used_in_any_other_batch(
    server: ModelServer, tmp_path: Path
) -> None:
    """The first run pays for a batch and dies before it keeps the document; the second batches otherwise."""
    with Run(tmp_path / "ws", settings(server)) as run:
        run.embedder.embed(["one", "two", "three"])
    with Run(tmp_path / "ws", settings(server)) as run:
        assert run.embed("1", "three", "four", "one") == 1
        assert np.allclose(run.vectors("1")[2], normalise(embeddings.vector("one", 64)), atol=1e-6)
    assert sent(server) == ["one", "two", "three", "four"]


def test_passing_faults_are_tried_again(tmp_path: Path) -> None:
    def first_fails(seen: Any) -> Fault | None:
        return Fault("error_500") if seen.attempt == 1 else None

    with ModelServer(behaviour=Behaviour(schedule=first_fails)) as server:
        with Run(tmp_path / "ws", settings(server)) as run:
            assert run.embed("1", "one") == 1
        assert len(server.log.entries) == 2


def test_the_budget_is_kept_and_what_was_paid_is_not_paid_again(server: ModelServer, tmp_path: Path) -> None:
    """A request's worst case is 65 tokens or so, at 1,000 dollars a million: $0.0657."""
    priced = {"amazon.titan-embed-text-v2:0": {"price_input": 1000.0, "price_output": 0.0}}
    texts = [f"text {n}" for n in range(40)]
    given = settings(server, "bedrock", models=priced, model={"max_usd": 0.1, "concurrency": 2})
    with Run(tmp_path / "ws", given) as run, pytest.raises(BudgetReached):
        run.embed("1", *texts)
    paid = len(server.log.entries)
    assert 0 < paid < 40
    with Run(tmp_path / "ws", settings(server, "bedrock")) as run:
        assert run.embed("1", *texts) == 40 - paid
    assert sorted(sent(server)) == sorted(texts)


def test_a_limit_without_a_known_price_is_refused(server: ModelServer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no price is known for bge-m3"):
        Run(tmp_path / "ws", settings(server, model={"max_usd": 1.0}))


def test_a_server_needs_the_name_of_a_model(server: ModelServer, tmp_path: Path) -> None:
    given = Settings.model_validate({"search": {"embedder": "openai"}})
    with pytest.raises(UsageError, match="needs the name of a model"):
        Run(tmp_path / "ws", given)
    with pytest.raises(UsageError, match="does not know how"):
        Run(tmp_path / "ws", settings(server, "bedrock", search={"model": "cohere.embed-v4:0"}))


def test_the_window_is_what_is_known_of_the_model(server: ModelServer, tmp_path: Path) -> None:
    known = {MODEL: {"context_tokens": 8192}}
    for given, window in (
        (settings(server), 512), (settings(server, models=known), 8192), (settings(server, "bedrock"), 8192),
    ):  # fmt: skip
        with Run(tmp_path / "ws", given) as run:
            assert run.embedder.window == window
            assert run.asked.fingerprint["window"] == str(window)


def test_long_texts_are_cut_into_windows_with_room_to_spare(server: ModelServer, tmp_path: Path) -> None:
    text = " ".join(f"Sentence {n} of the extraordinarily long tariff, 1234567." for n in range(200))
    with Run(tmp_path / "ws", settings(server)) as run:
        pieces = run.embedder.windows(text)
        assert "".join(pieces) == text
        assert all(estimate_tokens(one) <= 256 for one in pieces)
        assert text.startswith(run.embedder.cut(text))
        assert 200 <= estimate_tokens(run.embedder.cut(text)) <= 256
        assert list(run.embedder.windows("short")) == ["short"]


def test_estimated_pieces_are_as_many_as_estimated_and_in_order() -> None:
    for text in ("Überraschungen 12345, 한국어 x", "", "  a  ", "漢字とかな 3.14"):
        pieces = estimated_pieces(text)
        assert len(pieces) == estimate_tokens(text)
        assert pieces == sorted(pieces)


def test_a_refused_batch_is_asked_in_halves_and_the_text_is_named(tmp_path: Path) -> None:
    def refuses(seen: Any) -> Fault | None:
        return Fault("validation") if any("bad" in text for text in seen.asked.texts) else None

    with ModelServer(behaviour=Behaviour(schedule=refuses)) as server:
        with Run(tmp_path / "ws", settings(server)) as run:
            with pytest.raises(RequestRejected, match="begins 'a bad text'"):
                run.embed("1", "one", "two", "a bad text", "three")
            assert run.embed("2", "one", "two") == 0
        assert [one["prompt"] for one in server.log.select(status=200)] == ["one\n\ntwo"]


def test_blank_texts_are_zero_and_not_asked_for(server: ModelServer, tmp_path: Path) -> None:
    with Run(tmp_path / "ws", settings(server, search={"dimensions": 32})) as run:
        found = run.embedder.embed(["", "one", " \n"])
    assert found.shape == (3, 32)
    assert np.linalg.norm(found, axis=1).tolist() == pytest.approx([0, 1, 0])
    assert sent(server) == ["one"]


def test_simulated_vectors_never_answer_for_real_ones(server: ModelServer, tmp_path: Path) -> None:
    with Run(tmp_path / "ws", settings(server)) as run:
        run.embed("1", "one")
        assert run.asked.fingerprint["simulated"] == "true"
    record = json.loads(
        next((tmp_path / "ws" / "replies" / "simulated" / "embed").glob("*.json")).read_bytes()
    )
    assert record["simulated"] is True
    assert record["request"]["purpose"] == "embed"
