"""The workspace: atomic writes, locking, what counts as complete."""

from __future__ import annotations

import errno
import json
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from drac.errors import DiskFull, UsageError, WorkspaceBusy
from drac.records import Attempt, Page, PageState, PageText, Region, Table
from drac.store import files
from drac.store.catalog import Catalog
from drac.store.keys import artifact_digest, canonical, digest, recipe
from drac.store.store import Store

PAGE = Page("a" * 64, 3)
TEXT = PageText(
    PAGE, PageState.OK, "# Fährplan\n\n₹ 5", "local",
    regions=(Region(0, 10, "heading", ((1.0, 2.0, 3.0, 4.0),)),),
    tables=(Table((0.0, 0.0, 1.0, 1.0), 1, 1, 0, ()),),
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "ws") as opened:
        yield opened


def test_workspace_is_private(store: Store) -> None:
    assert stat.S_IMODE(store.root.stat().st_mode) == 0o700


def test_second_writer_is_refused(store: Store) -> None:
    with pytest.raises(WorkspaceBusy), Store(store.root):
        pass


def test_another_format_is_refused(store: Store) -> None:
    (store.root / "workspace.json").write_text('{"format": 999}')
    with pytest.raises(UsageError, match="another format"):
        store.create()


def test_page_comes_back_as_it_went_in(store: Store) -> None:
    store.put_page("d1", TEXT)
    assert store.get_page("d1") == TEXT


def test_damaged_page_counts_as_missing(store: Store) -> None:
    store.put_page("d1", TEXT)
    path = store.page_path("d1")
    path.write_bytes(path.read_bytes()[:-20])
    assert store.get_page("d1") is None


def test_failed_page_leaves_attempts_and_no_result(store: Store) -> None:
    for reason in ("first", "second"):
        failed = PageText(PAGE, PageState.FAILED, "", "local", attempts=(Attempt("local", reason),))
        store.put_page("d1", failed)
    assert store.get_page("d1") is None
    assert [one.outcome for one in store.failed_attempts("d1")] == ["first", "second"]


def test_artifact_is_complete_only_after_commit(store: Store) -> None:
    with store.writing("normalize", "abc", {"digest": "abc", "n": 1}) as folder:
        (folder / "document.pdf").write_bytes(b"x")
        assert store.complete("normalize", "abc") is None
    assert (store.complete("normalize", "abc") or Path()).joinpath("document.pdf").read_bytes() == b"x"
    assert store.meta("normalize", "abc") == {"digest": "abc", "n": 1}


@pytest.mark.parametrize("text", ["{}", "[]", "{", '{"digest": "another"}'])
def test_artifact_with_a_damaged_meta_counts_as_not_there(store: Store, text: str) -> None:
    with store.writing("plan", "abc", {"digest": "abc"}):
        pass
    (store.artifacts / "plan" / "abc" / "meta.json").write_text(text)
    assert store.complete("plan", "abc") is None


def test_failed_artifact_leaves_nothing(store: Store) -> None:
    with pytest.raises(RuntimeError), store.writing("normalize", "abc", {}) as folder:
        (folder / "half").write_bytes(b"x")
        raise RuntimeError
    assert store.complete("normalize", "abc") is None
    assert list(store.temporary.iterdir()) == []


def _kill_while_writing(path: Path) -> None:
    """What a SIGKILL between the write and the rename leaves."""
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom drac.store.files import write_file\n"
        "Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\nwrite_file(Path(sys.argv[1]), b'{}')"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL


def test_leftovers_of_a_killed_run_are_cleared(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        (store.begin() / "half").write_bytes(b"x")
        deep = ("exports/one/markdown/c", "replies/embed", "bench/one/figures")
        for place in ("", "pages", "attempts", "audits", "sources", *deep):
            (tmp_path / place).mkdir(parents=True, exist_ok=True)
            _kill_while_writing(tmp_path / place / "half.json")
        assert len(list(tmp_path.rglob(".*"))) == 8
    with Store(tmp_path) as store:
        assert list(store.temporary.iterdir()) == []
        assert list(tmp_path.rglob(".*")) == []


def test_f56_disk_full_while_a_page_is_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes, durable: bool) -> None:
        path.write_bytes(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "_write", full)
    with pytest.raises(DiskFull) as caught:
        store.put_page("d1", TEXT)
    assert caught.value.exit_code == 6
    assert list(store.pages.iterdir()) == []


def test_f57_key_changes_with_everything_that_changes_the_output() -> None:
    base = {"stage": "convert", "version": 1, "settings": {"dpi": 200}, "tools": {"model": "a"}}
    changes = ({"stage": "render"}, {"version": 2}, {"settings": {"dpi": 150}}, {"tools": {"model": "b"}})
    keys = {artifact_digest(recipe(**{**base, **change}), ["x"]) for change in ({}, *changes)}
    keys.add(artifact_digest(recipe(**base), ["y"]))
    assert len(keys) == 6


def test_canonical_json_does_not_depend_on_order() -> None:
    assert canonical({"b": 1, "a": "ä"}) == canonical({"a": "ä", "b": 1}) == b'{"a":"\\u00e4","b":1}'
    assert len(digest({})) == 64
    with pytest.raises(ValueError):
        canonical(float("nan"))


def _record(name: str, **fields: object) -> dict[str, object]:
    record = {"doc_id": name, "collection": "c", "path": name, "root": "/", "live": True, "state": "failed"}
    return {**record, **fields}


def test_source_records_come_in_order_and_are_not_rewritten(store: Store) -> None:
    for name in ("b", "a"):
        store.put_source(name, _record(name))
    before = (store.sources / "a.json").stat().st_ino
    store.put_source("a", _record("a"))
    assert (store.sources / "a.json").stat().st_ino == before
    assert [one["path"] for one in store.all_sources()] == ["a", "b"]


@pytest.mark.parametrize(
    "damage", ["{garb", "{}", "[]", '{"collection": "c", "path": "a", "state": "ok"}', None]
)
def test_a_damaged_source_record_is_named_and_can_be_dropped(store: Store, damage: str | None) -> None:
    store.put_source("a", _record("a"))
    store.put_source("b", _record("b"))
    path = store.sources / "a.json"
    path.unlink()
    if damage is None:
        path.mkdir()
    else:
        path.write_text(damage)
    assert store.get_source("a") is None
    with pytest.raises(UsageError, match=r"a\.json.*damaged") as raised:
        list(store.all_sources())
    assert "drac repair" in raised.value.remedy
    assert store.drop_damaged_sources() == [path]
    assert [one["path"] for one in store.all_sources()] == ["b"]


def test_a_record_that_says_ok_without_a_pdf_is_damaged(store: Store) -> None:
    store.put_source("a", _record("a", state="ok"))
    assert store.get_source("a") is None


def test_what_cannot_be_a_workspace_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be a workspace"):
        Store(tmp_path / "file").create()


@pytest.mark.parametrize("damage", [b"garbage" * 999, b""])
def test_a_damaged_catalog_is_named_with_its_remedy(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "catalog.sqlite3"
    Catalog(path).close()
    path.write_bytes(damage)
    with pytest.raises(UsageError, match="damaged") as raised:
        Catalog(path, readonly=True).rows("SELECT * FROM sources")
    assert "drac repair" in raised.value.remedy
    if damage:
        with pytest.raises(UsageError, match="damaged"):
            Catalog(path)


@pytest.mark.parametrize("readonly", [True, False])
def test_a_catalog_that_is_no_file_is_named(tmp_path: Path, readonly: bool) -> None:
    (tmp_path / "catalog.sqlite3").mkdir()
    with pytest.raises(UsageError, match=r"catalog\.sqlite3: the catalog cannot be used"):
        Catalog(tmp_path / "catalog.sqlite3", readonly=readonly).rows("SELECT * FROM sources")


def test_a_catalog_of_another_layout_is_named(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE sources (doc_id TEXT PRIMARY KEY)")
    with pytest.raises(UsageError, match="damaged"):
        Catalog(path).put_source(_record("a"))


def test_a_full_disk_is_found_behind_what_came_of_it() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/work/page")
    error = AttributeError("something else")
    error.__context__ = RuntimeError("in between")
    error.__context__.__cause__ = full
    assert files.full_disk(error) is full and files.is_disk_full(error)
    assert files.full_disk(ValueError("no disk")) is None


def test_f56_a_limit_on_the_size_of_files_is_named_as_one(tmp_path: Path) -> None:
    with pytest.raises(DiskFull) as caught, files.disk_errors(tmp_path / "page"):
        raise OSError(errno.EFBIG, "File too large")
    assert "page: no file may grow so large here" in caught.value.message
    assert "ulimit -f" in str(caught.value.remedy)


def test_a_page_stored_before_its_recognition_was_kept_still_loads(store: Store) -> None:
    store.put_page("a" * 64, TEXT)
    record = json.loads(store.page_path("a" * 64).read_bytes())
    del record["recognition"]
    store.page_path("a" * 64).write_text(json.dumps(record), encoding="utf-8")
    assert store.get_page("a" * 64) == TEXT
