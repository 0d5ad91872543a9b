"""Converts documents for `libreoffice_instance`, under the Python that can `import uno`.

    PYTHON -I libreoffice_bridge.py SITE_PACKAGES SOFFICE PROFILE

It stands alone with the modules that it loads from this folder: that Python holds unoserver (found in
SITE_PACKAGES, after its own modules) and nothing else of ours. It starts LibreOffice, says so on stdout, and
then answers each line of JSON on stdin with one on stdout; no port of ours is open to others, and a password
is on no command line. Documents load hidden, without macros and without updating links. When stdin ends, its
owner is gone, and the whole process group goes with it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

START_SECONDS = 90.0
"""Seconds that LibreOffice may take until it accepts connections."""

_SHEET_PARTS = ("layout", "cells", "spans", "lines", "stack", "page")
HELPERS = ("tables", "slides", "shapes", "sheets", *(f"sheet_{part}" for part in _SHEET_PARTS))
"""Modules `libreoffice_*` that are loaded from this folder."""
_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods", ".fods")
_LOOK = 0.2
"""Seconds after which an idle bridge looks whether LibreOffice lives."""
_PR_SET_CHILD_SUBREAPER = 36
_LOAD = {"Hidden": True, "MacroExecutionMode": 0, "UpdateDocMode": 0}
"""Media descriptor: com.sun.star.document.MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE are 0."""
_FINAL_TEXT = 0
"""com.sun.star.document.RedlineDisplayType.NONE: insertions as plain text, deletions not at all."""
_OPTIONS = [
    "headless",
    "invisible",
    "nocrashreport",
    "nodefault",
    "nologo",
    "nofirststartwizard",
    "norestore",
]


class _Desktop:
    """LibreOffice's desktop, which loads every document with the properties of `_LOAD`."""

    def __init__(self, desktop: Any, properties: tuple[Any, ...]) -> None:
        self._desktop = desktop
        self._properties = properties
        self.repairs = True
        """Whether the layout is changed where text would be broken or cut off."""
        self.numbers: list[int] = []
        """Of a presentation loaded last: the number of the original slide of each page."""
        self.asked: dict[str, Any] = {}
        """The request: what is to be shown (`hidden`, `notes`, `titled`) and at most (`max_cells`)."""
        self.remarks: list[str] = []
        """What a reader of the PDF should know."""
        self.left_out: list[str] = []
        """Parts of the document that are not in the PDF, though a reader would see them."""

    def getFrames(self) -> Any:
        return self._desktop.getFrames()

    def loadComponentFromURL(self, url: str, frame: str, flags: int, properties: tuple[Any, ...]) -> Any:
        self.numbers, self.remarks, self.left_out = [], [], []
        given = properties
        if url.endswith(_SHEETS):  # rows and columns keep their sizes in a sheet that is opened to be read
            given = tuple(one for one in properties if one.Name != "ReadOnly")
        document = self._desktop.loadComponentFromURL(url, frame, flags, given + self._properties)
        if document is not None and self.repairs:
            try:
                self._prepare(document)
            except _Nothing:
                document.close(True)
                raise
            except Exception as error:  # one of UNO's loses its message on its way through unoserver
                raise RuntimeError(str(error) or type(error).__name__) from None
        return document

    def _prepare(self, document: Any) -> None:
        """What LibreOffice would print otherwise than a reader sees it."""
        tables, slides = _beside("libreoffice_tables"), _beside("libreoffice_slides")
        if document.supportsService("com.sun.star.text.TextDocument"):
            document.setPropertyValue("RedlineDisplayType", _FINAL_TEXT)
            tables.fit_tables(document)
        elif document.supportsService("com.sun.star.presentation.PresentationDocument"):
            fitter = slides.SlideFitter(document, tables, _beside("libreoffice_shapes"))
            self.numbers = fitter.run(hidden=self.asked["hidden"], notes=self.asked["notes"])
        elif document.supportsService("com.sun.star.sheet.SpreadsheetDocument"):
            self._prepare_sheets(document, tables)

    def _prepare_sheets(self, document: Any, tables: Any) -> None:
        parts = {name: _beside(f"libreoffice_sheet_{name}") for name in _SHEET_PARTS}
        printer = _beside("libreoffice_sheets").BookPrinter(
            document, SimpleNamespace(**parts, tables=tables),
            hidden=self.asked["hidden"], titled=self.asked["titled"], most=self.asked["max_cells"],
        )  # fmt: skip
        made = printer.run()
        if not made.sheets:
            raise _Nothing("; ".join(made.left_out))
        self.remarks, self.left_out = made.remarks, made.left_out


class _Nothing(Exception):
    """A document of which nothing is to be printed; the message says what is too large, or is empty."""


def main(arguments: list[str]) -> None:
    """Serve until LibreOffice dies or the owner is gone."""
    site_packages, soffice, profile = arguments
    sys.path.append(site_packages)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    _adopt_orphans()
    try:
        _serve(requests, replies, soffice, profile)
    finally:
        _reap()


def _read(requests: queue.Queue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os.killpg(0, signal.SIGKILL)


def _serve(requests: queue.Queue[str], replies: Any, soffice: str, profile: str) -> None:
    office, port = _start(soffice, profile)
    try:
        converter = _connected(office, port)
    except Exception as error:
        return _say(replies, {"failed": str(error)})
    _say(replies, {"ready": True})
    while office.poll() is None:
        try:
            asked = json.loads(requests.get(timeout=_LOOK))
        except queue.Empty:
            continue
        answer = _convert(converter, asked)
        _say(replies, answer)
        if "died" in answer:
            return None
    return None


def _start(soffice: str, profile: str) -> tuple[subprocess.Popen[bytes], int]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    accept = f"--accept=socket,host=127.0.0.1,port={port},tcpNoDelay=1;urp;StarOffice.ComponentContext"
    options = [f"--{name}" for name in _OPTIONS]
    place = f"-env:UserInstallation={Path(profile).as_uri()}"
    return subprocess.Popen([soffice, *options, place, accept], stdin=subprocess.DEVNULL), port


def _connected(office: subprocess.Popen[bytes], port: int) -> Any:
    """unoserver's converter, as soon as LibreOffice accepts a connection."""
    from unoserver import converter

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            # without tcpNoDelay, which unoserver does not ask for, many a call waits 40 ms
            made = converter.UnoConverter(interface="127.0.0.1", port=f"{port},tcpNoDelay=1")
            break
        except Exception:
            if time.monotonic() > deadline or office.poll() is not None:
                raise
            time.sleep(0.05)
    properties = tuple(converter.PropertyValue(Name=name, Value=value) for name, value in _LOAD.items())
    made.desktop = _Desktop(made.desktop, properties)
    return made


def _convert(converter: Any, asked: dict[str, Any]) -> dict[str, Any]:
    desktop = converter.desktop
    desktop.repairs, desktop.asked = asked["repairs"], asked
    try:
        converter.convert(
            inpath=asked["document"],
            outpath=asked["output"],
            convert_to="pdf",
            filter_options=asked["export"],
            update_index=False,
            infiltername=asked["read_as"],
            password=asked["password"],
        )
    except _Nothing as error:
        return {"nothing": True, "reason": str(error)}
    except Exception as error:
        return {"refused" if _lives(converter) else "died": str(error) or type(error).__name__}
    return {
        "done": True, "numbers": desktop.numbers, "remarks": desktop.remarks, "left_out": desktop.left_out
    }  # fmt: skip


def _lives(converter: Any) -> bool:
    """Whether LibreOffice still answers; what it said last does not tell, it may have died in the middle."""
    try:
        converter.desktop.getFrames().getCount()
    except Exception:
        return False
    return True


def _say(replies: Any, answer: dict[str, Any]) -> None:
    replies.write(json.dumps(answer) + "\n")
    replies.flush()


@functools.cache
def _beside(name: str) -> Any:
    """A module of this folder, by its file: the folder's other modules would hide installed ones."""
    place = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _adopt_orphans() -> None:
    """On Linux: become the parent of LibreOffice's process once its own parent is gone, to reap it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap() -> None:
    """Wait, for two seconds at most, for the children that the owner kills before us."""
    try:
        for _ in range(40):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
            time.sleep(0.05)
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
