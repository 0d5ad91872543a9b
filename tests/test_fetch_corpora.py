"""scripts/fetch_corpora, run as a user runs it, against a git repository on this disk."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "fetch_corpora"
FILES = {"docs/A & B – 24:7.txt": b"one\r\ntwo\n", "docs/ leading.txt": b"three\n"}


@dataclass(frozen=True)
class Place:
    origin: Path
    descriptions: Path
    into: Path

    @property
    def target(self) -> Path:
        return self.into / "tiny"

    @property
    def part(self) -> Path:
        return self.into / ".tiny.part"


def git(folder: Path, *command: str) -> str:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    names |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    done = subprocess.run(
        ["git", *command], cwd=folder, env=ours | names, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository with two commits, the first of them the one meant, and a description of it."""
    origin, descriptions = tmp_path / "origin", tmp_path / "descriptions"
    write(origin, FILES)
    git(origin, "init", "--quiet")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "one")
    commit = git(origin, "rev-parse", "HEAD")
    write(origin, {"docs/ leading.txt": b"changed later\n"})
    git(origin, "commit", "--quiet", "-a", "-m", "two")
    hashes = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in FILES.items())
    toml = (
        'name = "tiny"\nlicence = "CC0-1.0"\n'
        f'[origin]\nurl = "{origin.as_uri()}"\ncommit = "{commit}"\nhashes = "sha256.txt"\n'
        '[[collections]]\nname = "docs"\nfolder = "docs"\n'
    )
    write(descriptions / "tiny", {"corpus.toml": toml.encode(), "sha256.txt": hashes.encode()})
    whole = b'name = "whole"\nlicence = "CC0-1.0"\n[[collections]]\nname = "docs"\nfolder = "docs"\n'
    write(descriptions / "whole", {"corpus.toml": whole})
    return Place(origin, descriptions, tmp_path / "into")


def fetch(place: Place, *names: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *names]
    command += ["--into", str(place.into), "--descriptions", str(place.descriptions)]
    env = {**os.environ, **({"PATH": path} if path else {})}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_brings_the_one_commit_and_checks_it(place: Place) -> None:
    done = fetch(place, "tiny")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "2 files checked" in done.stderr
    assert content(place.target) == FILES
    assert git(place.target, "rev-list", "--count", "HEAD") == "1"
    assert not place.part.exists()


def test_without_a_name_fetches_those_that_have_an_origin(place: Place) -> None:
    assert fetch(place).returncode == 0
    assert [path.name for path in place.into.iterdir()] == ["tiny"]


def test_a_second_run_needs_no_origin(place: Place) -> None:
    assert fetch(place, "tiny").returncode == 0
    place.origin.rename(place.origin.with_name("gone"))
    done = fetch(place, "tiny")
    assert done.returncode == 0
    assert "fetching" not in done.stderr


def test_goes_on_after_a_kill(place: Place) -> None:
    """Killed while it wrote the files: objects are there, a lock is left, half of the files are."""
    assert fetch(place, "tiny").returncode == 0
    place.target.rename(place.part)
    (place.part / ".git" / "index.lock").touch()
    (place.part / "docs/ leading.txt").unlink()
    place.origin.rename(place.origin.with_name("gone"))
    done = fetch(place, "tiny")
    assert done.returncode == 0, done.stderr
    assert content(place.target) == FILES


def test_goes_on_after_a_kill_before_the_objects_came(place: Place) -> None:
    place.part.mkdir(parents=True)
    git(place.part, "init", "--quiet")
    assert fetch(place, "tiny").returncode == 0
    assert content(place.target) == FILES


def test_mends_a_file_that_was_changed(place: Place) -> None:
    assert fetch(place, "tiny").returncode == 0
    (place.target / "docs/ leading.txt").write_bytes(b"mine\n")
    assert fetch(place, "tiny").returncode == 0
    assert content(place.target) == FILES


def test_leaves_a_folder_alone_that_git_did_not_make(place: Place) -> None:
    write(place.target, {"docs/ leading.txt": b"mine\n"})
    done = fetch(place, "tiny")
    assert done.returncode == 1
    assert "2 of 2 files" in done.stderr
    assert "docs/ leading.txt: differs" in done.stderr
    assert (place.target / "docs/ leading.txt").read_bytes() == b"mine\n"


def test_a_wrong_hash_is_named_and_nothing_is_put_in_place(place: Place) -> None:
    hashes = place.descriptions / "tiny" / "sha256.txt"
    hashes.write_text(hashes.read_text().replace(hashes.read_text()[:64], "0" * 64))
    done = fetch(place, "tiny")
    assert done.returncode == 1
    assert "1 of 2 files" in done.stderr
    assert "A & B" in done.stderr
    assert not place.target.exists()


def test_no_repository_there(place: Place) -> None:
    place.origin.rename(place.origin.with_name("gone"))
    done = fetch(place, "tiny")
    assert done.returncode == 1
    assert "tiny: git fetch failed" in done.stderr
    assert "run again" in done.stderr
    assert not place.target.exists()


def test_no_git(place: Place, tmp_path: Path) -> None:
    done = fetch(place, "tiny", path=str(tmp_path))
    assert done.returncode == 1
    assert "git is not installed" in done.stderr


def test_an_unknown_name(place: Place) -> None:
    done = fetch(place, "whole")
    assert done.returncode == 2
    assert "there are: tiny" in done.stderr
