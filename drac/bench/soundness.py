"""Whether an artifact of an experiment still is what was written; a damaged one is made again."""

from __future__ import annotations

from collections.abc import Sequence

from drac.bench.coverage import Coverage
from drac.records import Usage
from drac.store.keys import output_of
from drac.store.store import Store


def has_meta(store: Store, stage: str, digest: str, *wanted: str) -> bool:
    """Whether an artifact is there whose meta.json says what it took, and has the keys that are wanted."""
    if store.complete(stage, digest) is None:
        return False
    meta = store.meta(stage, digest)
    try:
        Usage(**meta["usage"])
        Coverage(**meta.get("coverage", {}))
    except (KeyError, TypeError):
        return False
    return {"seconds", *wanted} <= meta.keys()


def is_sound(store: Store, stage: str, digest: str, file: str) -> bool:
    """The same, and its file has the sha256 named there."""
    return has_meta(store, stage, digest, "output") and are_sound(store, stage, digest, (file,))


def are_sound(store: Store, stage: str, digest: str, files: Sequence[str]) -> bool:
    """Whether an artifact of several files is there, and they have the sha256 that its meta.json names."""
    folder = store.complete(stage, digest)
    return folder is not None and output_of(folder, files) == store.meta(stage, digest).get("output", "")
