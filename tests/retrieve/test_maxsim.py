"""Exact late interaction: what the formula says, and what a damaged file says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from drac.errors import DracError
from drac.ports import Rows
from drac.retrieve.maxsim import MaxSim


def texts(number: int) -> list[Rows]:
    """Seeded tokens, none in every fifth text."""
    random = np.random.default_rng(1)
    made = [random.normal(size=(0 if row % 5 == 4 else row % 7 + 1, 16)) for row in range(number)]
    return [(one / np.linalg.norm(one, axis=1, keepdims=True)).astype(np.float16) for one in made]


def test_scores_are_the_sums_of_the_best_similarities() -> None:
    rows, query = texts(40), texts(3)[2]
    found = MaxSim.of(rows).search(query, 100)
    wanted = {
        number: float((query.astype(np.float64) @ text.astype(np.float64).T).max(axis=1).sum())
        for number, text in enumerate(rows)
        if len(text)
    }
    assert dict(found) == pytest.approx(wanted, abs=1e-4)
    assert [score for _, score in found] == sorted(wanted.values(), reverse=True) or len(found) == 32
    assert found == MaxSim.of(rows).search(query, 100, range(40))


def test_equal_texts_have_equal_scores_wherever_they_stand() -> None:
    rows = texts(500)
    same = [rows[3]] * 3
    found = MaxSim.of([*same[:1], *rows[4:], *same[1:]]).search(rows[3], 3)
    assert [number for number, _ in found] == [0, 497, 498]
    assert len({score for _, score in found}) == 1


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    assert not MaxSim.is_in(tmp_path)
    (tmp_path / "tokens.npz").write_bytes(b"no index")
    with pytest.raises(DracError) as raised:
        MaxSim.load(tmp_path)
    assert "--retriever late" in raised.value.remedy
