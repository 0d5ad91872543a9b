"""drac/corpus/README.md: its example is a corpus that can be read, and it names every key there is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from drac.corpus import load_corpus, load_judgments, load_queries
from drac.corpus.description import ChunkSet, Collection, CorpusFile, JudgmentFile, Origin, QueryFile

TABLES = {
    "[origin]": Origin,
    "[[collections]]": Collection,
    "[[queries]]": QueryFile,
    "[[judgments]]": JudgmentFile,
    "[[chunk_sets]]": ChunkSet,
}


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "drac/corpus/README.md").read_text("utf-8")


def test_every_key_and_no_other_stands_in_the_table(page: str) -> None:
    rows = re.findall(r"^\|((?: `\[[^`]+`)?(?: `\w+`,?)+) \|", page.partition("## Keys")[2], re.MULTILINE)
    said = {(name or "", key) for row in rows for name, key in _keys(row)}
    assert said == {
        *((table, key) for table, model in TABLES.items() for key in model.model_fields),
        *(("", key) for key, field in CorpusFile.model_fields.items() if field.annotation is str),
    }
    others = {key for key, field in CorpusFile.model_fields.items() if field.annotation is not str}
    assert others == {one.strip("[]") for one in TABLES}


def _keys(row: str) -> list[tuple[str, str]]:
    table, *_ = re.findall(r"`(\[+\w+\]+)`", row) or [""]
    return [(table, key) for key in re.findall(r"`(\w+)`", row)]


def test_the_example_can_be_read_with_the_lines_that_it_shows(page: str, tmp_path: Path) -> None:
    text = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "corpus.toml").write_text(text)
    (tmp_path / "documents/line").mkdir(parents=True)
    assert set(tomllib.loads(text)) == set(CorpusFile.model_fields)
    queries, judgments = (
        json.dumps(json.loads(line)) for line in re.findall(r"# (\{.*\})$", text, re.MULTILINE)
    )
    (tmp_path / "queries.jsonl").write_text(queries)
    (tmp_path / "judgments.jsonl").write_text(judgments)
    corpus = load_corpus(tmp_path / "corpus.toml", cwd=tmp_path)
    assert [one.text for one in load_queries(corpus)] == ["What does a ticket cost?"]
    assert [(one.source, one.page, one.grade) for one in load_judgments(corpus)] == [("fares.pdf", 2, 1)]
