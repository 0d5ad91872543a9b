"""What the user names as a chunk set: a file, a reference set, a baseline, a set of the workspace."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from drac.corpus import Corpus
from drac.errors import UsageError
from drac.evaluate.chunk_sets import ReadSet, SetChunk, read_chunk_set
from drac.evaluate.placing import CorpusDocument
from drac.mistakes import nearest
from drac.pipeline.exporting import set_folder
from drac.stages.chunk import baselines
from drac.store.store import Store

Recursive = Callable[[str, int], Iterable[tuple[int, int]]]
"""Stretches of a text of at most so many characters."""
BASELINES = ("fixed-size", "page", "recursive")


@dataclass(frozen=True, slots=True)
class NamedSet:
    """One chunk set to be judged."""

    name: str
    """As the tables call it."""
    read: ReadSet
    """Its chunks as they were found."""


def find_set(
    text: str, corpus: Corpus, documents: Sequence[CorpusDocument], store: Store, recursive: Recursive
) -> NamedSet:
    """The set that `text` names, or `label=text`; raises UsageError where nothing is called that.

    A file, folder or pattern goes before a reference set, this before a baseline, this before a set of
    the workspace.
    """
    label, _, rest = text.rpartition("=") if "=" in text and not Path(text).exists() else ("", "", text)
    files = _files(rest)
    if files:
        return NamedSet(label or _file_label(rest, files), read_chunk_set(files))
    for one in corpus.file.chunk_sets:
        if one.name == rest:
            found = read_chunk_set(corpus.chunk_files(one), document=one.document, chunks=one.chunks)
            return NamedSet(label or rest, found)
    if rest in BASELINES:
        return NamedSet(label or rest, _baseline(rest, documents, recursive))
    exported = _exported(store, rest)
    if exported is not None:
        return NamedSet(label or rest, read_chunk_set([exported]))
    own = sorted(path.parent.name for path in store.exports.glob("*/chunks.jsonl"))
    known = [*own, *(one.name for one in corpus.file.chunk_sets), *BASELINES]
    raise UsageError(
        f"no chunk set {rest!r}: no such file, nor a set of {store.root}{nearest(rest, known)}",
        remedy=f"Give a file or one of: {', '.join(known)}.",
    )


def _files(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        found = sorted(one for one in path.iterdir() if one.suffix in (".json", ".jsonl"))
        own = [one for one in found if one.name == "chunks.jsonl"]
        return own or found
    if path.is_file():
        return [path]
    return sorted(map(Path, glob.glob(text))) if glob.has_magic(text) else []  # noqa: PTH207 - absolute too


def _file_label(text: str, files: Sequence[Path]) -> str:
    """A set's folder where the file is called chunks.jsonl, as ours are; else the file's own name."""
    if len(files) > 1:
        return text
    return files[0].parent.name if files[0].name == "chunks.jsonl" else files[0].stem


def _exported(store: Store, name: str) -> Path | None:
    try:
        path = set_folder(store, name) / "chunks.jsonl"
    except UsageError:
        return None
    return path if path.is_file() else None


def _baseline(name: str, documents: Sequence[CorpusDocument], recursive: Recursive) -> ReadSet:
    def cut(pages: Sequence[str]) -> list[baselines.Piece]:
        if name == "page":
            return baselines.page(pages)
        if name == "fixed-size":
            return baselines.fixed_size(pages)
        return baselines.cut_document(pages, lambda text: recursive(text, baselines.SIZE))

    chunks = [
        SetChunk("", one.collection, one.source, pages, text)
        for one in documents
        for text, pages in cut(one.pages)
    ]
    return ReadSet("baseline", tuple(chunks))
