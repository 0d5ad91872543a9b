"""Facts to pages: by hand, and the judgments of RAG-Multi-Corpus made anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from drac.evaluate.placing import CorpusDocument
from drac.evaluate.qrels import Judge, fact_pages
from drac.records import Fact, Judgment, Query

FACT = frozenset("abcde")


def test_the_page_with_the_largest_share() -> None:
    assert fact_pages(FACT, [frozenset("abc"), frozenset("abcd"), frozenset("x")]) == (0.8, (2,))


def test_pages_that_hold_equally_much_all_count() -> None:
    assert fact_pages(FACT, [frozenset("abc"), frozenset(), frozenset("cde")]) == (0.6, (1, 3))


def test_two_pages_in_a_row_where_one_holds_too_little() -> None:
    assert fact_pages(FACT, [frozenset("x"), frozenset("ab"), frozenset("cd")]) == (0.8, (2, 3))
    assert fact_pages(FACT, [frozenset("ab"), frozenset("x"), frozenset("cd")]) == (0.0, ())


def test_nothing_fits_nothing() -> None:
    assert fact_pages(frozenset(), [FACT]) == fact_pages(FACT, []) == (0.0, ())


def test_facts_without_a_page_are_listed_not_dropped() -> None:
    judge = Judge([CorpusDocument("x", "in/a.pdf", ("red fox", "blue whale"))])
    facts = (Fact("a.md", "blue whale"), Fact("a.md", "green parrot"), Fact("b.md", "red fox"))
    found, missing = judge.judgments(Query("q", "?", "x", "", facts))
    assert found == [Judgment("q", "x", "in/a.pdf", 2)]
    assert missing == [1, 2]


def test_the_judgments_made_anew_are_those_checked_in(
    rag_multi_corpus: Path, repository: Path, tmp_path: Path
) -> None:
    where = {**os.environ, "DRAC_CORPORA": str(rag_multi_corpus.parent)}
    command = [sys.executable, str(repository / "scripts/make_qrels"), "--out", str(tmp_path)]
    counts = json.loads(subprocess.run(command, env=where, capture_output=True, check=True).stdout)
    assert (counts["facts"], counts["facts_without_page"]) == (963, 71)
    for name in ("judgments.jsonl", "facts_without_page.jsonl"):
        kept = (repository / "corpora/rag-multi-corpus" / name).read_bytes()
        assert (tmp_path / name).read_bytes() == kept
