"""A corpus file (corpus.toml): collections, where they come from, queries, judgments, reference chunks."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from drac.corpus.names import absolute, printable
from drac.errors import UsageError
from drac.mistakes import explain

TOML = "corpus.toml"
"""Name of a corpus file; a folder that holds one stands for the corpus."""
FETCHED = ".corpora"
"""Folder, beside `corpora/`, in which scripts/fetch_corpora puts a corpus under its name."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Origin(_Frozen):
    """Where the documents can be fetched from."""

    url: str
    """Address of a git repository."""
    commit: str = Field(pattern="^[0-9a-f]{40}$")
    """The one commit that is meant."""
    hashes: str = ""
    """File beside the corpus file, lines of `sha256  path`; empty if nothing is to be checked."""


class Collection(_Frozen):
    """One set of documents that are searched together."""

    name: str = Field(min_length=1)
    """Name, as the queries say it."""
    folder: str
    """Folder under the corpus's root; the documents' paths are relative to it."""
    include: tuple[str, ...] = ("*",)
    """Patterns (fnmatch, `*` matches `/` too) of paths that are taken."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths that are left out although `include` takes them."""


class QueryFile(_Frozen):
    """Questions: a JSON line or a CSV row each."""

    file: str
    """Path beside the corpus file or under the corpus's root."""
    format: Literal["jsonl", "csv"] = "jsonl"
    """`jsonl` lines have query_id, text and, if not asked of the whole corpus, collection."""
    id: str = "query_id"
    """Field of the question's name; empty where it has none and is numbered, as in CSV."""
    text: str = "text"
    """Field or column of the question."""
    collection: str = "collection"
    """Field or column of the collection's name."""
    kind: str = ""
    """Field or column of the question's type; empty where there is none."""
    document: str = ""
    """Field of the document that the row is about, by its path under its collection's folder; empty: none.
    Rows without a collection then belong to the corpus's only one."""
    scope: str = ""
    """Field that says `document` where a question is asked of its document alone; empty: none is."""
    pages: str = ""
    """Field of the relevant pages of `document`, numbers from 1; empty: see [[judgments]]."""
    neutral: str = ""
    """Field of further pages that are neither: rankings are judged as if they were not there; empty: none."""
    facts: str = ""
    """Field or column of what an answer rests on, as JSON: objects of `filename` and `text`; empty: none."""
    collections: tuple[str, ...] = ()
    """Only rows of these collections; empty for all."""
    first: int | None = Field(None, ge=1)
    """Only the first so many rows of each collection, counted before repeats are dropped."""
    unique: bool = False
    """Drop rows that repeat both collection and question of an earlier one."""


class JudgmentFile(_Frozen):
    """Relevant pages: JSON lines of query_id, collection, source, page and grade (1 if left out)."""

    file: str
    """Path beside the corpus file or under the corpus's root."""


class ChunkSet(_Frozen):
    """Chunks that others made of the same documents, to compare with."""

    name: str
    """Name of the set."""
    files: str
    """Glob pattern under the corpus's root."""
    format: Literal["jsonl", "json"]
    """One JSON object a line, or one JSON array of objects; one object is one document's chunks."""
    document: str
    """Field that names the document."""
    chunks: str
    """Field that holds the list of chunks."""


class CorpusFile(_Frozen):
    """What a corpus.toml says."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Name of the corpus and of its folder."""
    licence: str
    """Licence of the documents."""
    description: str = ""
    """What it holds, in a sentence."""
    origin: Origin | None = None
    """Where to fetch it; none if it is whole beside the corpus file."""
    collections: tuple[Collection, ...] = Field(min_length=1)
    """Its collections."""
    queries: tuple[QueryFile, ...] = ()
    """Its questions."""
    judgments: tuple[JudgmentFile, ...] = ()
    """Its relevant pages."""
    chunk_sets: tuple[ChunkSet, ...] = ()
    """Reference chunk sets."""

    @model_validator(mode="after")
    def _names_differ(self) -> CorpusFile:
        names = [one.name for one in self.collections]
        if len(names) != len(set(names)):
            raise ValueError("two collections have the same name")
        return self


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus file and the place where its documents are."""

    file: CorpusFile
    """What the corpus file says."""
    toml: Path
    """The corpus file."""
    root: Path
    """Folder that the paths in it are relative to."""

    def folder(self, collection: Collection) -> Path:
        """The folder of a collection's documents, absolute."""
        return absolute(collection.folder, self.root)

    def part(self, name: str) -> Path:
        """A file that belongs to the corpus, beside its corpus file or under its root; raises UsageError."""
        places = list(dict.fromkeys([self.toml.parent / name, self.root / name]))
        for place in places:
            if place.is_file():
                return place
        if len(places) == 1:
            raise UsageError(f"{printable(str(places[0]))}: no such file", remedy="Correct the path.")
        raise _missing(self.file, f"has no file {name!r} in {_listed(places)}")

    def chunk_files(self, chunk_set: ChunkSet) -> list[Path]:
        """The files of a reference chunk set, sorted; raises UsageError where there are none."""
        files = sorted(self.root.glob(chunk_set.files))
        if not files:
            raise _missing(self.file, f"has no file {chunk_set.files!r} in {printable(str(self.root))}")
        return files


def load_corpus(toml: Path, *, cwd: Path, root: Path | None = None, corpora: Path | None = None) -> Corpus:
    """Read a corpus file and find its documents.

    They are at `root`, or in a folder with the corpus's name in `root`, where `root` is given; else beside
    the corpus file, in `corpora`, or where scripts/fetch_corpora puts them, the first that has every
    collection's folder. Raises UsageError for a file that is not well formed, or documents not there.
    """
    toml = absolute(toml, cwd)
    file = read_corpus_file(toml)
    places = list(_places(file, toml, cwd, root, corpora))
    for place in places:
        if all((place / one.folder).is_dir() for one in file.collections):
            return Corpus(file, toml, place)
    raise _missing(file, f"is not in {_listed(places)}")


def read_corpus_file(toml: Path) -> CorpusFile:
    """Read a corpus file alone; raises UsageError that names the field."""
    try:
        return CorpusFile.model_validate(_read(toml))
    except ValidationError as error:
        said = f"{printable(str(toml))}: {explain(error, CorpusFile)}"
        raise UsageError(said, remedy="Correct the field named.") from error


def _places(
    file: CorpusFile, toml: Path, cwd: Path, root: Path | None, corpora: Path | None
) -> Iterator[Path]:
    if root is not None:
        yield from (absolute(root, cwd), absolute(root, cwd) / file.name)
        return
    yield toml.parent
    if corpora is not None:
        yield absolute(corpora, cwd) / file.name
    for folder in dict.fromkeys((cwd, *toml.parents)):
        if (folder / FETCHED).is_dir():
            yield folder / FETCHED / file.name


def _read(toml: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(toml.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{printable(str(toml))}: {error}", remedy="Give a readable TOML file, or the documents' folder."
        ) from error


def _missing(file: CorpusFile, what: str) -> UsageError:
    fetch = f"Run scripts/fetch_corpora {file.name}, or point " if file.origin else "Point "
    return UsageError(
        f"the corpus {file.name!r} {what}",
        remedy=f"{fetch}--root or DRAC_CORPORA at a folder that holds it.",
    )


def _listed(places: list[Path]) -> str:
    return " or ".join(printable(str(place)) for place in places)
