"""Late chunking: token vectors of the whole document first, then a mean over each chunk's tokens.

Günther et al. 2024 (arXiv 2409.04701): a document past the model's window goes through it in windows
that overlap, and what a window has in common with the one before only gives it context (their
Algorithm 2). The tokens before and after a text (`[CLS]`, `[SEP]`) count with its first and last chunk,
as in their code, so that a document of one chunk and one window has the vector that it always has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.adapters.sentence_transformers import SentenceTransformerEmbedder
from drac.adapters.tokenizer import well_formed
from drac.errors import UsageError
from drac.ports import Draft, ParsedDocument, Vectors

_SHARE = 8
"""A window has this share of its tokens in common with the one before, where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class _Window:
    """What goes through the model at once."""

    ids: tuple[int, ...]
    """Token ids, special ones included."""
    kept: slice
    """Those whose vectors count."""

    def __len__(self) -> int:
        return len(self.ids)


class LateChunking(SentenceTransformerEmbedder):
    """Implements ports.ChunkEmbedder for models that take the mean of their tokens.

    `window_tokens`: as in LateOptions, special tokens included; `overlap`: fewer than fit it.
    """

    PURPOSE = "Late chunking"

    def __init__(
        self, model: str, *, window_tokens: int | None = None, overlap: int | None = None,
        threads: int | None = None, device: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(model, threads=threads, device=device)
        self._window_tokens, self._given_overlap = window_tokens, overlap

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """See ports.ChunkEmbedder."""
        shape = {"window": str(self._window_tokens), "overlap": str(self._given_overlap)}
        return {**super().fingerprint, "pooling": "late mean 1", **shape}

    def embed_chunks(self, document: ParsedDocument, drafts: Sequence[Draft]) -> Vectors:
        """See ports.ChunkEmbedder; a chunk without a token has the document's mean.

        Raises UsageError for a model that pools otherwise, or a window that it cannot take.
        """
        self._refuse()
        encoded = self._tokenize([well_formed(document.text)], return_offsets_mapping=True)
        ids: list[int] = encoded["input_ids"][0]
        vectors = self._token_vectors(ids)
        places = _places(encoded["offset_mapping"][0], len(self._affixes[0]), len(self._affixes[1]))
        rows = [_mean(vectors, _chosen(places, draft)) for draft in drafts]
        return np.array(rows, dtype=np.float32).reshape(len(drafts), self.dimension)

    def _token_vectors(self, ids: Sequence[int]) -> npt.NDArray[np.float64]:
        """One row a token, those of the first window's and the last window's special tokens included."""
        found = self._on_threads(list(self._cut_windows(ids)), _through)
        return np.concatenate(found).astype(np.float64)

    def _cut_windows(self, ids: Sequence[int]) -> Iterator[_Window]:
        before, after = self._affixes
        room, overlap = self._room_and_overlap
        start = 0
        while True:
            body = ids[start : start + room]
            last = start + room >= len(ids)
            first_kept = len(before) + overlap if start else 0
            end = len(before) + len(body) + (len(after) if last else 0)
            yield _Window((*before, *body, *after), slice(first_kept, end))
            if last:
                return
            start += room - overlap

    @cached_property
    def _affixes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Special tokens before and after a text."""
        probe = self._tokenizer("a", return_special_tokens_mask=True)
        ids, mask = probe["input_ids"], probe["special_tokens_mask"]
        own = [at for at, special in enumerate(mask) if not special]
        return tuple(ids[: own[0]]), tuple(ids[own[-1] + 1 :])

    @property
    def _room_and_overlap(self) -> tuple[int, int]:
        """Tokens of the document in a window, and how many of them were in the one before."""
        room = (self._window_tokens or self.window) - sum(map(len, self._affixes))
        overlap = room // _SHARE if self._given_overlap is None else self._given_overlap
        return room, overlap

    def _refuse(self) -> None:
        names = [type(one).__name__ for one in self._model]
        mode = getattr(self._model[1], "pooling_mode", "") if len(names) > 1 else ""
        if mode != "mean" or names[2:] not in ([], ["Normalize"]):
            raise UsageError(
                f"late chunking takes the mean of token vectors, which {self.model_name} does not",
                remedy="Choose a model with mean pooling, such as the default.",
            )
        most = getattr(self._model[0].auto_model.config, "max_position_embeddings", None) or self.window
        room, overlap = self._room_and_overlap
        if (self._window_tokens or 0) > most or not 0 <= overlap < room:
            raise UsageError(
                f"late chunking: window {self._window_tokens}, window_overlap {overlap}",
                remedy=f"{self.model_name} takes windows of {most} tokens; an overlap is less than a window.",
            )


def _through(model: Any, window: _Window) -> npt.NDArray[np.float32]:
    import torch

    ids = torch.tensor([window.ids], device=model.device)
    with torch.inference_mode():
        out = model[0]({"input_ids": ids, "attention_mask": torch.ones_like(ids)})
    vectors: npt.NDArray[np.float32] = out["token_embeddings"][0].float().cpu().numpy()
    return vectors[window.kept]


def _places(offsets: Sequence[tuple[int, int]], before: int, after: int) -> npt.NDArray[np.int64]:
    """First code point of each token; special ones stand where their neighbour stands."""
    starts = [start for start, _ in offsets] or [0]
    body = starts if offsets else []
    return np.array([starts[0]] * before + body + [starts[-1]] * after, dtype=np.int64)


def _chosen(places: npt.NDArray[np.int64], draft: Draft) -> npt.NDArray[np.bool_]:
    chosen = np.zeros(len(places), dtype=bool)
    for start, end in draft.spans:
        chosen |= (places >= start) & (places < end)
    return chosen


def _mean(vectors: npt.NDArray[np.float64], chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    mean: npt.NDArray[np.float64] = vectors[chosen if chosen.any() else slice(None)].mean(axis=0)
    return mean / np.linalg.norm(mean)
