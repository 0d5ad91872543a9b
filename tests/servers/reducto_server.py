"""A loopback server of Reducto's two endpoints, /upload and /parse, that answers with blocks given to it.

Written after the types of reductoai 0.25. It keeps what it was asked; statuses may come first.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ReductoServer:
    """What it answers, and what it was asked."""

    def __init__(self, blocks: Sequence[dict[str, Any]], credits: float | None = 2.5) -> None:
        self.blocks, self.credits = list(blocks), credits
        self.statuses: list[int] = []
        """Answered in their order before anything else."""
        self.by_address = False
        """Whether results come by an address of their own."""
        self.uploads: list[bytes] = []
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def parse(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A ParseResponse of the pages asked for."""
        self.asked.append(asked)
        wanted = {
            page for one in asked["settings"]["page_range"] for page in range(one["start"], one["end"] + 1)
        }
        usage = {"num_pages": len(wanted), "credits": self.credits}
        result = self.result(wanted) if not self.by_address else {
            "type": "url", "result_id": "r1", "url": f"{self.url}/result?pages={','.join(map(str, wanted))}",
        }  # fmt: skip
        return {"response_type": "parse", "job_id": "j1", "duration": 0.1, "usage": usage, "result": result}

    def result(self, wanted: set[int]) -> dict[str, Any]:
        """The blocks of some pages, numbered anew among them, as in a document of these pages alone."""
        order = {page: at for at, page in enumerate(sorted(wanted), start=1)}
        blocks = [
            {"type": kind, "content": text, "bbox": {
                "left": 0.1, "top": 0.1, "width": 0.5, "height": 0.1,
                "page": order[page], "original_page": page}}
            for page, kind, text in ((one["page"], one["type"], one["content"]) for one in self.blocks)
            if page in wanted
        ]  # fmt: skip
        content = "\n".join(one["content"] for one in blocks)
        return {"type": "full", "chunks": [{"content": content, "embed": content, "blocks": blocks}]}


@contextmanager
def serving(server: ReductoServer) -> Iterator[ReductoServer]:
    """The server answers while the block runs, at its `url`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/drac-simulated":
                self.send(200, {"simulated": True})
            elif self.path.startswith("/result?pages="):
                self.send(200, server.result({int(one) for one in self.path.split("=")[1].split(",")}))
            else:
                self.send(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if server.statuses:
                self.send(server.statuses.pop(0), {"detail": "said by the server"})
            elif self.path.startswith("/upload"):
                server.uploads.append(body)
                self.send(200, {"file_id": "reducto://f1", "presigned_url": None})
            else:
                self.send(200, server.parse(json.loads(body)))

        def send(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Keeps quiet."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
