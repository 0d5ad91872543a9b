"""A converted workspace as a corpus for the simulated server: its PDFs, and a book of what stands in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drac.pipeline.planning import live_sources
from drac.store.store import Store
from tests.servers.library import book_of_workspace
from tests.servers.pages import PageBook

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Whole:
    """A corpus that was read before."""

    folder: Path
    """Its PDFs, each under its collection and path."""
    book: Path
    """What the server needs to know, as PageBook.save wrote it."""
    pages: Mapping[str, int]
    """Pages by document, as the book names it."""

    @property
    def files(self) -> list[Path]:
        """The PDFs, in the book's order."""
        return [self.folder / name for name in self.pages]


def read_locally(documents: Path, workspace: Path, workers: int) -> None:
    """`drac convert` by the local engine; raises CalledProcessError where nothing could be read."""
    words = [sys.executable, "-m", "drac", "convert", str(documents), "--workspace", str(workspace)]
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*words, "--workers", str(workers)], env=where, stdout=sys.stderr, check=False)
    if done.returncode not in (0, 4):
        raise subprocess.CalledProcessError(done.returncode, words)


def gather(workspace: Path, place: Path, *, book: Path | None, documents: int | None, workers: int) -> Whole:
    """Copy the PDFs of a workspace to `place`, evenly chosen where only some are wanted.

    `book` is read where it is there, else made and kept there.
    """
    known = _book(workspace, book, workers)
    chosen = _evenly(list(dict.fromkeys(sheet.document for sheet in known.sheets)), documents)
    _copy(Store(workspace), place / "docs", set(chosen))
    kept = PageBook([sheet for sheet in known.sheets if sheet.document in set(chosen)])
    kept.save(place / "book.jsonl")
    pages = Counter(sheet.document for sheet in kept.sheets)
    return Whole(place / "docs", place / "book.jsonl", {name: pages[name] for name in chosen})


def _book(workspace: Path, book: Path | None, workers: int) -> PageBook:
    if book is not None and book.exists():
        return PageBook.load(book)
    print("Remembering how the pages look.", file=sys.stderr)
    made = book_of_workspace(workspace, workers=workers)
    if book is not None:
        made.save(book)
    return made


def _evenly(names: list[str], wanted: int | None) -> list[str]:
    if wanted is None or wanted >= len(names):
        return names
    return [names[index * len(names) // wanted] for index in range(wanted)]


def _copy(store: Store, folder: Path, chosen: set[str]) -> None:
    for record in live_sources(store):
        name = f"{record['collection']}/{record['path']}"
        if name in chosen:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(store.artifacts / "normalize" / record["normalize"] / "document.pdf", folder / name)
