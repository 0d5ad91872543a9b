"""Token vectors: the packaged MiniLM's, which stand in, and a tiny model's with a head of its own."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import tiny_models

from drac.adapters import packaged_weights
from drac.adapters.late_encoder import LateEncoder
from drac.errors import EngineUnavailable, MissingExtra

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra 'embed' or 'late'"
    ),
    pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'"),
]
ANSWER = "The vault code of the Mumbai office is kept by Mrs. Kulkarni."


@pytest.fixture(scope="module")
def minilm() -> LateEncoder:
    return LateEncoder("all-MiniLM-L6-v2", threads=2, device="cpu")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> LateEncoder:
    place = tiny_models.save_late(tmp_path_factory.mktemp("late"))
    return LateEncoder(str(place), threads=2, device="cpu")


def maxsim(query: np.ndarray, text: np.ndarray) -> float:
    return float((query.astype(np.float32) @ text.astype(np.float32).T).max(axis=1).sum())


def test_a_model_without_a_head_stands_in_and_says_so(minilm: LateEncoder, trained: LateEncoder) -> None:
    assert minilm.label == "sentence-transformers/all-MiniLM-L6-v2 (stand-in, not trained for it)"
    assert minilm.fingerprint["rows"] == "tokens of a stand-in"
    assert (trained.label, trained.fingerprint["rows"]) == ("late", "tokens")


def test_a_stand_ins_rows_are_its_own_token_vectors(minilm: LateEncoder) -> None:
    import torch

    text = "The loan runs over five years."
    found = minilm.documents([text])[0]
    encoder, words = minilm._model[0].auto_model, minilm._tokenizer
    with torch.inference_mode():
        tokens = encoder(**words([text], return_tensors="pt")).last_hidden_state[0]
    wanted = torch.nn.functional.normalize(tokens, dim=-1).numpy()
    assert (found.dtype, found.shape) == (np.float16, wanted.shape)
    assert np.allclose(found, wanted, atol=2e-3)


def test_rows_of_a_trained_model_are_the_librarys(trained: LateEncoder) -> None:
    text = "The loan runs over five years."
    wanted = trained._model.encode_document([text], convert_to_numpy=True)[0]
    assert np.allclose(trained.documents([text])[0], wanted, atol=2e-3)
    assert trained.query(text).shape[1] == 128


def test_f47_an_answer_past_the_window_is_found(minilm: LateEncoder) -> None:
    filler = "The branch opens at nine and the staff greets every guest with a cup of tea. " * 44
    query = minilm.query("Who keeps the vault code in Mumbai?")
    without, with_answer = minilm.documents([filler, filler + ANSWER])
    assert len(with_answer) > 700
    assert maxsim(query, with_answer) > maxsim(query, without) + 1


def test_rows_do_not_depend_on_their_neighbours(minilm: LateEncoder) -> None:
    texts = ["A short one.", "The bank lends. " * 20, ""]
    together = minilm.documents(texts)
    assert all(
        np.array_equal(one, minilm.documents([text])[0]) for one, text in zip(together, texts, strict=True)
    )
    assert min(map(len, together)) > 0


def test_an_absent_model_names_the_stand_in() -> None:
    with pytest.raises(EngineUnavailable) as raised:
        LateEncoder("acme/absent").query("x")
    assert "late-interaction model acme/absent" in raised.value.message
    assert "all-MiniLM-L6-v2" in raised.value.remedy


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="'late'"):
        LateEncoder()
