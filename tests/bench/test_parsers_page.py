"""The page on parsers and the experiments of RAGit's comparison say what is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pymupdf
import pytest

from drac.adapters.foreign_parser import DoclingOptions, MarkerOptions
from drac.adapters.pymupdf4llm_reader import Pymupdf4llmOptions
from drac.adapters.pymupdf_plain import PlainOptions
from drac.adapters.reducto import ReductoOptions
from drac.bench.experiment import load_experiment, make_experiment
from drac.bench.runner import opened
from drac.config import Settings
from drac.pipeline.tasks import ReadTask
from drac.records import Page
from drac.wiring import Models
from drac.wiring.chunkers import BUILDERS
from drac.wiring.parsers import names, parser

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "drac" / "bench" / "PARSERS.md").read_text(encoding="utf-8")
BESIDE = """
import pymupdf


def lines(pdf):
    with pymupdf.open(pdf) as document:
        return [" ".join(page.get_text().split()) for page in document]


def whole(text):
    return [(0, len(text))]
"""
SETTINGS = Settings.model_validate({"run": {"workers": 1}})


def test_every_parser_and_its_options_are_listed() -> None:
    rows = {row[0]: row[1] for row in re.findall(r"^\| (`.*?`) \|.*\| (.*) \|$", PAGE, re.MULTILINE)}
    listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert listed == {*names(), "module:name"}
    known = {
        "pymupdf-text": PlainOptions, "pymupdf4llm": Pymupdf4llmOptions, "docling": DoclingOptions,
        "marker": MarkerOptions, "reducto": ReductoOptions,
    }  # fmt: skip
    for name, options in known.items():
        said = set(re.findall(r"`(\w+)`", rows[f"`{name}`"]))
        assert set(options.model_fields) <= said, name


def test_a_parser_of_ones_own_as_the_page_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n# my_parsers\.py.*?\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "my_parsers.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "one\ntwo")
        made.save(tmp_path / "a.pdf")
    with parser("my_parsers:lines", {"upper": True}, SETTINGS, Models(SETTINGS, tmp_path / "ws")) as tool:
        task = ReadTask(tmp_path / "a.pdf", (Page("d", 1),), SETTINGS.convert)
        (text,) = tool.reading.submit(task).result(timeout=60).texts
    assert text.markdown == "ONE TWO"


def test_modules_lie_beside_the_experiment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    own.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "one\ntwo")
        made.save(own / "a.pdf")
    (own / "beside_it.py").write_text(BESIDE)
    (own / "queries.jsonl").write_text('{"query_id": "1", "text": "two?"}\n')
    (own / "judgments.jsonl").write_text('{"query_id": "1", "source": "a.pdf", "page": 1}\n')
    experiment = make_experiment(
        {
            "experiment": {
                "name": "beside", "files": ["a.pdf"],
                "queries": "queries.jsonl", "judgments": "judgments.jsonl",
            },
            "grid": {"parser": ["beside_it:lines"], "chunker": ["beside_it:whole"], "retriever": ["bm25"]},
        },
        own,
    )  # fmt: skip
    with opened(experiment, tmp_path / "ws", None, print) as bench:
        results = bench.run()
        (only,) = results.results
        text = results.chunk(only.configuration.name, only.rows[0].hits[0])["text"]
    assert text == "one two"
    assert str(own) not in sys.path


@pytest.mark.parametrize(
    "path", sorted((ROOT / "corpora" / "ragit").glob("*.toml")), ids=lambda one: one.stem
)
def test_ragits_comparisons_can_be_read(path: Path) -> None:
    experiment = load_experiment(path)
    for one in experiment.configurations:
        assert one.parser.name in names()
        BUILDERS[one.chunker.name].options.model_validate(one.chunker.options)
    sizes = {one.chunker.shown for one in experiment.configurations}
    wanted = {
        "chunkers": {"page", "token-512", "recursive-512", "drac"},
        "sizes": {f"recursive-{size}" for size in (256, 512, 1024)},
    }
    wanted["vidore"] = wanted["chunkers"] | wanted["sizes"]
    assert sizes == wanted[path.stem]
