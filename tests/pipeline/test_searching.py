"""One question to one set, by each retriever."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes_pipeline import FakeRead, SilentProgress, tools
from fakes_retrieval import LetterEmbedder
from fakes_rows import LengthReranker, LetterEncoder, letter_method

from drac.adapters.bm25 import Bm25
from drac.config import SearchSettings, Settings
from drac.corpus import discover
from drac.errors import UsageError
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.encoding import index_rows
from drac.pipeline.exporting import export_set, set_folder
from drac.pipeline.indexing import index_set
from drac.pipeline.planning import Planning, live_sources
from drac.pipeline.searching import Found, search_set
from drac.stages.chunk import LocalPlanner
from drac.store.catalog import Catalog
from drac.store.store import Store
from drac.wiring import Indexes, load_index

pytest.importorskip("faiss")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three documents of a page each, planned, and indexed by letters."""
    place = tmp_path_factory.mktemp("search")
    for name, text in (("one", "aaaa a"), ("two", "bb bb"), ("three", "a word of ccc")):
        (place / "docs").mkdir(exist_ok=True)
        (place / "docs" / f"{name}.pdf").write_text(text)
    found = discover([str(place / "docs")], suffixes=frozenset({".pdf"}), cwd=place)
    settings = Settings()
    with Store(place / "ws") as store:
        catalog = Catalog(store.catalog_path)
        Conversion(store, catalog, settings, tools(FakeRead()), SilentProgress(), Options()).run(
            found.sources
        )
        planning = Planning(store, catalog, settings, LocalPlanner(settings.plan))
        export_set(store, "default", planning.all(live_sources(store)), settings)
        index_set(store, catalog, "default", LetterEmbedder(), Indexes(SearchSettings()), str)
        catalog.close()
    return place / "ws"


def search(
    workspace: Path, retriever: str, query: str = "word aaa", collection: str | None = None, **tools: Any
) -> Found:
    settings = SearchSettings.model_validate({"retriever": retriever, "top_k": 2})
    return search_set(
        Store(workspace), "default", query, settings, collection,
        embedder=LetterEmbedder, load_index=load_index, bm25=Bm25, **tools,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("retriever", "name", "first"),
    [("auto", "dense", "one.pdf"), ("dense", "dense", "one.pdf"), ("bm25", "bm25", "three.pdf")],
)
def test_each_retriever_ranks_in_its_own_way(workspace: Path, retriever: str, name: str, first: str) -> None:
    found = search(workspace, retriever)
    assert found.retriever == name
    assert found.results[0].chunk["source"] == first


@pytest.mark.parametrize(("retriever", "shown"), [("dense", "ccc"), ("bm25", "a word of ccc")])
def test_the_passage_shown_is_where_the_nearest_vector_is(
    workspace: Path, retriever: str, shown: str
) -> None:
    assert search(workspace, retriever, "ccc").results[0].passage == shown


def test_hybrid_joins_both(workspace: Path) -> None:
    found = search(workspace, "hybrid")
    assert found.retriever == "hybrid"
    assert {one.chunk["source"] for one in found.results} == {"one.pdf", "three.pdf"}
    assert found.results[0].score == pytest.approx(1 / 61 + 1 / 62)


def test_an_empty_question_is_refused(workspace: Path) -> None:
    with pytest.raises(UsageError):
        search(workspace, "hybrid", "  ")


@pytest.fixture(scope="module")
def with_rows(workspace: Path) -> Path:
    """The same workspace with an index of late interaction by letters."""
    with Store(workspace) as store:
        catalog = Catalog(store.catalog_path)
        encoder = LetterEncoder()
        done = index_rows(store, catalog, "default", letter_method(encoder), str)
        again = index_rows(store, catalog, "default", letter_method(encoder), str)
        catalog.close()
    assert (done.chunks, done.embedded, again.embedded, len(encoder.calls)) == (3, 3, 0, 1)
    assert done.windows == sum(len([one for one in text if one.isalpha()]) for text in encoder.calls[0])
    return workspace


def test_of_a_changed_set_only_the_changed_texts_are_encoded(workspace: Path, tmp_path: Path) -> None:
    shutil.copytree(workspace, tmp_path / "ws")
    store, encoder = Store(tmp_path / "ws"), LetterEncoder()
    catalog = Catalog(store.catalog_path)
    index_rows(store, catalog, "default", letter_method(), str)
    path = set_folder(store, "default") / "chunks.jsonl"
    lines = path.read_text("utf-8").splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), "text": "changed"})
    path.write_text("\n".join(lines) + "\n", "utf-8")
    done = index_rows(store, catalog, "default", letter_method(encoder), str)
    catalog.close()
    assert (done.embedded, encoder.calls) == (1, [["changed"]])


def late(name: str) -> Any:
    assert name == "late"
    return letter_method()


def test_late_interaction_says_its_model(with_rows: Path) -> None:
    found = search(with_rows, "late", "word ccc", rows=late)
    assert (found.retriever, found.model, found.reranker) == ("late", "letters", "")
    assert found.results[0].chunk["source"] == "three.pdf"
    assert found.results[0].score == 7.0
    assert len(found.results) == 2


def test_a_collection_is_searched_apart(with_rows: Path) -> None:
    assert len(search(with_rows, "late", "a", "docs", rows=late).results) == 2
    with pytest.raises(UsageError):
        search(with_rows, "late", "a", "elsewhere", rows=late)


def test_an_index_of_another_model_or_none_is_no_index(with_rows: Path) -> None:
    with pytest.raises(UsageError) as raised:
        search(with_rows, "late", rows=lambda name: letter_method(LetterEncoder("others")))
    assert "letters" in raised.value.message
    assert "--retriever late" in raised.value.remedy
    with pytest.raises(UsageError) as raised:
        search(with_rows, "sparse", rows=lambda name: replace(letter_method(), name="sparse"))
    assert "drac index --set default --retriever sparse" in raised.value.remedy


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid", "late"])
def test_a_reranker_reads_four_times_as_many(with_rows: Path, retriever: str) -> None:
    reranker = LengthReranker()
    found = search(with_rows, retriever, "a word bb", rows=late, reranker=reranker)
    assert found.reranker == "cross-encoder:length"
    assert len(reranker.asked[0]) == (3 if retriever != "bm25" else 2)
    lengths = [len(one.chunk["text"]) for one in found.results]
    assert [one.score for one in found.results] == [-float(one) for one in lengths]
    assert lengths == sorted(lengths)
