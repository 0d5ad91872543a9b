"""What the command line tells, and how it ends: counts, ignored files, closed pipes, wrong settings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from drac.cli.entry import run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a PDF, a damaged one and two files that are no documents; the current one."""
    (tmp_path / "docs").mkdir()
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 90), "The harbour office opens at eight.")
        document.save(tmp_path / "docs/a.pdf")
    (tmp_path / "docs/film.mp4").write_bytes(b"x")
    (tmp_path / "docs/all.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_dry_run_names_what_it_ignores_and_what_its_total_is_of(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "docs/b.txt").write_text("Text without pages of its own.")
    assert run(["run", "docs", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "ignored: 1 x an archive; --archives reads what is in it (--json names them)" in told
    assert told.splitlines()[-1].endswith("(of 1 of 2 documents, whose pages are known)")
    assert run(["run", "docs", "--dry-run", "--json"]) == 0
    names = {Path(one["path"]).name for one in json.loads(capsys.readouterr().out)["skipped"]}
    assert names == {"film.mp4", "all.zip"}


def test_repair_keeps_what_the_catalog_alone_holds(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", "docs"]) == 0
    before = _status(capsys)
    assert len(before["skipped"]) == 2 and before["stages"] and before["skipped_known"]
    assert run(["repair"]) == 0
    assert _status(capsys) == before


def test_repair_says_what_a_lost_catalog_leaves_unknown(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["convert", "docs"]) == 0
    (place / ".drac/catalog.sqlite3").write_bytes(b"no catalog" * 1000)
    assert run(["repair"]) == 0
    assert not _status(capsys)["skipped_known"]
    assert run(["status"]) == 0
    assert "ignored: not known until the next run" in capsys.readouterr().out
    assert run(["convert", "docs"]) == 0
    assert _status(capsys)["skipped_known"]


def _status(capsys: pytest.CaptureFixture[str]) -> dict[str, list[object]]:
    capsys.readouterr()
    assert run(["status", "--json"]) == 0
    found: dict[str, list[object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_damaged_pdf_is_told_without_its_folder(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "docs/b.pdf").write_bytes(b"%PDF-1.7\n" + b"\0junk" * 500)
    assert run(["convert", "docs"]) == 4
    told = capsys.readouterr().out
    assert "failed: docs/b.pdf: damaged beyond repair; it cannot be read as a PDF" in told
    assert str(place) not in told


def test_fewest_blocks_above_most_blocks_is_a_wrong_command(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--min-blocks", "9", "--max-blocks", "3"]) == 2
    assert "plan.min_blocks 9 is more than plan.max_blocks 3" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "convert"])
def test_a_path_that_is_not_there_makes_no_workspace(place: Path, command: str) -> None:
    assert run([command, "nosuch", "--workspace", "wsx"]) == 2
    assert not (place / "wsx").exists()


def test_a_closed_pipe_is_no_failure(place: Path) -> None:
    assert run(["convert", "docs"]) == 0
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "drac", "status"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_termination_within_a_library_that_catches_its_errors(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from drac.cli import entry, work

    def loading(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Exception as error:
            raise RuntimeError("cannot be loaded") from error

    monkeypatch.setattr(work, "status", loading)
    before = signal.signal(signal.SIGTERM, entry._terminated)
    try:
        assert run(["status"]) == 130
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "interrupted" in capsys.readouterr().err
