"""The reference sets of RAG-Multi-Corpus through `drac evaluate`: what needs no embedding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_reference_sets_by_bm25(rag_multi_corpus: Path, tmp_path: Path) -> None:
    sets = ["fixed-size", "agentic", "w-rac"]
    command = [
        sys.executable,
        "-m",
        "drac",
        "evaluate",
        *sets,
        "--corpus",
        "rag-multi-corpus",
        "--retriever",
        "bm25",
    ]
    where = {**os.environ, "DRAC_CORPORA": str(rag_multi_corpus.parent)}
    done = subprocess.run(
        [*command, "--workspace", str(tmp_path / "ws"), "--json"], env=where, capture_output=True, check=True
    )
    record = json.loads(done.stdout)
    assert (record["queries"], record["queries_with_pages"]) == (762, 722)
    assert [one["chunks"] for one in record["sets"]] == [1142, 1814, 2115]
    assert all(one["aligned"] + one["with_pages"] >= 0.98 * one["chunks"] for one in record["sets"])
    overall = {name: record["systems"][name]["overall"] for name in sets}
    assert overall["fixed-size"]["ceiling"] == pytest.approx(0.864, abs=0.001)
    assert overall["agentic"]["ceiling"] == pytest.approx(0.841, abs=0.001)
    assert overall["fixed-size"]["recall@6"] >= 0.762
    for name in sets:
        rows = record["systems"][name]["by_collection"]
        assert sum(row["queries"] for row in rows.values()) == 762
    assert {one["other"] for one in record["comparisons"]} == {"agentic", "w-rac"}
