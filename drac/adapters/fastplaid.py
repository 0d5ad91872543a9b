"""Late interaction by FastPlaid: token vectors in clusters and a few bits each, scored by MaxSim."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from drac.errors import DracError, MissingExtra
from drac.ports import Rows

_SEED = 42
"""Of the choice of vectors that the clusters are made from; FastPlaid's default."""
_BITS = 4
"""Bits a number of a token vector; FastPlaid's default."""
_STEP = 8
"""Vectors have a multiple of so many numbers, or FastPlaid ends; others are filled with 0."""
_FOLDER = "fastplaid"


def needed() -> dict[str, str]:
    """Version and settings that shape an index; raises MissingExtra without FastPlaid."""
    if importlib.util.find_spec("fast_plaid") is None:
        raise MissingExtra("Late interaction", "late")
    return {"fast-plaid": version("fast-plaid"), "bits": str(_BITS), "seed": str(_SEED)}


class FastPlaidIndex:
    """Implements ports.RowIndex. Scores are sums over the question's tokens of the best cosine.

    FastPlaid looks at the texts in the clusters nearest to the question's tokens, so that a text in no
    such cluster is no result; scores come of vectors at a few bits a number. Same texts, same index. It is
    for many texts: with a few dozen tokens in all it finds nothing to learn its clusters and bits from.
    """

    def __init__(self, index: Any) -> None:
        self._index = index

    @staticmethod
    def build(texts: Sequence[Rows], folder: Path) -> None:
        """Write an index of these texts, at least one with a token, into `folder`."""
        index = _open(folder / _FOLDER)
        try:
            # past `start_from_scratch` texts FastPlaid keeps no second copy of all vectors beside the index
            index.create(
                documents_embeddings=[_tensor(one if len(one) else _nothing(texts)) for one in texts],
                nbits=_BITS,
                seed=_SEED,
                start_from_scratch=0,
            )
        finally:
            index.close()
        (folder / _FOLDER / "plaid.lock").unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path) -> FastPlaidIndex:
        """Read what `build` wrote; raises DracError where it is not there or damaged."""
        place = folder / _FOLDER
        try:
            if not (place / "metadata.json").is_file():
                raise FileNotFoundError(f"{place / 'metadata.json'} is missing")
            return cls(_open(place))
        except MissingExtra:
            raise
        except Exception as error:  # FastPlaid raises what Rust, torch and JSON raise
            raise DracError(
                f"the index in {folder} cannot be read: {error}",
                remedy="Delete that folder and run `drac index --retriever late` again.",
            ) from error

    def search(self, query: Rows, k: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """See RowIndex."""
        if k < 1 or among == [] or not len(query):
            return []
        subset = None if among is None else [sorted(among)]
        found = self._index.search(
            queries_embeddings=[_tensor(query)], top_k=k, show_progress=False, subset=subset
        )[0]
        ranked = sorted(((int(text), float(score)) for text, score in found), key=_best_first)
        return ranked[:k]


def _best_first(one: tuple[int, float]) -> tuple[float, int]:
    return -one[1], one[0]


def _nothing(texts: Sequence[Rows]) -> Rows:
    """A vector that is like none, for a text without tokens."""
    return np.zeros((1, next(one for one in texts if len(one)).shape[1]), dtype=np.float16)


def _tensor(rows: Rows) -> Any:
    import torch

    return torch.from_numpy(np.pad(rows, ((0, 0), (0, -rows.shape[1] % _STEP))))


def _open(folder: Path) -> Any:
    needed()
    from fast_plaid.search import FastPlaid

    folder.mkdir(parents=True, exist_ok=True)
    return FastPlaid(index=str(folder), device=None)
