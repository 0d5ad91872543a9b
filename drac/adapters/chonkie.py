"""Chunkers of chonkie, for comparison (extra `bench`)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from drac.errors import MissingExtra


def recursive(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Stretches of at most `size` characters, cut at paragraphs, lines, sentences, words, in this order."""
    if importlib.util.find_spec("chonkie") is None:
        raise MissingExtra("The baseline `recursive`", "bench")
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker(tokenizer="character", chunk_size=size)
    yield from ((one.start_index, one.end_index) for one in chunker.chunk(text))
