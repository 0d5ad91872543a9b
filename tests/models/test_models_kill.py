"""SIGKILL at random moments: no reply that is on disk is paid again, and the results are the same bytes."""

from __future__ import annotations

import json
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
_JOURNALED = 0.5
"""Seconds from the server's writing of a reply until it is on the disk of a client on a busy machine."""


@dataclass(frozen=True, slots=True)
class Kill:
    """What stood where at one kill."""

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
    before = len(server.log().entries)
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
    return Kill(moment, frozenset(image_hashes(one) for one in journal(workspace)))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def sent_after(log: ServerLog, moment: float) -> list[Entry]:
    return [one for one in log.entries if one["received"] > moment]


@pytest.mark.slow
def test_a_kill_repeats_at_most_what_was_in_flight(tmp_path: Path) -> None:
    corpus = draw(tmp_path / "docs", {"a.pdf": 12, "b.pdf": 1, "c.pdf": 4, "d.pdf": max(7, 2 * KILLS)})
    config = settings_file(tmp_path)
    config.write_text(f"{config.read_text('utf-8')}\n[model_read]\nbatch_pages = 1\n", "utf-8")
    dice = random.Random(11)
    with ServerProcess(corpus.book, "--latency", str(LATENCY)) as server:
        given = arguments(corpus, server, config)
        words = [*command("convert", *given), "--workspace", str(tmp_path / "killed")]
        kills = [kill_in_flight(words, tmp_path / "killed", server, dice) for _ in range(KILLS)]
        last = drac("convert", *given, workspace=tmp_path / "killed")
        assert last.code == 0, last.told
        log, began = server.log(), time.time()
        calm = drac("convert", *given, workspace=tmp_path / "calm")
        assert calm.code == 0, calm.told
        undisturbed = sent_after(server.log(), began)
    check_requests(log, kills)
    assert len({one["digest"] for one in log.entries}) == len(undisturbed) == len(corpus.texts)
    for workspace in (last.workspace, calm.workspace):
        assert drac("plan", workspace=workspace).code == 0
    assert tree(last.workspace / "exports") == tree(calm.workspace / "exports")
    assert tree(last.workspace / "pages") == tree(calm.workspace / "pages")


def check_requests(log: ServerLog, kills: list[Kill]) -> None:
    """From the server's log and the journal: what was asked again, and why."""
    for kill in kills:
        again = {tuple(one["images"]) for one in sent_after(log, kill.moment)} & kill.on_disk
        assert not again, "a reply that was on disk was asked for again"
    flying = [{one["id"] for one in log.in_flight_at(kill.moment, _JOURNALED)} for kill in kills]
    assert any(flying), "no kill met a request in flight"
    repeated = {one["id"] for many in log.repeated().values() for one in many[:-1]}
    assert repeated <= set().union(*flying), "a request was repeated that was in flight at no kill"
    assert all(len(repeated & ids) <= CONCURRENCY for ids in flying)
    print(json.dumps({"kills": len(kills), "repeated": len(repeated), "in flight": [*map(len, flying)]}))
