"""Real documents that are locked, damaged, empty or enormous end as their manifest says, in bounded time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SECONDS = 240
"""For all of them together; alone on two cores it takes about 30."""
EXPECTED = {
    "error:password": "encrypted",
    "error:corrupt": "damaged|truncated|0 bytes",
    "error:empty": "without pages",
}


@pytest.fixture(scope="module")
def manifest(corpora: Path) -> list[dict[str, Any]]:
    everything = json.loads((corpora / "documents" / "manifest.json").read_text("utf-8"))["files"]
    wanted = (*EXPECTED, "convert-or-error")
    return [one for one in everything if one["expect"] in wanted]


@pytest.fixture(scope="module")
def folder(manifest: list[dict[str, Any]], corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hostile")
    for one in manifest:
        target = place / "docs" / one["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpora / "documents" / one["file"], target)
    return place


def convert(folder: Path, *options: str) -> dict[str, Any]:
    words = [sys.executable, "-m", "drac", "convert", "docs", "--json", *options]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, timeout=SECONDS, check=False)
    assert done.returncode == 4
    return dict(json.loads(done.stdout))


def test_they_end_as_the_manifest_says(folder: Path, manifest: list[dict[str, Any]]) -> None:
    began = time.monotonic()
    summary = convert(folder)
    assert time.monotonic() - began < SECONDS
    errors = {one["source"]: one["error"] for one in summary["failures"]}
    for one in manifest:
        if words := EXPECTED.get(one["expect"]):
            assert any(word in errors[one["file"]] for word in words.split("|")), errors[one["file"]]
    either = {one["file"] for one in manifest if one["expect"] == "convert-or-error"}
    assert set(errors) - either == {one["file"] for one in manifest} - either
    assert sum(summary["pages_by_state"].values()) == summary["pages"] > 0


def test_passwords_open_them_and_are_written_nowhere(folder: Path, manifest: list[dict[str, Any]]) -> None:
    locked = {one["file"]: one["password"] for one in manifest if one.get("password_checked")}
    candidates = folder / "candidates.txt"
    candidates.write_text("\n".join(sorted(set(locked.values()))) + "\n", "utf-8")
    summary = convert(folder, "--password-file", "candidates.txt", "--retry", "failed")
    errors = {one["source"]: one["error"] for one in summary["failures"]}
    assert not set(errors) & set(locked)
    secret = max(locked.values(), key=len).encode()
    written = [path for path in (folder / ".drac").rglob("*") if path.is_file()]
    assert written and not any(secret in path.read_bytes() for path in written)
