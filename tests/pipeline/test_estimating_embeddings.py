"""What embedding would cost, before anything is sent."""

from __future__ import annotations

import pytest

from drac.config import Settings
from drac.errors import UsageError
from drac.pipeline.estimating import Counted, Embed, embedding_of, estimate
from drac.profiles import find_profile
from drac.wiring.embedding import embedding_costs

TITAN = find_profile("amazon.titan-embed-text-v2:0")


def test_a_run_is_priced_by_its_pages() -> None:
    pages = [Counted("c/a.pdf", "pdf", 100)]
    alone, more = (estimate(pages, [], None, None, embed=Embed(TITAN, 1, one)) for one in (False, True))
    assert alone["requests"] == 350
    assert alone["usd"] == pytest.approx(100 * 350 * 0.02 / 1e6, abs=1e-4)
    assert alone["usd_range"][0] < alone["usd"] < alone["usd_range"][1]
    assert more["requests"] == 1050
    assert more["by_stage"][0]["input_tokens"] == 2 * alone["by_stage"][0]["input_tokens"]


def test_texts_are_counted_and_priced() -> None:
    told = embedding_of(["a" * 4000, "b" * 4000], 30, Embed(TITAN, 64, True))
    assert (told["texts"], told["chunks"], told["requests"], told["input_tokens"]) == (2, 30, 1, 2000)
    assert told["usd"] == pytest.approx(2000 * 0.02 / 1e6)
    assert embedding_of([], 30, Embed(TITAN, 64, True))["usd"] == 0


def test_an_unknown_price_is_told() -> None:
    told = embedding_of(["text"], 1, Embed(find_profile("bge-m3"), 64, False))
    assert told["usd"] is None
    assert "not known" in told["price"]


def test_local_embedding_costs_nothing_and_a_server_needs_a_model() -> None:
    assert embedding_costs(Settings()) is None
    with pytest.raises(UsageError):
        embedding_costs(Settings.model_validate({"search": {"embedder": "openai"}}))
    assert embedding_costs(Settings.model_validate({"search": {"embedder": "bedrock"}})) == Embed(
        TITAN, 1, True
    )
