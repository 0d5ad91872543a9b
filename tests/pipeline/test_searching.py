"""One question to one set, by each retriever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes_pipeline import FakeRead, SilentProgress, tools
from fakes_retrieval import LetterEmbedder

from drac.adapters.bm25 import Bm25
from drac.config import SearchSettings, Settings
from drac.corpus import discover
from drac.errors import UsageError
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.exporting import export_set
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


def search(workspace: Path, retriever: str, query: str = "word aaa", **more: Any) -> Found:
    settings = SearchSettings.model_validate({"retriever": retriever, "top_k": 2, **more})
    return search_set(
        Store(workspace), "default", query, settings, None,
        embedder=LetterEmbedder, load_index=load_index, bm25=Bm25,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("retriever", "name", "first"),
    [("auto", "dense", "one.pdf"), ("dense", "dense", "one.pdf"), ("bm25", "bm25", "three.pdf")],
)
def test_each_retriever_ranks_in_its_own_way(workspace: Path, retriever: str, name: str, first: str) -> None:
    found = search(workspace, retriever)
    assert found.retriever == name
    assert found.results[0].chunk["source"] == first


def test_hybrid_joins_both(workspace: Path) -> None:
    found = search(workspace, "hybrid")
    assert found.retriever == "hybrid"
    assert {one.chunk["source"] for one in found.results} == {"one.pdf", "three.pdf"}
    assert found.results[0].score == pytest.approx(1 / 61 + 1 / 62)


def test_an_empty_question_is_refused(workspace: Path) -> None:
    with pytest.raises(UsageError):
        search(workspace, "hybrid", "  ")
