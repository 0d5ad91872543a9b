"""Models behind any server that speaks OpenAI's chat completions, through the openai package."""

from __future__ import annotations

import json
import os
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from drac.adapters.model_errors import Complaint, Kind, error_of
from drac.adapters.model_http import Simulation, forbid_paid, is_loopback, public_url, split_url
from drac.adapters.openai_errors import REMEDIES, sort_error, sort_status
from drac.errors import DracError, EngineUnavailable
from drac.ports import ChatReply, ChatRequest, ImagePart
from drac.profiles import ModelProfile, find_profile

BASE_URL = "https://api.openai.com/v1"
"""Where requests go without --base-url and OPENAI_BASE_URL."""
READ_TIMEOUT = 300.0
"""Seconds for a whole reply; a full batch of 8,192 output tokens takes minutes on a slow model."""
CONNECT_TIMEOUT = 10.0
"""Seconds for a connection."""
NORMAL_END = "stop"
"""The only finish reason that counts."""
_LONGEST_REPLY = 8_000_000
"""Bytes of a reply's body at most: many times what any model's output limit comes to."""
_NO_KEY = "none"
"""Sent where there is no key: servers of one's own ask none, but the package wants one."""


class OpenAiChat:
    """Implements ports.ChatModel for vLLM, Ollama, Gemini, Bedrock's own endpoint, gateways and OpenAI.

    `base_url` and `api_key` are OPENAI_BASE_URL and OPENAI_API_KEY where they are None. The package does
    not retry: one `ask` is one request at most. `profiles` says what a model takes, see drac.profiles.
    """

    engine = "openai"

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        read_timeout: float = READ_TIMEOUT,
        connect_timeout: float = CONNECT_TIMEOUT,
        *,
        profiles: Callable[[str], ModelProfile] = find_profile,
    ) -> None:
        """Opens nothing. Raises UsageError for a `base_url` that is none."""
        self._url = base_url or os.environ.get("OPENAI_BASE_URL") or BASE_URL
        self._key = api_key or os.environ.get("OPENAI_API_KEY") or ""
        self._endpoint = public_url(self._url)
        self._secrets = (self._key, *_secrets_of(self._url))
        self._timeouts = (read_timeout, connect_timeout)
        self._profiles = profiles
        self._simulation = Simulation(self._url)
        self._lock = threading.Lock()
        self._made: Any = None
        self._reached = False

    @property
    def endpoint(self) -> str:
        """The base URL without user and password."""
        return self._endpoint

    @property
    def simulated(self) -> bool:
        """Asks a loopback server, once; raises EngineUnavailable where nothing answers there."""
        return self._simulation()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = None

    def ask(self, request: ChatRequest) -> ChatReply:
        """One chat completion; see ports.ChatModel for what it raises."""
        forbid_paid(self._url)
        if not self._key and self._ours():
            raise EngineUnavailable("OPENAI_API_KEY is not set", remedy=REMEDIES[Kind.CREDENTIALS])
        body = self._call(request)
        began = time.perf_counter()
        text = self._send(body, request.model)
        return self._reply(text, request, time.perf_counter() - began)

    def _call(self, request: ChatRequest) -> dict[str, Any]:
        return completion_call(request, self._profiles(request.model), self._ours())

    def _resource(self) -> Any:
        return self._client.chat.completions

    def _read_answer(self, answer: Mapping[str, Any], request: ChatRequest, seconds: float) -> ChatReply:
        return read_answer(answer, seconds)

    def _ours(self) -> bool:
        return split_url(self._url).hostname == split_url(BASE_URL).hostname

    def _send(self, body: Mapping[str, Any], model: str) -> bytes:
        resource = self._resource().with_streaming_response
        try:
            with resource.create(**body) as response:
                self._reached = True
                return self._read(response, model)
        except DracError:
            raise
        except Exception as error:  # beside the package's errors, the transport's own while a body is read
            self._reached = self._reached or hasattr(error, "status_code")
            raise sort_error(
                error, model=model, endpoint=self._endpoint, reached=self._reached, secrets=self._secrets
            ) from error

    def _read(self, response: Any, model: str) -> bytes:
        """The whole body; a server that goes on dripping, or pouring, past the limits is left."""
        end = time.monotonic() + self._timeouts[0]
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            late, long = time.monotonic() > end, len(body) > _LONGEST_REPLY
            if late or long:
                what = "no end of the reply in time" if late else f"a reply of more than {len(body):,} bytes"
                raise error_of(Kind.UNSURE, Complaint(model, self._endpoint, what, ""), REMEDIES)
        return bytes(body)

    @property
    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> Any:
        import openai

        read, connect = self._timeouts
        timeout = openai.Timeout(read, connect=connect)
        # a redirect could lead off this machine; a server on this machine is never asked through a proxy
        transport = openai.DefaultHttpxClient(
            timeout=timeout, follow_redirects=False, trust_env=not is_loopback(self._url)
        )
        return openai.OpenAI(
            base_url=self._url,
            api_key=self._key or _NO_KEY,
            max_retries=0,
            timeout=timeout,
            http_client=transport,
        )

    def _reply(self, text: bytes, request: ChatRequest, seconds: float) -> ChatReply:
        model = request.model
        try:
            answer = json.loads(text)
            if not _failed(answer):
                return self._read_answer(answer, request, seconds)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            shown = text[:200].decode("utf-8", "replace")
            said = Complaint(model, self._endpoint, "a reply that is none", shown, secrets=self._secrets)
            raise error_of(Kind.UNSURE, said, REMEDIES) from error
        status = _status(answer["error"])
        raise sort_status(status, answer, {}, model=model, endpoint=self._endpoint, secrets=self._secrets)


def _secrets_of(url: str) -> tuple[str, ...]:
    """A password in the address, and the header that is made of it."""
    parts = split_url(url)
    if not parts.password:
        return ()
    name, password = unquote(parts.username or ""), unquote(parts.password)
    return password, b64encode(f"{name}:{password}".encode()).decode("ascii")


def completion_call(request: ChatRequest, profile: ModelProfile, at_openai: bool) -> dict[str, Any]:
    """Arguments of a chat completion.

    The output allowance goes where the profile says; else to `max_completion_tokens` at OpenAI itself,
    which takes it for every model, and to `max_tokens` anywhere else, which older servers know only.
    """
    field = profile.max_tokens_field or ("max_completion_tokens" if at_openai else "max_tokens")
    system = [{"role": "system", "content": request.system}] if request.system else []
    call: dict[str, Any] = {
        "model": request.model,
        "messages": [*system, {"role": "user", "content": [_part(part) for part in request.parts]}],
        field: request.max_output_tokens,
    }
    if profile.temperature:
        call["temperature"] = request.temperature
    if request.schema and profile.json_schema:
        shape = {"name": "reply", "strict": True, "schema": json.loads(request.schema)}
        call["response_format"] = {"type": "json_schema", "json_schema": shape}
    return call


def read_answer(answer: Mapping[str, Any], seconds: float) -> ChatReply:
    """What the server answered; raises KeyError, TypeError or ValueError where it is no reply.

    Absent usage, as of some servers, is 0 tokens: who needs a figure estimates it. A refusal or a call
    of a tool is no normal end, whatever the finish reason says.
    """
    choices = answer["choices"]
    if not isinstance(choices, list):
        raise TypeError("choices is no list")
    choice: Mapping[str, Any] = choices[0] if choices else {"finish_reason": "no_choices"}
    message: Mapping[str, Any] = choice.get("message") or {}
    reason = _stop_reason(choice, message)
    sent, received = _tokens(answer.get("usage") or {})
    return ChatReply(
        text=_text(message.get("content")),
        stop_reason=reason,
        finished=reason == NORMAL_END,
        input_tokens=sent,
        output_tokens=received,
        seconds=seconds,
    )


def _stop_reason(choice: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    if message.get("refusal"):
        return "refusal"
    reason = str(choice.get("finish_reason") or "missing")
    return "tool_calls" if reason == NORMAL_END and message.get("tool_calls") else reason


def _tokens(usage: Mapping[str, Any]) -> tuple[int, int]:
    """(input, output); some servers count thoughts in the total alone, and bill them as output."""
    sent, received = (int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens"))
    return sent, max(received, int(usage.get("total_tokens") or 0) - sent)


def _text(content: object) -> str:
    """The text of a message: a string, a list of parts, or nothing."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if part.get("type") == "text")
    if content is not None and not isinstance(content, str):
        raise TypeError("content is no text")
    return content or ""


def _part(part: str | ImagePart) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = b64encode(part.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def _failed(answer: Mapping[str, Any]) -> bool:
    """Whether a body is an error in spite of its status 200, as gateways send."""
    return bool(answer.get("error")) and not (answer.get("choices") or answer.get("data"))


def _status(error: object) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502
