"""The simulated model behind HTTP on 127.0.0.1, in this process or as one of its own.

python -m tests.servers.model_server --port-file F --log F --book F --latency 4 --faults 0.2 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.servers import completions, converse, embeddings, rerank
from tests.servers.log import Entry, ServerLog
from tests.servers.model import Behaviour, Latency, Limits, Model, Outcome
from tests.servers.pages import PageBook
from tests.servers.schedule import Chance, Seen, first_of, no_faults, rule
from tests.servers.wire import SIMULATED, Asked, Reply, WireError

NAME = "drac simulated model"


class ModelServer:
    """Serves from the moment it is made until `close`, in threads of this process.

    Every reply carries the header `x-drac-simulated: 1`; GET /drac-simulated says it in JSON.
    """

    def __init__(
        self, book: PageBook | None = None, behaviour: Behaviour | None = None, *, port: int = 0,
        log: Path | None = None,
    ) -> None:  # fmt: skip
        self.book = book or PageBook()
        self.behaviour = behaviour or Behaviour()
        self.log = ServerLog(log)
        self.errors: list[str] = []
        """Tracebacks of our own mistakes; a test should find none."""
        model = Model(self.book, self.behaviour, self.log)
        self._http = _Server(("127.0.0.1", port), model, self.errors)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="model-server")
        self._thread.start()

    @property
    def url(self) -> str:
        """For boto3's `endpoint_url`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def openai_url(self) -> str:
        """For the openai client's `base_url`."""
        return f"{self.url}/v1"

    def close(self) -> None:
        """Cut all connections, stop; requests that wait for their reply end without one."""
        self._http.shutdown()
        self._thread.join()
        self._http.cut_all()
        self._http.server_close()
        self.log.close()

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close()
        if kind is None and self.errors:
            raise AssertionError("the model server failed:\n" + "\n".join(self.errors))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], model: Model, errors: list[str]) -> None:
        self.model, self.errors = model, errors
        self._sockets: dict[socket.socket, threading.Thread] = {}
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    @contextmanager
    def tracked(self, connection: socket.socket) -> Iterator[None]:
        """Remember an open connection, so that `cut_all` can end it."""
        with self._lock:
            self._sockets[connection] = threading.current_thread()
        try:
            yield
        finally:
            with self._lock:
                self._sockets.pop(connection, None)

    def cut_all(self) -> None:
        """End every connection and wait for its thread."""
        with self._lock:
            threads = list(self._sockets.values())
            for one in self._sockets:
                _shut(one)
        for thread in threads:
            thread.join(5)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error of ours; anything else is."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.errors.append(traceback.format_exc())
            traceback.print_exc()


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def handle(self) -> None:
        with self.server.tracked(self.connection):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the server's own log has it all."""

    def do_GET(self) -> None:
        path = self.path.split("?")[0].rstrip("/")
        if path.endswith("/drac-simulated"):
            body = json.dumps({"simulated": True, "name": NAME}).encode()
            self._send(Reply(200, body))
        elif path == "/v1/models":
            self._send(completions.write_models(self.server.model.behaviour.models or ("simulated",)))
        else:
            self._send(completions.write_error(WireError("ResourceNotFoundException", f"no {path} here")))

    def do_POST(self) -> None:
        began = time.monotonic()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?")[0]
        read = _reader(path)
        if read is None:
            error = WireError("ResourceNotFoundException", f"there is no {path} here")
            self._send(completions.write_error(error))
        else:
            self._serve(path, body, _read(read, body), began)

    def _serve(self, path: str, body: bytes, asked: Asked | WireError, began: float) -> None:
        model = self.server.model
        entry, outcome = model.receive(path, body, asked)
        try:
            self._wait(began + outcome.seconds - time.monotonic())
            status = outcome.reply.status if outcome.sent == 1.0 else 0
            # noted before it is written, so that a client that has its reply finds it in the log
            model.log.answered(entry, status=status, delivered=outcome.good, **outcome.record)
            self._write(outcome)
        except OSError:
            self.close_connection = True
            self._note_loss(entry, outcome)

    def _note_loss(self, entry: Entry, outcome: Outcome) -> None:
        log = self.server.model.log
        if "answered" in entry:
            log.lost(entry)
        else:
            log.answered(entry, status=0, delivered=False, **outcome.record)

    def _wait(self, seconds: float) -> None:
        """Wait before replying; raises ConnectionError as soon as the client has closed the connection."""
        poll = select.poll()
        poll.register(self.connection, select.POLLIN | select.POLLHUP)
        if poll.poll(max(0.0, seconds) * 1000):
            raise ConnectionError("the client went away, or sent more before the reply")

    def _write(self, outcome: Outcome) -> None:
        reply = outcome.reply
        if outcome.sent == 1.0:
            return self._send(reply)
        if outcome.sent > 0:
            self._head(reply)
            self.wfile.write(reply.body[: int(len(reply.body) * outcome.sent)])
            self.wfile.flush()
        self.close_connection = True
        _shut(self.connection)
        return None

    def _send(self, reply: Reply) -> None:
        self._head(reply)
        self.wfile.write(reply.body)
        self.wfile.flush()

    def _head(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in {**SIMULATED, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()


def _reader(path: str) -> Callable[[bytes], Asked] | None:
    """Reads the bodies of a path; None where there is nothing."""
    if model := converse.model_of(path):
        return partial(converse.parse, model)
    if model := embeddings.model_of(path):
        return partial(rerank.parse_invoked if "rerank" in model else embeddings.parse_titan, model)
    bodies = {completions.PATH: completions.parse, embeddings.PATH: embeddings.parse}
    return {**bodies, rerank.PATH: rerank.parse}.get(path)


def _read(read: Callable[[bytes], Asked], body: bytes) -> Asked | WireError:
    try:
        return read(body)
    except WireError as error:
        return error


def per_image(seconds: float, *, first: float = 0.0) -> Latency:
    """`first` and so many seconds for each image."""
    return lambda seen: first + seconds * len(seen.shown)


def between(least: float, most: float, seed: int = 0) -> Latency:
    """Drawn evenly from seed, content and attempt."""
    return lambda seen: random.Random(f"{seed} {seen.key} {seen.attempt}").uniform(least, most)


def later_pages_first(seconds: float, pages: int) -> Latency:
    """The later a batch's first page, the sooner its reply: they end in reversed reading order."""

    def latency(seen: Seen) -> float:
        first = seen.shown[0].number if seen.shown else pages
        return seconds * max(0, pages - first) / pages

    return latency


def main(arguments: list[str] | None = None) -> None:
    """Serve until SIGTERM or SIGINT."""
    given = _parser().parse_args(arguments)
    book = PageBook.load(given.book) if given.book else PageBook()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with ModelServer(book, behaviour_of(given), port=given.port, log=given.log) as server:
        _tell(given.port_file, server)
        while not stop.wait(3600):
            pass


def _tell(port_file: Path | None, server: ModelServer) -> None:
    port = server.url.rpartition(":")[2]
    if port_file is None:
        print(json.dumps({"url": server.url, "openai_url": server.openai_url, "simulated": True}), flush=True)
        return
    aside = port_file.with_name(f"{port_file.name}.part")
    aside.write_text(port, "utf-8")
    aside.replace(port_file)


def behaviour_of(given: argparse.Namespace) -> Behaviour:
    """The command line's behaviour."""
    rules = [rule(one) for one in json.loads(given.rules.read_text("utf-8"))] if given.rules else []
    kinds = tuple(given.kinds.split(",")) if given.kinds else ()
    chance = Chance(given.faults, given.seed, kinds, slow=given.slow, retry_after=given.retry_after)
    spread = between(given.latency, given.latency + given.spread, given.seed)
    return Behaviour(
        latency=spread if given.spread else given.latency,
        schedule=first_of(*rules, chance) if rules or given.faults else no_faults,
        limits=Limits(images=given.image_limit, in_flight=given.in_flight_limit),
        image_tokens=given.image_tokens,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--port-file", type=Path, help="written once the server listens")
    parser.add_argument("--log", type=Path, help="JSONL file of requests and answers")
    parser.add_argument("--book", type=Path, help="pages, as PageBook.save wrote them")
    parser.add_argument("--rules", type=Path, help="JSON list of rules")
    add_behaviour(parser)
    return parser


def add_behaviour(parser: argparse.ArgumentParser) -> None:
    """Options that scripts/fake_model has too."""
    parser.add_argument("--latency", type=float, default=0.0, help="seconds a reply takes")
    parser.add_argument("--spread", type=float, default=0.0, help="seconds that are added at random, at most")
    parser.add_argument("--faults", type=float, default=0.0, help="share of requests that go wrong, 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other faults")
    parser.add_argument("--kinds", default="", help="names of faults, with commas; default: all that pass")
    parser.add_argument("--slow", type=float, default=5.0, help="seconds that the fault `slow` adds")
    parser.add_argument("--retry-after", type=float, default=0.2, help="seconds in Retry-After")
    parser.add_argument("--image-limit", type=int, default=20, help="images of a request at most")
    parser.add_argument("--image-tokens", type=int, default=256, help="tokens of an image")
    parser.add_argument("--in-flight-limit", type=int, help="one request more is throttled")


if __name__ == "__main__":
    main()
