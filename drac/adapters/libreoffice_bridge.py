"""Runs unoserver for `libreoffice_instance`, under the Python that can `import uno`.

    PYTHON -I libreoffice_bridge.py SITE_PACKAGES PARENT_PID [unoserver's arguments]

It stands alone: that Python holds unoserver (found in SITE_PACKAGES, after its own modules) and nothing else
of ours. It adds what unoserver has no option for: documents load hidden, without macros and without updating
links; the start is not slowed by fixed sleeps; it ends with its parent, and leaves no zombies.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

START_SECONDS = 90.0
"""Seconds that LibreOffice may take until it accepts connections."""

_PR_SET_CHILD_SUBREAPER = 36
_LOAD = {"Hidden": True, "MacroExecutionMode": 0, "UpdateDocMode": 0}
"""Media descriptor: com.sun.star.document.MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE are 0."""


class _Desktop:
    """LibreOffice's desktop, which loads every document with the properties of `_LOAD`."""

    def __init__(self, desktop: Any, properties: tuple[Any, ...]) -> None:
        self._desktop = desktop
        self._properties = properties

    def loadComponentFromURL(self, url: str, frame: str, flags: int, properties: tuple[Any, ...]) -> Any:
        return self._desktop.loadComponentFromURL(url, frame, flags, properties + self._properties)


def main(arguments: list[str]) -> None:
    """Serve until LibreOffice or the parent ends."""
    site_packages, parent, *rest = arguments
    sys.path.append(site_packages)
    _adopt_orphans()
    threading.Thread(target=_die_with, args=(int(parent),), daemon=True).start()
    try:
        _serve(rest)
    finally:
        _reap()


def _serve(arguments: list[str]) -> None:
    from unoserver import converter, server

    properties = tuple(converter.PropertyValue(Name=name, Value=value) for name, value in _LOAD.items())
    plain = converter.UnoConverter

    def guarded(**options: Any) -> Any:
        made = _patiently(lambda: plain(**options))
        made.desktop = _Desktop(made.desktop, properties)
        return made

    converter.UnoConverter = guarded
    server.time = SimpleNamespace(sleep=lambda seconds: time.sleep(min(seconds, 0.1)))
    sys.argv = ["unoserver", *arguments]
    server.main()


def _patiently(connect: Callable[[], Any]) -> Any:
    """The connection, as soon as LibreOffice accepts one."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return connect()
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _adopt_orphans() -> None:
    """On Linux: become the parent of LibreOffice's process once its own parent is gone, to reap it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap() -> None:
    """Wait, for two seconds at most, for the children that were killed before us."""
    try:
        for _ in range(40):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
            time.sleep(0.05)
    except ChildProcessError:
        pass


def _die_with(parent: int) -> None:
    """Kill the whole process group, this process too, once `parent` is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
