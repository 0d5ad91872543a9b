"""Which kind of index a number of vectors gets."""

from __future__ import annotations

from typing import Literal

Kind = Literal["flat", "hnsw", "ivf"]

FLAT_LIMIT = 200_000
"""Vectors up to which the search is exact: 384 dimensions take 307 MB and about 35 ms a query there."""
HNSW_LIMIT = 2_000_000
"""Vectors up to which a graph is built. It adds one vector after the other, about 1 ms each and more the
larger it is, so that past this number half an hour would be spent on it; IVF is trained on a sample."""


def index_kind(wanted: Literal["auto", "flat", "hnsw", "ivf"], rows: int) -> Kind:
    """`wanted`; where that is `auto`, flat up to `FLAT_LIMIT` vectors, hnsw up to `HNSW_LIMIT`, then ivf."""
    if wanted != "auto":
        return wanted
    if rows <= FLAT_LIMIT:
        return "flat"
    return "hnsw" if rows <= HNSW_LIMIT else "ivf"
