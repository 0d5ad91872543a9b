"""Embedding by a model that is asked over the network: windows by estimate, batches, paid replies on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from drac.errors import DracError, Interrupted, RequestRejected
from drac.pipeline.asking import Asker
from drac.ports import ChatRequest, Vectors
from drac.retrieve.vectors import normalise, unpack
from drac.retrieve.windows import windows
from drac.stages.tokens import estimate_tokens, estimated_pieces
from drac.store.journal import Journal, describe

_WINDOWS_VERSION = "1"
"""Raise it when texts are cut otherwise: stored vectors belong to their windows."""
_SAFE_SHARE = 0.5
"""Of the model's window that a text may fill by estimate: its tokenizer is not at hand and may make more."""
PURPOSE = "embed"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What is known of the model that is asked."""

    name: str
    """As the engine knows it."""
    server: Mapping[str, str]
    """Who answers, for the fingerprint."""
    window: int
    """Tokens of a text at most."""
    dimensions: int | None
    """Numbers of a vector that are asked for; None: the model's own."""
    texts: int
    """Of a request at most."""
    tokens: int
    """Estimated tokens of a request at most, one text apart."""
    at_once: int
    """Requests in flight at most."""


class AskedEmbedder:
    """Implements ports.Embedder, and remembering.Replies, over an asker."""

    def __init__(self, model: EmbeddingModel, asker: Asker, journal: Journal) -> None:
        self._model, self._asker, self._journal = model, asker, journal
        self._budget = max(1, int(model.window * _SAFE_SHARE))

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Model, server, size of the vectors, and how texts are cut."""
        shape = {"window": str(self._model.window), "windows": _WINDOWS_VERSION}
        size = str(self._model.dimensions or "the model's own")
        return {"model": self._model.name, **self._model.server, "dimensions": size, **shape}

    @property
    def window(self) -> int:
        """Tokens, as the model's profile says."""
        return self._model.window

    @property
    def texts_at_once(self) -> int:
        """Texts that keep all requests in flight busy."""
        return self._model.texts * self._model.at_once

    def windows(self, text: str) -> Sequence[str]:
        """Pieces that fill at most half of the window by estimate and, joined, are the text."""
        if estimate_tokens(text) <= self._budget:
            return [text]
        found = windows(text, estimated_pieces(text), self._budget, estimate_tokens)
        return [text[start:end] for start, end in found]

    def cut(self, text: str) -> str:
        """The beginning that fills half of the window by estimate."""
        pieces = estimated_pieces(text)
        return text if len(pieces) <= self._budget else text[: pieces[self._budget - 1][1]]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ports.Embedder; blank texts, which no server takes, are zero. Raises what asking raises."""
        said = [text for text in texts if text.strip()]
        batches = list(self._batches(said))
        with ThreadPoolExecutor(self._model.at_once, thread_name_prefix="embed") as pool:
            try:
                found = list(pool.map(self._vectors, batches))
            except BaseException as error:
                if isinstance(error, Interrupted) or not isinstance(error, Exception):
                    self._asker.stop()
                pool.shutdown(wait=True, cancel_futures=True)  # replies in flight come to the journal
                raise
        rows = iter(normalise(np.concatenate(found)) if found else ())
        width = found[0].shape[1] if found else self._model.dimensions or 1
        blank = np.zeros(width, dtype=np.float32)
        listed = [next(rows) if text.strip() else blank for text in texts]
        return np.array(listed, dtype=np.float32).reshape(-1, width)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0
        for text in texts:
            size = estimate_tokens(text)
            if batch and (len(batch) == self._model.texts or tokens + size > self._model.tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += size
        if batch:
            yield batch

    def _vectors(self, batch: list[str]) -> Vectors:
        """Of one request; one that is refused is asked in halves, down to the text that is not taken."""
        try:
            reply = self._asker.ask(self._request(batch))
        except RequestRejected as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return np.concatenate([self._vectors(batch[:half]), self._vectors(batch[half:])])
            raise _refused(self._model, batch[0], error) from error
        return unpack(reply.text, len(batch))

    def _request(self, batch: Sequence[str]) -> ChatRequest:
        asked = {"dimensions": self._model.dimensions} if self._model.dimensions else {}
        more = json.dumps(asked, sort_keys=True) if asked else ""
        return ChatRequest(PURPOSE, self._model.name, "", tuple(batch), 0.0, 0, more)

    def reply_names(self) -> frozenset[str]:
        """See remembering.Replies."""
        return self._journal.names()

    def reply(self, name: str) -> tuple[Sequence[str], Vectors]:
        """See remembering.Replies."""
        record = self._journal.record(name)
        texts = [str(part.get("text", "")) for part in record["request"]["parts"]]
        mine = record["request"] == describe(self._request(texts))
        if not mine or not self._journal.is_of_this_server(record):
            return (), np.zeros((0, 1), dtype=np.float32)
        return texts, normalise(unpack(record["reply"]["text"], len(texts)))


def _refused(model: EmbeddingModel, text: str, error: RequestRejected) -> DracError:
    return RequestRejected(
        f"{model.name} does not take the text that begins {text[:60]!r}: {error.message}",
        remedy=f'If it is too long, give a lower context_tokens under [models."{model.name}"] in --config.',
    )
