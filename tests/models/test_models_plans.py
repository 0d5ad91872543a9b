"""Planning by a model over stored pages: planning requests only, and prose or cut replies lose nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.models.drawn import Corpus
from tests.models.running import Run, drac
from tests.servers.faults import Fault
from tests.servers.log import ServerLog
from tests.servers.model import Behaviour
from tests.servers.model_server import ModelServer
from tests.servers.schedule import Schedule, no_faults


@pytest.fixture(scope="module")
def read(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of pages that the engine `local` has read; scans are left out, since OCR takes long."""
    workspace = tmp_path_factory.mktemp("read") / "ws"
    documents = [corpus.folder / name for name in ("annals.pdf", "decree.pdf", "manual.pdf")]
    run = drac("convert", *documents, workspace=workspace)
    assert run.code == 0, run.told
    return workspace


def plan(workspace: Path, name: str, schedule: Schedule) -> tuple[Run, ServerLog]:
    with ModelServer(behaviour=Behaviour(schedule=schedule)) as server:
        run = drac(
            "plan", "--planner", "bedrock", "--endpoint-url", server.url, "--set", name, workspace=workspace
        )
        return run, server.log


def chunk_ids(workspace: Path, name: str) -> Counter[tuple[str, str]]:
    """(document, element) of all chunks of a set, headings left out."""
    lines = (workspace / "exports" / name / "chunks.jsonl").read_text("utf-8").splitlines()
    chunks = map(json.loads, lines)
    return Counter((c["source"], i) for c in chunks for i in c["element_ids"] if not i.startswith("h"))


def test_planning_again_asks_the_planner_only(read: Path) -> None:
    run, log = plan(read, "planned", no_faults)
    assert run.code == 0, run.told
    assert run.summary["conversions"] == 0
    assert {one["purpose"] for one in log.entries} == {"plan"}
    assert all(one["images"] == [] for one in log.entries)
    assert run.spent["requests"] == log.totals()["requests"] == len(log.entries)
    again, log = plan(read, "planned", no_faults)
    assert (again.code, log.entries) == (0, [])


@pytest.mark.parametrize(
    ("number", "kind"),
    [("f41", "plan_prose"), ("f41", "plan_prose_array"), ("f41", "plan_fenced"), ("f41", "plan_two_arrays"),
     ("f43", "plan_truncated"), ("f43", "plan_cut")],
)  # fmt: skip
def test_f41_f43_no_reply_of_a_planner_loses_an_element(read: Path, number: str, kind: str) -> None:
    run, log = plan(read, kind, lambda _: Fault(kind))
    assert log.faults()[kind] == len(log.entries) > 0
    ids = chunk_ids(read, kind)
    assert set(ids.values()) == {1}, "an element is in two chunks"
    assert set(ids) == set(chunk_ids(read, "planned")), "elements were lost"
    good = kind in ("plan_prose_array", "plan_fenced", "plan_two_arrays")
    assert run.code == (0 if good else 4), run.summary["plan_counts"]
    assert (run.summary["plan_counts"]["unreadable"] == 0) is good
