"""Chunk sets of any tool, read into one record.

What a file is shows its first record: D-RAC's own chunks.jsonl (see README.md beside this file), documents
with a list of chunks (as RAG-Multi-Corpus publishes them), BEIR's corpus.jsonl, dumps of LangChain's and
LlamaIndex's documents, or any JSON with a text field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drac.errors import UsageError

Row = Mapping[str, Any]
_TEXTS = ("text", "page_content", "content", "contents", "body", "chunk", "passage")
"""Names under which tools keep a chunk's text, the first that is there."""
_SOURCES = ("source", "file_path", "file_name", "filename", "document", "doc_id", "url", "title")
"""Names under which they keep the document's name."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = 9
"""Of a page's number at most; what is longer is none."""
_DOCUMENTS = ("file_name", "filename", "document", "source")
"""The same, for records that hold all chunks of a document."""


@dataclass(frozen=True, slots=True)
class SetChunk:
    """One chunk of a set, as far as its tool says where it comes from."""

    chunk_id: str
    """Unique in its set; empty where the tool gives none."""
    collection: str
    """Collection of its document; empty where the tool does not say."""
    source: str
    """Its document's path or name; empty where the tool does not say."""
    pages: tuple[int, ...]
    """1-based physical pages, ascending; empty where the tool does not say."""
    text: str
    """What is embedded and judged, headings included."""
    group: str = ""
    """The file that it was read from; documents of one file are taken to be of one collection."""
    parent_id: str = ""
    """chunk_id of the passage that may be returned for it; empty where there is none."""
    shares: tuple[float, ...] = ()
    """Share of its text on each of `pages`, 0.0 to 1.0; empty where the tool does not say."""


@dataclass(frozen=True, slots=True)
class ReadSet:
    """Chunks of one or several files."""

    format: str
    """`drac`, `documents`, `beir`, `langchain`, `llamaindex` or `text`."""
    chunks: tuple[SetChunk, ...]
    """In the files' order."""


def read_chunk_set(files: Sequence[Path], *, document: str = "", chunks: str = "") -> ReadSet:
    """The chunks of `files`; `document` and `chunks` name the fields of records that hold many chunks.

    Raises UsageError that names file and record for what is no chunk set, and where a chunk has no text.
    """
    found: list[SetChunk] = []
    names: list[str] = []
    for path in files:
        name, some = _file(path, document, chunks)
        names.append(name)
        found += some
    return ReadSet(_one(names, files), tuple(found))


def _file(path: Path, document: str, chunks: str) -> tuple[str, list[SetChunk]]:
    rows = list(_records(path))
    if not rows:
        raise _wrong(str(path), "holds no record")
    name, read = _reader(rows[0][1], rows[0][0], document, chunks)
    found = [_writable(one) for where, row in rows for one in read(row, where, path.name)]
    if any(0 in one.pages for one in found):  # these pages count from 0, or from nothing that we know
        found = [replace(one, pages=(), shares=()) for one in found]
    return name, found


def _writable(one: SetChunk) -> SetChunk:
    """JSON's escapes can hold halves of a character, which no file and no tokenizer takes."""
    if not _SURROGATE.search("".join((one.chunk_id, one.collection, one.source, one.parent_id, one.text))):
        return one
    return replace(
        one, chunk_id=_spelt(one.chunk_id), collection=_spelt(one.collection), source=_spelt(one.source),
        parent_id=_spelt(one.parent_id), text=_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", one.text),
    )  # fmt: skip


def _spelt(name: str) -> str:
    """Names that differ stay different."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _one(names: Sequence[str], files: Sequence[Path]) -> str:
    if len(set(names)) != 1:
        what = f"{files[0].name} and others are of different formats: {', '.join(sorted(set(names)))}"
        raise UsageError(what if names else "no file given", remedy="Give each set files of one format.")
    return names[0]


_Read = Callable[[Row, str, str], Iterator[SetChunk]]


def _reader(row: Row, where: str, document: str, chunks: str) -> tuple[str, _Read]:
    """What the first record is, and how such records are read."""
    listed = chunks or "chunks"
    if isinstance(row.get(listed), list):
        named = document or next((name for name in _DOCUMENTS if name in row), "")
        return "documents", lambda one, at, group: _documents(one, at, group, named, listed)
    if "page_content" in row or _constructed(row):
        return "langchain", _langchain
    if not {"id_", "text_resource", "__data__"}.isdisjoint(row):
        return "llamaindex", _llamaindex
    if "chunk_id" in row and "source" in row and "text" in row:
        return "drac", _drac
    if "_id" in row and "text" in row:
        return "beir", _beir
    if _name(row, _TEXTS):
        return "text", _plain
    raise _wrong(where, f"no format is known with the fields {', '.join(sorted(row)) or '(none)'}")


def _documents(row: Row, where: str, group: str, document: str, chunks: str) -> Iterator[SetChunk]:
    listed = row.get(chunks)
    if not isinstance(listed, list):
        raise _wrong(where, f"no list `{chunks}`")
    for number, one in enumerate(listed, start=1):
        inner: Row = {"text": one} if isinstance(one, str) else one
        text = _text(inner, f"{where}, chunk {number}")
        yield SetChunk("", "", _said(row, [document]), _pages(inner), text, group)


def _drac(row: Row, where: str, group: str) -> Iterator[SetChunk]:
    yield SetChunk(
        _said(row, ["chunk_id"]), _said(row, ["collection"]), _said(row, ["source"]),
        _pages(row), _text(row, where), group, _said(row, ["parent_id"]),
        page_shares(_pages(row), row.get("spans")),
    )  # fmt: skip


def page_shares(pages: Sequence[int], spans: object) -> tuple[float, ...]:
    """Share of a chunk's characters on each of its pages, by the `spans` of chunks.jsonl.

    Empty where they do not tell of all pages; what is wrong with them is for the specification's check.
    """
    lengths = dict.fromkeys(pages, 0)
    for span in spans if isinstance(spans, list) else ():
        match span:
            case {"page": int(page), "start": int(start), "end": int(end)} if page in lengths and end > start:
                lengths[page] += end - start
    total = sum(lengths.values())
    return tuple(one / total for one in lengths.values()) if total else ()


def _beir(row: Row, where: str, group: str) -> Iterator[SetChunk]:
    """BEIR searches title and text together."""
    title = str(row.get("title") or "").strip()
    text = _text(row, where)
    about = _mapping(row.get("metadata"))
    joined = f"{title}\n{text}" if title else text
    yield SetChunk(
        _said(row, ["_id"]), _said(about, ["collection"]), _said(about, _SOURCES) or title,
        _pages(about), joined, group,
    )  # fmt: skip


def _langchain(row: Row, where: str, group: str) -> Iterator[SetChunk]:
    """Pages of LangChain's loaders count from 0; `page_label` is what is printed."""
    inner = _mapping(row["kwargs"]) if _constructed(row) else row
    about = _mapping(inner.get("metadata"))
    pages = tuple(page + 1 for page in _pages({"page": about.get("page")}))
    yield _with(about, _said(inner, ["id"]), pages, _text(inner, where), group)


def _llamaindex(row: Row, where: str, group: str) -> Iterator[SetChunk]:
    """Its PDF reader gives the page's label, which is the page where the PDF has no labels of its own."""
    inner = _mapping(row.get("__data__")) or row
    about = _mapping(inner.get("metadata") or inner.get("extra_info"))
    held = _mapping(inner.get("text_resource"))
    label = _said(about, ("page_label", "page_number"))
    pages = (int(label),) if label.isdecimal() and len(label) <= _DIGITS else ()
    text = _text(held if held else inner, where)
    yield _with(about, _said(inner, ("id_", "node_id")), pages, text, group)


def _plain(row: Row, where: str, group: str) -> Iterator[SetChunk]:
    about = {**_mapping(row.get("metadata")), **row}
    yield _with(about, _said(about, ("chunk_id", "id", "_id")), _pages(about), _text(row, where), group)


def _with(about: Row, chunk_id: str, pages: tuple[int, ...], text: str, group: str) -> SetChunk:
    return SetChunk(chunk_id, _said(about, ["collection"]), _said(about, _SOURCES), pages, text, group)


def _constructed(row: Row) -> bool:
    """A document as LangChain's `dumps` writes it."""
    return row.get("lc") == 1 and "page_content" in _mapping(row.get("kwargs"))


def _mapping(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _name(row: Row, names: Sequence[str]) -> str | None:
    return next((name for name in names if isinstance(row.get(name), str | int)), None)


def _said(row: Row, names: Sequence[str]) -> str:
    """The first of these fields that holds a name: a text or a number; empty where none does."""
    return next((str(row[name]) for name in names if _is_name(row.get(name))), "")


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _text(row: Row, where: str) -> str:
    name = _name(row, _TEXTS) if isinstance(row, Mapping) else None
    if name is None or not isinstance(row[name], str):
        raise _wrong(where, "no text")
    return str(row[name])


def _pages(row: Row) -> tuple[int, ...]:
    """`pages`, or `page`, as whole numbers from 0; anything else is not known."""
    stated = row.get("pages", row.get("page"))
    listed = stated if isinstance(stated, list) else [stated]
    if not all(type(one) is int and 0 <= one < 10**_DIGITS for one in listed):
        return ()
    return tuple(sorted(set(listed)))


def _records(path: Path) -> Iterator[tuple[str, Row]]:
    """(where it stands, record) of a JSON array, a LlamaIndex store or JSON lines."""
    text = _decoded(path)
    whole = _whole(text)
    if isinstance(whole, Mapping) and "docstore/data" in whole:
        whole = list(_mapping(whole["docstore/data"]).values())
    if isinstance(whole, Mapping):
        whole = [whole]
    if isinstance(whole, list):
        yield from ((f"{path}, record {n}", _object(one, f"{path}, record {n}")) for n, one in _count(whole))
        return
    for number, line in _count(text.split("\n")):
        if line.strip():
            yield f"{path}:{number}", _object(_parsed(line, f"{path}:{number}"), f"{path}:{number}")


def _decoded(path: Path) -> str:
    """The file's text, lines ended by a line feed."""
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise _wrong(str(path), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}:{line}: not UTF-8 from byte {error.start + 1} of the file",
            remedy="Save it as UTF-8, and unpack it first where it is compressed.",
        ) from error


def _count(values: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    yield from enumerate(values, start=1)


def _whole(text: str) -> Any:
    """The file as one JSON value; None where it is lines."""
    if not re.match(r"\s*[\[{]", text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parsed(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:  # the latter: nested by the thousand
        raise _wrong(where, f"no JSON: {error}") from error


def _object(value: Any, where: str) -> Row:
    if not isinstance(value, dict):
        raise _wrong(where, "no JSON object")
    return value


def _wrong(where: str, what: str) -> UsageError:
    return UsageError(
        f"{where}: {what}", remedy="Give a chunk set in a format that drac/evaluate/README.md lists."
    )
