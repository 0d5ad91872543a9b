"""Chunkers of chonkie (extra `bench`), each as a function that gives stretches of the text.

Chonkie counts by a tokenizer that gives back exactly what it was given, so that its places are the
document's; what it returns is checked all the same.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from drac.adapters.tokenizer import Tokenizer, well_formed
from drac.errors import DracError, MissingExtra
from drac.ports import Embedder
from drac.sentences import Stretch
from drac.stages.chunk.strategies.spans import Cut

if TYPE_CHECKING:
    from chonkie import BaseChunker

_CONTINUES = re.compile(rb"[\x80-\xbf]")
"""A byte within a character of UTF-8, not its first."""


def needed(what: str) -> None:
    """Raise MissingExtra where chonkie is not installed."""
    if importlib.util.find_spec("chonkie") is None:
        raise MissingExtra(f"The chunker `{what}`", "bench")


def fingerprint(strategy: str) -> Mapping[str, str]:
    """The strategy and the versions that can change its cuts."""
    libraries = {name: version(name) for name in ("chonkie", "chonkie-core")}
    return {"strategy": strategy, **libraries, "rules": "1"}


def token(tokenizer: Tokenizer, size: int, overlap: int) -> Cut:
    """TokenChunker: every `size` tokens."""
    from chonkie import TokenChunker

    return as_cut(TokenChunker(_lossless(tokenizer), chunk_size=size, chunk_overlap=overlap))


def sentence(tokenizer: Tokenizer, size: int, overlap: int, least: int) -> Cut:
    """SentenceChunker: whole sentences up to `size` tokens, at least `least` sentences."""
    from chonkie import SentenceChunker

    made = SentenceChunker(
        _lossless(tokenizer), chunk_size=size, chunk_overlap=overlap, min_sentences_per_chunk=least
    )
    return as_cut(made)


def recursive(tokenizer: Tokenizer, size: int, least: int) -> Cut:
    """RecursiveChunker: at most `size` tokens, cut at paragraphs, sentences, pauses, words, tokens."""
    from chonkie import RecursiveChunker

    made = RecursiveChunker(_lossless(tokenizer), chunk_size=size, min_characters_per_chunk=least)
    return as_cut(made)


def fast(size: int, delimiters: str) -> Cut:
    """What FastChunker does: at most `size` bytes, cut after a delimiter where there is one.

    FastChunker itself fails where a cut falls into a character; here the cut goes before it.
    """
    import chonkie_core

    def cut(text: str) -> Iterator[Stretch]:
        data = well_formed(text).encode()
        at = start = 0
        while start < len(data):
            ahead = data[start : start + size + 1]
            _, proposed = chonkie_core.chunk_offsets(ahead, size=size, delimiters=delimiters)[0]
            end = _before_character(data, start + proposed)
            length = len(data[start:end].decode())
            yield at, at + length
            at, start = at + length, end

    return cut


def _before_character(data: bytes, place: int) -> int:
    while _CONTINUES.match(data, place):
        place -= 1
    return place


def semantic(embedder: Embedder, tokenizer: Tokenizer, **options: Any) -> Cut:
    """SemanticChunker: cuts at valleys of the similarity of sentences to those before them."""
    from chonkie import SemanticChunker

    from drac.adapters.chonkie_embeddings import PortEmbeddings

    return as_cut(SemanticChunker(PortEmbeddings(embedder, _lossless(tokenizer)), **options))


def as_cut(made: BaseChunker) -> Cut:
    """A chunker of chonkie; raises DracError where a chunk is not the text at its place."""

    def cut(text: str) -> Iterable[Stretch]:
        given = well_formed(text)
        if not given.strip():
            return []
        found = made.chunk(given)
        for one in found:
            if given[one.start_index : one.end_index] != one.text:
                raise DracError(
                    f"{type(made).__name__} of chonkie gave a chunk that is not the text at its place",
                    remedy="Choose another chunker, and report the document.",
                )
        return [(one.start_index, one.end_index) for one in found]

    return cut


def _lossless(tokenizer: Tokenizer) -> Any:
    from drac.adapters.chonkie_embeddings import LosslessTokenizer

    return LosslessTokenizer(tokenizer)
