"""Real models of sentence-transformers, tiny, with seeded weights over the packaged vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drac.adapters import packaged_weights

WINDOW = 32
"""Tokens that the models take at once."""


def tokenizer(window: int = WINDOW) -> Any:
    """The packaged model's, for windows of so many tokens."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(packaged_weights.installed(), model_max_length=window)


def save_bert(architecture: str, folder: Path, *, labels: int = 1, window: int = WINDOW) -> Path:
    """A BERT of one layer, such as `BertForMaskedLM`, with its tokenizer."""
    import torch
    import transformers

    torch.manual_seed(7)
    words = tokenizer(window)
    shape = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=window, num_labels=labels,
    )  # fmt: skip
    getattr(transformers, architecture)(shape).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def save_splade(folder: Path) -> Path:
    """A SPLADE model whose weights mean nothing."""
    from sentence_transformers import SparseEncoder

    model = SparseEncoder(str(save_bert("BertForMaskedLM", folder / "bert")), device="cpu")
    model.save_pretrained(str(folder / "splade"))
    return folder / "splade"


def save_term_weights(folder: Path, heavy: Mapping[str, float], window: int = WINDOW) -> Path:
    """A sparse encoder that gives each token of a text its weight, 1 but for the `heavy` ones."""
    import torch
    from sentence_transformers import SparseEncoder
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding

    words = tokenizer(window)
    weight = torch.ones(len(words))
    for token, value in heavy.items():
        weight[words.convert_tokens_to_ids(token)] = value
    model = SparseEncoder(modules=[SparseStaticEmbedding(tokenizer=words, weight=weight)], device="cpu")
    model.save_pretrained(str(folder))
    return folder


def save_late(folder: Path) -> Path:
    """A model with a head for token vectors, whose weights mean nothing."""
    from sentence_transformers import MultiVectorEncoder

    model = MultiVectorEncoder(str(save_bert("BertModel", folder / "bert")), device="cpu")
    model.save_pretrained(str(folder / "late"))
    return folder / "late"


def save_cross_encoder(folder: Path, *, labels: int = 1, window: int = WINDOW) -> Path:
    """A reranker whose weights mean nothing."""
    from sentence_transformers import CrossEncoder

    bert = save_bert("BertForSequenceClassification", folder / f"bert{labels}", labels=labels, window=window)
    CrossEncoder(str(bert), device="cpu", num_labels=labels).save_pretrained(str(folder / f"cross{labels}"))
    return folder / f"cross{labels}"
