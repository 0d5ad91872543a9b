"""Question files that name a document and its relevant pages in the question's own row."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fakes_retrieval import LetterEmbedder, ListIndexes

from drac.adapters.bm25 import Bm25
from drac.config import Settings
from drac.corpus import Corpus, load_corpus, load_judgments, load_queries
from drac.errors import UsageError
from drac.evaluate.chunk_sets import ReadSet, SetChunk
from drac.evaluate.placing import CorpusDocument
from drac.pipeline import evaluating
from drac.pipeline.chunk_sources import NamedSet
from drac.store.store import Store

PAGEBENCH = Path(__file__).parents[1] / "corpora" / "pagebench" / "corpus.toml"
CORPUS = """
name = "reports"
licence = "CC0-1.0"
[[collections]]
name = "All Reports"
folder = "."
[[queries]]
file = "queries.jsonl"
id = ""
text = "query"
document = "doc"
scope = "scope"
pages = "pages"
neutral = "also"
"""
ROWS: list[dict[str, Any]] = [
    {"query": "aa", "doc": "a.pdf", "pages": [2, 3], "scope": "document"},
    {"query": "bb", "doc": "b.pdf", "pages": 1, "scope": "corpus", "also": [4]},
]


def corpus(place: Path, rows: list[dict[str, Any]], toml: str = CORPUS) -> Corpus:
    (place / "corpus.toml").write_text(toml)
    (place / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return load_corpus(place / "corpus.toml", cwd=place)


def test_rows_name_their_document_and_its_pages(tmp_path: Path) -> None:
    read = corpus(tmp_path, ROWS)
    assert [(one.query_id, one.scope) for one in load_queries(read)] == [
        ("all-reports-001", ("All Reports", "a.pdf")),
        ("all-reports-002", ("All Reports", "")),
    ]
    assert [(one.query_id, one.source, one.page, one.grade) for one in load_judgments(read)] == [
        ("all-reports-001", "a.pdf", 2, 1),
        ("all-reports-001", "a.pdf", 3, 1),
        ("all-reports-002", "b.pdf", 1, 1),
        ("all-reports-002", "b.pdf", 4, -1),
    ]


def test_a_name_of_its_own_stands(tmp_path: Path) -> None:
    named = [{**one, "number": f"n{at}"} for at, one in enumerate(ROWS)]
    read = corpus(tmp_path, named, CORPUS.replace('id = ""', 'id = "number"'))
    assert [one.query_id for one in load_queries(read)] == ["n0", "n1"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"pages": [0]}, "pages are numbers from 1"),
        ({"pages": ["2"]}, "pages are numbers from 1"),
        ({"doc": None}, "its pages are of no document"),
    ],
)
def test_pages_that_are_none_are_named_with_their_line(
    tmp_path: Path, wrong: dict[str, Any], told: str
) -> None:
    read = corpus(tmp_path, [ROWS[1], {**ROWS[1], **wrong}])
    with pytest.raises(UsageError, match=rf"queries\.jsonl:2: {told}"):
        load_judgments(read)


@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_a_question_of_one_document_finds_its_pages_only(tmp_path: Path, retriever: str) -> None:
    """The other document's page would win; a neutral page does not push the relevant one down."""
    rows = [
        {"query": "aa", "doc": "a.pdf", "pages": [1], "scope": "document"},
        {"query": "aa", "doc": "a.pdf", "pages": [1], "scope": "corpus"},
        {"query": "aa", "doc": "a.pdf", "pages": [1], "scope": "corpus", "also": [2]},
    ]
    texts = {("a.pdf", 1): "aa b c", ("a.pdf", 2): "aa aa b", ("b.pdf", 1): "aa aa aa"}
    chunks = [SetChunk("", "All Reports", source, (page,), text) for (source, page), text in texts.items()]
    documents = [CorpusDocument("All Reports", name, ()) for name in ("a.pdf", "b.pdf")]
    read = corpus(tmp_path, rows)
    with Store(tmp_path / "ws") as store:
        placed = evaluating.place_set(NamedSet("own", ReadSet("text", tuple(chunks))), documents)
        tools = evaluating.Tools(
            LetterEmbedder, ListIndexes(), Bm25, lambda path: [], lambda text, size: [], max, str,
        )  # fmt: skip
        done = evaluating.evaluate(
            evaluating.questions(read), [placed], [retriever], Settings(), store, tools
        )
    ranks = [1 / (one.measures["page_mrr@10"] or 0) for one in done.rows["own"]]
    assert ranks == [2, 3, 2]
    ranked = [[name.split("#")[1] for name, _ in one] for one in done.page_rankings["own"].values()]
    assert [len(one) for one in ranked] == [2, 3, 3]


def test_pagebench() -> None:
    corpora = os.environ.get("DRAC_CORPORA")
    if not corpora or not (Path(corpora) / "pagebench").is_dir():
        pytest.skip("DRAC_CORPORA does not point at a folder with pagebench")
    read = load_corpus(PAGEBENCH, cwd=PAGEBENCH.parent, corpora=Path(corpora))
    queries, judgments = load_queries(read), load_judgments(read)
    assert len(queries) == 613
    assert Counter(bool(one.source) for one in queries) == {True: 536, False: 77}
    assert {one.query_id for one in judgments if one.grade > 0} == {one.query_id for one in queries}
    pdfs = {one.name for one in read.folder(read.file.collections[0]).iterdir()}
    assert {one.source for one in judgments} <= pdfs
    assert Counter(one.grade for one in judgments) == {1: 773, -1: 109}
