"""The published rule, by hand and on every published row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drac.evaluate import benchmark

PLACE = "bechmark/bechmark-agentic-references"
FILES = ("benchmark_agentic_chunks_aggregated.json", "benchmark_agentic_chunks_less_tokens_aggregated.json")


def test_only_so_many_results_gain_as_are_relevant() -> None:
    hits = [False, True, True, True]
    assert benchmark.recall(hits, 2, 4) == 1.0
    assert benchmark.precision(hits, 2, 4) == 0.75
    assert benchmark.ndcg([True, True, False, True], 2, 4) == 1.0
    assert 0 < benchmark.ndcg(hits, 2, 4) < 1


def test_without_relevant_results_all_is_zero() -> None:
    measures = (benchmark.recall, benchmark.precision, benchmark.ndcg)
    assert [one([False] * 6, 0, 6) for one in measures] == [0.0, 0.0, 0.0]
    assert benchmark.reciprocal_rank([False, False]) == 0.0


@pytest.mark.parametrize("name", FILES)
def test_published_values_follow_from_the_published_vectors(rag_multi_corpus: Path, name: str) -> None:
    rows = json.loads((rag_multi_corpus / PLACE / name).read_text(encoding="utf-8"))["results"]
    assert len(rows) in (786, 787)
    for row in rows:
        hits, total = row["relevance"], row["total_relevant"]
        for k, end in ((6, ""), (3, "_half")):
            for measure in ("recall", "precision", "ndcg"):
                got = getattr(benchmark, measure)(hits, total, k)
                assert got == pytest.approx(row[f"{measure}_at_k{end}"], abs=1e-9)
        assert benchmark.reciprocal_rank(hits) == pytest.approx(row["mrr"], abs=1e-9)
