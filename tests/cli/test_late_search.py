"""Late interaction from documents to hits and figures, with FastPlaid and the packaged MiniLM."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from drac.adapters import packaged_weights
from drac.cli.entry import run
from drac.wiring import retrieval

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("fast_plaid") is None,
        reason="needs the extra 'late'; scripts/test_late has it",
    ),
    pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # FastPlaid maps files and leaves them
]
LATE = ["--retriever", "late:all-MiniLM-L6-v2"]
NOTES = {
    "keys": "# Keys\n\nThe vault code of the Mumbai office is kept by Mrs. Kulkarni.\n",
    "cars": "# Cars\n\nThe company pays for the fuel of its cars; private trips are paid by the driver.\n",
    "tea": "# Tea\n\nThe branch opens at nine and the staff greets every guest with a cup of tea.\n",
}


@pytest.fixture
def workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / f"notes/{name}.md").write_text(text, encoding="utf-8")
    place = tmp_path / "ws"
    assert run(["run", str(tmp_path / "notes"), "--native", "--workspace", str(place)]) == 0
    capsys.readouterr()
    return place


def test_f50_a_small_set_is_indexed_and_searched(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = ["--workspace", str(workspace)]
    assert run(["search", "x", *LATE, *here]) == 2
    assert "drac index --set default --retriever late" in capsys.readouterr().err
    assert run(["index", *LATE, *here, "--json"]) == 0
    indexed = json.loads(capsys.readouterr().out)
    assert indexed["chunks"] == indexed["embedded"] == 3
    assert "stand-in" in indexed["model"]
    assert run(["search", "Who pays for petrol?", *LATE, *here, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["retriever"], found["reranker"]) == ("late", None)
    assert "stand-in" in found["model"]
    assert found["results"][0]["source"] == "cars.md"
    assert len(found["results"]) == 3


def test_many_texts_are_searched_by_fastplaid(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "EXACT", 10)
    here = ["--workspace", str(workspace)]
    assert run(["index", *LATE, *here]) == 0
    capsys.readouterr()
    assert [*workspace.rglob("fastplaid/metadata.json")]
    assert run(["search", "Who pays for petrol?", *LATE, *here, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["source"] == "cars.md"


def test_what_is_there_is_not_encoded_again(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = ["--workspace", str(workspace)]
    for number in (3, 0):
        assert run(["index", *LATE, *here, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["embedded"] == number


def test_evaluation_beside_bm25(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = ["--corpus", str(repository / "corpora/sample"), "--workspace", str(tmp_path / "ws")]
    assert run(["evaluate", "page", *corpus, *LATE, "--retriever", "bm25", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    found = [shown["systems"][f"page / {name}"]["overall"] for name in ("late:all-MiniLM-L6-v2", "bm25")]
    late, bm25 = (one["page_recall@10"] for one in found)
    assert "stand-in" in shown["models"]["late:all-MiniLM-L6-v2"]
    assert late > bm25 - 0.1
