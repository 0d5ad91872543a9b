"""Recipe to digest: an artifact is named by everything that can change it, and by nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CHUNK = 1 << 20
"""Bytes read at once when a file is hashed."""


def canonical(value: object) -> bytes:
    """UTF-8 JSON with sorted keys and no white space; the same value gives the same bytes."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode()


def digest(value: object) -> str:
    """sha256 over the canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def recipe(
    stage: str, version: int | str, settings: Mapping[str, Any], tools: Mapping[str, str]
) -> dict[str, Any]:
    """What a stage does, without what it is done to.

    `settings` are those that can change the output, `tools` the versions of what does the work.
    """
    return {"stage": stage, "version": version, "settings": dict(settings), "tools": dict(tools)}


def artifact_digest(recipe: Mapping[str, Any], inputs: Sequence[object]) -> str:
    """Name of the artifact that `recipe` makes of the inputs, given by their outputs' digests."""
    return digest({**recipe, "inputs": list(inputs)})


def file_digest(path: Path) -> str:
    """sha256 of a file's bytes, 64 hexadecimal digits."""
    total = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(CHUNK):
            total.update(block)
    return total.hexdigest()


def output_of(folder: Path, files: Sequence[str]) -> str | None:
    """sha256 of an artifact's files one after the other; None where one is missing."""
    try:
        return hashlib.sha256(b"".join((folder / name).read_bytes() for name in files)).hexdigest()
    except OSError:
        return None
