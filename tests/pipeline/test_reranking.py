"""Reranking by a model that is asked: pieces, batches, what is kept and what is paid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from drac.errors import BudgetReached
from drac.pipeline.asking import Asker, Prices
from drac.pipeline.budget import Budget
from drac.pipeline.limiter import Limiter
from drac.pipeline.reranking import AskedReranker, rerank_request, searches
from drac.ports import ChatReply, ChatRequest
from drac.profiles import find_profile
from drac.retrieve.rerank_reply import pack_scores, unpack_scores
from drac.store.journal import Journal, paid_replies
from tests.servers.rerank import score

LONG = "The branch opens at nine and the staff greets every guest with a cup of tea. "


class WordModel:
    """Implements ports.ChatModel: scores as the simulated server gives them, in memory."""

    engine, endpoint, simulated = "cohere", "https://api.example", False

    def __init__(self, billed: int = 0) -> None:
        self.asked: list[ChatRequest] = []
        self._billed = billed

    def ask(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        query, *texts = map(str, request.parts)
        scores = [(place, score(query, text)) for place, text in enumerate(texts)]
        return ChatReply(pack_scores(scores, len(texts)), "end", True, 0, self._billed, 0.1)


def asker(model: WordModel, place: Path, limit: float | None = None) -> Asker:
    cost = find_profile("rerank-v3.5").search_cost
    journal = Journal(place, model)
    return Asker(model, journal, Limiter(1), Budget(limit), Prices(0, cost), sleep=lambda seconds: None)


def reranker(model: WordModel, place: Path, window: int = 4096, limit: float | None = None) -> AskedReranker:
    return AskedReranker("cohere:rerank-v3.5", "rerank-v3.5", window, asker(model, place, limit).ask)


def numbered(number: int) -> list[str]:
    """Texts that all have the word."""
    return [f"tea {place}" for place in range(number)]


def texts_of(requests: Sequence[ChatRequest]) -> list[int]:
    return [len(one.parts) - 1 for one in requests]


def test_scores_in_order_and_a_reply_on_disk_is_not_asked_for_again(tmp_path: Path) -> None:
    texts = ["tea", "a cup of tea", ""]
    model = WordModel()
    found = reranker(model, tmp_path).scores("cup of tea", texts)
    assert found == [pytest.approx(1 / 3, abs=1e-6), 1.0, 0.0]
    again = WordModel()
    assert reranker(again, tmp_path).scores("cup of tea", texts) == found
    assert (texts_of(model.asked), again.asked) == ([3], [])
    (kept,) = paid_replies(tmp_path)
    assert (kept["request"]["purpose"], kept["usd"]) == ("rerank", 0.002)


def test_a_hundred_texts_are_a_request(tmp_path: Path) -> None:
    model = WordModel()
    assert reranker(model, tmp_path).scores("tea", numbered(230)) == [1.0] * 230
    assert texts_of(model.asked) == [100, 100, 30]


def test_long_texts_are_billed_as_several() -> None:
    assert searches("tea", ["tea"] * 100) == 1
    assert searches("tea", ["tea"] * 101) == 2
    assert searches("tea", [LONG * 60] * 50) > 1


def test_f47_a_long_text_is_read_to_its_end(tmp_path: Path) -> None:
    model = WordModel()
    text = LONG * 40 + "The vault code is kept by Mrs. Kulkarni."
    found = reranker(model, tmp_path, window=512).scores("vault Kulkarni", [text, LONG])
    assert found == [1.0, 0.0]
    read = "".join(str(part) for one in model.asked for part in one.parts[1:])
    assert read == text + LONG


def test_a_long_question_is_read_to_its_end(tmp_path: Path) -> None:
    model = WordModel()
    question = LONG * 40 + "zebra"
    assert reranker(model, tmp_path, window=512).scores(question, ["zebra"])[0] > 0
    assert len(model.asked) > 1


def test_what_the_server_bills_is_counted_and_else_the_estimate(tmp_path: Path) -> None:
    for number, (billed, counted) in enumerate([(3, 3), (0, 1)]):
        one = asker(WordModel(billed), tmp_path / str(number))
        AskedReranker("", "rerank-v3.5", 4096, one.ask).scores("tea", ["tea", "cup"])
        assert (one.spending.output_tokens, one.spending.usd) == (counted, pytest.approx(counted * 0.002))


def test_the_limit_of_dollars_is_kept(tmp_path: Path) -> None:
    model = WordModel()
    with pytest.raises(BudgetReached):
        reranker(model, tmp_path, limit=0.005).scores("tea", numbered(300))
    assert texts_of(model.asked) == [100, 100]


def test_no_texts_ask_nothing(tmp_path: Path) -> None:
    model = WordModel()
    assert reranker(model, tmp_path).scores("tea", []) == []
    assert model.asked == []


@pytest.mark.parametrize(
    "found", [[(0, 1.0)], [(0, 1.0), (2, 0.5)], [(0, 1.0), (1, float("nan"))], [(0, 1.0), (0, 0.5)]]
)
def test_a_reply_that_is_not_whole_is_none(found: list[tuple[int, float]]) -> None:
    with pytest.raises(ValueError, match="2 texts"):
        pack_scores(found, 2)
    with pytest.raises(ValueError, match="2 texts"):
        unpack_scores("[1.0]", 2)


def test_the_request_says_what_it_may_be_billed_as() -> None:
    request = rerank_request("rerank-v3.5", "tea", ["cup", "tea"])
    assert (request.purpose, request.parts, request.max_output_tokens) == ("rerank", ("tea", "cup", "tea"), 1)
