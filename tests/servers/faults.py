"""Every way in which a model or its server goes wrong, by name.

A fault is an error instead of a reply (`throttle`), a reply that stops early (`stop:max_tokens`), a
transport that breaks (`cut`), or a reply of 200 whose text is not as asked (`fence`, `plan_prose`).
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.servers import completions, converse
from tests.servers.wire import Api, WireError


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault to give; only `kind` is needed."""

    kind: str
    """A name from KINDS, or `stop:` and any stop reason."""
    page: int | None = None
    """Page number (as the prompt gives it) that a text fault hits; None: the last one of the request."""
    seconds: float = 5.0
    """Of `slow`: how long the reply waits."""
    retry_after: float | None = 0.2
    """Of `throttle` and `error_503`: seconds in the header Retry-After; None: no header."""
    text: str | None = None
    """What to say instead of the fault's usual text."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS and not self.kind.startswith("stop:"):
            raise ValueError(f"{self.kind!r} is no fault; there are: {', '.join(sorted(KINDS))}")

    def spoils(self, purpose: str) -> bool:
        """Whether it changes the text of a reply for this purpose."""
        return self.kind in {"plan": PLAN, "write": WRITE}.get(purpose, (*TEXT, *HALLUCINATION))


_MESSAGES = {
    "throttle": ("ThrottlingException", "Too many requests, please wait before trying again."),
    "error_500": ("InternalServerException", "The system encountered an unexpected error. Try again."),
    "error_503": ("ServiceUnavailableException", "The service is temporarily unavailable."),
    "model_not_ready": ("ModelNotReadyException", "The model is not ready to serve inference requests."),
    "model_timeout": ("ModelTimeoutException", "The request took too long to process."),
    "model_error": ("ModelErrorException", "The request failed due to an error of the model."),
    "validation": ("ValidationException", "The request is not valid: malformed input request."),
    "too_many_images": ("ValidationException", "too many images: at most 1 image may be provided"),
    "image_too_large": ("ValidationException", "messages.0.content.1: image exceeds 3.75 MB maximum"),
    "too_many_pixels": ("ValidationException", "image dimensions exceed the maximum: 8000 pixels"),
    "input_too_long": ("ValidationException", "Input is too long for requested model."),
    "access_denied": ("AccessDeniedException", "You don't have access to the model with this ID."),
    "expired_credentials": ("ExpiredTokenException", "The security token in the request is expired"),
    "bad_credentials": ("UnrecognizedClientException", "The security token in the request is invalid."),
    "unknown_model": ("ResourceNotFoundException", "The model does not exist."),
    "unknown_model_400": ("ValidationException", "The provided model identifier is invalid."),
    "quota": ("ThrottlingException", "Too many tokens per day, please wait before trying again."),
}
_OPENAI_CODES = {
    "input_too_long": "context_length_exceeded",
    "unknown_model_400": "model_not_found",
    "quota": "insufficient_quota",
}
_STATUS = {"expired_credentials": 403, "bad_credentials": 403}

BUSY = ("throttle", "error_500", "error_503", "model_not_ready", "model_timeout", "model_error")
"""Errors that pass."""
REJECTED = ("validation", "too_many_images", "image_too_large", "too_many_pixels", "input_too_long")
"""Errors of this request, for ever."""
RUN_ENDING = (
    "access_denied", "expired_credentials", "bad_credentials", "unknown_model", "unknown_model_400", "quota",
)  # fmt: skip
"""Errors of every request of the run."""
TRANSPORT = ("slow", "cut", "cut_before", "garbage_body", "wrong_shape")
"""Replies that do not arrive whole, or are no reply."""
_UNKNOWN_STOP = "stop:paused_by_provider"
_ENDS: dict[Api, tuple[tuple[str, ...], str]] = {
    "converse": (converse.stop_reasons(), converse.NORMAL),
    "openai": (completions.STOP_REASONS, completions.NORMAL),
}
STOPS: dict[Api, tuple[str, ...]] = {
    api: (*(f"stop:{one}" for one in ends if one != normal), _UNKNOWN_STOP)
    for api, (ends, normal) in _ENDS.items()
}
"""Every stop reason of a protocol but the normal end, and one that nobody knows."""
TEXT = (
    "empty", "refusal", "page_empty", "page_refusal", "chatter_before", "chatter_after", "fence",
    "fence_inner", "fence_unclosed", "fence_page", "wrong_numbers", "renumbered", "no_markers",
    "missing_marker", "extra_marker", "repeated_marker", "swapped", "marker_inline", "marker_unclosed",
    "leaked_table", "leaked_html", "image_link", "loop_line", "loop_ngram",
)  # fmt: skip
"""Replies to a convert request that end normally and are not as asked."""
HALLUCINATION = ("hallucination",)
"""A fluent page where the image shows none; give it by a rule, for blank pages."""
PLAN = (
    "plan_empty", "plan_prose", "plan_prose_array", "plan_fenced", "plan_two_arrays", "plan_truncated",
    "plan_cut", "plan_unknown", "plan_duplicate", "plan_null", "plan_nested", "plan_missing",
)  # fmt: skip
"""Replies to a plan request that are not as asked."""
WRITE = (
    "write_empty", "write_prose", "write_fenced", "write_cut", "write_shape", "write_lost", "write_invented",
)  # fmt: skip
"""Replies to a request to write chunks that are not as asked."""
KINDS = frozenset(
    (*BUSY, *REJECTED, *RUN_ENDING, *TRANSPORT, *TEXT, *HALLUCINATION, *PLAN, *WRITE, *STOPS["converse"],
     *STOPS["openai"])
)  # fmt: skip
"""Every name that Fault takes."""


def passing(api: Api, purpose: str) -> tuple[str, ...]:
    """Faults after which a run can go on, for one protocol and purpose: the default of a random schedule."""
    texts = {"plan": PLAN, "write": WRITE}.get(purpose, TEXT)
    rejected = REJECTED if purpose == "convert" else ("validation", "input_too_long")
    return (*BUSY, *rejected, *TRANSPORT, *STOPS[api], *texts)


def error_of(fault: Fault) -> WireError | None:
    """The error to write, for faults that are one."""
    if fault.kind not in _MESSAGES:
        return None
    code, message = _MESSAGES[fault.kind]
    wait = fault.retry_after if fault.kind in ("throttle", "error_503") else None
    return WireError(
        code, fault.text or message, _STATUS.get(fault.kind, 400), wait, _OPENAI_CODES.get(fault.kind)
    )
