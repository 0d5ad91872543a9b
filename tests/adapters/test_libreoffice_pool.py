"""Several LibreOffice instances at once: shared out, replaced, limited (faults F01, F02, F11)."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes_normalize import docx_of, page_texts

from drac.adapters import libreoffice_pool
from drac.adapters.libreoffice import LibreOfficeConverter, OfficeLimits
from drac.adapters.libreoffice_instance import OfficeInstance
from drac.adapters.libreoffice_processes import sweep
from drac.errors import DocumentError, LimitExceeded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def offices(place: Path) -> list[str]:
    """LibreOffice's processes that descend from this one, zombies too, or work in `place`."""
    lines = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    processes = [line.split(None, 2) for line in lines.splitlines()]
    ours = {str(os.getpid())}
    for _ in processes:
        ours |= {pid for pid, parent, _ in processes if parent in ours}
    return [what for pid, _, what in processes if "soffice" in what and (pid in ours or str(place) in what)]


class Bench:
    """Documents that say their own number, converted by a pool."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.struck: dict[str, signal.Signals] = {}

    def pool(self, limits: OfficeLimits | None = None, instances: int = 2) -> LibreOfficeConverter:
        return LibreOfficeConverter(self.place / "work", limits or OfficeLimits(60.0), instances=instances)

    def convert(self, office: LibreOfficeConverter, name: str) -> str:
        """The text of the document's only page, or the class of the error that named it."""
        source, target = self.place / f"{name}.docx", self.place / f"{name}.pdf"
        source.write_bytes(docx_of(f"this is {name}"))
        threading.current_thread().name = name
        try:
            office.convert(source, target, suffix=".docx")
        except DocumentError as error:
            assert f"{name}.docx" in error.message
            return type(error).__name__
        return page_texts(target)[0]

    def all(self, office: LibreOfficeConverter, names: list[str], at_once: int = 2) -> list[str]:
        with ThreadPoolExecutor(at_once) as threads:
            return list(threads.map(lambda name: self.convert(office, name), names))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    made = Bench(tmp_path)

    class Struck(OfficeInstance):
        def convert(self, source: Path, target: Path, **options: object) -> tuple[int, ...]:
            blow = made.struck.get(threading.current_thread().name)
            if blow and self.group:
                strike(self.group, blow)
            return super().convert(source, target, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(libreoffice_pool, "OfficeInstance", Struck)
    yield made
    assert not list((tmp_path / "work").iterdir())


def strike(group: int, blow: signal.Signals) -> bool:
    """Whether LibreOffice itself, not the bridge to it, was there to be struck."""
    lines = subprocess.run(
        ["ps", "-eo", "pid=,pgid=,comm="], capture_output=True, text=True, check=True
    ).stdout
    struck = False
    for pid, pgid, name in (line.split(None, 2) for line in lines.splitlines()):
        if int(pgid) == group and "soffice.bin" in name:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), blow)
                struck = True
    return struck


def environment(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def test_f02_documents_are_converted_at_once_and_none_is_lost(bench: Bench) -> None:
    names = [f"number{n}" for n in range(12)]
    with bench.pool() as office:
        assert bench.all(office, names, at_once=4) == [f"this is {name}" for name in names]
        assert len(office.pool.groups) == 2
        assert office.pool.memory > 100_000_000


def test_f01_one_file_hangs_and_its_neighbours_are_converted(bench: Bench) -> None:
    bench.struck["b"] = signal.SIGSTOP
    with bench.pool(OfficeLimits(12.0)) as office:
        found = bench.all(office, ["a", "b", "c", "d"])
    assert found == ["this is a", "LimitExceeded", "this is c", "this is d"]


def test_f11_an_office_that_dies_of_a_file_is_replaced(bench: Bench) -> None:
    before = offices(bench.place)
    bench.struck["number3"] = signal.SIGKILL
    names = [f"number{n}" for n in range(10)]
    with bench.pool() as office:
        found = bench.all(office, names)
        assert len(offices(bench.place)) > len(before)
    assert found == [f"this is {name}" if name != "number3" else "CorruptDocument" for name in names]
    assert offices(bench.place) == before


def test_an_instance_is_replaced_after_so_many_documents(bench: Bench) -> None:
    groups = set()
    with bench.pool(OfficeLimits(60.0, documents=2), instances=1) as office:
        for n in range(5):
            assert bench.convert(office, f"n{n}") == f"this is n{n}"
            groups |= set(office.pool.groups)
    assert len(groups) == 3


def test_an_instance_that_keeps_much_memory_is_replaced(bench: Bench) -> None:
    with bench.pool(OfficeLimits(60.0, kept_memory=1), instances=1) as office:
        assert bench.convert(office, "a") == "this is a"
        assert office.pool.groups == []
        assert bench.convert(office, "b") == "this is b"


@pytest.mark.parametrize(("limits", "what"), [({"memory": 1}, "memory"), ({"written": 1}, "written")])
def test_a_document_that_takes_too_much_is_named(bench: Bench, limits: dict[str, int], what: str) -> None:
    """The limit is looked at while a document takes long; a stopped office takes long."""
    bench.struck["big"] = signal.SIGSTOP
    source = bench.place / "big.docx"
    source.write_bytes(docx_of("x"))
    threading.current_thread().name, before = "big", threading.current_thread().name
    try:
        with (
            bench.pool(OfficeLimits(30.0, **limits)) as office,  # type: ignore[arg-type]
            pytest.raises(LimitExceeded, match=rf"big\.docx.*{what}.*twice") as raised,
        ):
            began = time.monotonic()
            office.convert(source, bench.place / "big.pdf", suffix=".docx")
    finally:
        threading.current_thread().name = before
    assert raised.value.lasting
    assert time.monotonic() - began < 25


def test_keys_of_the_caller_do_not_reach_libreoffice(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "topsecret")
    with bench.pool(instances=1) as office:
        bench.convert(office, "a")
        (group,) = office.pool.groups
        lines = subprocess.run(["ps", "-eo", "pid=,pgid="], capture_output=True, text=True, check=True).stdout
        pids = [pid for pid, pgid in map(str.split, lines.splitlines()) if int(pgid) == group]
        environments = [data for pid in pids if (data := environment(pid))]
    assert len(environments) >= 2 and not any(b"topsecret" in one for one in environments)


def test_an_office_that_dies_while_it_starts_is_started_once_more(bench: Bench) -> None:
    killed: list[int] = []

    def kill_first() -> None:
        until = time.monotonic() + 30
        while not killed and time.monotonic() < until:
            killed.extend(one for one in office.pool.groups if strike(one, signal.SIGKILL))
            time.sleep(0.01)

    with bench.pool(instances=1) as office:
        striker = threading.Thread(target=kill_first)
        striker.start()
        assert bench.convert(office, "a") == "this is a"
        striker.join()
        assert killed and office.pool.groups != killed


def test_a_home_that_names_no_owner_is_removed_in_time(tmp_path: Path) -> None:
    old, new = tmp_path / "office-old", tmp_path / "office-new"
    for home in (old, new):
        home.mkdir()
    os.utime(old, (1, 1))
    sweep(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)


def test_nothing_is_started_after_the_end(bench: Bench) -> None:
    office = bench.pool(instances=1)
    assert bench.convert(office, "a") == "this is a"
    office.close()
    assert bench.convert(office, "b") == "CorruptDocument"
    assert office.pool.groups == []
