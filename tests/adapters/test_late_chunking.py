"""Late chunking with the packaged weights, loaded once for the module."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from fakes_documents import parsed, text_of

from drac.adapters import packaged_weights
from drac.adapters.late_chunking import LateChunking
from drac.adapters.sentence_transformers import SentenceTransformerEmbedder
from drac.config import Settings
from drac.errors import UsageError
from drac.ports import Draft, Vectors
from drac.wiring.registry import ChunkerContext, chunker

pytestmark = [
    pytest.mark.skipif(
        not all(map(importlib.util.find_spec, ("sentence_transformers", "chonkie"))),
        reason="needs the extras 'embed' and 'bench'",
    ),
    pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'"),
]
CITY = (
    "Berlin is the capital and largest city of Germany, both by area and by population. "
    "Its more than 3.85 million inhabitants make it the European Union's most populous city. "
    "The city is also one of the states of Germany, and is the third smallest state by area. "
)
"""The example of the paper."""


@pytest.fixture(scope="module")
def plain() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(threads=1, device="cpu")


@pytest.fixture(scope="module")
def late(plain: SentenceTransformerEmbedder) -> LateChunking:
    return with_model_of(plain)


def with_model_of(plain: SentenceTransformerEmbedder, window: int | None = None, overlap: int | None = None):
    """Late chunking with a model that is loaded already."""
    made = LateChunking(
        packaged_weights.MODEL, window_tokens=window, overlap=overlap, threads=2, device="cpu"
    )
    made.__dict__["_model"] = plain._model
    return made


def test_one_chunk_of_one_window_has_its_usual_vector(
    plain: SentenceTransformerEmbedder, late: LateChunking
) -> None:
    document = parsed(CITY)
    made = late.embed_chunks(document, [Draft(((0, len(CITY)),))])
    assert np.abs(made - plain.embed([CITY])).max() < 1e-6


def test_the_same_stretches_have_other_vectors_than_recursive(
    plain: SentenceTransformerEmbedder, late: LateChunking
) -> None:
    """And, as the paper says, a sentence that only says `the city` is nearer to the city's name."""
    document = parsed(CITY)
    context = ChunkerContext(Settings(), lambda: plain)
    options = {"size": 24}
    drafts = chunker("late", options, context).chunk(document).drafts
    assert drafts == chunker("recursive", options, context).chunk(document).drafts
    assert len(drafts) == 3
    usual = plain.embed([text_of(document, one) for one in drafts])
    made = late.embed_chunks(document, drafts)
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    assert (np.einsum("ij,ij->i", usual, made) < 0.98).all()
    name = plain.embed(["Berlin"])[0]
    assert (made[1:] @ name > usual[1:] @ name + 0.05).all()


def test_a_late_chunker_carries_its_embedder() -> None:
    context = ChunkerContext(Settings(), lambda: pytest.fail("no embedder is needed"))
    made = chunker("late", {"window": 128, "window_overlap": 16}, context)
    assert made.embedder.fingerprint["pooling"] == "late mean 1"  # type: ignore[attr-defined]
    assert made.embedder.fingerprint["window"] == "128"  # type: ignore[attr-defined]
    assert chunker("recursive", {}, context).embedder is None  # type: ignore[attr-defined]


def pooled(plain: SentenceTransformerEmbedder, window: int, overlap: int, text: str) -> Vectors:
    document = parsed(text)
    half = len(text) // 2
    drafts = [Draft(((0, half),)), Draft(((half, len(text)),)), Draft(((0, 9), (half, half + 9)))]
    return with_model_of(plain, window, overlap).embed_chunks(document, drafts)


def test_a_long_document_goes_through_in_windows_that_overlap(plain: SentenceTransformerEmbedder) -> None:
    """Windows change vectors little, more overlap less; every token is counted once."""
    whole = pooled(plain, 512, 0, CITY * 7)
    near = pooled(plain, 256, 64, CITY * 7)
    far = pooled(plain, 32, 0, CITY * 7)
    assert 0 < np.abs(whole - near).max() < np.abs(whole - far).max()
    assert (np.einsum("ij,ij->i", whole, near) > 0.85).all()


@pytest.mark.parametrize(("window", "overlap"), [(16, 0), (16, 5), (40, 13)])
def test_every_token_has_one_vector(plain: SentenceTransformerEmbedder, window: int, overlap: int) -> None:
    made = with_model_of(plain, window, overlap)
    for tokens in (0, 1, window - 2, window - 1, 3 * window):
        windows = list(made._cut_windows(range(1000, 1000 + tokens)))
        kept = [one for window in windows for one in window.ids[window.kept]]
        assert kept == [101, *range(1000, 1000 + tokens), 102]
        assert max(map(len, windows)) <= window


def test_odd_documents_have_vectors(late: LateChunking) -> None:
    for text in ("", "\x00", "\ud800 word", "汉字😀"):
        made = late.embed_chunks(parsed(text), [Draft(((0, len(text)),)), Draft((), "invented")])
        assert made.shape == (2, 384)
        assert np.isfinite(made).all()
    assert late.embed_chunks(parsed("a"), []).shape == (0, 384)


def test_a_window_that_the_model_cannot_take_is_refused(plain: SentenceTransformerEmbedder) -> None:
    with pytest.raises(UsageError, match="window 600") as caught:
        with_model_of(plain, 600).embed_chunks(parsed("a"), [])
    assert "512" in caught.value.remedy
    with pytest.raises(UsageError, match="window_overlap 30"):
        with_model_of(plain, 32, 30).embed_chunks(parsed("a"), [])
