"""One warm unoserver with a profile, a port and a process group of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import xmlrpc.client
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from drac.adapters import libreoffice_bridge as bridge
from drac.adapters.libreoffice_processes import PROFILE, end, make_home, record_owner, remove_home
from drac.adapters.libreoffice_profile import EXPORT, write_profile
from drac.adapters.libreoffice_programs import OfficeProgram, find_program
from drac.errors import ConverterUnavailable


class OfficeDied(Exception):
    """The instance is gone or does not answer."""


class OfficeTimeout(OfficeDied):
    """A document took longer than it may."""


class OfficeRefused(Exception):
    """LibreOffice did not open or did not export the document; the instance goes on."""


class OfficeInstance:
    """Started by the first conversion; ends with `kill`, and with the process that made it.

    Not for several threads at once.
    """

    def __init__(self, workdir: Path) -> None:
        self._workdir = workdir
        self._home: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    @property
    def group(self) -> int | None:
        """Process group while it runs."""
        return self._process.pid if self._process else None

    def start(self) -> Path:
        """Make sure that it runs; returns its private folder. Raises ConverterUnavailable."""
        if self._home and self._process and self._process.poll() is None:
            return self._home
        self.kill()
        program = find_program()
        self._home = make_home(self._workdir)
        write_profile(self._home / PROFILE)
        self._process = self._spawn(program, self._home)
        record_owner(self._home, self._process.pid)
        self._await_answer(self._process, self._home)
        return self._home

    def convert(
        self, source: Path, target: Path, *, read_as: str | None, password: str | None, timeout: float
    ) -> None:
        """Export `source` to the PDF `target`; raises OfficeRefused, OfficeDied or OfficeTimeout.

        `read_as` names LibreOffice's import filter; None lets it look for itself.
        """
        arguments = (str(source), None, str(target), "pdf", None, list(EXPORT), False, read_as, password)
        try:
            self._proxy(timeout).convert(*arguments)
        except TimeoutError as error:
            raise OfficeTimeout(f"no answer in {timeout:g} s") from error
        except (OSError, HTTPException, xmlrpc.client.ProtocolError) as error:
            raise OfficeDied(str(error) or type(error).__name__) from error
        except xmlrpc.client.Fault as fault:
            raise _translate(fault) from fault

    def kill(self) -> None:
        """End the group and remove its folder; nothing happens when it does not run."""
        if self._process:
            end(self._process)
        if self._home:
            remove_home(self._home)
        self._process = self._home = None

    def _spawn(self, program: OfficeProgram, home: Path) -> subprocess.Popen[bytes]:
        self._port, uno_port = _free_ports()
        options = {
            "--port": str(self._port),
            "--uno-port": str(uno_port),
            "--executable": str(program.soffice),
            "--user-installation": str(home / PROFILE),
        }
        start = [str(program.python), "-I", bridge.__file__, str(program.site_packages), str(os.getpid())]
        command = [*start, *(word for pair in options.items() for word in pair), "--quiet"]
        with (home / "log.txt").open("wb") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=home,
                env=_environment(home),
                start_new_session=True,
            )

    def _await_answer(self, process: subprocess.Popen[bytes], home: Path) -> None:
        deadline = time.monotonic() + bridge.START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            try:
                self._proxy(bridge.START_SECONDS).system.listMethods()
                return
            except (OSError, HTTPException, xmlrpc.client.Error):
                time.sleep(0.05)
        log = (home / "log.txt").read_text("utf-8", "replace")[-400:].strip()
        self.kill()
        raise ConverterUnavailable(f"LibreOffice does not start: {log or 'it does not answer'}")

    def _proxy(self, timeout: float) -> Any:
        address = f"http://127.0.0.1:{self._port}"
        return xmlrpc.client.ServerProxy(address, transport=_Patience(timeout), allow_none=True)


class _Patience(xmlrpc.client.Transport):
    """XML-RPC over HTTP that waits `seconds` for an answer."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def make_connection(self, host: Any) -> HTTPConnection:
        connection = super().make_connection(host)
        connection.timeout = self._seconds
        return connection


def _translate(fault: xmlrpc.client.Fault) -> Exception:
    text = fault.faultString
    if "DisposedException" in text or "Binary URP bridge" in text:
        return OfficeDied(text)
    return OfficeRefused(text.rpartition("'>:")[2].strip() or text)


def _environment(home: Path) -> dict[str, str]:
    """The caller's, with temporary files under `home`, no display, and a fixed language and time zone."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "URE_"))
    }
    scratch = home / "tmp"
    scratch.mkdir()
    fixed = {"TMPDIR": str(scratch), "SAL_USE_VCLPLUGIN": "svp", "LANG": "C.UTF-8", "TZ": "UTC"}
    return {**kept, **fixed}


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1]), int(other.getsockname()[1])
