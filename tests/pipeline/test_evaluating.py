"""Sets judged end to end on a corpus of two pages, with a toy embedder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_retrieval import LetterEmbedder, ListIndexes
from fakes_rows import LengthReranker, LetterEncoder, letter_method

from drac.adapters.bm25 import Bm25
from drac.adapters.parquet import write_rows
from drac.config import Settings
from drac.corpus import doc_id, load_corpus
from drac.errors import UsageError
from drac.evaluate.placing import CorpusDocument
from drac.pipeline import evaluating, judged_files
from drac.pipeline.chunk_sources import find_set
from drac.pipeline.planning import page_digests
from drac.records import Page, PageState, PageText
from drac.store.store import Store

CORPUS = """
name = "toy"
licence = "CC0-1.0"
[[collections]]
name = "x"
folder = "x"
[[queries]]
file = "queries.jsonl"
kind = "kind"
facts = "facts"
[[judgments]]
file = "judgments.jsonl"
"""
QUERIES = [
    {"query_id": "q1", "text": "aa", "collection": "x", "kind": "Boolean",
     "facts": [{"filename": "a.pdf", "text": "aa"}]},
    {"query_id": "q2", "text": "bb", "collection": "x", "kind": "Open"},
    {"query_id": "q3", "text": "dd", "collection": "x"},
]  # fmt: skip
JUDGMENTS = [
    {"query_id": "q1", "collection": "x", "source": "a.pdf", "page": 1},
    {"query_id": "q2", "collection": "x", "source": "a.pdf", "page": 2},
]
PAGES = [CorpusDocument("x", "a.pdf", ("aa a a <b> end", "bb b b"))]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "x").mkdir()
    (tmp_path / "corpus.toml").write_text(CORPUS)
    for name, records in (("queries", QUERIES), ("judgments", JUDGMENTS)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    (tmp_path / "small.jsonl").write_text(
        '{"text": "aa a a <b>"}\n{"text": "a <b> end"}\n{"text": "bb b b"}\n'
    )
    return tmp_path


def tools() -> evaluating.Tools:
    return evaluating.Tools(
        LetterEmbedder, ListIndexes(), Bm25, lambda path: [], lambda text, size: [], max, str,
        lambda name, model: replace(letter_method(LetterEncoder(model or "letters")), name=name),
        lambda name, model: LengthReranker(),
    )  # fmt: skip


def judge(place: Path, *names: str, retrievers: tuple[str, ...] = ("dense",)) -> evaluating.Evaluation:
    corpus = load_corpus(place / "corpus.toml", cwd=place)
    with Store(place / "ws") as store:
        named = [find_set(one, corpus, PAGES, store, tools().recursive) for one in names]
        placed = [evaluating.place_set(one, PAGES) for one in named]
        asked = evaluating.questions(corpus)
        return evaluating.evaluate(asked, placed, retrievers, Settings(), store, tools())


@pytest.mark.parametrize("retriever", evaluating.RETRIEVERS)
def test_every_query_has_a_row_and_pages_are_found(place: Path, retriever: str) -> None:
    done = judge(place, f"small={place / 'small.jsonl'}", "page", retrievers=(retriever,))
    assert list(done.rows) == ["small", "page"]
    for rows in done.rows.values():
        assert [row.query_id for row in rows] == ["q1", "q2", "q3"]
        assert rows[0].measures["recall@6"] == rows[0].measures["mrr@6"] == 1.0
        assert [row.measures.get("page_recall@10") for row in rows] == [1.0, 1.0, None]
        assert "recall@6" not in rows[1].measures
    record = done.record
    assert (record["queries"], record["queries_with_facts"], record["queries_with_pages"]) == (3, 1, 2)
    assert record["sets"][0]["aligned"] == 3
    assert record["comparisons"][0]["measures"]["recall@6"]["ties"] == 1


def test_several_retrievers_are_systems_of_their_own(place: Path) -> None:
    done = judge(place, "page", retrievers=("dense", "bm25"))
    assert list(done.rows) == ["page / dense", "page / bm25"]


def test_a_reranker_behind_a_retriever_is_a_system_of_its_own(place: Path) -> None:
    done = judge(place, "page", retrievers=("late", "late:other + cross-encoder:length"))
    assert list(done.rows) == ["page / late", "page / late:other + cross-encoder:length"]
    scores = [score for _, score in done.rankings["page / late:other + cross-encoder:length"]["q1"]]
    assert scores == sorted(scores, reverse=True)
    assert set(scores) == {-float(len(page)) for page in PAGES[0].pages}
    assert done.record["models"] == {
        "late": "letters", "late:other": "other", "cross-encoder:length": "cross-encoder:length"
    }  # fmt: skip
    assert done.record["candidates"] == 40


def test_what_is_no_retriever_is_named(place: Path) -> None:
    with pytest.raises(UsageError, match="nonsense"):
        judge(place, "page", retrievers=("nonsense",))


def test_same_input_same_bytes_and_nothing_of_a_document_is_markup(place: Path) -> None:
    for name in ("one", "two"):
        done = judge(place, f"<i>={place / 'small.jsonl'}", "page", retrievers=("bm25",))
        judged_files.write(done, place / name)
    for file in ("per_query.jsonl", "summary.json", "report.html"):
        assert (place / "one" / file).read_bytes() == (place / "two" / file).read_bytes()
    page = (place / "one/report.html").read_text(encoding="utf-8")
    assert "<b>" not in page.replace("<b>1", "").replace("<b>2", "").replace("<b>3", "")
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    assert "http" not in page.replace("http-equiv", "")


def test_what_is_no_set_is_named_with_what_there_is(place: Path) -> None:
    with pytest.raises(UsageError) as raised:
        judge(place, "nothing")
    assert "nothing" in raised.value.message
    assert "fixed-size, page, recursive" in raised.value.remedy


def test_two_sets_of_one_name_are_refused(place: Path) -> None:
    with pytest.raises(UsageError):
        judge(place, "page", "page")


def test_pages_without_a_text_layer_have_what_the_workspace_read(tmp_path: Path) -> None:
    said: list[str] = []
    documents = [
        CorpusDocument("c", "a.docx", ()),
        CorpusDocument("c", "b.pdf", ("its own",)),
        CorpusDocument("c", "half a scan.pdf", ("its own", " ")),
        CorpusDocument("c", "new.docx", ()),
    ]
    record = {
        "doc_id": "", "normalize": "", "root": "", "sha256": "",
        "live": True, "state": "ok", "type": "docx", "pages": 2, "selected": None, "pdf_digest": "f" * 64,
        "convert": {"settings": {"engine": "local"}},
    }  # fmt: skip
    with Store(tmp_path) as store:
        for source in ("a.docx", "b.pdf", "half a scan.pdf"):
            store.put_source(doc_id("c", source), {**record, "collection": "c", "path": source})
        digest = page_digests(record)[2]
        store.put_page(digest, PageText(Page("f" * 64, 2), PageState.OK, "read here", "local"))
        read = evaluating.with_read_pages(documents, store, said.append)
    assert [one.pages for one in read] == [("", "read here"), ("its own",), ("its own", "read here"), ()]
    assert ["1 of 4 documents" in one for one in said] == [True]


def test_exports_give_other_tools_our_values(place: Path) -> None:
    ir = pytest.importorskip("ir_measures")
    done = judge(place, f"a set={place / 'small.jsonl'}", "page", retrievers=("bm25",))
    judged_files.export(done, place / "out", ("trec", "beir"), None)
    trec = place / "out/trec"
    qrels, run = list(ir.read_trec_qrels(str(trec / "a_set.qrels"))), str(trec / "a_set.run")
    assert [one.doc_id for one in qrels] == ["x/a.pdf#1"]
    wanted = {"ndcg@6": ir.nDCG @ 6, "precision@6": ir.P @ 6, "mrr@6": ir.RR @ 6}
    found = ir.calc_aggregate(wanted.values(), qrels, list(ir.read_trec_run(run)))
    overall = done.record["systems"]["a set"]["overall"]
    assert {name: found[one] for name, one in wanted.items()} == pytest.approx(
        {name: overall[name] for name in wanted}
    )
    pages = list(ir.read_trec_qrels(str(trec / "pages.qrels")))
    ranked = list(ir.read_trec_run(str(trec / "page.pages.run")))
    assert ir.calc_aggregate([ir.R @ 10], pages, ranked)[ir.R @ 10] == 1.0
    assert [one.name for one in sorted((place / "out/beir").iterdir())] == ["a_set", "page"]
    lines = (place / "out/beir/a_set/corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["_id"] == "x/a.pdf#1"
    again = judge(place, str(place / "out/beir/a_set/corpus.jsonl"), retrievers=("bm25",))
    assert next(iter(again.rows.values()))[0].measures == done.rows["a set"][0].measures


def test_parquet_rows(place: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done = judge(place, "page", retrievers=("bm25",))
    judged_files.export(done, place, ("parquet",), write_rows)
    table = parquet.read_table(place / "per_query.parquet").to_pydict()
    assert table["query_id"] == ["q1", "q2", "q3"]
    assert table["page_recall@10"] == [1.0, 1.0, None]
    assert table["hits"][0] == ["x/a.pdf#1"]
