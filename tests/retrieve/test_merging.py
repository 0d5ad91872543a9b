"""Children found, parents returned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes_retrieval import LetterEmbedder, ListIndexes

from drac.adapters.bm25 import Bm25
from drac.config import EvaluateSettings, Settings
from drac.evaluate.chunk_sets import read_chunk_set
from drac.pipeline.evaluating import Asked, Judge, Pool, Tools
from drac.records import Hit, Query
from drac.retrieve.merging import AutoMerge
from drac.store.store import Store

PARENTS = {"s1": "p1", "s2": "p1", "s3": "p1", "s4": "p1", "s5": "p2", "s6": "p2", "p1": "x", "p2": "x"}


class Ranked:
    def __init__(self, *names: str) -> None:
        self.found = [Hit(name, 1 - place / 10) for place, name in enumerate(names)]

    def search(self, query: str, k: int) -> list[Hit]:
        return self.found[:k]


def names(share: float, *found: str) -> list[str]:
    return [hit.chunk_id for hit in AutoMerge(Ranked(*found), PARENTS, share).search("", 10)]


@pytest.mark.parametrize(
    ("share", "found", "wanted"),
    [
        (0.4, ["s1", "s5", "s2", "lone"], ["x", "lone"]),
        (0.5, ["s1", "s5", "s2", "lone"], ["s1", "s5", "s2", "lone"]),
        (0.4, ["lone", "s1", "s2"], ["lone", "x"]),
        (0.7, ["lone", "s2", "s1", "s3", "s5"], ["lone", "p1", "s5"]),
        (0.0, ["s6", "lone"], ["x", "lone"]),
        (0.9, ["s6", "s5", "s1"], ["p2", "s1"]),
        (1.0, ["s6", "s5"], ["s6", "s5"]),
    ],
)
def test_a_parent_stands_where_its_first_child_stood(
    share: float, found: list[str], wanted: list[str]
) -> None:
    assert names(share, *found) == wanted


def test_a_parent_has_the_score_of_its_best_child() -> None:
    found = AutoMerge(Ranked("lone", "s5", "s6"), PARENTS, 0.9).search("", 10)
    assert found == [Hit("lone", 1.0), Hit("p2", 0.9)]


def test_a_set_with_parents_is_judged_by_what_is_returned(tmp_path: Path) -> None:
    lines = [
        {"chunk_id": "p", "source": "a.pdf", "collection": "x", "pages": [1, 2], "text": "aa bb"},
        {"chunk_id": "s", "source": "a.pdf", "collection": "x", "pages": [1], "text": "aa", "parent_id": "p"},
        {"chunk_id": "t", "source": "a.pdf", "collection": "x", "pages": [2], "text": "bb", "parent_id": "p"},
        {
            "chunk_id": "u",
            "source": "a.pdf",
            "collection": "x",
            "pages": [3],
            "text": "cc",
            "parent_id": "gone",
        },
    ]
    file = tmp_path / "chunks.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    chunks = read_chunk_set([file]).chunks
    asked = Asked("toy", (Query("q", "aa", "x"),), {})
    tools = Tools(LetterEmbedder, ListIndexes(), Bm25, lambda path: [], lambda text, size: [], max, str)
    for share, wanted in ((0.4, ("p",)), (0.5, ("s",))):
        settings = Settings(evaluate=EvaluateSettings(merge_share=share))
        with Store(tmp_path / "ws") as store:
            judge = Judge(asked, settings, store, tools)
            judge.judge("toy", {("x", ""): Pool(chunks, "x")}, "bm25", "toy")
        assert judge.rows["toy"][0].hits == wanted
