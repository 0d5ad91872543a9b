"""BM25: small corpora, scripts without spaces, order of ties."""

from __future__ import annotations

import math

import pytest

from drac.adapters.bm25 import K1, B, Bm25


def test_f50_a_corpus_of_two_documents_scores_above_zero() -> None:
    found = Bm25(["the cat sat", "a dog ran"]).search("dog", 5)
    assert [row for row, _ in found] == [1]
    assert found[0][1] > 0


@pytest.mark.parametrize("texts", [[], [""], ["", "---"], ["one"]])
def test_f50_empty_and_single(texts: list[str]) -> None:
    index = Bm25(texts)
    assert [row for row, _ in index.search("one", 3)] == [0] * ("one" in texts)
    assert index.search("", 3) == index.search("unknown", 3) == []


def test_scores_are_those_of_lucene() -> None:
    texts = ["cat cat dog", "cat", "bird fish"]
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = (3 + 1 + 2) / 3

    def score(count: int, length: int) -> float:
        return idf * count / (count + K1 * (1 - B + B * length / mean))

    expected = sorted([(score(2, 3), 0), (score(1, 1), 1)], reverse=True)
    found = Bm25(texts).search("cat", 3)
    assert [row for row, _ in found] == [row for _, row in expected]
    assert [value for _, value in found] == pytest.approx([value for value, _ in expected], rel=1e-5)


def test_ties_go_by_row_and_k_cuts() -> None:
    index = Bm25(["x y"] * 50)
    assert [row for row, _ in index.search("x", 3)] == [0, 1, 2]
    assert len(index.search("x", 500)) == 50
    assert index.search("x", 0) == []


def test_chinese_and_japanese_words_are_found_inside_runs() -> None:
    index = Bm25(["今天天气很好", "贷款的最高金额是五万", "猫が好き"])
    assert index.search("最高金额", 1)[0][0] == 1
    assert index.search("猫", 1)[0][0] == 2


def test_case_and_forms_do_not_matter() -> None:
    assert [row for row, _ in Bm25(["Straße", "other"]).search("STRASSE", 2)] == [0]


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    Bm25(["a b", "c"]).search("a", 1)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


@pytest.mark.parametrize(("name", "found"), [("nltk", [1]), ("lucene", [0, 1]), ("none", [0, 1, 2])])
def test_stop_words_of_a_question_are_passed_over(name: str, found: list[int]) -> None:
    index = Bm25(["what", "fares", "the"], name)
    assert sorted(row for row, _ in index.search("What are the fares?", 3)) == found
    assert [row for row, _ in index.search("the", 3)] == [2]
