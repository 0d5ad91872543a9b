"""Sparse encoders, tiny ones with real weights."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import tiny_models

from drac.adapters import packaged_weights
from drac.adapters.sparse_encoder import SparseTextEncoder
from drac.adapters.sparse_index import SparseIndex
from drac.errors import EngineUnavailable, MissingExtra

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None, reason="needs the extra 'embed'"
    ),
    pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'"),
]


@pytest.fixture(scope="module")
def splade(tmp_path_factory: pytest.TempPathFactory) -> SparseTextEncoder:
    place = tiny_models.save_splade(tmp_path_factory.mktemp("splade"))
    return SparseTextEncoder(str(place), threads=2, device="cpu")


@pytest.fixture(scope="module")
def weighing(tmp_path_factory: pytest.TempPathFactory) -> SparseTextEncoder:
    """Every token weighs 1, `loan` 3."""
    place = tiny_models.save_term_weights(tmp_path_factory.mktemp("terms") / "terms", {"loan": 3.0})
    return SparseTextEncoder(str(place), threads=2, device="cpu")


def test_rows_are_the_librarys_weights(splade: SparseTextEncoder) -> None:
    text = "The loan runs over five years."
    found = splade.documents([text])[0]
    wanted = np.asarray(splade._model.encode_document([text], convert_to_sparse_tensor=False)[0])
    assert np.array_equal(found["term"], np.flatnonzero(wanted))
    assert np.allclose(found["weight"], wanted[found["term"]])
    assert (found["weight"] > 0).all()


def test_rows_do_not_depend_on_their_neighbours(splade: SparseTextEncoder) -> None:
    texts = ["A short one.", "The bank lends. " * 20, "Zebra"]
    together = splade.documents(texts)
    assert all(
        np.array_equal(one, splade.documents([text])[0]) for one, text in zip(together, texts, strict=True)
    )


def test_f47_nothing_of_a_long_text_is_left_out(weighing: SparseTextEncoder) -> None:
    words = "the bank lends money to farmers in the spring of each year. " * 12
    rows = weighing.documents([f"{words} zebra"])[0]
    zebra = tiny_models.tokenizer().convert_tokens_to_ids("zebra")
    assert len(words.split()) > 4 * tiny_models.WINDOW
    assert zebra in rows["term"]
    assert len(set(rows["term"])) == len(rows)


def test_a_term_has_its_highest_weight_over_the_windows(splade: SparseTextEncoder) -> None:
    pieces = ["the farmer pays a fixed rate. " * 3, "a zebra crosses the river at night. " * 3]
    room = splade._room("document")
    windows = splade._pieces("".join(pieces), room)
    assert len(windows) > 1
    whole = dict(splade.documents(["".join(pieces)])[0].tolist())
    each = [dict(one.tolist()) for one in splade.documents(windows)]
    assert whole == {term: max(one.get(term, 0) for one in each) for one in each for term in one}


def test_search_by_weight(weighing: SparseTextEncoder) -> None:
    texts = ["a loan", "the bank pays rent", "rent"]
    index = SparseIndex.of(weighing.documents(texts))
    assert index.search(weighing.query("loan rent"), 3) == [(0, 9.0), (1, 1.0), (2, 1.0)]
    assert index.search(weighing.query("zebra"), 3) == []


def test_cut_is_what_fits(weighing: SparseTextEncoder) -> None:
    text = "loan " * 100
    assert weighing.cut(text).split() == ["loan"] * 30
    assert weighing.cut("loan") == "loan"


def test_a_folder_is_its_fingerprint_and_an_absent_model_says_so(
    splade: SparseTextEncoder, tmp_path: Path
) -> None:
    assert splade.fingerprint["model"] == splade.label == "splade"
    with pytest.raises(EngineUnavailable) as raised:
        SparseTextEncoder("acme/absent").query("x")
    assert "sparse encoder acme/absent" in raised.value.message
    assert "sparse:FOLDER" in raised.value.remedy


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="'embed'"):
        SparseTextEncoder()
