"""Bad input gets a clear line and its exit code; its neighbours finish."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

GOOD = "The harbour office opens at eight."


def run(*arguments: object, cwd: Path) -> tuple[int, dict[str, Any], str]:
    command = [sys.executable, "-m", "drac", "run", *map(str, arguments), "--json"]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def pdf(path: Path, text: str = GOOD, pages: int = 1, **save: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    document = pymupdf.open()
    for _ in range(pages):
        document.new_page().insert_text((72, 90), text)
    document.save(path, **save)
    return path


ZERO_PAGES = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj
trailer<</Root 1 0 R/Size 3>>
startxref
0
%%EOF
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any], str]:
    """One run over a folder of every kind of bad file, with good neighbours."""
    place = tmp_path_factory.mktemp("bad")
    docs = place / "docs"
    pdf(docs / "a-good.pdf")
    pdf(docs / "z-good.pdf", "The ferry leaves at nine.")
    (docs / "empty.pdf").touch()
    (docs / "empty.docx").touch()
    whole = pdf(docs / "whole.pdf", pages=20).read_bytes()
    (docs / "whole.pdf").unlink()
    (docs / "truncated.pdf").write_bytes(whole[: len(whole) // 2])
    (docs / "no-pages.pdf").write_bytes(ZERO_PAGES)
    (docs / "text.pdf").write_text("This is no PDF.\n")
    (docs / "junk.xlsx").write_bytes(bytes([0, 1, 2]) * 2000)
    pdf(docs / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="moor", owner_pw="moor2")
    (docs / "parent").symlink_to(docs)
    (docs / ".DS_Store").write_bytes(b"x")
    return run("docs", cwd=place)


BAD = ["empty.docx", "empty.pdf", "junk.xlsx", "locked.pdf", "no-pages.pdf", "text.pdf", "truncated.pdf"]


def test_partial_run_ends_with_4_and_finishes_the_neighbours(outcome: Any) -> None:
    code, summary, _ = outcome
    assert code == 4
    assert summary["documents_failed"] == len(BAD)
    assert summary["pages_by_state"]["ok"] == 2


@pytest.mark.parametrize("name", BAD)
def test_each_bad_file_is_named_with_a_remedy(outcome: Any, name: str) -> None:
    failure = [one for one in outcome[1]["failures"] if one["source"] == name]
    assert len(failure) == 1
    assert failure[0]["error"] and failure[0]["remedy"]
    assert name in outcome[2]


def test_encrypted_is_called_encrypted(outcome: Any) -> None:
    locked = next(one for one in outcome[1]["failures"] if one["source"] == "locked.pdf")
    assert "--password" in locked["remedy"]


def test_link_to_the_parent_ends(outcome: Any) -> None:
    assert outcome[1]["documents"] == len(BAD) + 2


def test_password_opens_it_and_is_kept_nowhere(tmp_path: Path) -> None:
    pdf(tmp_path / "docs/locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="moor-47", owner_pw="x")
    assert run("docs", cwd=tmp_path)[0] == 3
    assert run("docs", "--password", "moor-47", cwd=tmp_path)[0] == 0
    chunks = (tmp_path / ".drac/exports/default/chunks.jsonl").read_text()
    assert GOOD in chunks
    kept = [
        path for path in (tmp_path / ".drac").rglob("*") if path.is_file() and b"moor-47" in path.read_bytes()
    ]
    assert kept == []


def test_folder_without_readable_files_is_3(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/.DS_Store").touch()
    code, _, err = run("docs", cwd=tmp_path)
    assert code == 3
    assert "no document" in err


def test_only_an_empty_file_is_3(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    code, summary, _ = run("empty.pdf", cwd=tmp_path)
    assert (code, summary["documents_failed"]) == (3, 1)


@pytest.mark.parametrize(
    "arguments",
    [("missing",), ("docs", "--pages", "0"), ("docs", "--set", "../x"), ("docs", "--workers", "0")],
)
def test_usage_errors_are_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    pdf(tmp_path / "docs/a.pdf")
    assert run(*arguments, cwd=tmp_path)[0] == 2
