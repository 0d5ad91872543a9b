"""Chunks of other tools to the documents and pages of a corpus: by name where they say it, else by text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath

from drac.errors import UsageError
from drac.evaluate.chunk_sets import SetChunk

SHINGLE = 3
"""Words in a row that are looked for together."""
LEAST = 0.5
"""Share of a chunk's shingles that its pages must hold, so that the chunk counts as aligned."""
LEAST_WORDS = 0.8
"""The same of its single words, where it has too few shingles in common."""
MORE = 0.1
"""Share that a further page must add."""
HOME = 0.9
"""Share of the documents that a file names which must be in one collection, so that all are taken to be."""
_WORD = re.compile(r"[^\W_]+")
Key = tuple[str, str]
"""Collection and path of a document."""
Shingle = tuple[str, ...]


@dataclass(frozen=True)
class CorpusDocument:
    """One document of a corpus and the text layer of its pages."""

    collection: str
    """Its collection."""
    source: str
    """Its path under the collection's root."""
    pages: tuple[str, ...]
    """Text of each physical page, from page 1."""

    @property
    def key(self) -> Key:
        """Collection and path."""
        return self.collection, self.source

    @cached_property
    def _held(self) -> dict[int, tuple[frozenset[Shingle], ...]]:
        return {}

    def shingles(self, size: int = SHINGLE) -> tuple[frozenset[Shingle], ...]:
        """Of each page."""
        if size not in self._held:
            self._held[size] = tuple(shingles(page, size) for page in self.pages)
        return self._held[size]


@dataclass(frozen=True, slots=True)
class Placement:
    """How chunks were placed."""

    chunks: int
    """All of the set."""
    placed: int
    """Those whose document is one of the corpus's."""
    by_text: int
    """Of these, those whose document was found by the text alone."""
    with_pages: int
    """Those that came with pages of the corpus's document."""
    aligned: int
    """Those whose pages were found by the text."""
    beyond: int
    """Those that came with a page past the document's last; the text decides about these."""
    unplaced: tuple[str, ...]
    """Names of documents that the corpus does not have, 20 at most; '' for a chunk that names none."""


def shingles(text: str, size: int = SHINGLE) -> frozenset[Shingle]:
    """Runs of `size` words in lower case; a text of fewer has none."""
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[at : at + size]) for at in range(len(words) - size + 1))


def place(
    chunks: Sequence[SetChunk], documents: Sequence[CorpusDocument]
) -> tuple[list[SetChunk], Placement]:
    """The chunks under the corpus's own names, with pages where the text shows them, and a count.

    A chunk that fits no document keeps what it says. Every chunk gets an identity: its own, or its
    document's name and its number there. Raises UsageError where a parent is not to be told, or a
    chunk is its own parent, directly or by others.
    """
    placer = _Placer(documents)
    placed = [placer.place(one, placer.home(chunks, one.group)) for one in chunks]
    return _with_ids(placed), placer.count(placed)


class _Placer:
    def __init__(self, documents: Sequence[CorpusDocument]) -> None:
        self._documents = {one.key: one for one in documents}
        self._by_stem: dict[str, list[Key]] = defaultdict(list)
        for key in self._documents:
            self._by_stem[stem(key[1])].append(key)
        self._homes: dict[str, str] = {}
        self._collections = {key[0] for key in self._documents}
        self._by_text = self._aligned = self._kept = self._beyond = 0

    def home(self, chunks: Iterable[SetChunk], group: str) -> str:
        """The collection that nearly all documents which a file's chunks name are in; empty if none is."""
        if group not in self._homes:
            strange = [
                one for one in chunks if one.group == group and one.collection not in self._collections
            ]
            named = {one.source for one in strange}
            known = [found for name in named if (found := self._candidates(name))]
            votes = Counter(name for found in known for name in {key[0] for key in found})
            best = [*votes.most_common(2), ("", 0), ("", 0)]
            sure = best[0][1] >= HOME * len(known) and best[0][1] > best[1][1]
            self._homes[group] = best[0][0] if sure else ""
        return self._homes[group]

    def place(self, one: SetChunk, home: str) -> SetChunk:
        """The chunk in its document; a collection that the corpus does not have says nothing."""
        if one.collection not in self._collections:
            one = replace(one, collection="")
        among = self._named(one, home)
        key = among[0] if len(among) == 1 else self._found(one, among)
        self._by_text += len(among) != 1 and key is not None
        if key is None:
            return one
        kept = one.pages if _same_pages(one.source, key[1]) else ()
        beyond = bool(kept) and kept[-1] > (len(self._documents[key].pages) or kept[-1])
        kept = () if beyond else kept
        self._beyond += beyond
        pages = kept or self._pages(one.text, self._documents[key])
        self._aligned += not kept and bool(pages)
        self._kept += bool(kept)
        shares = one.shares if kept else ()
        return replace(one, collection=key[0], source=key[1], pages=pages, shares=shares)

    def _candidates(self, name: str) -> list[Key]:
        return (self._by_stem.get(stem(name)) or self._by_stem.get(stem(name + ".x")) or []) if name else []

    def _named(self, one: SetChunk, home: str) -> list[Key]:
        """The document by collection and path; else those of that name, with or without suffix."""
        if (one.collection, one.source) in self._documents:
            return [(one.collection, one.source)]
        found = [key for key in self._candidates(one.source) if one.collection in ("", key[0])]
        parts = _parts(one.source)
        alike = max((_common(parts, _parts(key[1])) for key in found), default=0)
        for fits in (
            lambda key: _common(parts, _parts(key[1])) == alike,
            lambda key: key[0].casefold() in parts,
            lambda key: key[0] == home,
        ):
            found = [key for key in found if fits(key)] or found
        return found

    def _found(self, one: SetChunk, among: Sequence[Key]) -> Key | None:
        """Of `among`, or of all where it is empty, the document that holds most of the text, first of equals.

        Without a name half of the text must be there; less than a shingle fits none.
        """
        wanted = shingles(one.text)
        votes = Counter(key for shingle in wanted for key in self._postings.get(shingle, ()))
        fitting = {key: n for key, n in votes.items() if key in among or not among}
        fitting = {key: n for key, n in fitting.items() if one.collection in ("", key[0])}
        best = min(fitting.items(), key=lambda item: (-item[1], item[0]), default=None)
        return best[0] if best and (among or best[1] >= LEAST * len(wanted)) else None

    @cached_property
    def _postings(self) -> dict[Shingle, set[Key]]:
        found: dict[Shingle, set[Key]] = defaultdict(set)
        for key, document in self._documents.items():
            for page in document.shingles():
                for shingle in page:
                    found[shingle].add(key)
        return found

    def _pages(self, text: str, document: CorpusDocument) -> tuple[int, ...]:
        """By runs of words; where too few are there, as in sentences made of a table's rows, by words."""
        size = max(1, min(SHINGLE, len(_WORD.findall(text))))
        return _cover(text, document, size, LEAST) or _cover(text, document, 1, LEAST_WORDS)

    def count(self, after: Sequence[SetChunk]) -> Placement:
        strangers = [one.source for one in after if (one.collection, one.source) not in self._documents]
        return Placement(
            len(after), len(after) - len(strangers), self._by_text,
            self._kept, self._aligned, self._beyond, tuple(dict.fromkeys(strangers))[:20],
        )  # fmt: skip


def _cover(text: str, document: CorpusDocument, size: int, least: float) -> tuple[int, ...]:
    """The page that holds most of the text, then neighbours that add enough; none for less than `least`."""
    wanted = set(shingles(text, size))
    total, chosen = len(wanted), list[int]()
    held = dict(enumerate(document.shingles(size), start=1))
    reach = set(held)
    while wanted and reach:
        page = max(reach, key=lambda number: (len(wanted & held[number]), -number))
        if len(wanted & held[page]) < (MORE * total if chosen else 1):
            break
        chosen.append(page)
        wanted -= held[page]
        reach = {number for one in chosen for number in (one - 1, one + 1)} & set(held) - set(chosen)
    return tuple(sorted(chosen)) if total and total - len(wanted) >= least * total else ()


def _same_pages(given: str, found: str) -> bool:
    """Whether pages of the one are pages of the other: a DOCX's are not those of the PDF beside it."""
    suffix = PurePosixPath(given.replace("\\", "/")).suffix.casefold()
    return suffix in ("", PurePosixPath(found).suffix.casefold()) or not _known_suffix(suffix)


def _known_suffix(suffix: str) -> bool:
    """Whether it is one of a file's type, and not the end of a name such as `v1.2 notes`."""
    return re.fullmatch(r"\.[a-z0-9]{1,5}", suffix) is not None and not suffix[1:].isdecimal()


def _parts(path: str) -> list[str]:
    return [_folded(part) for part in path.replace("\\", "/").split("/")]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Equal parts from the end."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one[::-1], other[::-1], strict=False))
    )


def stem(name: str) -> str:
    """The file's name without folders and suffix, for comparing."""
    return _folded(PurePosixPath(name.replace("\\", "/")).stem)


def _folded(name: str) -> str:
    """Accents are one character or two by the system that wrote the name."""
    return unicodedata.normalize("NFC", " ".join(name.casefold().split()))


def _with_ids(chunks: Sequence[SetChunk]) -> list[SetChunk]:
    """A name twice, or none, is replaced by the document's name and the chunk's number there."""
    given = Counter(one.chunk_id for one in chunks)
    taken, count = set(given), Counter[Key]()
    named = []
    for one in chunks:
        key = one.collection, one.source
        count[key] += 1
        while (number := f"{key[0]}/{key[1]}#{count[key]}") in taken:
            count[key] += 1
        own = one.chunk_id and given[one.chunk_id] == 1
        named.append(one if own else replace(one, chunk_id=number))
        taken.add(named[-1].chunk_id)
    return _with_parents(chunks, named) if any(one.parent_id for one in chunks) else named


def _with_parents(given: Sequence[SetChunk], named: Sequence[SetChunk]) -> list[SetChunk]:
    """Parents under their new names; one that stands twice is looked for in the child's document."""
    everywhere, inside = defaultdict[str, list[str]](list), defaultdict[tuple[Key, str], list[str]](list)
    for old, new in zip(given, named, strict=True):
        everywhere[old.chunk_id].append(new.chunk_id)
        inside[(new.collection, new.source), old.chunk_id].append(new.chunk_id)
    found = []
    for one in named:
        among = everywhere.get(one.parent_id, [one.parent_id])
        if len(among) > 1:
            among = inside.get(((one.collection, one.source), one.parent_id), among)
        if len(among) > 1:
            raise _parent(one.parent_id, f"is the name of {len(among)} chunks, one of them a parent")
        found.append(replace(one, parent_id=among[0]))
    _climbed({one.chunk_id: one.parent_id for one in found if one.parent_id})
    return found


def _climbed(parents: Mapping[str, str]) -> None:
    """Raises UsageError where going from parent to parent comes back."""
    safe: set[str] = set()
    for start in parents:
        path: dict[str, None] = {}
        name = start
        while name in parents and name not in safe:
            if name in path:
                raise _parent(name, "is its own parent, directly or by others")
            path[name] = None
            name = parents[name]
        safe.update(path)


def _parent(name: str, what: str) -> UsageError:
    return UsageError(
        f"chunk {name!r} {what}", remedy="Give each chunk a name of its own, and as `parent_id` a larger one."
    )
