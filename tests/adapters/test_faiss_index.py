"""The flat index: cosine, ties, small corpora, files."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from drac.adapters import faiss_index
from drac.adapters.faiss_index import FlatIndex
from drac.errors import DracError, MissingExtra, UsageError
from drac.ports import Index, Vectors
from drac.retrieve.vectors import normalise

pytest.importorskip("faiss", reason="needs the extra 'embed'")


def filled(vectors: Vectors) -> FlatIndex:
    index = FlatIndex(vectors.shape[1])
    index.add(vectors)
    return index


def rows(*values: list[float]) -> Vectors:
    return np.array(values, dtype=np.float32)


def test_it_is_an_index() -> None:
    index: Index = FlatIndex(3)
    assert index is not None


def test_f48_cosine_not_raw_inner_product() -> None:
    scores, found = filled(rows([0.5, 0.5], [0.1, 0.0], [0.0, 0.0])).search(rows([1, 0]), 3)
    assert found.tolist() == [[1, 0, 2]]
    assert scores[0] == pytest.approx([1.0, np.sqrt(0.5), 0.0])


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_f50_small_corpora_are_not_padded(number: int) -> None:
    scores, found = filled(np.eye(5, dtype=np.float32)[:number].reshape(-1, 5)).search(
        rows([1, 0, 0, 0, 0]), 100
    )
    assert scores.shape == found.shape == (1, number)
    assert found.tolist() == [list(range(number))]


def test_f51_ties_go_by_row_even_across_the_cut() -> None:
    index = filled(np.repeat(np.eye(2, dtype=np.float32), 100, axis=0))
    for k in (1, 3, 99, 100, 150):
        assert index.search(rows([1, 0.1]), k)[1].tolist() == [list(range(k))]


def test_equal_to_numpy_with_many_duplicates() -> None:
    chance = np.random.default_rng(0)
    vectors = normalise(chance.normal(size=(60, 32)))[chance.integers(0, 60, size=500)]
    queries = normalise(chance.normal(size=(45, 32)))
    scores, found = filled(vectors).search(queries, 37)
    exact = queries.astype(np.float64) @ vectors.T.astype(np.float64)
    assert np.allclose(scores, -np.sort(-exact, axis=1)[:, :37], atol=1e-6)
    assert np.array_equal(found, np.argsort(-np.round(exact, 9), axis=1, kind="stable")[:, :37])


def test_rows_go_on_from_the_last() -> None:
    index = filled(rows([1, 0]))
    index.add(rows([0, 1]))
    assert index.search(rows([0, 1]), 1)[1].tolist() == [[1]]
    assert len(index) == 2


def test_saved_and_loaded(tmp_path: Path) -> None:
    index = filled(rows([1, 0], [0.6, 0.8]))
    index.save(tmp_path / "index.faiss")
    again = FlatIndex.load(tmp_path / "index.faiss")
    assert (again.dimension, len(again)) == (2, 2)
    assert np.array_equal(again.search(rows([1, 1]), 2)[0], index.search(rows([1, 1]), 2)[0])


def test_a_damaged_or_foreign_file_is_refused(tmp_path: Path) -> None:
    import faiss

    path = tmp_path / "index.faiss"
    path.write_bytes(b"nothing")
    with pytest.raises(DracError, match="damaged"):
        FlatIndex.load(path)
    faiss.write_index(faiss.IndexFlatL2(2), str(path))
    with pytest.raises(DracError, match="IndexFlatL2"):
        FlatIndex.load(path)
    with pytest.raises(DracError):
        FlatIndex.load(tmp_path / "absent")


def test_other_dimension_and_no_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="3 numbers do not fit an index of 2"):
        filled(rows([1, 0])).add(rows([1, 0, 0]))
    with pytest.raises(DracError):
        filled(rows([1, 0])).search(rows([float("nan"), 0]), 1)


def test_past_the_flat_limit_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(faiss_index, "FLAT_LIMIT", 2)
    index = FlatIndex(2)
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            index.add(rows([1, 0]))
    assert len(caplog.records) == 1


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="embed"):
        FlatIndex(2)
