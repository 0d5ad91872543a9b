"""The cross-encoder, a tiny one with real weights."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import tiny_models

from drac.adapters import packaged_weights
from drac.adapters.cross_encoder import CrossEncoderReranker
from drac.errors import EngineUnavailable, UsageError

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra 'embed'"
    ),
    pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'"),
]
LONG = "The bank lends money to farmers in the spring of each year. " * 8


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoderReranker:
    place = tiny_models.save_cross_encoder(tmp_path_factory.mktemp("cross"))
    return CrossEncoderReranker(str(place), threads=2, device="cpu")


def library(reranker: CrossEncoderReranker, *pairs: tuple[str, str]) -> list[float]:
    """What the library alone says of pairs that fit."""
    import torch

    return [float(one) for one in reranker._model.predict(list(pairs), activation_fn=torch.nn.Identity())]


def test_scores_are_the_librarys(reranker: CrossEncoderReranker) -> None:
    texts = ["the bank pays", "a zebra", "x"]
    wanted = library(reranker, *(("who pays?", text) for text in texts))
    assert reranker.scores("who pays?", texts) == pytest.approx(wanted, abs=1e-6)
    assert reranker.label == "cross-encoder:cross1"


def test_a_score_does_not_depend_on_its_neighbours(reranker: CrossEncoderReranker) -> None:
    texts = ["the bank pays", LONG, "x"]
    assert reranker.scores("who?", texts) == [reranker.scores("who?", [text])[0] for text in texts]


def test_f47_of_a_long_text_the_best_window_counts(reranker: CrossEncoderReranker) -> None:
    query = "who lends to farmers?"
    room = reranker._room - reranker._count(query)
    windows = reranker._pieces(LONG, room)
    assert len(windows) > 3
    assert all(reranker._count(one) <= room for one in windows)
    assert reranker.scores(query, [LONG]) == [max(reranker.scores(query, windows))]


def test_a_question_longer_than_the_window_is_read_whole(reranker: CrossEncoderReranker) -> None:
    asked = reranker._pieces(LONG, reranker._room // 2)
    assert len(asked) > 3
    assert reranker.scores(LONG, ["rent"]) == [max(reranker.scores(one, ["rent"])[0] for one in asked)]


def test_no_texts_have_no_scores(reranker: CrossEncoderReranker) -> None:
    assert reranker.scores("who?", []) == []


def test_a_model_of_several_scores_is_no_reranker(tmp_path: Path) -> None:
    model = CrossEncoderReranker(str(tiny_models.save_cross_encoder(tmp_path, labels=3)), device="cpu")
    with pytest.raises(UsageError, match="3 scores"):
        model.scores("who?", ["x"])


def test_an_absent_model_says_what_to_do() -> None:
    with pytest.raises(EngineUnavailable) as raised:
        CrossEncoderReranker("acme/absent").scores("who?", ["x"])
    assert "reranker acme/absent" in raised.value.message
    assert "cross-encoder:FOLDER" in raised.value.remedy
