"""Every index of texts of many rows keeps to ports.RowIndex: sparse, exact MaxSim, FastPlaid."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from fakes_rows import ALPHABET, letters

from drac.adapters.fastplaid import FastPlaidIndex
from drac.adapters.sparse_index import SparseIndex
from drac.ports import TERM, RowIndex, Rows
from drac.retrieve.maxsim import MaxSim

FASTPLAID = importlib.util.find_spec("fast_plaid") is not None
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # FastPlaid maps files and leaves them


def terms(text: str) -> Rows:
    """Each letter once, weight 1."""
    places = sorted({ALPHABET.index(one) for one in text if one in ALPHABET})
    return np.array([(place, 1.0) for place in places], dtype=TERM)


def wide(text: str) -> Rows:
    """`letters` with as many numbers again, which are 0."""
    return np.pad(letters(text), ((0, 0), (0, len(ALPHABET))))


def build_beside_others(texts: Sequence[Rows], folder: Path) -> None:
    """A FastPlaid index of the texts and of forty that share nothing with them: it is for many."""
    random = np.random.default_rng(5)
    others = np.zeros((40, 12, 2 * len(ALPHABET)), dtype=np.float16)
    others[:, :, len(ALPHABET) :] = np.eye(len(ALPHABET))[random.integers(0, len(ALPHABET), (40, 12))]
    FastPlaidIndex.build([*texts, *others], folder)
    (folder / "number").write_text(str(len(texts)))


class Without:
    """An index as if the other texts were not there."""

    def __init__(self, index: RowIndex, number: int) -> None:
        self._index, self._number = index, number

    @classmethod
    def load(cls, folder: Path) -> Without:
        return cls(FastPlaidIndex.load(folder), int((folder / "number").read_text()))

    def search(self, query: Rows, k: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        mine = range(self._number) if among is None else among
        return self._index.search(query, k, list(mine))


@dataclass(frozen=True)
class Kind:
    rows: Callable[[str], Rows]
    build: Callable[[Sequence[Rows], Path], None]
    load: Callable[[Path], RowIndex]

    def of(self, texts: Sequence[str], folder: Path) -> RowIndex:
        """An index that was written and read."""
        folder.mkdir(parents=True, exist_ok=True)
        self.build([self.rows(text) for text in texts], folder)
        return self.load(folder)


KINDS = [
    pytest.param(
        Kind(letters, lambda texts, folder: MaxSim.of(texts).save(folder), MaxSim.load), id="maxsim"
    ),
    pytest.param(
        Kind(terms, lambda texts, folder: SparseIndex.of(texts).save(folder), SparseIndex.load), id="sparse"
    ),
    pytest.param(
        Kind(wide, build_beside_others, Without.load),
        id="fastplaid",
        marks=pytest.mark.skipif(not FASTPLAID, reason="needs the extra 'late'; scripts/test_late has it"),
    ),
]


@pytest.mark.parametrize("kind", KINDS)
def test_the_text_with_most_in_common_comes_first(kind: Kind, tmp_path: Path) -> None:
    index = kind.of(["abc", "xyz", "abz"], tmp_path)
    found = index.search(kind.rows("abc"), 2)
    assert [text for text, _ in found] == [0, 2]
    assert found[0][1] > found[1][1] > 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [1, 2, 5])
def test_f50_few_texts_and_more_asked_for_than_there_are(kind: Kind, number: int, tmp_path: Path) -> None:
    texts = ["kq", "kr", "ks", "kt", "ku"][:number]
    index = kind.of(texts, tmp_path)
    assert index.search(kind.rows("kq"), 10)[0][0] == 0
    assert len(index.search(kind.rows("k"), 10)) == number
    assert index.search(kind.rows("k"), 0) == []


@pytest.mark.parametrize("kind", KINDS)
def test_ties_go_by_number_and_the_same_texts_give_the_same(kind: Kind, tmp_path: Path) -> None:
    texts = ["pqr", "abc", "abc", "pqr", "abc"]
    found = [kind.of(texts, tmp_path / name).search(kind.rows("abc"), 3) for name in ("one", "two")]
    assert [text for text, _ in found[0]] == [1, 2, 4]
    assert found[0] == found[1]
    files = [sorted(path for path in (tmp_path / name).rglob("*.npy")) for name in ("one", "two")]
    assert [one.read_bytes() for one in files[0]] == [one.read_bytes() for one in files[1]]


@pytest.mark.parametrize("kind", KINDS)
def test_only_some_texts_may_be_asked(kind: Kind, tmp_path: Path) -> None:
    index = kind.of(["abc", "abd", "abe"], tmp_path)
    assert [text for text, _ in index.search(kind.rows("abc"), 3, [2, 1])] == [1, 2]
    assert index.search(kind.rows("abc"), 3, []) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_without_rows_and_a_question_without_any(kind: Kind, tmp_path: Path) -> None:
    index = kind.of(["", "abc", "123"], tmp_path)
    assert index.search(kind.rows("abc"), 3)[0][0] == 1
    assert {score for _, score in index.search(kind.rows(""), 3)} <= {0.0}
