"""SIGKILL at random moments: no reply that is on disk is paid again, and the results are the same bytes."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.models.drawn import Corpus, draw
from tests.models.running import command, drac, image_hashes, journal, settings_file
from tests.servers.log import Entry, ServerLog
from tests.servers.process import ServerProcess

KILLS = int(os.environ.get("DRAC_KILLS", "3"))
"""Kills in a row on one workspace; 20 with `DRAC_KILLS=20`."""
LATENCY = 0.5
CONCURRENCY = 4


@dataclass(frozen=True, slots=True)
class Kill:
    """What stood where at one kill."""

    began: float
    """Unix time just before the run that was killed."""
    moment: float
    """Unix time just before the signal."""
    on_disk: frozenset[tuple[str, ...]]
    """Images of the replies in the journal."""


def arguments(corpus: Corpus, server: ServerProcess, config: Path) -> list[object]:
    return [
        corpus.folder, "--engine", "bedrock", "--endpoint-url", server.url, "--config", config,
        "--concurrency", CONCURRENCY,
    ]  # fmt: skip


def kill_in_flight(words: list[str], workspace: Path, server: ServerProcess, dice: random.Random) -> Kill:
    """Start, wait until it asks, kill it and its workers a moment later."""
    before, began = len(server.log().entries), time.time()
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 60
    while len(server.log().entries) == before and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(dice.uniform(0.0, 2 * LATENCY))
    moment = time.time()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(LATENCY)  # what was sent last may still be on its way into the server's log
    return Kill(began, moment, frozenset(image_hashes(one) for one in journal(workspace)))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def asked(log: ServerLog, after: float, until: float = math.inf) -> list[Entry]:
    return [one for one in log.entries if after < one["received"] <= until]


@pytest.mark.slow
def test_a_kill_repeats_at_most_what_was_in_flight(tmp_path: Path) -> None:
    corpus = draw(tmp_path / "docs", {"a.pdf": 12, "b.pdf": 1, "c.pdf": 4, "d.pdf": max(7, 2 * KILLS)})
    config = settings_file(tmp_path, read_timeout=60.0)  # what a busy machine delays is not asked again
    config.write_text(f"{config.read_text('utf-8')}\n[model_read]\nbatch_pages = 1\n", "utf-8")
    dice = random.Random(11)
    with ServerProcess(corpus.book, "--latency", str(LATENCY)) as server:
        given = arguments(corpus, server, config)
        words = [*command("convert", *given), "--workspace", str(tmp_path / "killed")]
        kills = [kill_in_flight(words, tmp_path / "killed", server, dice) for _ in range(KILLS)]
        resumed = time.time()
        last = drac("convert", *given, workspace=tmp_path / "killed")
        assert last.code == 0, last.told
        log, began = server.log(), time.time()
        calm = drac("convert", *given, workspace=tmp_path / "calm")
        assert calm.code == 0, calm.told
        undisturbed = asked(server.log(), began)
    check_requests(log, kills, resumed)
    assert len({one["digest"] for one in log.entries}) == len(undisturbed) == len(corpus.texts)
    for workspace in (last.workspace, calm.workspace):
        assert drac("plan", workspace=workspace).code == 0
    assert tree(last.workspace / "exports") == tree(calm.workspace / "exports")
    assert tree(last.workspace / "pages") == tree(calm.workspace / "pages")


def check_requests(log: ServerLog, kills: list[Kill], resumed: float) -> None:
    """From the server's log and the journal: what was asked again, and why."""
    ends = [*(one.began for one in kills[1:]), resumed]
    for kill in kills:
        again = {tuple(one["images"]) for one in asked(log, kill.moment)} & kill.on_disk
        assert not again, "a reply that was on disk was asked for again"
    lost = [
        {one["id"] for one in asked(log, kill.began, end) if tuple(one["images"]) not in kill.on_disk}
        for kill, end in zip(kills, ends, strict=True)
    ]
    assert any(lost), "no kill met a request in flight"
    assert all(len(ids) <= CONCURRENCY for ids in lost), "more was lost than can be in flight"
    repeated = {one["id"] for many in log.repeated().values() for one in many[:-1]}
    assert repeated <= set().union(*lost), "a request was repeated whose reply was on disk at every kill"
    print(json.dumps({"kills": len(kills), "repeated": len(repeated), "lost": [*map(len, lost)]}))
