"""Errors of model servers, sorted once: transient, permanent for this request, permanent for the run.

Each adapter turns what its SDK raised into a `Kind` and a `Complaint`; `error_of` makes our error of them.
The texts that are matched here are those which Amazon Bedrock, OpenAI, Gemini, vLLM, Ollama and gateways
were seen to send.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum

from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected

_SHOWN = 300
"""Characters of a server's text that an error shows."""


class Kind(StrEnum):
    """What an error means for the request and the run."""

    BUSY = "busy"
    """Transient; the server did not do the work."""
    GONE = "gone"
    """Transient; nobody listens any more where a server answered before."""
    THROTTLED = "throttled"
    """Transient; the server asks for fewer requests."""
    UNSURE = "unsure"
    """Transient; the server may have done the work, and may bill it."""
    INVALID = "invalid"
    """The server takes the request for wrong; its text says in what way."""
    REJECTED = "rejected"
    """This request will never pass."""
    TOO_LARGE = "too_large"
    """This request will never pass; a smaller one may."""
    CREDENTIALS = "credentials"
    """No request passes: keys are absent, wrong or expired."""
    ACCESS = "access"
    """No request passes: the account may not use the model."""
    MODEL = "model"
    """No request passes: no such model here."""
    ADDRESS = "address"
    """No request passes: not the address of such a server, or it cannot be reached."""
    QUOTA = "quota"
    """No request passes for long: the account's money or its day's allowance is used up."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is known of one failure."""

    model: str
    """Model id of the request."""
    endpoint: str
    """Endpoint of the adapter, without secrets."""
    name: str
    """Error code or class, e.g. `ThrottlingException`, `HTTP 503`, `ReadTimeoutError`."""
    text: str
    """What the server or the SDK said."""
    retry_after: float | None = None
    """Seconds that the server asked to wait, or None."""
    secrets: tuple[str, ...] = ()
    """Texts that no message may show: some servers say the key back."""

    @property
    def message(self) -> str:
        """One line that names model, endpoint and what was said."""
        text = self.text.strip().split("\n\n")[0]
        for secret in filter(None, self.secrets):
            text = text.replace(secret, "***")
        text = " ".join(text.split())
        shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        return f"{self.model} at {self.endpoint}: {self.name}" + (f": {shown}" if shown else "")


_PROFILE = '`{}` under [models."{}"] in the settings file'
_UNKNOWN_MODEL = re.compile(
    r"model identifier is invalid|on-demand throughput|model[^.]{0,80}(not found|does not exist|not exist)"
    r"|(unknown|invalid|no such) model|model_not_found|not a valid model|end of its life"
    r"|(action|operation|api)[^.]{0,20}does(n't| not) support the model|unsupported model"
)
_ACCOUNT = re.compile(r"operation not allowed|use case details|not authorized|access to (the|this) model")
_KEY = re.compile(r"api[ _-]?key[^.]{0,30}(not valid|invalid|expired|missing|not found)|invalid api[ _-]?key")
_CONTEXT = re.compile(r"context[ _](length|window|size)|prompt is too long|input is too long")
_OUTPUT = re.compile(
    r"(max(imum)?[ _]?(completion[ _]|output[ _]|new[ _])?tokens?)\b[^.]{0,80}"
    r"(exceed|too large|at most|less than or equal|range|invalid)"
)
_REFUSED = (
    r"(unsupported|not (supported|allowed|enabled)|does(n't| not) support|deprecated|unrecognized|unknown)"
)
_SYSTEM = r"(system (message|prompt|role|instruction)|developer instruction)"
_SCHEMA = r"(response_format|outputconfig|output_config|structured output|json_schema)"
_SETTINGS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("max_tokens_field", "the other one of max_tokens and max_completion_tokens", re.compile(
        rf"{_REFUSED}[^.]{{0,40}}'?max_(completion_)?tokens|'?max_(completion_)?tokens'?[^.]{{0,30}}{_REFUSED}")),
    ("temperature", "false", re.compile(
        rf"{_REFUSED}[^.]{{0,40}}\btemperature|\btemperature\b[^.]{{0,40}}{_REFUSED}")),
    ("system_prompt", "false", re.compile(
        rf"{_REFUSED}[^.]{{0,40}}{_SYSTEM}|{_SYSTEM}[^.]{{0,40}}{_REFUSED}")),
    ("json_schema", "false", re.compile(
        rf"{_REFUSED}[^.]{{0,60}}{_SCHEMA}|{_SCHEMA}[^.]{{0,60}}{_REFUSED}")),
)  # fmt: skip
"""(field of a model profile, value to set, how servers say that they refuse it)."""
_NO_IMAGES = re.compile(
    rf"{_REFUSED}[^.]{{0,40}}(image (content|field|input)|images\b|vision|multimodal)"
    r"|not a multimodal model|(image input|vision|images?) (is|are) not supported"
)
_TOO_LARGE = re.compile(
    r"too many (images|tokens|input)|at most \d+ images?|limit-mm-per-prompt|image\(s\) may be provided"
    r"|too (large|long|big)|(image|request|payload|input|body|prompt|size|dimensions?|file)"
    r"[^.]{0,60}(exceed|larger than|greater than|more than|over the|maximum)|exceeds?[^.]{0,60}"
    r"(image|size|limit|maximum|pixels|bytes|\bmb\b)"
)
_SLOW_DOWN = re.compile(r"slow down|overload|too many|capacity|rate limit|reduce your")
_MODERATED = re.compile(r"moderat|flagged|content[ _](policy|filter)|safety|guardrail")
_STATUS: Mapping[int, Kind] = {
    400: Kind.INVALID, 401: Kind.CREDENTIALS, 402: Kind.QUOTA, 403: Kind.ACCESS, 404: Kind.MODEL,
    405: Kind.ADDRESS, 407: Kind.ADDRESS, 408: Kind.UNSURE, 409: Kind.BUSY, 410: Kind.MODEL,
    413: Kind.TOO_LARGE, 422: Kind.INVALID, 423: Kind.BUSY, 424: Kind.BUSY, 425: Kind.BUSY,
    429: Kind.THROTTLED, 499: Kind.UNSURE, 501: Kind.ADDRESS, 504: Kind.UNSURE, 505: Kind.ADDRESS,
    524: Kind.UNSURE, 529: Kind.THROTTLED,
}  # fmt: skip


def kind_of_status(status: int, text: str) -> Kind:
    """What an HTTP status means where no error code says more."""
    said = _plain(text)
    if status == 403 and _MODERATED.search(said):
        return Kind.REJECTED
    if status >= 500 and status not in _STATUS and _SLOW_DOWN.search(said):
        return Kind.THROTTLED
    if status in _STATUS:
        return _STATUS[status]
    if status < 400:
        return Kind.ADDRESS
    return Kind.BUSY if status >= 500 else Kind.REJECTED


def error_of(kind: Kind, complaint: Complaint, remedies: Mapping[Kind, str]) -> DracError:
    """Our error; `remedies` says for CREDENTIALS, ACCESS, MODEL, ADDRESS and QUOTA what a person can do."""
    remedy = None
    if kind is Kind.INVALID:
        kind, remedy = _read(complaint)
    match kind:
        case Kind.BUSY | Kind.GONE | Kind.THROTTLED | Kind.UNSURE:
            return ModelBusy(
                complaint.message,
                throttled=kind is Kind.THROTTLED,
                retry_after=complaint.retry_after,
                maybe_billed=kind is Kind.UNSURE,
                gone=kind is Kind.GONE,
            )
        case Kind.REJECTED | Kind.TOO_LARGE:
            return RequestRejected(complaint.message, too_large=kind is Kind.TOO_LARGE)
        case _:
            return EngineUnavailable(complaint.message, remedy=remedy or remedies[kind])


def _read(complaint: Complaint) -> tuple[Kind, str | None]:
    """What an INVALID request's text says: the kind, and a remedy where there is a better than the kind's."""
    said = _plain(complaint.text)
    for kind, words in ((Kind.CREDENTIALS, _KEY), (Kind.ACCESS, _ACCOUNT)):
        if words.search(said):
            return kind, None
    if _CONTEXT.search(said):
        return Kind.TOO_LARGE, None
    for field, value, words in _SETTINGS:
        if words.search(said):
            return Kind.MODEL, f"Set {_PROFILE.format(field, complaint.model)} to {value}."
    if _OUTPUT.search(said):
        return Kind.MODEL, f"Set a lower {_PROFILE.format('output_tokens', complaint.model)}."
    if _NO_IMAGES.search(said):
        return Kind.MODEL, "Choose a --model that reads images."
    if _UNKNOWN_MODEL.search(said):
        return Kind.MODEL, None
    return (Kind.TOO_LARGE if _TOO_LARGE.search(said) else Kind.REJECTED), None


def _plain(text: str) -> str:
    return text.replace("\u2019", "'").lower()


def retry_after(headers: Mapping[str, str], text: str = "") -> float | None:
    """Seconds that a reply asks to wait; from Retry-After, or Google's RetryInfo in the text.

    A Retry-After date counts from the reply's own Date, so that no clock needs to be right.
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(given.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = given.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    found = re.search(r"""['"]retryDelay['"]:\s*['"]([0-9.]+)s['"]""", text)
    return _between(given.get("date", ""), value) if value else _number(found[1]) if found else None


def _number(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else None


def _between(earlier: str, later: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(later) - parsedate_to_datetime(earlier)).total_seconds())
    except (TypeError, ValueError):
        return None


_NOT_CONNECTED = {"ConnectError", "ProxyError"}
_NOT_SENT = {"ConnectTimeout", "PoolTimeout"}
_NO_ADDRESS = {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}


def transport_kind(name: str, reached: bool) -> Kind | None:
    """What an error of httpx, by its class's name, means; None for one after something was sent.

    `reached`: whether this endpoint has answered before; a refused connection is then a passing fault.
    """
    if name in _NOT_CONNECTED:
        return Kind.GONE if reached else Kind.ADDRESS
    if name in _NOT_SENT:
        return Kind.BUSY
    return Kind.ADDRESS if name in _NO_ADDRESS else None
