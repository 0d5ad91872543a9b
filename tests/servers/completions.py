"""The OpenAI chat completions protocol, as vLLM, Ollama and gateways speak it."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from typing import Any
from uuid import uuid4

from tests.servers.wire import Answer, Asked, Image, Reply, WireError

NORMAL = "stop"
"""The one finish reason of a complete reply."""
STOP_REASONS = ("stop", "length", "content_filter", "tool_calls", "function_call")
"""Every finish reason of the protocol."""
PATH = "/v1/chat/completions"
_DATA_URL = re.compile(r"data:image/(png|jpeg|gif|webp);base64,(.*)", re.DOTALL)
_KNOWN = frozenset({
    "model", "messages", "temperature", "max_tokens", "max_completion_tokens", "response_format", "n",
    "stream", "seed", "stop", "top_p", "user", "metadata", "store", "presence_penalty", "frequency_penalty",
    "reasoning_effort", "extra_body",
})  # fmt: skip
_STATUS = {
    "ThrottlingException": (429, "rate_limit_exceeded", "rate_limit_error"),
    "InternalServerException": (500, None, "server_error"),
    "ServiceUnavailableException": (503, "overloaded", "server_error"),
    "ModelNotReadyException": (503, "model_not_ready", "server_error"),
    "ModelTimeoutException": (504, "timeout", "server_error"),
    "ModelErrorException": (502, "bad_gateway", "server_error"),
    "AccessDeniedException": (403, "permission_denied", "permission_error"),
    "ExpiredTokenException": (401, "invalid_api_key", "authentication_error"),
    "UnrecognizedClientException": (401, "invalid_api_key", "authentication_error"),
    "ResourceNotFoundException": (404, "model_not_found", "invalid_request_error"),
}
"""Converse's exceptions in the words of this protocol: status, code, type; all others are 400."""


def parse(body: bytes) -> Asked:
    """Read and check a request; raises WireError."""
    try:
        given = json.loads(body)
    except ValueError as error:
        raise WireError("ValidationException", f"the body is no JSON: {error}") from error
    _check(given)
    messages = given["messages"]
    system = [str(one["content"]) for one in messages if one["role"] in ("system", "developer")]
    users = [one["content"] for one in messages if one["role"] not in ("system", "developer")]
    parts = tuple(_part(part) for content in users for part in _listed(content))
    most = given.get("max_completion_tokens", given.get("max_tokens"))
    return Asked(
        "openai", given["model"], "\n".join(system), parts, given.get("temperature"), most, _schema(given)
    )


def _check(given: Any) -> None:
    if not isinstance(given, dict) or not isinstance(given.get("model"), str) or not given["model"]:
        raise WireError("ValidationException", "you must provide a model parameter")
    if unknown := set(given) - _KNOWN:
        raise WireError("ValidationException", f"Unrecognized request arguments: {sorted(unknown)}")
    if given.get("stream") or given.get("n", 1) != 1:
        raise WireError("ValidationException", "stream and n are not supported")
    messages = given.get("messages")
    if not isinstance(messages, list) or not any(one.get("role") == "user" for one in messages):
        raise WireError("ValidationException", "messages must hold a user message")
    if not 0 <= float(given.get("temperature") or 0) <= 2:
        raise WireError("ValidationException", "temperature must be between 0 and 2")


def _listed(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _part(part: dict[str, Any]) -> str | Image:
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    if part.get("type") != "image_url":
        raise WireError("ValidationException", f"content part {part.get('type')!r} is not supported")
    match = _DATA_URL.fullmatch(part["image_url"]["url"])
    if match is None:
        raise WireError("ValidationException", "image_url must be a data: URL of a supported image")
    try:
        return Image(base64.b64decode(match[2], validate=True), match[1])
    except binascii.Error as error:
        raise WireError("ValidationException", f"image_url is no base64: {error}") from error


def _schema(given: dict[str, Any]) -> dict[str, Any] | None:
    wanted = given.get("response_format") or {"type": "text"}
    if wanted.get("type") not in ("text", "json_object", "json_schema"):
        raise WireError("ValidationException", f"response_format {wanted.get('type')!r} is not supported")
    if wanted["type"] != "json_schema":
        return None
    try:
        return dict(wanted["json_schema"]["schema"])
    except (KeyError, TypeError) as error:
        raise WireError("ValidationException", "response_format: json_schema.schema is missing") from error


def write(answer: Answer, model: str) -> Reply:
    """A chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.tool:
        call = {"name": "answer", "arguments": json.dumps({"text": answer.text})}
        message |= {"content": None}
        message["tool_calls"] = [{"id": f"call_{uuid4().hex[:24]}", "type": "function", "function": call}]
    body = {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "system_fingerprint": "drac-simulated",
        "choices": [
            {"index": 0, "message": message, "finish_reason": answer.stop or NORMAL, "logprobs": None}
        ],
        "usage": {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.output_tokens,
        },
    }
    return Reply(200, json.dumps(body).encode(), {"x-request-id": str(uuid4())})


def write_error(error: WireError) -> Reply:
    """An error object with the status that the protocol has for it."""
    status, code, kind = _STATUS.get(error.code, (400, None, "invalid_request_error"))
    headers = {"x-request-id": str(uuid4())}
    if error.retry_after is not None:
        headers["retry-after"] = f"{error.retry_after:g}"
    body = {"message": error.message, "type": kind, "param": None, "code": error.openai_code or code}
    return Reply(status, json.dumps({"error": body}).encode(), headers)


def write_models(names: tuple[str, ...]) -> Reply:
    """The list of models."""
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "drac-simulated"} for name in names]
    return Reply(200, json.dumps({"object": "list", "data": models}).encode())
