"""Tokenizers of the `tokenizers` library, as stretches of the text: nothing is decoded, nothing is lost."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from drac.adapters import packaged_weights
from drac.errors import DracError, EngineUnavailable, MissingExtra, UsageError
from drac.sentences import Stretch
from drac.stages.chunk.strategies import fixed

DEFAULT = "all-MiniLM-L6-v2"
"""The packaged embedding model's own."""
_PLAIN = {"character": fixed.characters, "word": fixed.words}
_NAMES = (DEFAULT, packaged_weights.MODEL)


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Counts and places tokens; special tokens are none."""

    name: str
    """`character`, `word`, or the name that it was asked for by."""
    identity: str
    """sha256 of its definition; empty for `character` and `word`."""
    made: Any = None
    """The library's object; None for `character` and `word`."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """What can change a count."""
        return {"tokenizer": self.name, **({"tokenizer sha256": self.identity} if self.identity else {})}

    def __call__(self, text: str) -> Sequence[Stretch]:
        """One stretch a token, starts ascending (see strategies.spans.Tokens)."""
        if self.made is None:
            return _PLAIN[self.name](text)
        starts_and_ends: list[Stretch] = self.made.encode(well_formed(text), add_special_tokens=False).offsets
        found, floor = [], 0
        for start, end in starts_and_ends:
            floor = max(floor, start)
            found.append((floor, max(floor, end)))
        return found


def well_formed(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no library takes; as many code points."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _odd(text) else text


def _odd(text: str) -> bool:
    return any("\ud800" <= one <= "\udfff" for one in text)


@cache
def tokenizer(name: str) -> Tokenizer:
    """`character`, `word`, the packaged model's, a tokenizer.json, its folder, or a name on the hub.

    Raises MissingExtra, UsageError for a path without a tokenizer, EngineUnavailable where the hub or
    its cache does not give it.
    """
    if name in _PLAIN:
        return Tokenizer(name, "")
    if importlib.util.find_spec("tokenizers") is None:
        raise MissingExtra(f"The tokenizer {name}", "bench")
    made = _load(name)
    made.no_truncation()
    made.no_padding()
    return Tokenizer(name, sha256(made.to_str().encode()).hexdigest(), made)


def _load(name: str) -> Any:
    from tokenizers import Tokenizer as Library

    folder = packaged_weights.checked() if name in _NAMES else None
    path = (folder or Path(name).expanduser()) / "tokenizer.json"
    path = path if path.is_file() else Path(name).expanduser()
    try:
        if path.is_file():
            return Library.from_file(str(path))
        if name.startswith(("/", ".", "~")):
            raise UsageError(
                f"{name}: no tokenizer.json there", remedy="Give its file, its folder or a name."
            )
        return Library.from_pretrained(name)
    except DracError:
        raise
    except Exception as error:  # the library raises Exception itself, and whatever the hub's client raises
        raise EngineUnavailable(
            f"tokenizer {name} cannot be loaded: {error}",
            remedy="Give `character`, `word` or a tokenizer.json, or: pip install 'drac[offline]'",
        ) from error
