"""Collections of ViDoRe v3, or of the same layout, from the Hugging Face hub to a corpus on disk.

A dataset has the configurations `corpus` (an image a page: `corpus_id`, `image`, `doc_id`,
`page_number_in_doc`), `queries` (`query_id`, `query`, `language`) and `qrels` (`query_id`, `corpus_id`,
`score`). Its pages become a PDF a document, image by image and without loss, in order of their numbers, so
that a page's judgment is that of a physical page. The text that comes with its pages is not used.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from drac.adapters.images import ImageConverter
from drac.adapters.pymupdf_layout import hushed, mupdf
from drac.errors import CorruptDocument, EngineUnavailable, MissingExtra, UsageError

_KINDS = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "TIFF": ".tif"}
_OFFLINE = "Look after the network, HF_HUB_OFFLINE and the name, or give a folder that holds the dataset."


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was written."""

    documents: int
    pages: int
    queries: int
    judgments: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for."""

    dataset: str
    """Name on the hub, such as `vidore/vidore_v3_finance_en`, or a folder in the hub's layout."""
    revision: str | None = None
    """Commit of the dataset; None: the newest."""
    languages: tuple[str, ...] = ()
    """Of the queries, as their `language` says; empty: all."""
    split: str = "test"
    """Part of the dataset."""
    cache: str | None = None
    """Where `datasets` keeps its files; None: its usual place."""


def fetch(wanted: Wanted, folder: Path, note: Callable[[str], None]) -> Fetched:
    """Write corpus.toml, `documents`, queries.jsonl and judgments.jsonl into `folder`, corpus.toml last.

    Raises MissingExtra without `datasets`, UsageError for a dataset of another layout, EngineUnavailable
    where the hub cannot be reached, CorruptDocument for an image that is none.
    """
    if find_spec("datasets") is None:
        raise MissingExtra("loading a ViDoRe collection", "vidore")
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    places = _documents(_load(wanted, "corpus"), folder / "documents", note)
    queries = _queries(_load(wanted, "queries"), wanted.languages)
    judgments = _judgments(_load(wanted, "qrels"), places, {one["query_id"] for one in queries})
    _lines(folder / "queries.jsonl", queries)
    _lines(folder / "judgments.jsonl", judgments)
    (folder / "corpus.toml").write_text(_toml(wanted, folder.name), encoding="utf-8")
    documents = {source for source, _ in places.values()}
    return Fetched(len(documents), len(places), len(queries), len(judgments))


def _load(wanted: Wanted, part: str) -> Any:
    """One configuration of the dataset, images as the bytes that they are stored in."""
    import datasets

    try:
        found = datasets.load_dataset(
            wanted.dataset, part, split=wanted.split, revision=wanted.revision, cache_dir=wanted.cache
        )
    except (OSError, ConnectionError) as error:
        raise EngineUnavailable(f"{wanted.dataset}: {error}", remedy=_OFFLINE) from error
    except ValueError as error:
        raise UsageError(
            f"{wanted.dataset}: {error}", remedy="Give a dataset of ViDoRe v3's layout."
        ) from error
    return found.cast_column("image", datasets.Image(decode=False)) if part == "corpus" else found


def _column(found: Any, *names: str) -> str:
    """The first of these names that the table has."""
    for name in names:
        if name in found.column_names:
            return name
    there = ", ".join(found.column_names)
    raise UsageError(
        f"the dataset has no column {names[0]!r} among {there}", remedy="Give one of ViDoRe v3's layout."
    )


def _documents(found: Any, folder: Path, note: Callable[[str], None]) -> dict[str, tuple[str, int]]:
    """Write each document; (its path, 1-based page) by corpus_id."""
    key, document = _column(found, "corpus_id", "corpus-id"), _column(found, "doc_id", "doc-id")
    number = _column(found, "page_number_in_doc", "page_number")
    rows: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, (name, page) in enumerate(zip(found[document], found[number], strict=True)):
        rows[str(name)].append((int(page), at))
    sources = _file_names(sorted(rows))
    places: dict[str, tuple[str, int]] = {}
    for name, pages in sorted(rows.items()):
        note(f"{sources[name]}: {len(pages)} pages")
        order = [at for _, at in sorted(pages)]
        taken = (found[at] for at in order)
        keys = [str(found[at][key]) for at in order]
        _write_pdf((one["image"]["bytes"] for one in taken), folder / sources[name])
        places |= {one: (sources[name], page) for page, one in enumerate(keys, start=1)}
    return places


def _file_names(names: Sequence[str]) -> dict[str, str]:
    """A PDF's name for each document; two that would be the same get a number."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^\w.-]+", "_", name.removesuffix(".pdf")).strip("._") or "document"
        taken, count = f"{plain}.pdf", 1
        while taken.lower() in {one.lower() for one in found.values()}:
            count += 1
            taken = f"{plain}-{count}.pdf"
        found[name] = taken
    return found


def _write_pdf(images: Any, target: Path) -> None:
    """The images as pages, by the way that a document that is an image takes."""
    with hushed(), tempfile.TemporaryDirectory() as place, mupdf().open() as made:
        for number, data in enumerate(images, start=1):
            one = Path(place) / f"page-{number}.pdf"
            _one_page(data, one, f"{target.name}, page {number}")
            with mupdf().open(one) as page:
                made.insert_pdf(page, to_page=0)
        made.save(target, no_new_id=True, garbage=3)


def _one_page(data: bytes, target: Path, where: str) -> None:
    from PIL import Image, UnidentifiedImageError

    image = target.with_suffix(".image")
    image.write_bytes(data)
    try:
        with Image.open(image) as opened:
            suffix = _KINDS.get(str(opened.format), ".png")
        ImageConverter().convert(image, target, suffix=suffix)
    except (UnidentifiedImageError, CorruptDocument) as error:
        raise CorruptDocument(f"{where}: no image: {error}", remedy="Fetch the dataset again.") from error


def _queries(found: Any, languages: Sequence[str]) -> list[dict[str, str]]:
    key, text = _column(found, "query_id", "query-id"), _column(found, "query")
    spoken = "language" if "language" in found.column_names else ""
    return [
        {"query_id": str(row[key]), "text": str(row[text]), "kind": str(row[spoken]) if spoken else ""}
        for row in found
        if not languages or not spoken or row[spoken] in languages
    ]


def _judgments(found: Any, places: Mapping[str, tuple[str, int]], known: set[str]) -> list[dict[str, Any]]:
    """Of the queries that are there, ordered by query and page; a score is the grade."""
    query, page = _column(found, "query_id", "query-id"), _column(found, "corpus_id", "corpus-id")
    rows = []
    for row in found:
        if str(row[query]) not in known:
            continue
        if str(row[page]) not in places:
            raise UsageError(f"qrels name a page {row[page]!r} that is not there", remedy="Fetch it again.")
        source, number = places[str(row[page])]
        judged = {"query_id": str(row[query]), "source": source, "page": number, "grade": int(row["score"])}
        rows.append({**judged, "collection": COLLECTION})
    return rows


COLLECTION = "pages"
"""Name of the one collection; queries are asked of all of it."""


def _toml(wanted: Wanted, name: str) -> str:
    where = wanted.dataset + (f" at {wanted.revision}" if wanted.revision else "")
    return f"""name = {json.dumps(name)}
description = {json.dumps(f"{where}, split {wanted.split}: its page images as PDFs")}
licence = "see the dataset's card"

[[collections]]
name = "{COLLECTION}"
folder = "documents"

[[queries]]
file = "queries.jsonl"
kind = "kind"

[[judgments]]
file = "judgments.jsonl"
"""


def _lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), encoding="utf-8")
