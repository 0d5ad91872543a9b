"""The command line with rerankers that are asked: evaluate and search; what they cost is told and kept."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drac.cli.entry import run
from tests.servers.model_server import ModelServer

needs_cohere = pytest.mark.skipif(
    importlib.util.find_spec("cohere") is None, reason="needs the extra 'cohere'"
)
ENGINES = [pytest.param("cohere", marks=needs_cohere), "bedrock"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as running:
        monkeypatch.setenv("CO_API_URL", running.url)
        yield running


@pytest.fixture
def corpus(repository: Path, tmp_path: Path) -> list[str]:
    place = str(repository / "corpora/sample")
    return ["page", "--corpus", place, "--workspace", str(tmp_path / "ws"), "--retriever", "bm25"]


def drac(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    """What a command prints."""
    assert run([*words, "--json"]) == code
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_evaluation_pays_once(
    server: ModelServer, corpus: list[str], engine: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    how = [*corpus, "--reranker", engine, "--endpoint-url", server.url, "--max-usd", "1"]
    planned = drac(capsys, "evaluate", *how, "--dry-run")["rerankers"][0]
    assert server.log.entries == []
    first = drac(capsys, "evaluate", *how)
    asked = server.log.select(purpose="rerank")
    assert 0 < len(asked) <= planned["searches"] == first["queries"]
    assert planned["usd"] == pytest.approx(0.002 * planned["searches"])
    (model,) = first["models"].values()
    assert model.startswith(f"{engine}:") and model.endswith("(SIMULATED)")
    overall = first["systems"]["page"]["overall"]
    assert 0 < overall["page_recall@10"] <= 1
    assert drac(capsys, "evaluate", *how) == first
    assert len(server.log.select(purpose="rerank")) == len(asked)
    assert run(["status", "--workspace", str(tmp_path / "ws")]) in (0, 2)


@needs_cohere
def test_the_limit_of_dollars_ends_an_evaluation(
    server: ModelServer, corpus: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["evaluate", *corpus, "--reranker", "cohere", "--max-usd", "0.005"])
    assert code != 0
    assert "limit" in capsys.readouterr().err
    assert len(server.log.select(purpose="rerank")) == 2


@needs_cohere
def test_a_model_without_a_price_keeps_no_limit(
    server: ModelServer, corpus: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", *corpus, "--reranker", "cohere:bge-reranker", "--max-usd", "1"]) == 2
    assert "price_search" in capsys.readouterr().err
    assert run(["evaluate", *corpus, "--reranker", "cohere:bge-reranker", "--dry-run"]) == 0
    assert "no price known" in capsys.readouterr().out


@needs_cohere
def test_a_search_says_who_ordered(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes").mkdir()
    for name, text in (
        ("one", "The ferry leaves at nine."),
        ("two", "The ferry has a bar and the ferry sails"),
    ):
        (tmp_path / f"notes/{name}.md").write_text(f"# Ferry\n\n{text}\n", encoding="utf-8")
    here = ["--workspace", str(tmp_path / "ws")]
    assert run(["convert", str(tmp_path / "notes"), "--native", *here]) == 0
    assert run(["plan", *here]) == 0
    capsys.readouterr()
    question = ["search", "when does the ferry leaves", "--retriever", "bm25", "--reranker", "cohere", *here]
    found = drac(capsys, *question)
    assert found["reranker"] == "cohere:rerank-v3.5 (SIMULATED)"
    assert found["results"][0]["source"] == "one.md"
    assert next(iter(found["models"].values()))["output_tokens"] == 1
    assert run(question) == 0
    shown = capsys.readouterr()
    assert "reranked by cohere:rerank-v3.5 (SIMULATED)" in shown.err
    assert run(["status", *here]) == 0
    assert "rerank by rerank-v3.5 (SIMULATED): 1 replies" in capsys.readouterr().out
