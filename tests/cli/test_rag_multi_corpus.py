"""All 236 PDFs of RAG-Multi-Corpus: counted from the exports and the PDFs, not from the catalog."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def drac(*arguments: object, cwd: Path, corpora: Path) -> dict[str, Any]:
    environment = {**os.environ, "DRAC_CORPORA": str(corpora)}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_whole_corpus(rag_multi_corpus: Path, repository: Path, tmp_path: Path) -> None:
    toml = repository / "corpora/rag-multi-corpus/corpus.toml"
    place = {"cwd": tmp_path, "corpora": rag_multi_corpus.parent}
    converted = drac("-m", "drac", "convert", toml, "--json", **place)
    assert (converted["documents"], converted["pages"]) == (236, 795)
    assert converted["documents_failed"] == 0
    assert sum(converted["pages_by_state"].values()) == 795
    assert converted["pages_by_state"]["failed"] == 0
    planned = drac("-m", "drac", "plan", "--json", **place)
    assert planned["conversions"] == 0
    counted = drac(repository / "scripts/check_export", "--workspace", ".drac", toml, **place)
    assert (counted["documents"], counted["pages"], counted["problems"]) == (236, 795, 0)
    again = drac("-m", "drac", "plan", "--json", "--set", "small", "--target-tokens", "80", **place)
    assert (again["conversions"], again["chunks"] > planned["chunks"]) == (0, True)
    small = drac(repository / "scripts/check_export", "--workspace", ".drac", "--set", "small", toml, **place)
    assert small["problems"] == 0
