"""Reranking by a model that is asked over the network: pieces by estimate, batches, paid replies on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import ceil

from drac.ports import ChatReply, ChatRequest
from drac.retrieve.rerank_reply import unpack_scores
from drac.retrieve.windows import windows
from drac.stages.tokens import estimate_tokens, estimated_pieces

PURPOSE = "rerank"
TEXTS = 100
"""Texts of one search at most, as it is billed (Cohere, Amazon Bedrock); a request is one search."""
PART = 500
"""Tokens of question and text that are billed as one text; a longer one counts as several (Cohere)."""
_SAFE_SHARE = 0.5
"""Of the model's window that question and text may fill by estimate: its tokenizer may make more."""


class AskedReranker:
    """Implements ports.Reranker.

    A text that does not fit the window beside the question is read in several pieces, of which the best
    counts; so is a question of more than half of what may be filled.
    """

    def __init__(self, label: str, model: str, window: int, ask: Callable[[ChatRequest], ChatReply]) -> None:
        """`window`: tokens of question and text together. `ask` keeps replies and raises what asking does."""
        self._label, self._model, self._ask = label, model, ask
        self._room = max(2, int(window * _SAFE_SHARE))

    @property
    def label(self) -> str:
        """See Reranker."""
        return self._label

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See Reranker; raises what asking raises."""
        asked = _pieces(query, self._room // 2)
        left = self._room - max(map(estimate_tokens, asked))
        pieces = [(row, piece) for row, text in enumerate(texts) for piece in _pieces(text, max(1, left))]
        best = [float("-inf")] * len(texts)
        for question, batch in product(asked, list(_batches(query, pieces))):
            for (row, _), score in zip(batch, self._scores(question, batch), strict=True):
                best[row] = max(best[row], score)
        return best

    def _scores(self, query: str, batch: Sequence[tuple[int, str]]) -> list[float]:
        request = rerank_request(self._model, query, [piece for _, piece in batch])
        return unpack_scores(self._ask(request).text, len(batch))


def rerank_request(model: str, query: str, texts: Sequence[str]) -> ChatRequest:
    """The request; its allowance is the searches that it may be billed as."""
    return ChatRequest(PURPOSE, model, "", (query, *texts), 0.0, searches(query, texts))


def searches(query: str, texts: Sequence[str]) -> int:
    """Searches that a request is billed as, by estimate."""
    return max(1, ceil(sum(_billed(query, text) for text in texts) / TEXTS))


def _billed(query: str, text: str) -> int:
    return max(1, ceil((estimate_tokens(query) + estimate_tokens(text)) / PART))


def _batches(query: str, pieces: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Pieces that are billed as one search together."""
    batch: list[tuple[int, str]] = []
    billed = 0
    for one in pieces:
        size = _billed(query, one[1])
        if batch and billed + size > TEXTS:
            yield batch
            batch, billed = [], 0
        batch.append(one)
        billed += size
    if batch:
        yield batch


def _pieces(text: str, budget: int) -> list[str]:
    if estimate_tokens(text) <= budget:
        return [text or " "]  # an empty text is refused
    found = windows(text, estimated_pieces(text), budget, estimate_tokens)
    return [text[start:end] for start, end in found]
