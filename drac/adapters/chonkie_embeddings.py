"""Our tokenizers and embedders as chonkie's own types; imports chonkie, so it is imported late."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from chonkie import BaseEmbeddings
from chonkie import Tokenizer as ChonkieTokenizer

from drac.adapters.tokenizer import Tokenizer
from drac.ports import Embedder


class LosslessTokenizer(ChonkieTokenizer):
    """Tokens are pieces of the text itself: decoding what was encoded gives the text, byte for byte."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer

    def __repr__(self) -> str:
        return f"LosslessTokenizer({self._tokenizer.name})"

    def tokenize(self, text: str) -> Sequence[str]:
        """As many pieces as there are tokens, one where a text has none; joined, they are the text."""
        starts = [start for start, _ in self._tokenizer(text)][1:]
        return [text[start:end] for start, end in pairwise([0, *starts, len(text)])] if text else []

    def encode(self, text: str) -> Sequence[int]:
        """A number for each piece; the same piece has the same one."""
        return [self._number(piece) for piece in self.tokenize(text)]

    def _number(self, piece: str) -> int:
        number = self.token2id[piece]
        if number == len(self.vocab):
            self.vocab.append(piece)
        return number

    def decode(self, tokens: Sequence[int]) -> str:
        """The pieces joined."""
        return "".join(self.vocab[one] for one in tokens)

    def count_tokens(self, text: str) -> int:
        """Pieces of a text."""
        return len(self.tokenize(text))


class PortEmbeddings(BaseEmbeddings):
    """A ports.Embedder; a text past its window counts by its beginning."""

    def __init__(self, embedder: Embedder, tokenizer: LosslessTokenizer) -> None:
        super().__init__()
        self._embedder, self._tokenizer = embedder, tokenizer

    def embed(self, text: str) -> Any:
        """Shape (dimension,)."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str]) -> list[Any]:
        """One vector a text."""
        return list(self._embedder.embed([self._embedder.cut(one) for one in texts]))

    def similarity(self, u: Any, v: Any) -> Any:
        """Cosine; the vectors have length 1."""
        return np.float32(np.dot(u, v))

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self._embedder.embed([""]).shape[1])

    def get_tokenizer(self) -> Any:
        """What counts tokens."""
        return self._tokenizer
