"""Cuts where neighbouring sentences are less alike than is usual in the document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from drac.ports import Embedder
from drac.sentences import Stretch
from drac.stages.chunk.strategies.spans import Cut, trim
from drac.stages.chunk.strategies.telling import telling

_NOISE = 1e-6
"""What similarities of equal sentences may differ by: vectors are of 32 bits."""


def below_usual(embedder: Embedder, k: float) -> Cut:
    """A cut between two sentences whose cosine similarity is below μ − kσ of the document's.

    μ and σ are mean and standard deviation (of all, not of a sample) over its consecutive sentences. A
    sentence longer than the model's window counts by its beginning.
    """

    def cut(text: str) -> Iterator[Stretch]:
        found = [one for one in telling(text) if one[0] < trim(text, one)[1]]
        starts = [0, *(found[at][0] for at in _places(text, found))]
        yield from pairwise([*starts, len(text)])

    def _places(text: str, found: list[Stretch]) -> list[int]:
        """Numbers of the sentences that begin a chunk, the first one's apart."""
        if len(found) < 3:
            return []
        vectors = embedder.embed([embedder.cut(text[start:end].strip()) for start, end in found])
        alike = np.einsum("ij,ij->i", vectors[:-1], vectors[1:]).astype(np.float64)
        least = alike.mean() - k * alike.std() - _NOISE
        return [at + 1 for at in np.flatnonzero(alike < least).tolist()]

    return cut
