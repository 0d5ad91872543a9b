"""`drac evaluate` on the sample corpus, without an embedding model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import tiny_models

from drac.adapters import packaged_weights
from drac.cli.entry import run
from drac.corpus import load_corpus


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


def test_a_misspelt_judged_document_is_told(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    corpus = shutil.copytree(repository / "corpora/sample", tmp_path / "sample")
    judged = next(iter(load_corpus(corpus / "corpus.toml", cwd=tmp_path).file.judgments)).file
    lines = (corpus / judged).read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    wrong = {**first, "source": first["source"].replace(".", "s.")}
    (corpus / judged).write_text("\n".join([json.dumps(wrong), *lines[1:]]) + "\n", "utf-8")
    assert run([*command, "page", "--corpus", str(corpus)]) == 0
    said = capsys.readouterr().err
    assert "1 judgment of 1 query cannot be met" in said
    assert f"did you mean `{first['source']}`? ({first['query_id']})" in said
    assert run([*command, "page"]) == 0
    assert "cannot be met" not in capsys.readouterr().err


@pytest.mark.skipif(packaged_weights.installed() is None, reason="needs the extra 'offline'")
def test_retrievers_and_rerankers_are_compared(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sentence_transformers")
    terms = tiny_models.save_term_weights(tmp_path / "terms", {}, window=512)
    cross = tiny_models.save_cross_encoder(tmp_path, window=512)
    few = tmp_path / "few.toml"
    few.write_text("[search]\ntop_k = 1\nrerank_over_fetch = 2\n")
    wanted = ["--retriever", f"sparse:{terms}", "--reranker", "none", "--reranker", f"cross-encoder:{cross}"]
    assert run([*command, "fixed-size", *wanted, "--json", "--config", str(few)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [one.removeprefix("fixed-size / ").split(":")[0] for one in shown["systems"]] == [
        "bm25", "bm25 + cross-encoder", "sparse", "sparse"
    ]  # fmt: skip
    assert set(shown["models"].values()) == {"terms", "cross-encoder:cross1"}
    assert shown["candidates"] == 2
    recalls = [one["overall"]["page_recall@10"] for one in shown["systems"].values()]
    assert all(0.3 < one <= 1 for one in recalls[::2])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["page", "--retriever", "hybird"], "did you mean `hybrid`?"),
        (["pages"], "did you mean `page`?"),
        (["page", "--retriever", "splade"], "dense, bm25, hybrid, late, sparse"),
        (["page", "--reranker", "bert"], "none, cross-encoder"),
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
