"""Every command in the README runs; what it shows is what comes out."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from drac.config import Settings
from drac.errors import DracError
from drac.records import Chunk
from drac.stages.normalize import SUFFIXES
from drac.stages.normalize.kinds import ALIASES

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line[2:] for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")]
_DOCTOR_MAY_FAIL = 6


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A folder with the sample corpus, in which the commands run one after the other."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "corpora").symlink_to(repository / "corpora")
    (folder / "passwords.txt").write_text("one\ntwo\n")
    return folder


def run(command: str, place: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", *shlex.split(command)]
    return subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=900, check=False)


def test_readme_has_commands() -> None:
    assert len([one for one in COMMANDS if one.startswith("drac ")]) >= 15
    unknown = [one for one in COMMANDS if not one.startswith(("drac ", "scripts/"))]
    assert unknown == []


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("scripts/")])
def test_readme_script_is_there(command: str, repository: Path) -> None:
    script = repository / command.split(maxsplit=1)[0]
    assert os.access(script, os.X_OK)
    if "bash" in script.read_text(encoding="utf-8").splitlines()[0]:
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    else:
        compile(script.read_text(encoding="utf-8"), str(script), "exec")


def test_every_command_of_the_readme_runs(place: Path) -> None:
    for command in [one for one in COMMANDS if one.startswith("drac ")]:
        done = run(command, place)
        allowed = {0, _DOCTOR_MAY_FAIL} if command == "drac doctor" else {0}
        assert done.returncode in allowed, f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip(), command
        if "--json" in command:
            json.loads(done.stdout)
    _check_outputs(place)


def _check_outputs(place: Path) -> None:
    exports = place / ".drac" / "exports"
    lines = (exports / "default" / "chunks.jsonl").read_text(encoding="utf-8").splitlines()
    chunks = [json.loads(line) for line in lines]
    excerpt = re.findall(r"^```text\n(.*?)\n^```", README, re.MULTILINE | re.DOTALL)[0]
    assert excerpt in [one["body"] for one in chunks]
    assert set(chunks[0]) == set(Chunk.__slots__)
    small = (exports / "small" / "chunks.jsonl").read_text(encoding="utf-8").count("\n")
    assert small > len(chunks)


def test_quickstart_questions_are_answered(place: Path, repository: Path) -> None:
    """From a table, a spreadsheet and a scan; needs the workspace that the README's commands made."""
    script = (repository / "scripts/quickstart").read_text(encoding="utf-8")
    questions = re.findall(r'"([^"$]+\?)"', script)
    answers = ("£14.80", "Largest number in a float: 120", "three pounds ten")
    assert len(questions) == len(answers)
    for question, answer in zip(questions, answers, strict=True):
        assert answer in run(f"drac search {shlex.quote(question)} --top-k 1", place).stdout


def test_exit_codes_are_all_listed() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    assert listed == {0, *(one.exit_code for one in _tree(DracError))}


def _tree(error: type[DracError]) -> list[type[DracError]]:
    return [error, *(sub for child in error.__subclasses__() for sub in _tree(child))]


def test_every_setting_is_listed_with_its_default() -> None:
    block = re.findall(r"^```toml\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[0]
    assert tomllib.loads(block) == Settings().model_dump(mode="json", exclude_none=True)


def test_every_type_is_listed() -> None:
    listed = re.search(r"\*\*Documents it reads\*\*: ([^.]+)\.", README)
    assert listed
    names = {f".{name}" for name in re.findall(r"\w+", listed[1])}
    assert names == SUFFIXES - {f".{alias}" for alias in ALIASES}


def test_chunk_fields_are_listed() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", README, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(Chunk.__slots__)
