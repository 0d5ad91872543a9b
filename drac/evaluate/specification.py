"""The specification of chunks.jsonl as checks; README.md beside this file says it in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

_REMEDIES = {
    "chunk_id": "Give each chunk a name of its own, such as a digest of doc_id and text.",
    "doc_id": "Give each collection and source one doc_id.",
    "collection": "Name the collection of the document; any name will do.",
    "source": "Give the document's path under its root.",
    "pages": "List the physical pages, from 1, ascending, each once.",
    "spans": "Give page, start and end, in code points of that page's text, or leave `spans` out.",
    "body": "Put the passage here; leave chunks without text out.",
    "text": "Put what is embedded here: headings if any, then the body as it is.",
    "element_ids": "Give a list of strings, or leave it out.",
    "breadcrumb": "Give a list of headings, or leave it out.",
    "parent_id": "Give the chunk_id of another chunk, or null.",
}
_LINE_REMEDY = "Write one JSON object a line, in UTF-8."
Name = Annotated[str, Field(min_length=1)]


class _Span(BaseModel):
    model_config = ConfigDict(strict=True)

    page: Annotated[int, Field(ge=1)]
    start: Annotated[int, Field(ge=0)]
    end: int


class _Line(BaseModel):
    model_config = ConfigDict(strict=True)

    chunk_id: Name
    doc_id: Name
    collection: Name
    source: Name
    pages: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    body: Name
    text: Name
    spans: list[_Span] = []
    element_ids: list[str] = []
    breadcrumb: list[str] = []
    parent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one line."""

    line: int
    """From 1."""
    what: str
    """The field and what is wrong with it."""
    remedy: str
    """What to do."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check of a file gave."""

    chunks: int
    """Lines that hold anything."""
    problems: tuple[Problem, ...]
    """In the lines' order."""


def check_lines(lines: Iterable[bytes]) -> Checked:
    """Check the lines of a chunks.jsonl, each against the rules and the lines before it."""
    seen = _Seen()
    problems: list[Problem] = []
    number = 0
    for number, data in enumerate(lines, start=1):
        problems += [
            Problem(number, what, _REMEDIES.get(field, _LINE_REMEDY))
            for field, what in _check(data, seen, number)
        ]
    problems += seen.strays()
    return Checked(number, tuple(sorted(problems, key=lambda one: one.line)))


def _check(data: bytes, seen: _Seen, number: int) -> Iterator[tuple[str, str]]:
    """(field, what is wrong) of one line."""
    try:
        record = json.loads(data.decode("utf-8").rstrip("\r\n"))
    except UnicodeDecodeError as error:
        yield "", f"not UTF-8 from byte {error.start + 1} of the line"
        return
    except (ValueError, RecursionError) as error:  # the latter: nested by the thousand
        yield "", f"no JSON: {error}" if data.strip() else "an empty line"
        return
    if not isinstance(record, dict):
        yield "", "no JSON object"
        return
    try:
        line = _Line.model_validate(record)
    except ValidationError as error:
        yield from map(_said, error.errors())
        seen.note(record.get("chunk_id"), number)
        return
    yield from _rules(line)
    yield from seen.check(line, number)


def _said(error: Any) -> tuple[str, str]:
    place = ".".join(map(str, error["loc"]))
    message = "missing" if error["type"] == "missing" else error["msg"]
    return str(error["loc"][0]), f"{place}: {message[0].lower()}{message[1:]}"


def _rules(line: _Line) -> Iterator[tuple[str, str]]:
    """What the types do not say."""
    if any(one >= two for one, two in pairwise(line.pages)):
        yield "pages", f"pages: {line.pages} do not ascend"
    if not line.body.strip():
        yield "body", "body: blank"
    if not line.text.endswith(line.body):
        yield "text", "text: does not end with the body"
    for place, span in enumerate(line.spans):
        if span.page not in line.pages:
            yield "spans", f"spans.{place}: page {span.page} is not among the pages"
        if span.start >= span.end:
            yield "spans", f"spans.{place}: start {span.start} is not before end {span.end}"
    if line.parent_id == line.chunk_id:
        yield "parent_id", "parent_id: the chunk itself"


class _Seen:
    """What the lines so far have named."""

    def __init__(self) -> None:
        self._chunks: dict[str, int] = {}
        self._documents: dict[str, tuple[str, str]] = {}
        self._doc_ids: dict[tuple[str, str], str] = {}
        self._parents: list[tuple[int, str]] = []

    def note(self, chunk_id: object, number: int) -> None:
        """A broken line's name is taken too, and may be somebody's parent."""
        if isinstance(chunk_id, str):
            self._chunks.setdefault(chunk_id, number)

    def check(self, line: _Line, number: int) -> Iterator[tuple[str, str]]:
        """(field, what is wrong) against the lines before."""
        first = self._chunks.setdefault(line.chunk_id, number)
        if first != number:
            yield "chunk_id", f"chunk_id: {line.chunk_id!r} stands in line {first} already"
        place = (line.collection, line.source)
        if self._documents.setdefault(line.doc_id, place) != place:
            yield "doc_id", f"doc_id: {line.doc_id!r} was of {'/'.join(self._documents[line.doc_id])}"
        elif self._doc_ids.setdefault(place, line.doc_id) != line.doc_id:
            yield "doc_id", f"doc_id: {'/'.join(place)} had {self._doc_ids[place]!r} before"
        if line.parent_id is not None:
            self._parents.append((number, line.parent_id))

    def strays(self) -> list[Problem]:
        """Parents that no line has."""
        return [
            Problem(number, f"parent_id: no chunk {name!r} in the file", _REMEDIES["parent_id"])
            for number, name in self._parents
            if name not in self._chunks
        ]
