"""A fake on ports.ChatModel, and a small loopback HTTP server that answers from a script.

FakeChat passes the contract suite in tests/contracts/test_chat_model_contract.py.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from drac.errors import DracError
from drac.ports import ChatReply, ChatRequest

Step = str | ChatReply | DracError | Callable[[ChatRequest], "str | ChatReply | DracError"]
"""A reply's text (a normal end), a whole reply, an error to raise, or what makes one of a request."""


class FakeChat:
    """Implements ports.ChatModel: takes the steps of a script in order, or answers all by one function."""

    def __init__(
        self,
        script: Iterable[Step] | Callable[[ChatRequest], str | ChatReply | DracError],
        *,
        engine: str = "bedrock",
        endpoint: str = "fake",
        simulated: bool = True,
    ) -> None:
        self.engine = engine
        self.endpoint = endpoint
        self.simulated = simulated
        self.requests: list[ChatRequest] = []
        self._steps: Iterator[Step] | None = None if callable(script) else iter(script)
        self._answer = script if callable(script) else None
        self._lock = threading.Lock()

    def ask(self, request: ChatRequest) -> ChatReply:
        with self._lock:
            self.requests.append(request)
            step = self._next(request)
        made = step(request) if callable(step) else step
        if isinstance(made, DracError):
            raise made
        return reply(made) if isinstance(made, str) else made

    def _next(self, request: ChatRequest) -> Step:
        if self._steps is None:
            assert self._answer is not None
            return self._answer
        step = next(self._steps, None)
        assert step is not None, (
            f"request {len(self.requests)} is one more than the script has: {request.parts}"
        )
        return step


def reply(text: str, stop_reason: str = "end_turn", tokens: tuple[int, int] = (10, 5)) -> ChatReply:
    """A reply; `finished` as Converse and chat completions have it."""
    finished = stop_reason in {"end_turn", "stop"}
    return ChatReply(text, stop_reason, finished, *tokens, seconds=0.01)


@dataclass(frozen=True)
class Answer:
    """One HTTP answer."""

    status: int = 200
    body: Any = b""
    """Bytes as they are, anything else as JSON."""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the answer."""
    cut: str = ""
    """`before`: close without an answer; `within`: after half the body; `drip`: a byte each 0.1 s."""

    @property
    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Seen:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class LoopbackServer:
    """Answers POSTs by `answers` in order, the last again and again; GET /drac-simulated by `simulated`."""

    def __init__(self, *answers: Answer | Callable[[Any], Answer], simulated: bool = False) -> None:
        self.answers = list(answers)
        self.simulated = simulated
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self._server = _Quiet(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def posts(self) -> list[Seen]:
        return [one for one in self.seen if one.method == "POST"]

    def take(self, body: Any) -> Answer:
        with self.lock:
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(body) if callable(answer) else answer

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def serving(*answers: Answer | Callable[[Any], Answer], simulated: bool = False) -> Iterator[LoopbackServer]:
    """A running server."""
    server = LoopbackServer(*answers, simulated=simulated)
    try:
        yield server
    finally:
        server.close()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""


def _handler(server: LoopbackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._note(None)
            good = self.path == "/drac-simulated" and server.simulated
            self._send(Answer(200, {"simulated": True}) if good else Answer(404, {"detail": "Not Found"}))

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
            body = json.loads(data)
            self._note(body)
            self._send(server.take(body))

        def _note(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            with server.lock:
                server.seen.append(Seen(self.command, self.path, headers, body))

        def _send(self, answer: Answer) -> None:
            time.sleep(answer.delay)
            if answer.cut == "before":
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.bytes)))
            self.end_headers()
            self._body(answer)

        def _body(self, answer: Answer) -> None:
            if answer.cut == "within":
                self.wfile.write(answer.bytes[: len(answer.bytes) // 2])
                self.close_connection = True
            elif answer.cut == "drip":
                for byte in answer.bytes:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(0.1)
            else:
                self.wfile.write(answer.bytes)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    return Handler


def converse_answer(
    text: str, stop: str | None = "end_turn", tokens: tuple[int, int] = (10, 5)
) -> dict[str, Any]:
    """The body of a Converse reply."""
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
        **({"stopReason": stop} if stop else {}),
        "usage": {"inputTokens": tokens[0], "outputTokens": tokens[1], "totalTokens": sum(tokens)},
        "metrics": {"latencyMs": 1},
    }


def completion_answer(
    text: str | None, stop: str | None = "stop", tokens: tuple[int, int] = (10, 5)
) -> dict[str, Any]:
    """The body of a chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": stop, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


def chat_request(*parts: Any, **changes: Any) -> ChatRequest:
    """A request with small values."""
    given = {"purpose": "convert", "model": "google.gemma-3-27b-it", "system": "", "temperature": 0.1}
    return ChatRequest(**{**given, "parts": parts or ("hello",), "max_output_tokens": 100, **changes})
