"""Conversion and planning, collection by collection."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drac.store.catalog import Catalog

_PAGES = """
SELECT collection, count(*) AS read, sum(p.state = 'blank') AS blank, sum(p.state = 'fallback') AS fallback,
       sum(p.state = 'failed') AS failed
FROM pages p JOIN sources USING (doc_id) WHERE live GROUP BY collection
"""
_SPENT = """
SELECT collection, sum(u.requests) AS requests, sum(u.input_tokens) AS input_tokens,
       sum(u.output_tokens) AS output_tokens, sum(u.usd) AS usd
FROM usage u JOIN pages p ON p.digest = u.page_digest JOIN sources USING (doc_id)
WHERE live GROUP BY collection
"""
_DOCUMENTS = """
SELECT collection, count(*) AS documents, coalesce(sum(pages), 0) AS pages
FROM sources WHERE live AND state = 'ok' GROUP BY collection ORDER BY collection
"""
_NOTHING = {
    "read": 0, "blank": 0, "fallback": 0, "failed": 0, "requests": 0, "input_tokens": 0, "output_tokens": 0,
    "usd": 0.0,
}  # fmt: skip


def conversion(catalog: Catalog) -> list[dict[str, Any]]:
    """Of each collection: documents, their pages, those read by state, tokens and dollars of reading.

    A page that stands in two documents, as in two copies of a file, was paid for once and counts with both.
    """
    read = {one["collection"]: one for one in catalog.rows(_PAGES)}
    spent = {one["collection"]: one for one in catalog.rows(_SPENT)}
    found = catalog.rows(_DOCUMENTS)
    return [
        {**_NOTHING, **one, **read.get(one["collection"], {}), **spent.get(one["collection"], {})}
        for one in found
    ]


def planning(exports: Path) -> list[dict[str, Any]]:
    """Of each set and collection: documents, sections, chunks, and what the reply check corrected."""
    found = []
    for name, documents in _sets(exports):
        for collection in dict.fromkeys(one["collection"] for one in documents):
            some = [one for one in documents if one["collection"] == collection]
            counts: Counter[str] = Counter()
            for one in some:
                counts.update(one.get("plan_counts", {}))
            chunks = sum(one["chunks"] for one in some)
            found.append({
                "set": name, "collection": collection, "documents": len(some), "chunks": chunks,
                "sections": counts.pop("sections", 0), "corrected": dict(sorted((+counts).items())),
            })  # fmt: skip
    return found


def _sets(exports: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A set whose record is damaged is left out; `drac export` writes it again."""
    for path in sorted(exports.glob("*/set.json")):
        try:
            record = json.loads(path.read_bytes())
            yield record["set"], record["documents"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
