"""PATHs of the command line to Sources: what is a document, in which collection, under which root."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

from drac.corpus.description import TOML, Collection, Corpus, load_corpus
from drac.corpus.names import absolute, doc_id, printable, real_path
from drac.corpus.walk import JUNK, Walk, is_file, is_workspace, why_broken
from drac.errors import NothingUsable, UsageError
from drac.records import Skipped, Source

DEFAULT_COLLECTION = "default"
"""Collection of files that were named one by one."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that documents were looked for in."""

    collection: str
    """Collection that its documents belong to."""
    folder: str
    """Absolute folder, in printable form."""
    whole: bool
    """Whether all of it was walked: a document of it that is known but not found has vanished."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """What the PATHs of one command hold."""

    sources: tuple[Source, ...]
    """Documents, ordered by collection and path; may be empty."""
    skipped: tuple[Skipped, ...]
    """Files and folders not taken, in the order found."""
    roots: tuple[Root, ...]
    """Roots of the sources, in the order given, each once."""

    def usable(self) -> tuple[Source, ...]:
        """The sources; raises NothingUsable, with what was skipped, where there are none."""
        if not self.sources:
            raise NothingUsable(_nothing(self.roots, self.skipped))
        return self.sources


def discover(
    paths: Sequence[str],
    *,
    suffixes: frozenset[str],
    cwd: Path,
    left_out: Mapping[str, str] = MappingProxyType({}),
    collection: str | None = None,
    root: Path | None = None,
    corpora: Path | None = None,
) -> Discovery:
    """Find the documents that `paths` (files, folders, glob patterns, corpus files) hold.

    `suffixes` are those of documents, with dot and in lower case; a file that is named itself is taken
    whatever its suffix. `left_out` says of other suffixes why they are not taken. A folder is its own root
    and gives the collection its name; a file's root is `cwd` where it lies below, else its folder, and its
    collection is "default". `collection` overrides the name; of a corpus file it picks the collection of
    that name. `root` is the root for all paths, or where the documents of a corpus file are; `corpora`
    holds one folder for each corpus, by name.

    Raises UsageError for a path that is not there, a clash of names or a corpus that is not there.
    """
    finder = _Finder(suffixes, left_out, cwd, _named(collection), root and absolute(root, cwd), corpora)
    for path in paths:
        finder.path(path)
    return finder.result()


@dataclass(slots=True)
class _Finder:
    suffixes: frozenset[str]
    left_out: Mapping[str, str]
    cwd: Path
    collection: str | None
    root: Path | None
    corpora: Path | None
    sources: dict[tuple[str, str], Source] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    roots: dict[Root, None] = field(default_factory=dict)
    named: dict[Path, Walk] = field(default_factory=dict)

    def result(self) -> Discovery:
        ordered = tuple(self.sources[key] for key in sorted(self.sources))
        return Discovery(ordered, tuple(self.skipped), tuple(self.roots))

    def path(self, text: str) -> None:
        path = absolute(text, self.cwd)
        if os.path.lexists(path):
            self._one(path)
        elif glob.has_magic(text):
            self._pattern(text)
        else:
            raise UsageError(f"{printable(text)}: no such file or folder", remedy="Correct the path.")

    def _one(self, path: Path) -> None:
        if path.suffix.lower() == ".toml" and is_file(path):
            self._corpus(path)
        elif is_file(path / TOML):
            self._corpus(path / TOML)
        elif path.is_dir():
            self._folder(path)
        else:
            self._file(path)

    def _pattern(self, pattern: str) -> None:
        """A pattern with `**` would name each folder beside its own files, so it means files only."""
        found = sorted(glob.glob(pattern, root_dir=self.cwd, recursive=True))  # noqa: PTH207 - absolute too
        if not found:
            raise UsageError(f"{printable(pattern)}: nothing matches", remedy="Correct the pattern.")
        matches = [absolute(name, self.cwd) for name in found]
        for path in matches:
            if "**" not in pattern or not path.is_dir():
                self._one(path)

    def _folder(self, folder: Path) -> None:
        if is_workspace(folder):
            raise UsageError(
                f"{printable(str(folder))} is a workspace of drac, not a folder of documents",
                remedy="Give the folder that holds the documents.",
            )
        root = self._root_for(folder, folder)
        walk = Walk(self.suffixes, self.left_out)
        walk.folder(folder)
        self._add(Root(self._name_of(root), printable(str(root)), whole=root == folder), walk.files)
        self.skipped += walk.skipped

    def _file(self, file: Path) -> None:
        below = file.is_relative_to(self.cwd)
        root = self._root_for(file, self.cwd if below else file.parent)
        walk = self.named.setdefault(root, Walk(self.suffixes, self.left_out))
        before, noted = len(walk.files), len(walk.skipped)
        _take_named(walk, file)
        name = self._name_of(root) if self.root else self.collection or DEFAULT_COLLECTION
        self._add(Root(name, printable(str(root)), whole=False), walk.files[before:])
        self.skipped += walk.skipped[noted:]

    def _corpus(self, toml: Path) -> None:
        corpus = load_corpus(toml, cwd=self.cwd, root=self.root, corpora=self.corpora)
        for one in _picked(corpus, self.collection):
            folder = corpus.folder(one)
            walk = Walk(self.suffixes, self.left_out)
            walk.folder(folder)
            kept = [file for file in walk.files if not _excluded(walk, one, file, folder)]
            self._add(Root(one.name, printable(str(folder)), whole=True), kept)
            self.skipped += walk.skipped

    def _root_for(self, path: Path, default: Path) -> Path:
        if self.root is None:
            return default
        if not path.is_relative_to(self.root):
            raise UsageError(
                f"{printable(str(path))} is not below --root {printable(str(self.root))}",
                remedy="Give a --root that holds every path, or leave it out.",
            )
        return self.root

    def _name_of(self, folder: Path) -> str:
        return self.collection or printable(folder.resolve().name) or DEFAULT_COLLECTION

    def _add(self, root: Root, files: Iterable[Path]) -> None:
        self.roots.setdefault(root)
        for file in files:
            self._insert(source_of(root, file))

    def _insert(self, source: Source) -> None:
        first = self.sources.setdefault((source.collection, source.path), source)
        if first is source:
            return
        ours, theirs = real_path(source), real_path(first)
        if not ours.samefile(theirs):
            raise _clash(source, first)
        self.skipped.append(Skipped(printable(str(ours)), "given twice", "ignored"))


def source_of(root: Root, file: Path) -> Source:
    """The record of a file below a root."""
    path = printable(os.path.relpath(file, real_folder(root)).replace(os.sep, "/"))
    return Source(root.collection, path, root.folder, doc_id(root.collection, path))


def real_folder(root: Root) -> Path:
    """The root's folder on disk."""
    return real_path(Source(root.collection, "", root.folder, ""))


def _take_named(walk: Walk, file: Path) -> None:
    if JUNK.fullmatch(file.name):
        walk.skip(file, "left by a file manager or an office program")
    elif file.is_symlink() and (reason := why_broken(file)):
        walk.skip(file, reason, kind="unusable")
    else:
        walk.file(file, named=True)


def _picked(corpus: Corpus, name: str | None) -> Sequence[Collection]:
    picked = [one for one in corpus.file.collections if name in (None, one.name)]
    if not picked:
        names = ", ".join(one.name for one in corpus.file.collections)
        raise UsageError(
            f"{printable(str(corpus.toml))} has no collection {name!r}",
            remedy=f"Give one of these as --collection, or none: {names}.",
        )
    return picked


def _excluded(walk: Walk, collection: Collection, file: Path, folder: Path) -> bool:
    """Whether a corpus file leaves a document out; notes it."""
    path = file.relative_to(folder).as_posix()
    included = any(fnmatchcase(path, pattern) for pattern in collection.include)
    excluded = any(fnmatchcase(path, pattern) for pattern in collection.exclude)
    if not included or excluded:
        walk.skip(file, f"left out by {TOML}")
    return not included or excluded


def _named(collection: str | None) -> str | None:
    if collection is None or (collection.strip() and printable(collection) == collection):
        return collection
    raise UsageError(
        f"{printable(collection)!r} cannot name a collection",
        remedy="Give --collection a name of printable characters, without a backslash.",
    )


def _clash(source: Source, first: Source) -> UsageError:
    ours, theirs = (printable(str(real_path(one))) for one in (source, first))
    return UsageError(
        f"two files are {source.path!r} of collection {source.collection!r}: {theirs} and {ours}",
        remedy="Give one of them in a run of its own with another --collection, "
        "or a folder above both as --root.",
    )


def _nothing(roots: Sequence[Root], skipped: Sequence[Skipped]) -> str:
    where = ", ".join(dict.fromkeys(root.folder for root in roots)) or "the input"
    reasons = Counter(one.reason for one in skipped)
    told = "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(5))
    return f"no document in {where}" + (f" (skipped: {told})" if told else "")
