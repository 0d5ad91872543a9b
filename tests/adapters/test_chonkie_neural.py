"""The neural chunker with a token classifier made here: chonkie's own models are on the hub."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from fakes_documents import DOCUMENTS, covered, faults, inked, parsed, texts
from fakes_retrieval import LetterEmbedder
from hypothesis import HealthCheck, given, settings

from drac.adapters import packaged_weights
from drac.config import Settings
from drac.errors import EngineUnavailable
from drac.ports import Chunker, ParsedDocument
from drac.wiring.registry import ChunkerContext, chunker

pytestmark = [
    pytest.mark.skipif(
        not all(map(importlib.util.find_spec, ("transformers", "chonkie", "torch"))),
        reason="needs the extras 'embed' and 'bench'",
    ),
    pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'"),
]
CONTEXT = ChunkerContext(Settings(), LetterEmbedder)


@pytest.fixture(scope="module")
def marker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder: a classifier without a layer, which marks each `!` as the end of a chunk."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForTokenClassification

    tokenizer = AutoTokenizer.from_pretrained(str(packaged_weights.checked()))
    labels = {0: "O", 1: "separator"}
    config = BertConfig(
        vocab_size=tokenizer.vocab_size, hidden_size=4, num_hidden_layers=0, num_attention_heads=1,
        intermediate_size=4, max_position_embeddings=64, id2label=labels,
        label2id={name: number for number, name in labels.items()},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    with torch.no_grad():
        embeddings = model.bert.embeddings
        embeddings.position_embeddings.weight.zero_()
        embeddings.token_type_embeddings.weight.zero_()
        embeddings.word_embeddings.weight[:] = torch.tensor([-1.0, 1, 0, 0])
        mark = tokenizer.convert_tokens_to_ids("!")
        embeddings.word_embeddings.weight[mark] = torch.tensor([1.0, -1, 0, 0])
        model.classifier.weight[:] = torch.tensor([[-5.0, 5, 0, 0], [5, -5, 0, 0]])
        model.classifier.bias.zero_()
    folder = tmp_path_factory.mktemp("model") / "marker"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def neural(marker: Path) -> Chunker:
    return chunker("neural", {"model": str(marker)}, CONTEXT)


def test_a_chunk_ends_where_the_model_says(neural: Chunker) -> None:
    document = parsed("Hello there, friend! Another 汉字 one 😀 comes here! And the last.")
    assert texts(document, neural.chunk(document)) == [
        "Hello there, friend!", "Another 汉字 one 😀 comes here!", "And the last."
    ]  # fmt: skip


def test_a_document_past_the_models_window_is_chunked_whole(neural: Chunker) -> None:
    document = parsed("One more of the many sentences here! " * 100)
    found = texts(document, neural.chunk(document))
    assert found == ["One more of the many sentences here!"] * 100


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=DOCUMENTS)
def test_stretches_are_exact_and_nothing_is_lost(neural: Chunker, document: ParsedDocument) -> None:
    made = neural.chunk(document)
    assert not list(faults(document, made.drafts))
    assert covered(document, made.drafts) == inked(document)


def test_the_fingerprint_names_the_weights(neural: Chunker, marker: Path) -> None:
    assert neural.fingerprint["model"] == "marker"
    assert len(neural.fingerprint["weights"]) == 64


def test_without_the_hub_its_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(EngineUnavailable, match="mirth/chonky_distilbert_base_uncased_1") as caught:
        chunker("neural", {}, CONTEXT)
    assert "folder" in caught.value.remedy
