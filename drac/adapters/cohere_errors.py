"""What the cohere package raises on the way to a model, sorted (see model_errors)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drac.adapters.model_errors import Complaint, Kind, error_of, kind_of_status, retry_after, transport_kind
from drac.errors import DracError

_AGAIN = "; then run again: what is finished is kept."
REMEDIES: Mapping[Kind, str] = {
    Kind.CREDENTIALS: "Set CO_API_KEY to a key of this server" + _AGAIN,
    Kind.ACCESS: "Give your key access to the model, or name another as cohere:MODEL" + _AGAIN,
    Kind.MODEL: "Name a reranking model as cohere:MODEL, such as cohere:rerank-v3.5.",
    Kind.ADDRESS: "Check that the server runs and that CO_API_URL is its address without /v2" + _AGAIN,
    Kind.QUOTA: "Wait until the key's allowance is renewed, or take a production key" + _AGAIN,
}

STATUS: Mapping[int, Kind] = {498: Kind.CREDENTIALS}
"""Statuses that Cohere alone sends."""


def sort_error(
    error: Exception, *, model: str, endpoint: str, reached: bool, secrets: tuple[str, ...] = ()
) -> DracError:
    """Our error for what a rerank call raised.

    `reached`: whether this endpoint has answered before. Where it never has, a refused connection is a
    wrong address and ends the run; later it is a passing fault.
    """
    status = getattr(error, "status_code", None)
    if status is None:
        name = type(error).__name__
        said = Complaint(model, endpoint, name, str(error), secrets=secrets)
        return error_of(transport_kind(name, reached) or Kind.UNSURE, said, REMEDIES)
    headers: Mapping[str, str] = getattr(error, "headers", None) or {}
    text = _said(getattr(error, "body", None))
    complaint = Complaint(model, endpoint, f"HTTP {status}", text, retry_after(headers, text), secrets)
    return error_of(_status_kind(status, text), complaint, REMEDIES)


def _status_kind(status: int, text: str) -> Kind:
    """A trial key's month is over with the same status as a busy minute; a 404 may be about the path.

    A good status comes here with a body that is no reply.
    """
    if 200 <= status < 300:
        return Kind.UNSURE
    kind = STATUS.get(status) or kind_of_status(status, text)
    said = text.lower()
    if kind is Kind.THROTTLED and "/ month" in said.replace("per month", "/ month"):
        return Kind.QUOTA
    return Kind.ADDRESS if kind is Kind.MODEL and "model" not in said else kind


def _said(body: Any) -> str:
    if isinstance(body, dict):
        return str(body.get("message") or body.get("detail") or body)
    return str(body or "")
