"""FastPlaid beside exact MaxSim; the contract has the rest."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from drac.adapters import fastplaid
from drac.adapters.fastplaid import FastPlaidIndex
from drac.errors import DracError, MissingExtra
from drac.ports import Rows
from drac.retrieve.maxsim import MaxSim

needs_late = pytest.mark.skipif(
    importlib.util.find_spec("fast_plaid") is None, reason="needs the extra 'late'; scripts/test_late has it"
)
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # FastPlaid maps files and leaves them


def texts(number: int) -> list[Rows]:
    """Texts of 5 to 40 tokens that are near to 200 words, seeded."""
    random = np.random.default_rng(3)
    words = random.normal(size=(200, 64))
    picked = [words[random.integers(0, 200, random.integers(5, 40))] for _ in range(number)]
    noisy = [one + random.normal(scale=0.3, size=one.shape) for one in picked]
    return [(one / np.linalg.norm(one, axis=1, keepdims=True)).astype(np.float16) for one in noisy]


@needs_late
def test_the_best_are_those_of_exact_maxsim(tmp_path: Path) -> None:
    rows = texts(400)
    FastPlaidIndex.build(rows, tmp_path)
    index, exact = FastPlaidIndex.load(tmp_path), MaxSim.of(rows)
    shared = []
    for query in rows[:20]:
        found, wanted = index.search(query[:8], 10), exact.search(query[:8], 10)
        assert found[0][0] == wanted[0][0]
        assert found[0][1] == pytest.approx(wanted[0][1], rel=0.05)
        shared.append(len({one for one, _ in found} & {one for one, _ in wanted}))
    assert np.mean(shared) >= 8


@needs_late
def test_no_second_copy_of_the_vectors_is_kept(tmp_path: Path) -> None:
    rows = texts(50)
    FastPlaidIndex.build(rows, tmp_path)
    names = {path.name for path in tmp_path.rglob("*")}
    assert "embeddings.npy" not in names
    assert "plaid.lock" not in names


@needs_late
def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(DracError) as raised:
        FastPlaidIndex.load(tmp_path)
    assert "drac index --retriever late" in raised.value.remedy


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="'late'"):
        fastplaid.needed()
