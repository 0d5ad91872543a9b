"""Runs a program without network, and without the files that are not its business, by bubblewrap.

Linux only. What cannot be done here (no bubblewrap, no user namespaces) is said by `available`, and the
caller decides.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from drac.records import Health

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/fonts",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/libreoffice", "/var/cache/fontconfig",
    "/var/lib/libreoffice",
)  # fmt: skip
"""Programs, libraries and fonts; nothing that belongs to a user or names one."""
_FONTS = (".fonts", ".fonts.conf", ".local/share/fonts", ".config/fontconfig", ".cache/fontconfig")
"""The user's own fonts, under the home folder."""
_BASE = ("--unshare-all", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--proc", "/proc", "--dev", "/dev")
_HINT = "Install bubblewrap (`sudo apt-get install bubblewrap`) and allow user namespaces."


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Whether programs can be walled in here."""

    program: str | None
    """Path of bubblewrap where it works, else None."""
    reason: str = ""
    """Why it does not."""

    def wrap(self, command: list[str], *, writable: Path, readable: Iterable[Path] = ()) -> list[str]:
        """The command line that runs `command` walled in; `command` itself where that is not possible.

        It sees the system's programs and fonts and the paths `readable`, changes files under `writable` only,
        and has a loopback of its own.
        """
        if self.program is None:
            return command
        words = [self.program, *_BASE]
        for path in (*map(Path, _SYSTEM), *_own_fonts(), *readable):
            words += ["--ro-bind-try", str(path), str(path)]
        return [*words, "--bind", str(writable), str(writable), "--chdir", str(writable), "--", *command]


def _own_fonts() -> list[Path]:
    """None for a user without a home folder."""
    try:
        return [Path.home() / name for name in _FONTS]
    except RuntimeError:
        return []


@functools.cache
def available() -> Sandbox:
    """What this machine allows, tried once."""
    if sys.platform != "linux":
        return Sandbox(None, "it needs Linux")
    program = shutil.which("bwrap")
    if program is None:
        return Sandbox(None, "bubblewrap is not installed")
    command = Sandbox(program).wrap(["true"], writable=Path("/tmp"))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Sandbox(None, f"bubblewrap does not start: {error}")
    if done.returncode:
        return Sandbox(None, f"bubblewrap does not work here: {done.stderr.strip()[:200]}")
    return Sandbox(program)


def health() -> Health:
    """Whether LibreOffice runs without network and away from other files, for `drac doctor`."""
    name = "Isolation of LibreOffice"
    found = available()
    if found.program:
        return Health(name, "ok", f"no network, no files but the document's ({found.program})")
    detail = f"LibreOffice runs with network and sees this user's files: {found.reason}"
    return Health(name, "warning", f"{detail}. Links, macros and updates are off by its settings", _HINT)
