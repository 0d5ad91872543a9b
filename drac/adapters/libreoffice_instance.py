"""One warm LibreOffice, driven by unoserver's converter, with a profile and a process group of its own."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drac.adapters import libreoffice_bridge as bridge
from drac.adapters import sandbox
from drac.adapters.libreoffice_processes import (
    PROFILE,
    end,
    make_home,
    memory_of,
    record_owner,
    remove_home,
    size_of,
)
from drac.adapters.libreoffice_profile import EXPORT, write_profile
from drac.adapters.libreoffice_programs import OfficeProgram, find_program
from drac.errors import ConverterUnavailable

_LOOK = 0.25
"""Seconds between two looks at what a conversion uses."""
_KEPT = ("PATH", "HOME", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME")
"""Variables that LibreOffice inherits; keys and tokens of the caller's are none of its business."""


class OfficeDied(Exception):
    """The instance is gone or does not answer."""


class OfficeTimeout(OfficeDied):
    """A document took longer than it may."""


class OfficeTooLarge(OfficeDied):
    """A document took more memory, or wrote more, than it may."""


class OfficeRefused(Exception):
    """LibreOffice did not open or did not export the document; the instance goes on."""


class OfficeNothing(OfficeRefused):
    """There is nothing on the document's pages."""


class OfficePastLimit(OfficeRefused):
    """All of the document is past a limit of ours."""


@dataclass(frozen=True, slots=True)
class OfficeResult:
    """What LibreOffice made of a document, beside the PDF."""

    numbers: tuple[int, ...] = ()
    """Of a presentation: the original number, from 1, of each page's slide."""
    remarks: tuple[str, ...] = ()
    """What a reader of the PDF should know: a line each."""
    left_out: tuple[str, ...] = ()
    """Parts that are not in the PDF because they are past a limit, a line each."""


class _NotStarted(ConverterUnavailable):
    """It ended, or said nothing, before it was ready."""


@dataclass(frozen=True, slots=True)
class OfficeLimits:
    """What one document may use, and how long an instance serves."""

    seconds: float = 180.0
    """Time for one document."""
    memory: int = 3 << 30
    """Bytes of memory of all processes of an instance while it converts."""
    written: int = 2 << 30
    """Bytes that a conversion may write, temporary files included."""
    documents: int = 200
    """Documents after which an instance is replaced, since LibreOffice keeps memory."""
    repairs: bool = True
    """Whether the layout is changed where text would be broken or cut off; False: to measure the rest."""
    hidden: bool = False
    """Whether hidden slides, sheets, rows, columns and text are shown."""
    notes: bool = False
    """Whether speaker notes follow their slides."""
    kept_memory: int = 1 << 30
    """Bytes of memory after a document above which an instance is replaced."""
    max_cells: int = 500_000
    """Filled cells of a sheet; a larger one is left out and named."""


class OfficeInstance:
    """Started by the first conversion; ends with `kill`, and with the process that made it.

    Not for several threads at once. `isolation` says in what it is walled in; None: as far as possible here.
    """

    def __init__(self, workdir: Path, limits: OfficeLimits, isolation: sandbox.Sandbox | None = None) -> None:
        self._workdir, self._limits, self._isolation = workdir, limits, isolation
        self._home: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = bytearray()
        self._served = 0
        self._closed = False

    @property
    def group(self) -> int | None:
        """Process group while it runs."""
        return self._process.pid if self._process else None

    @property
    def memory(self) -> int:
        """Bytes of memory of its processes; 0 while it does not run, and where the system does not tell."""
        return memory_of(self._process.pid) if self._process else 0

    @property
    def spent(self) -> bool:
        """Whether it has served so much that a fresh one should take over."""
        return self._served >= self._limits.documents or self.memory > self._limits.kept_memory

    def start(self) -> Path:
        """Make sure that it runs; returns its private folder.

        Raises ConverterUnavailable where it does not start, twice, and OfficeDied after `close`.
        """
        if self._home and self._process and self._process.poll() is None:
            return self._home
        try:
            return self._start()
        except _NotStarted:
            return self._start()

    def close(self) -> None:
        """End for good, also where another thread is using or starting it."""
        self._closed = True
        self.kill()

    def _start(self) -> Path:
        self.kill()
        if self._closed:
            raise OfficeDied("the run ends")
        program = find_program()
        self._home = make_home(self._workdir)
        write_profile(self._home / PROFILE)
        self._process = self._spawn(program, self._home)
        record_owner(self._home, self._process.pid)
        self._await_start(self._home)
        return self._home

    def convert(
        self, source: Path, target: Path, *, read_as: str | None, password: str | None, titled: bool = True
    ) -> OfficeResult:
        """Export `source` to the PDF `target`; raises OfficeRefused, OfficeDied or one of their kinds.

        `read_as` names LibreOffice's import filter; None lets it look for itself. `titled`: whether each
        page of a spreadsheet names its sheet.
        """
        self._served += 1
        asked = {
            "document": str(source), "output": str(target), "export": EXPORT, "read_as": read_as,
            "password": password, "repairs": self._limits.repairs, "hidden": self._limits.hidden,
            "notes": self._limits.notes, "titled": titled, "max_cells": self._limits.max_cells,
        }  # fmt: skip
        answer = self._ask(asked)
        if "died" in answer:
            raise OfficeDied(answer["died"])
        if "refused" in answer:
            raise OfficeRefused(answer["refused"])
        if "nothing" in answer:
            raise (OfficePastLimit if answer["reason"] else OfficeNothing)(answer["reason"])
        return OfficeResult(*(tuple(answer[name]) for name in ("numbers", "remarks", "left_out")))

    def kill(self) -> None:
        """End the group and remove its folder; nothing happens when it does not run."""
        process, home = self._process, self._home  # `close` may come from another thread meanwhile
        self._process = self._home = None
        if process:
            end(process)
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()
        if home:
            remove_home(home)
        self._answers.clear()
        self._served = 0

    def _spawn(self, program: OfficeProgram, home: Path) -> subprocess.Popen[bytes]:
        script = Path(bridge.__file__)
        helpers = [script.with_name(f"libreoffice_{name}.py") for name in bridge.HELPERS]
        words = (program.python, "-I", script, program.site_packages, program.soffice, home / PROFILE)
        isolation = self._isolation or sandbox.available()
        readable = (script, *helpers, program.site_packages / "unoserver", *program.folders)
        command = isolation.wrap(list(map(str, words)), writable=home, readable=readable)
        with (home / "log.txt").open("wb") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                cwd=home,
                env=_environment(home),
                start_new_session=True,
            )

    def _await_start(self, home: Path) -> None:
        try:
            answer = self._answer(time.monotonic() + bridge.START_SECONDS + 5.0)
        except OfficeDied as error:
            answer = {"failed": str(error)}
        if "ready" not in answer:
            log = (home / "log.txt").read_text("utf-8", "replace")[-400:].strip()
            self.kill()
            raise _NotStarted(f"LibreOffice does not start: {answer.get('failed')} {log}".strip())

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self._process and self._process.stdin
        try:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        except OSError as error:
            raise OfficeDied("it was gone already") from error
        return self._answer(time.monotonic() + self._limits.seconds, watched=True)

    def _answer(self, deadline: float, watched: bool = False) -> dict[str, Any]:
        """The next line that the bridge says."""
        assert self._process and self._process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._answers:
                if selector.select(_LOOK):
                    self._receive(self._process.stdout.fileno())
                elif time.monotonic() > deadline:
                    raise OfficeTimeout(f"no answer in {self._limits.seconds:g} s")
                elif watched:
                    self._check_use(self._process.pid)
        line, _, rest = bytes(self._answers).partition(b"\n")
        self._answers[:] = rest
        return dict(json.loads(line))

    def _receive(self, pipe: int) -> None:
        data = os.read(pipe, 65_536)
        if not data:
            raise OfficeDied("LibreOffice's process ended")
        self._answers += data

    def _check_use(self, group: int) -> None:
        assert self._home
        if memory_of(group) > self._limits.memory:
            raise OfficeTooLarge(f"more than {self._limits.memory / 1e9:.1f} GB of memory")
        if size_of(self._home) > self._limits.written:
            raise OfficeTooLarge(f"more than {self._limits.written / 1e9:.1f} GB written")


def _environment(home: Path) -> dict[str, str]:
    """Few of the caller's variables; temporary files in `home`, no display, fixed language and time zone."""
    scratch = home / "tmp"
    scratch.mkdir()
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "TMPDIR": str(scratch), "SAL_USE_VCLPLUGIN": "svp", "LANG": "C.UTF-8", "TZ": "UTC"}
