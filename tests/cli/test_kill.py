"""SIGKILL at any moment, then again: the same bytes, and no finished page is read twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pymupdf
import pytest

PAGES = 40
KILLS = 6


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four PDFs of ten pages, a heading and a paragraph each."""
    folder = tmp_path_factory.mktemp("kill") / "docs"
    folder.mkdir()
    for name in "abcd":
        pdf = pymupdf.open()
        for number in range(PAGES // 4):
            page = pdf.new_page()
            page.insert_text((72, 90), f"Chapter {number} of {name}", fontsize=20)
            page.insert_text((72, 130), f"The ferry {name} leaves pier {number} at {number}:15 each day.")
        pdf.save(folder / f"{name}.pdf", no_new_id=True)
    return folder


def start(documents: Path, workspace: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "drac", "run", str(documents), "--workspace", str(workspace), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def payload(workspace: Path) -> dict[str, bytes]:
    found = {name: tree(workspace / name) for name in ("exports", "artifacts", "pages", "sources")}
    return {f"{name}/{path}": data for name, files in found.items() for path, data in files.items()}


def inodes(workspace: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in (workspace / "pages").glob("[!.]*.json")}


def group(leader: int) -> list[str]:
    """Processes of the group, zombies left out."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True)
    lines = (line.split(maxsplit=2) for line in listed.stdout.splitlines())
    return [line[-1] for line in lines if line[0] == str(leader) and not line[1].startswith("Z")]


def test_f56_kill_at_any_moment(documents: Path, tmp_path: Path) -> None:
    undisturbed = start(documents, tmp_path / "calm")
    began = time.monotonic()
    out, err = undisturbed.communicate(timeout=300)
    took = time.monotonic() - began
    assert undisturbed.returncode == 0, err.decode()
    assert json.loads(out)["pages"] == PAGES

    chance, finished = random.Random(7), {}
    for _ in range(KILLS):
        process = start(documents, tmp_path / "killed")
        with suppress(subprocess.TimeoutExpired):  # one that ends before its kill is not waited for
            process.wait(chance.uniform(0.3, took))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL) if chance.random() < 0.5 else process.kill()
        process.communicate()
        now = inodes(tmp_path / "killed")
        assert finished.items() <= now.items(), "a finished page was written again"
        finished = now
    last = start(documents, tmp_path / "killed")
    out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err.decode()
    assert json.loads(out)["pages_reused"] >= len(finished)
    assert finished.items() <= inodes(tmp_path / "killed").items()
    assert payload(tmp_path / "killed") == payload(tmp_path / "calm")


def test_sigterm_ends_with_130_and_leaves_no_worker(documents: Path, tmp_path: Path) -> None:
    process = start(documents, tmp_path / "ws")
    time.sleep(3.0)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err.decode()
    until = time.monotonic() + 15
    while group(process.pid) and time.monotonic() < until:
        time.sleep(0.2)
    assert group(process.pid) == []
