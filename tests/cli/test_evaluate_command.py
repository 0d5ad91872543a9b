"""`drac evaluate` on the sample corpus, without an embedding model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drac.cli.entry import run


@pytest.fixture
def command(repository: Path, tmp_path: Path) -> list[str]:
    corpus = str(repository / "corpora/sample")
    return ["evaluate", "--corpus", corpus, "--workspace", str(tmp_path / "ws"), "--retriever", "bm25"]


def test_sets_are_compared_and_written(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "page", "small=fixed-size", "--export", "trec"]) == 0
    shown = capsys.readouterr().out
    assert "small against page" in shown
    assert "recall@10p" in shown
    folder = tmp_path / "ws/evaluations/sample"
    rows = [json.loads(line) for line in (folder / "per_query.jsonl").read_text("utf-8").splitlines()]
    assert {row["system"] for row in rows} == {"page", "small"}
    assert len(rows) == 2 * json.loads((folder / "summary.json").read_text("utf-8"))["queries"]
    assert (folder / "report.html").read_text("utf-8").count("<svg") >= 1
    assert (folder / "trec/small.pages.run").is_file()


def test_json_is_the_summary(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "page", "--json", "--out", str(tmp_path / "out")]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == json.loads((tmp_path / "out/summary.json").read_text("utf-8"))
    assert 0 < shown["systems"]["page"]["overall"]["page_recall@10"] <= 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["page", "--retriever", "sparse"], "dense, bm25, hybrid"),
        (["page", "--export", "csv"], "trec, beir, parquet"),
        (["page", "--corpus", "nowhere"], "--corpus nowhere"),
        (["nothing"], "no chunk set 'nothing'"),
        (["page", "--page-score", "median"], "max, mean, sum"),
    ],
)
def test_what_cannot_be_meant_is_named(
    command: list[str], more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, *more]) == 2
    assert said in capsys.readouterr().err
