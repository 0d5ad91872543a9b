"""No text is embedded twice, whatever document it stands in, and what is on disk has the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from fakes_retrieval import LetterEmbedder

from drac.pipeline import indexing
from drac.pipeline.indexing import embed_missing
from drac.pipeline.remembering import remembering
from drac.pipeline.repair import repair
from drac.ports import Vectors
from drac.retrieve.vectors import DocumentVectors
from drac.store import vector_table
from drac.store.catalog import Catalog
from drac.store.store import Store

DIGEST = "0" * 63


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "ws") as opened:
        yield opened


def embed(store: Store, **documents: Sequence[str]) -> LetterEmbedder:
    """Embed documents, given by one digit of their digest; the embedder tells what it was asked."""
    embedder = LetterEmbedder()
    named = {
        f"{DIGEST}{name[-1]}": [(f"{name}{n}", text) for n, text in enumerate(texts)]
        for name, texts in documents.items()
    }
    embed_missing(store, named, embedder, str)
    return embedder


def asked(embedder: LetterEmbedder) -> list[str]:
    return [text for call in embedder.calls for text in call]


def vectors(store: Store, name: str) -> Vectors:
    return DocumentVectors.load(store.artifacts / "embed" / f"{DIGEST}{name}").vectors


def test_a_changed_chunk_alone_is_embedded_again(store: Store) -> None:
    assert asked(embed(store, a1=["aa", "bb", "a" * 12])) == ["aa", "bb", "a" * 10]
    assert asked(embed(store, a2=["aa", "bc", "a" * 12])) == ["bc"]
    assert np.array_equal(vectors(store, "2")[[0, 2, 3]], vectors(store, "1")[[0, 2, 3]])


def test_a_text_of_several_documents_is_embedded_once(store: Store) -> None:
    embedder = embed(store, a1=["aa", "bb"], a2=["bb", "aa", "c"], a3=["aa"])
    assert asked(embedder) == ["aa", "bb", "c"]
    assert np.array_equal(vectors(store, "2")[:2], vectors(store, "1")[::-1])


def test_artifacts_have_the_bytes_that_they_would_have_alone(store: Store, tmp_path: Path) -> None:
    embed(store, a1=["aa", "bb"])
    embed(store, a2=["bb", "abc", "aa"])
    with Store(tmp_path / "other") as other:
        embed(other, a2=["bb", "abc", "aa"])
        for name in ("vectors.npy", "windows.json", "texts.bin", "meta.json"):
            place = Path("embed", f"{DIGEST}2", name)
            assert (store.artifacts / place).read_bytes() == (other.artifacts / place).read_bytes()


@pytest.mark.parametrize("harm", ["gone", "no table", "cut"])
def test_a_lost_table_is_made_anew_from_the_artifacts(store: Store, harm: str) -> None:
    embed(store, a1=["aa", "bb"])
    path = store.root / vector_table.FILE
    whole = path.read_bytes()
    vector_table.remove(store.root)
    if harm != "gone":
        path.write_bytes(b"no table of SQLite's" if harm == "no table" else whole[: len(whole) // 2])
    assert asked(embed(store, a2=["bb", "c"])) == ["c"]


def test_vectors_whose_artifact_is_gone_are_made_again(store: Store) -> None:
    embed(store, a1=["aa", "bb"])
    shutil.rmtree(store.artifacts / "embed" / f"{DIGEST}1")
    assert asked(embed(store, a2=["bb"])) == ["bb"]


def test_another_model_has_vectors_of_its_own(store: Store) -> None:
    class Other(LetterEmbedder):
        fingerprint = {"model": "other"}  # noqa: RUF012

    embed(store, a1=["aa"])
    other = Other()
    embed_missing(store, {f"{DIGEST}2": [("x", "aa")]}, other, str)
    assert asked(other) == ["aa"]


class Paying(LetterEmbedder):
    """An embedder with replies on disk that nothing has used."""

    def __init__(self, **replies: Sequence[str]) -> None:
        super().__init__()
        self.replies = replies
        self.read: list[str] = []

    @property
    def texts_at_once(self) -> int:
        return 4

    def reply_names(self) -> frozenset[str]:
        return frozenset(self.replies)

    def reply(self, name: str) -> tuple[Sequence[str], Vectors]:
        self.read.append(name)
        if not self.replies[name]:
            raise ValueError("damaged")
        return self.replies[name], LetterEmbedder().embed(self.replies[name])


def test_replies_that_were_paid_for_are_used_before_anything_is_asked(store: Store) -> None:
    paying = Paying(first=["aa", "bb"], second=["c"], damaged=[])
    embed_missing(store, {f"{DIGEST}1": [("x", "bb"), ("y", "d"), ("z", "c")]}, paying, str)
    assert asked(paying) == ["d"]
    assert np.array_equal(vectors(store, "1"), LetterEmbedder().embed(["bb", "d", "c"]))
    embed_missing(store, {f"{DIGEST}2": [("x", "aa"), ("y", "bb")]}, paying, str)
    assert asked(paying) == ["d"]


def test_no_text_is_no_vector(store: Store) -> None:
    with remembering(store, LetterEmbedder()) as memory:
        assert memory.embed([]).shape == (0, 4)
        assert memory.embedded == 0


def test_repair_drops_damaged_vectors_and_the_table(store: Store) -> None:
    embed(store, a1=["aa", "bb"], a2=["c"])
    path = store.artifacts / "embed" / f"{DIGEST}1" / "vectors.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    catalog = Catalog(store.catalog_path)
    damaged = repair(store, catalog).damaged
    catalog.close()
    assert damaged == (f"artifacts/embed/{DIGEST}1",)
    assert not (store.root / vector_table.FILE).exists()
    assert asked(embed(store, a1=["aa", "bb"], a3=["c"])) == ["aa", "bb"]


def test_embedding_that_takes_long_says_how_far_it_has_come(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "TOLD_EVERY", 0.0)
    said: list[str] = []
    named = {f"{DIGEST}{n}": [(f"c{n}", "abc"[: n + 1]), (f"d{n}", "d")] for n in range(3)}
    embed_missing(store, named, LetterEmbedder(), said.append)
    assert said[0] == "embedding what is new in 6 chunks of 3 documents"
    assert said[1:] == ["embedded 2 of 6 chunks", "embedded 4 of 6 chunks"]
