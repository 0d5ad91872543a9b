"""A model server in a process of its own, which outlives a client that is killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from tests.servers.log import ServerLog
from tests.servers.pages import PageBook

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 30.0
"""Seconds that the server may take to listen."""


class ServerProcess:
    """Serves a book until `close`; `options` are those of `python -m tests.servers.model_server`."""

    def __init__(
        self, book: PageBook | Path | None = None, *options: str, folder: Path | None = None
    ) -> None:
        self._own = tempfile.TemporaryDirectory(prefix="drac-model-") if folder is None else None
        self.folder = folder or Path(self._own.name if self._own else "")
        self.log_path = self.folder / "server.jsonl"
        command = [sys.executable, "-m", "tests.servers.model_server", *self._files(book), *options]
        self.process = subprocess.Popen(command, cwd=ROOT)
        self.port = self._wait_for_port()

    def _files(self, book: PageBook | Path | None) -> list[str]:
        files = ["--port-file", str(self.folder / "port"), "--log", str(self.log_path)]
        if isinstance(book, PageBook):
            book.save(self.folder / "book.jsonl")
            book = self.folder / "book.jsonl"
        return [*files, "--book", str(book)] if book else files

    def _wait_for_port(self) -> int:
        port_file = self.folder / "port"
        end = time.monotonic() + _PATIENCE
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                self.close()
                raise RuntimeError(f"the model server does not listen (exit {self.process.returncode})")
            time.sleep(0.02)
        return int(port_file.read_text("utf-8"))

    @property
    def url(self) -> str:
        """For boto3's `endpoint_url`."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        """For the openai client's `base_url`."""
        return f"{self.url}/v1"

    def log(self) -> ServerLog:
        """What the server has logged so far."""
        return ServerLog.load(self.log_path) if self.log_path.exists() else ServerLog()

    def close(self) -> None:
        """Stop the server; the log is gone too where no folder was given."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self._own is not None:
            self._own.cleanup()

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
