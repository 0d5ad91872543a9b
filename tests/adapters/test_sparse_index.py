"""Sparse vectors: exact dot products, and what a damaged file says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drac.adapters.sparse_index import SparseIndex
from drac.errors import DracError
from drac.ports import TERM, Rows


def rows(weights: dict[int, float]) -> Rows:
    return np.array(sorted(weights.items()), dtype=TERM)


SPARSE = st.dictionaries(st.integers(0, 12), st.integers(1, 8).map(float), max_size=6)


@given(st.lists(SPARSE, min_size=1, max_size=8), SPARSE, st.integers(1, 10))
def test_scores_are_the_dot_products(texts: list[dict[int, float]], query: dict[int, float], k: int) -> None:
    found = SparseIndex.of([rows(one) for one in texts]).search(rows(query), k)
    dots = [sum(weight * query.get(term, 0) for term, weight in one.items()) for one in texts]
    wanted = sorted((-dot, number) for number, dot in enumerate(dots) if dot > 0)
    assert found == [(number, -dot) for dot, number in wanted[:k]]


def test_a_term_past_the_vocabulary_of_the_texts_is_nowhere() -> None:
    assert SparseIndex.of([rows({1: 2.0})]).search(rows({99: 1.0, 1: 1.0}), 5) == [(0, 2.0)]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "terms.npz").write_bytes(b"no index")
    with pytest.raises(DracError) as raised:
        SparseIndex.load(tmp_path)
    assert str(tmp_path) in raised.value.message
    assert "drac index" in raised.value.remedy
