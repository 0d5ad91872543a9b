"""Conversion and planning, collection by collection."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from drac.cli.show_collections import collections
from drac.pipeline import by_collection
from drac.store.catalog import Catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Two live documents in `a`, one in `b`, one that vanished."""
    made = Catalog(tmp_path / "catalog.sqlite3")
    with sqlite3.connect(tmp_path / "catalog.sqlite3") as rows:
        for doc_id, collection, live, pages in (
            ("1", "a", 1, 2),
            ("2", "a", 1, 1),
            ("3", "b", 1, 1),
            ("4", "a", 0, 9),
        ):
            rows.execute(
                "INSERT INTO sources (doc_id, collection, live, state, pages) VALUES (?, ?, ?, 'ok', ?)",
                (doc_id, collection, live, pages),
            )
        for doc_id, number, digest, state in (
            ("1", 1, "x", "ok"), ("1", 2, "y", "blank"), ("2", 1, "z", "fallback"), ("4", 1, "v", "ok"),
        ):  # fmt: skip
            rows.execute(
                "INSERT INTO pages (doc_id, number, digest, state) VALUES (?, ?, ?, ?)",
                (doc_id, number, digest, state),
            )
        for digest, attempt, tokens in (("x", 1, 100), ("z", 1, 10), ("z", 2, 20), ("v", 1, 5000)):
            rows.execute(
                "INSERT INTO usage (page_digest, attempt, input_tokens, output_tokens, usd, requests) "
                "VALUES (?, ?, ?, 7, 0.5, 1)",
                (digest, attempt, tokens),
            )
    rows.close()
    return made


def test_conversion_counts_live_documents_of_each_collection(catalog: Catalog) -> None:
    first, second = by_collection.conversion(catalog)
    assert first == {
        "collection": "a", "documents": 2, "pages": 3, "read": 3, "blank": 1, "fallback": 1, "failed": 0,
        "requests": 3, "input_tokens": 130, "output_tokens": 21, "usd": 1.5,
    }  # fmt: skip
    assert (second["collection"], second["pages"], second["read"], second["usd"]) == ("b", 1, 0, 0.0)


def test_planning_sums_what_the_reply_check_corrected(tmp_path: Path) -> None:
    documents = [
        {"collection": "a", "chunks": 3, "plan_counts": {"sections": 2, "unknown": 1, "duplicates": 0}},
        {"collection": "b", "chunks": 5, "plan_counts": {"sections": 1}},
        {"collection": "a", "chunks": 1, "plan_counts": {"sections": 1, "unknown": 2}},
    ]
    for name, text in (("good", json.dumps({"set": "good", "documents": documents})), ("torn", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "set.json").write_text(text, "utf-8")
    first, second = by_collection.planning(tmp_path)
    assert first == {
        "set": "good", "collection": "a", "documents": 2, "chunks": 4, "sections": 3,
        "corrected": {"unknown": 3},
    }  # fmt: skip
    assert second["corrected"] == {}


def test_simulated_dollars_are_called_so(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    counts = {"conversion": by_collection.conversion(catalog), "planning": []}
    collections(counts, " (SIMULATED)")
    out = capsys.readouterr().out
    assert "(SIMULATED)" in out and "1.5000" in out
