"""Vectors on disk, windows to chunks, chunks to pages; with a small exact index and a toy embedder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from fakes_retrieval import LetterEmbedder, ListIndex
from hypothesis import given
from hypothesis import strategies as st

from drac.errors import DracError
from drac.ports import Embedder, Index
from drac.records import Hit, PageScore
from drac.retrieve.pages import rank_pages
from drac.retrieve.search import Owners, embed_query, fill, hits, search_dense
from drac.retrieve.vectors import DocumentVectors, embed_chunks, embed_documents, normalise


def build(texts: Sequence[str]) -> tuple[ListIndex, Owners, LetterEmbedder]:
    index, embedder = ListIndex(), LetterEmbedder()
    vectors = embed_chunks([(f"c{n}", text) for n, text in enumerate(texts)], embedder)
    return index, fill(index, [vectors]), embedder


def test_fakes_fit_the_ports() -> None:
    embedder: Embedder = LetterEmbedder()
    index: Index = ListIndex()
    assert embedder.window == 10
    assert index is not None


def test_f48_rows_get_length_one_and_zero_stays_zero() -> None:
    rows = normalise([[0.1, 0.0], [0.5, 0.5], [0.0, 0.0]])
    assert np.allclose(rows, [[1, 0], [np.sqrt(0.5), np.sqrt(0.5)], [0, 0]])
    assert rows.dtype == np.float32
    with pytest.raises(DracError):
        normalise([[float("nan"), 1.0]])


def test_documents_are_embedded_together_and_come_back_apart() -> None:
    embedder = LetterEmbedder()
    documents = [("x", [("x1", "aaaaaaaaaabbb"), ("x2", "c")]), ("empty", []), ("y", [("y1", "d")])]
    made = dict(embed_documents(documents, embedder))
    assert len(embedder.calls) == 1
    assert made["x"].owners == (0, 0, 1)
    assert made["x"].stretches == ((0, 10), (10, 13), (0, 1))
    assert made["x"].vectors.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert made["empty"].chunk_ids == ()
    assert made["y"].vectors.tolist() == [[0, 0, 0, 1]]


def test_documents_come_before_all_are_read() -> None:
    embedder = LetterEmbedder()
    endless = ((str(n), [("c", "a")]) for n in iter(int, 1))
    stream = embed_documents(endless, embedder, at_once=3)
    assert [next(stream)[0] for _ in range(4)] == ["0"] * 4
    assert [len(call) for call in embedder.calls] == [3, 3]


def test_vectors_survive_the_disk_and_have_the_same_bytes(tmp_path: Path) -> None:
    made = embed_chunks([("é", "aaaaaaaaaabbb"), ("x2", "c")], LetterEmbedder())
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made.save(tmp_path / name)
    read = DocumentVectors.load(tmp_path / "one")
    assert (read.chunk_ids, read.owners, read.stretches) == (made.chunk_ids, made.owners, made.stretches)
    assert np.array_equal(read.vectors, made.vectors)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


@pytest.mark.parametrize("damage", ["missing", "short", "pickle", "rows", "owners", "text"])
def test_damaged_vectors_are_refused(tmp_path: Path, damage: str) -> None:
    embed_chunks([("a", "aa"), ("b", "b")], LetterEmbedder()).save(tmp_path)
    vectors, head = tmp_path / "vectors.npy", tmp_path / "windows.json"
    if damage == "missing":
        vectors.unlink()
    elif damage == "short":
        vectors.write_bytes(vectors.read_bytes()[:-3])
    elif damage == "pickle":
        np.save(vectors, np.array([{}], dtype=object), allow_pickle=True)
    elif damage == "rows":
        np.save(vectors, np.zeros((3, 4), dtype=np.float32))
    elif damage == "owners":
        head.write_text(json.dumps({**json.loads(head.read_text()), "owners": [0, 0]}))
    else:
        head.write_text("[")
    with pytest.raises(DracError) as caught:
        DocumentVectors.load(tmp_path)
    assert str(tmp_path) in caught.value.message
    assert "drac index" in caught.value.remedy


def test_f47_a_chunk_counts_with_its_best_window() -> None:
    index, owners, embedder = build(["a" * 10 + "b" * 10 + "c" * 10, "ccd", "dddd"])
    found = search_dense(embed_query("c", embedder), index, owners, 2)
    assert [(hit.chunk_id, hit.window) for hit in found] == [("c0", 2), ("c1", 0)]
    assert found[0].score == pytest.approx(1.0)
    assert owners.stretch(found[0]) == (20, 30)


def test_search_reaches_past_many_windows_of_one_chunk() -> None:
    index, owners, embedder = build(["a" * 200, "ab", "b"])
    found = search_dense(embed_query("a", embedder), index, owners, 2)
    assert [hit.chunk_id for hit in found] == ["c0", "c1"]
    assert index.fetched[0] == 15, "two chunks have about so many windows"
    assert len(index.fetched) > 1


def test_a_long_question_counts_with_its_best_window() -> None:
    index, owners, embedder = build(["b", "c"])
    query = embed_query("a" * 10 + "c" * 3, embedder)
    assert query.shape == (2, 4)
    assert [hit.chunk_id for hit in search_dense(query, index, owners, 5)] == ["c1", "c0"]


def test_f50_corpora_of_no_or_few_chunks() -> None:
    for texts in ([], ["a"], ["a", "b"], ["a", "b", "c", "d", "ab"]):
        index, owners, embedder = build(texts)
        found = search_dense(embed_query("a", embedder), index, owners, 10)
        assert len(found) == len(texts)
        assert [hit.chunk_id for hit in found[:1]] == ["c0"] * bool(texts)
    assert search_dense(embed_query("a", embedder), index, owners, 0) == []


def test_f51_equal_chunks_stand_in_their_order() -> None:
    index, owners, embedder = build(["ab", "ba", "ab", "aabb"])
    found = search_dense(embed_query("a", embedder), index, owners, 3)
    assert [hit.chunk_id for hit in found] == ["c0", "c1", "c2"]


@given(st.lists(st.text(alphabet="abcd", min_size=1, max_size=45), max_size=12), st.integers(1, 6))
def test_search_is_the_exhaustive_maximum(texts: list[str], k: int) -> None:
    index, owners, embedder = build(texts)
    query = embed_query("abbbccccca" + "dddda", embedder)
    best = [
        max(float((query @ embedder.embed([window]).T).max()) for window in embedder.windows(text))
        for text in texts
    ]
    found = search_dense(query, index, owners, k)
    assert [hit.score for hit in found] == pytest.approx(sorted(best, reverse=True)[:k])
    assert len({hit.chunk_id for hit in found}) == len(found) == min(k, len(texts))


PLACES = {"p": ("d1", (1, 2)), "q": ("d1", (2,)), "r": ("d0", (9,)), "s": ("d2", (1,))}


def test_pages_take_their_best_chunk_once() -> None:
    ranked = rank_pages([Hit("q", 0.9), Hit("p", 0.5), Hit("r", 0.5)], PLACES)
    assert ranked == [PageScore("d1", 2, 0.9), PageScore("d0", 9, 0.5), PageScore("d1", 1, 0.5)]


def test_page_ties_do_not_depend_on_the_order_of_hits() -> None:
    equal = [Hit(name, 0.5) for name in "pqrs"]
    assert rank_pages(equal, PLACES) == rank_pages(equal[::-1], PLACES)
    assert rank_pages(equal, PLACES, k=1) == [PageScore("d0", 9, 0.5)]


def test_of_one_chunk_the_page_that_has_more_of_it_goes_first() -> None:
    hits_of_p = [Hit("p", 0.5)]
    ranked = rank_pages(hits_of_p, PLACES, shares={"p": (0.2, 0.8)})
    assert ranked == [PageScore("d1", 2, 0.5), PageScore("d1", 1, 0.5)]
    assert rank_pages(hits_of_p, PLACES, shares={"p": ()}) == ranked[::-1]
    better = [*hits_of_p, Hit("q", 0.4), Hit("r", 0.5)]
    assert [one.page for one in rank_pages(better, PLACES, shares={"p": (0.2, 0.8)})] == [9, 2, 1]


def test_negative_scores_are_scores() -> None:
    assert rank_pages([Hit("s", -3.0)], PLACES) == [PageScore("d2", 1, -3.0)]


def test_hits_of_a_chunk_retriever() -> None:
    assert hits([(1, 2.0), (0, 1.0)], ["a", "b"]) == [Hit("b", 2.0), Hit("a", 1.0)]
