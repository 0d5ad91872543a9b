"""Mail and archives from the command line: what ends where, killed in the middle, and the corpus's own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fakes_normalize import pdf_of
from mails import attachment, mail, text

COMMAND = [sys.executable, "-m", "drac"]
KILLS = 2


def zip_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def drac(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = subprocess.run(
        [*COMMAND, *arguments, "--json"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def sources(workspace: Path) -> set[str]:
    """Documents that are there and were read."""
    records = [json.loads(path.read_bytes()) for path in (workspace / "sources").glob("*.json")]
    return {one["path"] for one in records if one["live"] and one["state"] == "ok"}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mails within mails and archives; a damaged attachment, and one of a type that is not read."""
    folder = tmp_path_factory.mktemp("containers") / "docs"
    folder.mkdir()
    inner = mail(text("Inner text of the mail"), attachment("deep.pdf", pdf_of("Deep page")), subject="Inner")
    letter = mail(
        text("<h1>Ferries</h1><p>They sail at noon.", "html"),
        attachment("plan.pdf", pdf_of("Plan A", "Plan B")),
        attachment("broken.pdf", b"%PDF-1.4 broken"), attachment("film.mp4", b"\0\0"),
        b"Content-Type: message/rfc822\r\n\r\n" + inner, subject="Outer",
    )  # fmt: skip
    (folder / "letter.eml").write_bytes(letter)
    web = {"web/page.html": b"<p>A page of an archive", "web/plan.pdf": pdf_of("Plan C")}
    (folder / "all.zip").write_bytes(
        zip_of({"in/letter.eml": inner, **web, "x.zip": zip_of({"y.pdf": pdf_of("Y")})})
    )
    return folder


FOUND = {
    "letter.eml", "letter.eml/plan.pdf", "letter.eml/Inner.eml", "letter.eml/Inner.eml/deep.pdf",
}  # fmt: skip
IN_ARCHIVE = {
    "all.zip/in/letter.eml", "all.zip/in/letter.eml/deep.pdf", "all.zip/web/page.html",
    "all.zip/web/plan.pdf", "all.zip/x.zip/y.pdf",
}  # fmt: skip


def test_every_part_ends_somewhere(documents: Path, tmp_path: Path) -> None:
    arguments = [str(documents), "--workspace", str(tmp_path / "ws")]
    first = drac("convert", *arguments, code=4)
    assert sources(tmp_path / "ws") == FOUND
    assert [(one["source"], one["error"].split()[0]) for one in first["failures"]] == [
        ("letter.eml/broken.pdf", "damaged")
    ]
    assert str(tmp_path / "ws") not in first["failures"][0]["error"]
    reasons = {Path(one["path"]).name: one["reason"] for one in first["skipped"]}
    assert reasons == {
        "all.zip": "an archive; --archives reads what is in it",
        "film.mp4": ".mp4 is not a type of document that is read",
    }
    second = drac("convert", *arguments, "--archives", code=4)
    assert sources(tmp_path / "ws") == FOUND | IN_ARCHIVE
    assert second["documents"] == len(FOUND | IN_ARCHIVE) + 1
    counted = drac("convert", *arguments, "--archives", "--dry-run")
    assert counted["containers_whose_parts_are_not_counted"] == 2
    state = drac("status", "--workspace", str(tmp_path / "ws"))
    assert state["documents"] == {"ok": 9, "failed": 1, "unpacked": 2, "vanished": 0}
    assert any(one["path"].endswith("letter.eml/film.mp4") for one in state["skipped"])
    third = drac("convert", *arguments, code=4)
    assert {one.removeprefix("docs/") for one in third["vanished"]} == IN_ARCHIVE | {
        "all.zip",
        "all.zip/x.zip",
    }
    assert sources(tmp_path / "ws") == FOUND


def payload(workspace: Path) -> dict[str, bytes]:
    folders = [workspace / name for name in ("artifacts", "pages", "sources")]
    files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(workspace)): path.read_bytes() for path in files}


def test_killed_at_any_moment_the_result_is_the_same(documents: Path, tmp_path: Path) -> None:
    arguments = ["convert", str(documents), "--archives", "--workspace"]
    drac(*arguments, str(tmp_path / "whole"), code=4)
    for kill in range(KILLS):
        run = subprocess.Popen(
            [*COMMAND, *arguments, str(tmp_path / "ws")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        time.sleep(1.5 + kill)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    drac(*arguments, str(tmp_path / "ws"), code=4)
    assert payload(tmp_path / "ws") == payload(tmp_path / "whole")


def test_the_corpus_mails(corpora: Path, tmp_path: Path) -> None:
    """The facts that the manifest names stand in the chunks, except those of a part that is not shown."""
    manifest = json.loads((corpora / "documents/manifest.json").read_text())
    files = [one for one in manifest["files"] if one["format"] in ("eml", "msg")]
    root, workspace = corpora / "documents", tmp_path / "ws"
    paths = [str(root / one["file"]) for one in files]
    drac("convert", *paths, "--root", str(root), "--workspace", str(workspace), code=4)
    drac("plan", "--workspace", str(workspace), code=4)
    held: dict[str, str] = {}
    for line in (workspace / "exports/default/chunks.jsonl").read_text().splitlines():
        chunk = json.loads(line)
        held[chunk["source"]] = held.get(chunk["source"], "") + _letters(chunk["text"])
    facts = [(one["file"], fact["text"]) for one in files for fact in one["facts"]]
    missed = [fact[:20] for file, fact in facts if _letters(fact) not in held[file]]
    assert missed == ["If slava.Gxyzxyz@gma", "(c) 2014 Google Inc."], "in the plain text only"
    assert {
        "eml/fake-email-attachment.eml/fake-attachment.txt",
        "msg/msg_with_attachment.msg/test.txt",
    } <= held.keys()


def _letters(fact: str) -> str:
    return "".join(char for char in fact.casefold() if char.isalnum() or char in "@.:")
