"""Writing files so that nothing half-written is ever taken for done."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from drac.errors import DiskFull

ASIDE = ".*.part"
"""Pattern of the names under which files are written before they get their own."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_LARGER = "Raise the limit on a file's size (ulimit -f), then run again; finished pages are kept."


def is_disk_full(error: BaseException | None) -> bool:
    """Whether this error, or one that it came from, says that no more can be written there."""
    return full_disk(error) is not None


def full_disk(error: BaseException | None) -> OSError | None:
    """The error, among this one and those that it came from, that says that no more can be written."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return error
        error = error.__cause__ or error.__context__
    return None


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn 'no space left' into DiskFull, which ends the run cleanly."""
    try:
        yield
    except OSError as error:
        if full := full_disk(error):
            raise no_space(place, full) from error
        raise


def no_space(place: Path | str, full: OSError | None = None) -> DiskFull:
    """The error to raise about a place, with a remedy for what stands in the way: space, or a file's size."""
    if full is not None and full.errno == errno.EFBIG:
        return DiskFull(f"{place}: no file may grow so large here", remedy=_LARGER)
    return DiskFull(f"{place}: no space left on this disk")


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write aside, fsync where `durable`, rename; the name appears with all bytes or not at all."""
    aside = path.with_name(f".{uuid4().hex}.part")
    with disk_errors(path):
        try:
            _write(aside, data, durable)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
    if durable:
        sync_folder(path.parent)


def _write(path: Path, data: bytes, durable: bool) -> None:
    with path.open("wb") as stream:
        stream.write(data)
        if durable:
            stream.flush()
            os.fsync(stream.fileno())


def sync_file(path: Path) -> None:
    """fsync a file that something else wrote."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def sync_tree(folder: Path) -> None:
    """fsync every file and folder below a folder."""
    for path in sorted(folder.rglob("*")):
        sync_folder(path) if path.is_dir() else sync_file(path)


def sync_folder(folder: Path) -> None:
    """fsync a folder, so that a rename in it survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it; a folder that is not there is no error."""
    shutil.rmtree(folder, ignore_errors=True)
