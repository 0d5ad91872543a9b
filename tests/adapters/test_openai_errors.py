"""What the openai package raises, sorted: its list of errors, walked."""

from __future__ import annotations

import inspect
from typing import Any

import openai
import openai._exceptions as declared
import pytest

from drac.adapters.openai_errors import sort_error
from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected

_NOT_CHAT = {
    # webhooks, live sessions and module-level use: no chat completion raises them
    "InvalidWebhookSignatureError", "WebSocketConnectionClosedError", "WebSocketQueueFullError",
}  # fmt: skip
_WANTED: dict[str, type[DracError]] = {
    "APIConnectionError": ModelBusy, "APIError": ModelBusy, "APIResponseValidationError": ModelBusy,
    "APITimeoutError": ModelBusy, "ConflictError": ModelBusy, "InternalServerError": ModelBusy,
    "RateLimitError": ModelBusy, "AuthenticationError": EngineUnavailable, "NotFoundError": EngineUnavailable,
    "OAuthError": EngineUnavailable, "OpenAIError": EngineUnavailable,
    "PermissionDeniedError": EngineUnavailable, "SubjectTokenProviderError": EngineUnavailable,
    "APIStatusError": RequestRejected, "BadRequestError": RequestRejected,
    "ContentFilterFinishReasonError": RequestRejected, "LengthFinishReasonError": RequestRejected,
    "UnprocessableEntityError": RequestRejected,
}  # fmt: skip
_STATUS = {
    "APIStatusError": 418,
    "InternalServerError": 500,
    "APIResponseValidationError": 200,
    "OAuthError": 401,
}
_UNSURE = {"APIConnectionError", "APIError", "APIResponseValidationError", "APITimeoutError"}


def _package_errors() -> dict[str, type[Exception]]:
    found = {**dict(inspect.getmembers(declared, inspect.isclass)), **dict(inspect.getmembers(openai))}
    return {
        name: one
        for name, one in found.items()
        if inspect.isclass(one) and issubclass(one, Exception) and not name.startswith("_")
    }


def test_every_error_of_the_package_has_its_place() -> None:
    assert set(_package_errors()) - {"DracError"} <= set(_WANTED) | _NOT_CHAT


@pytest.mark.parametrize("name", sorted(_WANTED))
def test_every_error_is_sorted(name: str) -> None:
    if name not in _package_errors():
        pytest.skip("not in this version of the package")
    error = sort_error(_instance(_package_errors()[name]), model="m", endpoint="http://e", reached=True)
    assert type(error) is _WANTED[name]
    assert "m at http://e" in error.message and error.remedy
    if isinstance(error, ModelBusy):
        assert error.maybe_billed == (name in _UNSURE)
        assert error.throttled == (name == "RateLimitError")


_CAUSES = [
    ("ConnectError", True, ModelBusy, False),
    ("ConnectError", False, EngineUnavailable, None),
    ("ProxyError", False, EngineUnavailable, None),
    ("UnsupportedProtocol", True, EngineUnavailable, None),
    ("ConnectTimeout", False, ModelBusy, False),
    ("PoolTimeout", False, ModelBusy, False),
    ("ReadTimeout", False, ModelBusy, True),
    ("ReadError", False, ModelBusy, True),
    ("RemoteProtocolError", False, ModelBusy, True),
    ("WriteError", False, ModelBusy, True),
]


@pytest.mark.parametrize(("cause", "reached", "wanted", "billed"), _CAUSES)
def test_a_failed_connection_is_told_by_its_cause(
    cause: str, reached: bool, wanted: type[DracError], billed: bool | None
) -> None:
    kind = openai.APITimeoutError if cause.endswith("Timeout") else openai.APIConnectionError
    error = kind(request=_transport().Request("POST", "http://e"))
    error.__cause__ = getattr(_transport(), cause)("went wrong")
    made = sort_error(error, model="m", endpoint="http://e", reached=reached)
    assert type(made) is wanted
    assert getattr(made, "maybe_billed", None) == billed
    assert cause in made.message


def _transport() -> Any:
    """The HTTP library of the package: httpx in older versions, httpx2 in newer."""
    return inspect.getmodule(openai.DefaultHttpxClient.__mro__[1]) and declared.__dict__.get(
        "httpx2", declared.__dict__.get("httpx")
    )


def _instance(kind: type[Exception]) -> Exception:
    http = _transport()
    request = http.Request("POST", "http://e")
    status = getattr(kind, "status_code", None)
    status = status if isinstance(status, int) else _STATUS.get(kind.__name__, 0)
    given: dict[str, Any] = {
        "request": request,
        "response": http.Response(status or 500, request=request),
        "body": {"message": "said"},
        "completion": type("Completion", (), {"usage": None})(),
        "message": "said",
    }
    wanted = inspect.signature(kind.__init__).parameters
    if "args" in wanted:
        return kind("said")
    return kind(**{name: given[name] for name in wanted if name in given})
