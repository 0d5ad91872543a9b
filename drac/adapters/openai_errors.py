"""What the openai package raises on the way to a model, sorted (see model_errors)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import openai as sdk

from drac.adapters.model_errors import Complaint, Kind, error_of, kind_of_status, retry_after, transport_kind
from drac.errors import DracError

_AGAIN = "; then run again: what is finished is kept."
REMEDIES: Mapping[Kind, str] = {
    Kind.CREDENTIALS: "Set OPENAI_API_KEY to a key of this server" + _AGAIN,
    Kind.ACCESS: "Give your key access to the model, or choose another --model" + _AGAIN,
    Kind.MODEL: "Check --model: the server's /models lists what there is (Ollama: `ollama pull`, vLLM: "
    "--served-model-name).",
    Kind.ADDRESS: "Check that the server runs and that --base-url (or OPENAI_BASE_URL) is its address with "
    "the path, such as http://127.0.0.1:8000/v1" + _AGAIN,
    Kind.QUOTA: "Add credit to the account of the key" + _AGAIN,
}

CODES: Mapping[str, Kind] = {
    "insufficient_quota": Kind.QUOTA,
    "billing_hard_limit_reached": Kind.QUOTA,
    "billing_not_active": Kind.QUOTA,
    "invalid_api_key": Kind.CREDENTIALS,
    "account_deactivated": Kind.CREDENTIALS,
    "model_not_found": Kind.MODEL,
    "context_length_exceeded": Kind.TOO_LARGE,
    "string_above_max_length": Kind.TOO_LARGE,
    "image_too_large": Kind.TOO_LARGE,
    "content_filter": Kind.REJECTED,
    "content_policy_violation": Kind.REJECTED,
    "rate_limit_exceeded": Kind.THROTTLED,
}
"""The error body's `code` -> kind; a code that is not here is sorted by the HTTP status."""

CLASSES: tuple[tuple[type[Exception], Kind], ...] = (
    (sdk.APIResponseValidationError, Kind.UNSURE),
    (sdk.LengthFinishReasonError, Kind.TOO_LARGE),
    (sdk.ContentFilterFinishReasonError, Kind.REJECTED),
    (sdk.APIError, Kind.UNSURE),
    # raised before anything is sent: no key, or a key provider that failed
    (sdk.OpenAIError, Kind.CREDENTIALS),
    # the transport's own errors, which the SDK lets through while a body is read
    (Exception, Kind.UNSURE),
)
"""Exception class -> kind, the first that fits, for errors without an HTTP status."""


def sort_error(
    error: Exception, *, model: str, endpoint: str, reached: bool, secrets: tuple[str, ...] = ()
) -> DracError:
    """Our error for what a chat completion raised.

    `reached`: whether this endpoint has answered before. Where it never has, a refused connection is a
    wrong address and ends the run; later it is a passing fault.
    """
    if isinstance(error, sdk.APIStatusError):
        headers, body = dict(error.response.headers), error.body
        return sort_status(error.status_code, body, headers, model=model, endpoint=endpoint, secrets=secrets)
    cause = error.__cause__ if isinstance(error, sdk.APIConnectionError) else None
    said = " ".join(filter(None, (str(error), str(cause or ""))))
    name = type(cause or error).__name__
    return error_of(
        _kind(error, name, reached), Complaint(model, endpoint, name, said, secrets=secrets), REMEDIES
    )


def sort_status(
    status: int,
    body: object,
    headers: Mapping[str, str],
    *,
    model: str,
    endpoint: str,
    secrets: tuple[str, ...] = (),
) -> DracError:
    """Our error for an answer of `status`; `body` is its JSON, or its text."""
    code, text = _said(body)
    kind = CODES.get(code) or _status_kind(status, text)
    waited = retry_after(headers, str(body))
    name = f"HTTP {status} {code}".rstrip()
    return error_of(kind, Complaint(model, endpoint, name, text, waited, secrets), REMEDIES)


def _kind(error: Exception, name: str, reached: bool) -> Kind:
    kind = transport_kind(name, reached) if isinstance(error, sdk.APIConnectionError) else None
    return kind or next(kind for one, kind in CLASSES if isinstance(error, one))


def _status_kind(status: int, text: str) -> Kind:
    """A 404 is about the model where it says so, else about the path."""
    kind = kind_of_status(status, text)
    return Kind.ADDRESS if kind is Kind.MODEL and "model" not in text.lower() else kind


def _said(body: object) -> tuple[str, str]:
    """(code, text) of an error body: OpenAI's, FastAPI's `detail`, Google's list, or plain text."""
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    if not isinstance(body, dict):
        return "", str(body or "")
    facts: dict[str, Any] = body
    code = facts.get("code") if isinstance(facts.get("code"), str) else facts.get("type")
    text = facts.get("message") or facts.get("detail") or facts.get("error") or facts
    return str(code or ""), str(text)
