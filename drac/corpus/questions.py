"""The queries of a corpus and the pages judged relevant to them."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from drac.corpus.description import Corpus, QueryFile
from drac.corpus.names import printable
from drac.errors import UsageError
from drac.mistakes import explain, nearest
from drac.records import NEUTRAL, Fact, Judgment, Query

Row = Mapping[str, Any]
_JUDGMENT = TypeAdapter(Judgment)
_QUERY = TypeAdapter(Query)


def load_queries(corpus: Corpus) -> list[Query]:
    """The corpus's queries, in file order.

    A row without a name of its own, as in CSV, has as its query_id the collection's name in lower case with
    hyphens and the row's number in its collection, from 1, as in `zx-bank-007`. Raises UsageError for a file
    that is not there or not well formed, and for a query_id that stands twice.
    """
    queries = [query for spec in corpus.file.queries for query in _queries(corpus, spec)]
    repeated = [name for name, count in Counter(one.query_id for one in queries).items() if count > 1]
    if repeated:
        raise _wrong(corpus.toml, f"query_id {repeated[0]!r} stands twice")
    known = {one.name for one in corpus.file.collections}
    stray = next((one for one in queries if one.collection and one.collection not in known), None)
    if stray:
        raise _wrong(corpus.toml, f"query {stray.query_id!r}: {_no_collection(stray.collection, known)}")
    return queries


def load_judgments(corpus: Corpus) -> list[Judgment]:
    """The corpus's judgments, in file order; none may be there.

    Raises UsageError for a file that is not there or not well formed, and for a judgment of a query or
    collection that the corpus does not have.
    """
    known = {query.query_id for query in load_queries(corpus)} if corpus.file.judgments else set()
    collections = {one.name for one in corpus.file.collections}
    judgments = [one for spec in corpus.file.queries if spec.pages for one in _judged_rows(corpus, spec)]
    for spec in corpus.file.judgments:
        path = corpus.part(spec.file)
        for line, row in _json_lines(path):
            judgments.append(_judgment(row, known, collections, f"{path}:{line}"))
    return judgments


def _queries(corpus: Corpus, spec: QueryFile) -> Iterator[Query]:
    path = corpus.part(spec.file)
    if spec.format == "jsonl":
        yield from (query for query, _, _ in _named_rows(corpus, spec))
    else:
        columns = {spec.text, spec.collection, spec.kind, spec.facts} - {""}
        yield from _chosen(spec, _csv_rows(path, columns), path)


def _named_rows(corpus: Corpus, spec: QueryFile) -> Iterator[tuple[Query, Row, str]]:
    """The queries of JSON lines, each with its row and where that stands."""
    path = corpus.part(spec.file)
    count: Counter[str] = Counter()
    only = corpus.file.collections[0].name if spec.document and len(corpus.file.collections) == 1 else ""
    for line, row in _json_lines(path):
        collection = row.get(spec.collection) or only
        count[str(collection)] += 1
        number = f"{_slug(str(collection) or corpus.file.name)}-{count[str(collection)]:03d}"
        where = f"{path}:{line}"
        yield _query(spec, row, row.get(spec.id) if spec.id else number, collection, where), row, where


def _judged_rows(corpus: Corpus, spec: QueryFile) -> Iterator[Judgment]:
    """The judgments that stand beside the queries of JSON lines."""
    for query, row, where in _named_rows(corpus, spec):
        document = row.get(spec.document)
        if not isinstance(document, str) or not document or not query.collection:
            raise _wrong(where, "its pages are of no document; say `document` and a collection")
        for field, grade in ((spec.pages, 1), (spec.neutral, NEUTRAL)):
            for page in _page_numbers(row.get(field), where):
                yield Judgment(query.query_id, query.collection, document, page, grade)


def _page_numbers(stated: Any, where: str) -> Sequence[int]:
    """One number or a list of them; none is none."""
    listed = [] if stated is None else stated if isinstance(stated, list) else [stated]
    if not all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in listed):
        raise _wrong(where, "pages are numbers from 1")
    return listed


def _query(spec: QueryFile, row: Row, name: Any, collection: Any, where: str) -> Query:
    alone = bool(spec.scope) and row.get(spec.scope) == "document"
    fields = {
        "query_id": name,
        "text": row.get(spec.text),
        "collection": collection,
        "kind": row.get(spec.kind) or "",
        "facts": _facts(row.get(spec.facts), where),
        "source": row.get(spec.document) if alone else "",
    }
    try:
        return _QUERY.validate_python({key: one for key, one in fields.items() if one is not None})
    except ValidationError as error:
        raise _wrong(where, explain(error)) from error


def _facts(stated: Any, where: str) -> tuple[Fact, ...]:
    """Objects of `filename` and `text`, or the JSON of them; none is no fact."""
    if not stated:
        return ()
    try:
        found = json.loads(stated) if isinstance(stated, str) else stated
        return tuple(Fact(str(one.get("filename", "")), str(one["text"])) for one in found)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _wrong(where, f"facts are no list of objects with a `text`: {error}") from error


def _chosen(spec: QueryFile, rows: Iterable[Row], path: Path) -> Iterator[Query]:
    """The rows that the rules `collections`, `first` and `unique` leave."""
    count: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(rows, start=1):
        collection, text = row[spec.collection], row[spec.text]
        count[collection] += 1
        if spec.collections and collection not in spec.collections:
            continue
        if spec.first and count[collection] > spec.first:
            continue
        if spec.unique and (collection, text) in seen:
            continue
        seen.add((collection, text))
        yield Query(
            f"{_slug(collection)}-{count[collection]:03d}", text, collection, row.get(spec.kind, ""),
            _facts(row.get(spec.facts), f"{path}: row {number}"),
        )  # fmt: skip


def _judgment(row: Row, known: set[str], collections: set[str], where: str) -> Judgment:
    try:
        judgment = _JUDGMENT.validate_python({**_only(collections), **row})
    except ValidationError as error:
        raise _wrong(where, explain(error)) from error
    if judgment.query_id not in known:
        raise _wrong(where, f"the corpus has no query {judgment.query_id!r}")
    if judgment.collection not in collections:
        raise _wrong(where, _no_collection(judgment.collection, collections))
    if judgment.page < 1 or judgment.grade < 0:
        raise _wrong(where, "pages count from 1 and grades from 0")
    return judgment


def _only(collections: set[str]) -> Row:
    """The collection of rows that name none: the corpus's, where it has one alone."""
    return {"collection": next(iter(collections))} if len(collections) == 1 else {}


def _no_collection(name: str, known: set[str]) -> str:
    there = ", ".join(repr(one) for one in sorted(known))
    return f"the corpus has no collection {name!r}{nearest(name, known)}; there is {there}"


def _csv_rows(path: Path, columns: set[str]) -> Iterator[Row]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            if missing := columns - set(rows.fieldnames or ()):
                raise _wrong(path, f"no column {sorted(missing)[0]!r}")
            yield from rows
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _wrong(path, str(error)) from error


def _json_lines(path: Path) -> Iterator[tuple[int, Row]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, str(error)) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _json_object(line, f"{path}:{number}")


def _json_object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:  # the latter: nested by the thousand
        raise _wrong(where, str(error)) from error
    if not isinstance(row, dict):
        raise _wrong(where, "not a JSON object")
    return row


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _wrong(where: Path | str, what: str) -> UsageError:
    return UsageError(f"{printable(str(where))}: {what}", remedy="Correct the file.")
