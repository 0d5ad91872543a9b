"""Process groups: who they are, how they end, and what a killed run of ours left behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from drac.adapters.libreoffice_profile import pipe_name

PROFILE = "profile"
"""Folder of LibreOffice's user profile in an instance's home."""

_RECORD = "owner.json"
_PREFIX = "office-"
_ABANDONED = 600.0
"""Seconds after which a home that names no owner is nobody's."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who made an instance's home, and the process group that works for it."""

    pid: int
    """Process ID of the owner."""
    started: str
    """Its start time: with the ID it names one process for ever."""
    group: int = 0
    """ID of the process group and of its leader; 0 before there is one."""
    group_started: str = ""
    """Start time of the group's leader."""


def make_home(workdir: Path) -> Path:
    """A private folder for one instance under `workdir`."""
    workdir.mkdir(parents=True, exist_ok=True, mode=0o700)
    home = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=workdir)).resolve()
    record_owner(home)
    return home


def record_owner(home: Path, group: int = 0) -> None:
    """Note in `home` that it is this process's, and which group works there."""
    pid = os.getpid()
    fields = (pid, start_of(pid), group, start_of(group) if group else "")
    (home / _RECORD).write_text(json.dumps(fields), "utf-8")


def sweep(workdir: Path) -> None:
    """End what instances whose owner is gone left in `workdir`: processes, profiles, sockets."""
    for home in workdir.glob(f"{_PREFIX}*"):
        owner = _owner(home)
        if owner is None:
            if time.time() - home.stat().st_mtime > _ABANDONED:
                remove_home(home.resolve())
            continue
        if start_of(owner.pid) == owner.started:
            continue
        # A leader that is gone leaves its ID to the rest of its group; a stranger's ID is not ours to kill.
        if owner.group and start_of(owner.group) in ("", owner.group_started):
            kill_group(owner.group)
        remove_home(home.resolve())


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process group whose leader is our child; the leader comes last, so that it reaps the others."""
    others = [pid for pid in _members(process.pid) if pid != process.pid]
    for pid in others:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if others:
        process.send_signal(signal.SIGCONT)  # a leader that was stopped reaps nobody
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(3.0 if others else 0.0)
    kill_group(process.pid)
    process.wait()


def kill_group(group: int) -> None:
    """SIGKILL every process of the group, if any is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def remove_home(home: Path) -> None:
    """Remove an instance's folder and the socket that its LibreOffice may have left."""
    shutil.rmtree(home, ignore_errors=True)
    for folder in (Path("/tmp"), Path("/var/tmp")):
        (folder / pipe_name(home / PROFILE, os.getuid())).unlink(missing_ok=True)


def start_of(pid: int) -> str:
    """Start time of a living process, in the system's own words; empty when there is none."""
    if sys.platform == "linux":
        fields = _stat(pid)
        return fields[19] if fields and fields[0] not in "ZX" else ""
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def memory_of(group: int) -> int:
    """Bytes of memory that a process group holds (resident, shared pages counted in each; Linux, else 0)."""
    return sum(map(_resident, _members(group)))


def size_of(folder: Path) -> int:
    """Bytes of all files under a folder."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total


def _resident(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _members(group: int) -> list[int]:
    """Processes of a group, as far as the system tells (Linux)."""
    found = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return [pid for pid in found if (fields := _stat(pid)) and fields[2] == str(group)]


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the third (the state) on; empty when the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []


def _owner(home: Path) -> Owner | None:
    try:
        return Owner(*json.loads((home / _RECORD).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
