"""Reranking in both protocols: Cohere's `/v2/rerank`, and its models through Bedrock's InvokeModel.

A text's score is the share of the question's words that it has.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any
from uuid import uuid4

from tests.servers.wire import Api, Asked, Reply, WireError

PATH = "/v2/rerank"
MOST = 1000
"""Texts of a request at most."""
_COHERE = frozenset({"model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"})
_BEDROCK = frozenset({"query", "documents", "top_n", "api_version"})
_STATUS = {
    "ThrottlingException": 429, "InternalServerException": 500, "ServiceUnavailableException": 503,
    "ModelNotReadyException": 503, "ModelTimeoutException": 504, "ModelErrorException": 500,
    "AccessDeniedException": 403, "ExpiredTokenException": 401, "UnrecognizedClientException": 401,
    "ResourceNotFoundException": 404,
}  # fmt: skip
"""Converse's exceptions in the words of this protocol; all others are 400."""


def parse(body: bytes) -> Asked:
    """Read and check a request to `/v2/rerank`; raises WireError."""
    given = _object(body, _COHERE)
    if not isinstance(given.get("model"), str) or not given["model"]:
        raise WireError("ValidationException", "model is required")
    return _asked("cohere", given["model"], given)


def parse_invoked(model: str, body: bytes) -> Asked:
    """Read and check a call of InvokeModel; raises WireError."""
    given = _object(body, _BEDROCK)
    if "cohere." in model and given.get("api_version") != 2:
        raise WireError("ValidationException", "Malformed input request: api_version must be 2")
    return _asked("converse", model, given)


def _object(body: bytes, known: frozenset[str]) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except ValueError as error:
        raise WireError("ValidationException", f"the body is no JSON: {error}") from error
    if not isinstance(given, dict) or set(given) - known:
        raise WireError("ValidationException", f"unknown fields in {str(given)[:100]}")
    return given


def _asked(api: Api, model: str, given: dict[str, Any]) -> Asked:
    query, texts = given.get("query"), given.get("documents")
    if not isinstance(query, str) or not query:
        raise WireError("ValidationException", "query is required")
    if not isinstance(texts, list) or not 0 < len(texts) <= MOST:
        raise WireError("ValidationException", f"documents must hold 1 to {MOST} texts")
    if not all(isinstance(text, str) and text for text in texts):
        raise WireError("ValidationException", "documents must be texts that are not empty")
    if given.get("top_n") not in (None, len(texts)):
        raise WireError("ValidationException", "the simulated reranker ranks all texts")
    return Asked(api, model, "", (query, *texts), None, None, reranks=True)


def score(query: str, text: str) -> float:
    """Share of the question's words that the text has."""
    asked = set(re.findall(r"\w+", query.lower()))
    return round(len(asked & set(re.findall(r"\w+", text.lower()))) / max(1, len(asked)), 6)


def searches_of(asked: Asked) -> int:
    """Searches billed: one for a hundred texts."""
    return math.ceil((len(asked.parts) - 1) / 100)


def write(asked: Asked) -> Reply:
    """The reply in the protocol of the request, the best text first."""
    query, *texts = asked.texts
    scores = sorted(((score(query, text), -place) for place, text in enumerate(texts)), reverse=True)
    body: dict[str, Any] = {"results": [{"index": -place, "relevance_score": one} for one, place in scores]}
    if asked.api == "cohere":
        units = {"search_units": searches_of(asked)}
        body |= {"id": str(uuid4()), "meta": {"api_version": {"version": "2"}, "billed_units": units}}
    return Reply(200, json.dumps(body).encode(), {"x-request-id": str(uuid4())})


def write_error(error: WireError) -> Reply:
    """An error of Cohere's API."""
    headers = {} if error.retry_after is None else {"retry-after": f"{error.retry_after:g}"}
    body = {"id": str(uuid4()), "message": error.message}
    return Reply(_STATUS.get(error.code, 400), json.dumps(body).encode(), headers)
