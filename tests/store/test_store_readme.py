"""drac/store/README.md says what is on disk, and nothing else is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fakes_pipeline import FakeRead, SilentProgress, tools

from drac.config import NormalizeSettings, Settings
from drac.corpus import discover
from drac.pipeline.conversion import Conversion, Options
from drac.pipeline.exporting import export_set
from drac.pipeline.planning import Planning, live_sources
from drac.stages.chunk import LocalPlanner
from drac.store.catalog import Catalog
from drac.store.store import Store

_MADE_ELSEWHERE = (
    "artifacts/chunk-vectors", "artifacts/chunks", "artifacts/embed", "artifacts/index",
    "artifacts/judged", "artifacts/parse", "artifacts/rows", "audits/", "bench/", "evaluations/",
    "exports/<set>/index.json", "exports/<set>/index-<retriever>.json", "office/", "replies/",
    "vectors.sqlite3",
)  # fmt: skip
"""Paths that need the extra `embed`, LibreOffice, a model, a second reader or an experiment; other tests
make them."""


def _patterns(repository: Path) -> dict[str, re.Pattern[str]]:
    table = (repository / "drac/store/README.md").read_text(encoding="utf-8")
    paths = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    return {path: re.compile(re.sub(r"<[^>]+>", ".+", re.escape(path).replace(r"\<", "<"))) for path in paths}


def _make_workspace(place: Path) -> Path:
    docs = place / "docs"
    docs.mkdir()
    (docs / "a.pdf").write_text("# A\n\none\ftwo\fthree")
    (docs / "b.box").write_text(json.dumps({"in/c.pdf": "# C\n\nfour"}))
    found = discover([str(docs)], suffixes=frozenset({".pdf", ".box"}), cwd=docs)
    settings = Settings(normalize=NormalizeSettings(archives=True))
    with Store(place / "ws") as store:
        catalog = Catalog(store.catalog_path)
        made = tools(FakeRead(fails={"three": 1}))
        Conversion(store, catalog, settings, made, SilentProgress(), Options()).run(found.sources)
        planning = Planning(store, catalog, settings, LocalPlanner(settings.plan))
        planned = planning.all(one for one in live_sources(store) if one["state"] == "ok")
        export_set(store, "default", planned, settings)
        catalog.close()
    return place / "ws"


def test_readme_names_every_path(tmp_path: Path, repository: Path) -> None:
    workspace = _make_workspace(tmp_path)
    patterns = _patterns(repository)
    found = {
        str(path.relative_to(workspace)) + ("/" if path.is_dir() else "") for path in workspace.rglob("*")
    }
    files = {path for path in found if not path.endswith("/")}
    unnamed = {path for path in files if not any(_covers(one, path) for one in patterns.values())}
    assert unnamed == set()
    absent = {name for name, one in patterns.items() if not any(_covers(one, path) for path in found)}
    assert {name for name in absent if not name.startswith(_MADE_ELSEWHERE)} == set()


def _covers(pattern: re.Pattern[str], path: str) -> bool:
    return bool(pattern.match(path))
