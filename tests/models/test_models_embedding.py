"""The command line with an embedder that is asked: run, index, search and evaluate; what it costs is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.models.drawn import Corpus
from tests.servers.model_server import ModelServer

pytest.importorskip("faiss")


def drac(workspace: Path, verb: str, *arguments: object) -> dict[str, Any]:
    """What a command that ends well prints."""
    words = [
        sys.executable,
        "-m",
        "drac",
        verb,
        *map(str, arguments),
        "--workspace",
        str(workspace),
        "--json",
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def some(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with three of the documents, not indexed."""
    place = tmp_path_factory.mktemp("embedded")
    for name in ("annals.pdf", "bylaws.pdf", "estate.pdf"):
        (place / name).write_bytes((corpus.folder / name).read_bytes())
    drac(place / "ws", "convert", place, "--workers", 1)
    drac(place / "ws", "plan")
    return place / "ws"


def spent_usd(summary: dict[str, Any]) -> float:
    """Dollars of one model."""
    (spent,) = summary["models"].values()
    return float(spent["usd"])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["openai", "bedrock"])
def test_index_and_search_by_a_server(some: Path, engine: str) -> None:
    with ModelServer() as server:
        how = ["--embedder", engine, "--base-url", server.openai_url, "--endpoint-url", server.url]
        how += ["--model", "bge-m3"] if engine == "openai" else ["--dimensions", 256, "--max-usd", 1]
        told = drac(some, "index", *how, "--dry-run")
        assert not server.log.entries
        first = drac(some, "index", *how)
        assert told["texts"] == first["embedded"]
        assert told["requests"] == len(server.log.entries)
        assert engine == "openai" or told["usd_range"][0] <= spent_usd(first) <= told["usd_range"][1]
        assert first["embedded"] > 0
        (spent,) = first["models"].values()
        assert spent["replies"] == len(server.log.select(purpose="embed"))
        assert drac(some, "index", *how)["embedded"] == 0
        before = len(server.log.entries)
        search = [one for one in how if one not in ("--max-usd", 1)]
        lines = (some / "exports/default/chunks.jsonl").read_text("utf-8").splitlines()
        chunk = json.loads(lines[3])
        question = chunk["text"][:300]
        found = drac(some, "search", question, *search)
        assert found["retriever"] == "dense"
        assert found["results"][0]["chunk_id"] == chunk["chunk_id"]
        assert len(server.log.entries) == before + 1
        drac(some, "search", question, *search)
        assert len(server.log.entries) == before + 1, "a question that was paid for was asked again"
