"""Whether an artifact of an experiment still is what was written; a damaged one is made again."""

from __future__ import annotations

from drac.bench.coverage import Coverage
from drac.records import Usage
from drac.store.keys import file_digest
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
    path = store.artifacts / stage / digest / file
    whole = has_meta(store, stage, digest, "output") and path.is_file()
    return whole and file_digest(path) == store.meta(stage, digest)["output"]
