"""Planning by a model over stored pages: planning requests only, and prose or cut replies lose nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.models.drawn import Corpus
from tests.models.running import Run, drac
from tests.servers.faults import Fault
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer


@pytest.fixture(scope="module")
def read(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of pages that the engine `local` has read; scans are left out, since OCR takes long."""
    workspace = tmp_path_factory.mktemp("read") / "ws"
    documents = [corpus.folder / name for name in ("annals.pdf", "decree.pdf", "manual.pdf")]
    run = drac("convert", *documents, workspace=workspace)
    assert run.code == 0, run.told
    return workspace


def plan(workspace: Path, name: str, server: ModelServer) -> Run:
    return drac(
        "plan", "--planner", "bedrock", "--endpoint-url", server.url, "--set", name, workspace=workspace
    )


def chunk_ids(workspace: Path, name: str) -> Counter[tuple[str, str]]:
    """(document, element) of all chunks of a set, headings left out."""
    lines = (workspace / "exports" / name / "chunks.jsonl").read_text("utf-8").splitlines()
    chunks = map(json.loads, lines)
    return Counter((c["source"], i) for c in chunks for i in c["element_ids"] if not i.startswith("h"))


@pytest.fixture(scope="module")
def planned(read: Path) -> Counter[tuple[str, str]]:
    """Elements of an honest plan; its run is tested on the way."""
    with ModelServer() as server:
        run = plan(read, "planned", server)
        assert (run.code, run.summary["conversions"]) == (0, 0), run.told
        assert {one["purpose"] for one in server.log.entries} == {"plan"}
        assert all(one["images"] == [] for one in server.log.entries)
        asked = len(server.log.entries)
        assert run.spent["requests"] == server.log.totals()["requests"] == asked > 0
        assert plan(read, "planned", server).code == 0
        assert len(server.log.entries) == asked, "a plan that is there was asked for again"
    return chunk_ids(read, "planned")


def test_planning_again_asks_the_planner_only(planned: Counter[tuple[str, str]]) -> None:
    assert set(planned.values()) == {1}


@pytest.mark.parametrize(
    ("number", "kind"),
    [("f41", "plan_prose"), ("f41", "plan_prose_array"), ("f41", "plan_fenced"), ("f41", "plan_two_arrays"),
     ("f43", "plan_truncated"), ("f43", "plan_cut")],
)  # fmt: skip
def test_f41_f43_no_reply_of_a_planner_loses_an_element(
    read: Path, planned: Counter[tuple[str, str]], number: str, kind: str
) -> None:
    with ModelServer(behaviour=Behaviour(schedule=lambda _: Fault(kind))) as server:
        run = plan(read, kind, server)
    assert server.log.faults()[kind] == len(server.log.entries) > 0
    assert chunk_ids(read, kind) == planned, "elements were lost, or are in two chunks"
    good = kind in ("plan_prose_array", "plan_fenced", "plan_two_arrays")
    assert run.code == (0 if good else 4), run.summary["plan_counts"]
    assert (run.summary["plan_counts"]["unreadable"] == 0) is good
