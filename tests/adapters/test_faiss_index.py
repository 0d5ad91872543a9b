"""The flat index: cosine, ties, small corpora, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from drac.adapters.faiss_index import FaissIndex, FlatIndex, load_index, new_index
from drac.errors import DracError, MissingExtra, UsageError
from drac.ports import Index, Vectors
from drac.retrieve.index_kinds import Kind, index_kind
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
    again = load_index(tmp_path / "index.faiss")
    assert (again.dimension, len(again)) == (2, 2)
    assert np.array_equal(again.search(rows([1, 1]), 2)[0], index.search(rows([1, 1]), 2)[0])


def test_a_damaged_or_foreign_file_is_refused(tmp_path: Path) -> None:
    import faiss

    path = tmp_path / "index.faiss"
    path.write_bytes(b"nothing")
    with pytest.raises(DracError, match="damaged"):
        load_index(path)
    faiss.write_index(faiss.IndexFlatL2(2), str(path))
    with pytest.raises(DracError, match="IndexFlatL2"):
        load_index(path)
    with pytest.raises(DracError):
        load_index(tmp_path / "absent")


def test_other_dimension_and_no_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="3 numbers do not fit an index of 2"):
        filled(rows([1, 0])).add(rows([1, 0, 0]))
    with pytest.raises(DracError):
        filled(rows([1, 0])).search(rows([float("nan"), 0]), 1)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="embed"):
        FlatIndex(2)


APPROXIMATE: tuple[Kind, ...] = ("hnsw", "ivf")


def clustered(number: int, dimension: int = 48, seed: int = 0) -> Vectors:
    """Groups of about fifty vectors each, as chunks about one matter are."""
    chance = np.random.default_rng(seed)
    centres = normalise(chance.normal(size=(max(1, number // 50), dimension)))
    around = centres[chance.integers(0, len(centres), size=number)]
    return normalise(around + 0.6 * normalise(chance.normal(size=(number, dimension))))


def made(kind: Kind, vectors: Vectors) -> FaissIndex:
    index = new_index(kind, vectors.shape[1], len(vectors))
    index.add(vectors)
    return index


@pytest.mark.parametrize(("kind", "least"), [("hnsw", 0.97), ("ivf", 0.90)])
def test_approximate_indexes_find_most_of_what_the_exact_one_finds(kind: Kind, least: float) -> None:
    vectors = clustered(5000)
    queries = normalise(vectors[::50] + 0.3 * clustered(100, seed=1))
    exact, found = (made(one, vectors).search(queries, 10)[1] for one in ("flat", kind))
    kept = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), found.tolist(), strict=True)]
    assert np.mean(kept) / 10 >= least


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_the_same_vectors_give_the_same_bytes_on_any_number_of_threads(kind: Kind, tmp_path: Path) -> None:
    import faiss

    before = faiss.omp_get_max_threads()
    for threads in (1, 4):
        faiss.omp_set_num_threads(threads)
        try:
            made(kind, clustered(2000)).save(tmp_path / f"{threads}")
            assert faiss.omp_get_max_threads() == threads
        finally:
            faiss.omp_set_num_threads(before)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "4").read_bytes()


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_approximate_indexes_are_saved_and_loaded(kind: Kind, tmp_path: Path) -> None:
    index = made(kind, clustered(500))
    index.save(tmp_path / "index.faiss")
    again = load_index(tmp_path / "index.faiss")
    queries = clustered(7, seed=2)
    assert (again.kind, len(again), again.dimension) == (kind, 500, 48)
    for one, other in zip(index.search(queries, 20), again.search(queries, 20), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", APPROXIMATE)
@pytest.mark.parametrize("number", [1, 3, 40, 400])
def test_f50_approximate_indexes_give_as_many_as_are_asked_for(kind: Kind, number: int) -> None:
    scores, found = made(kind, clustered(number)).search(clustered(20, seed=3), 1000)
    assert scores.shape == found.shape == (20, number)
    assert all(sorted(row) == list(range(number)) for row in found.tolist())
    assert (np.diff(scores, axis=1) <= 0).all()


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_f51_ties_of_approximate_indexes_go_by_row(kind: Kind) -> None:
    index = made(kind, np.repeat(clustered(10, seed=4), 20, axis=0))
    scores, rows = index.search(clustered(5, seed=5), 60)
    for row, score in zip(rows, scores, strict=True):
        assert row.tolist() == row[np.lexsort((row, -score))].tolist()


def test_the_kind_follows_from_the_number_of_vectors() -> None:
    numbers = (0, 200_000, 200_001, 2_000_000, 2_000_001)
    assert [index_kind("auto", one) for one in numbers] == ["flat", "flat", "hnsw", "hnsw", "ivf"]
    assert index_kind("ivf", 3) == "ivf"
