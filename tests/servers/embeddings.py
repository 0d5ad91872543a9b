"""Embeddings in both protocols: OpenAI's `/v1/embeddings`, and Titan through Bedrock's InvokeModel.

The vectors count words by their digests, so that texts with words in common are near each other.
"""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import numpy as np

from tests.servers.wire import Asked, Reply, WireError

PATH = "/v1/embeddings"
SIZE = 64
"""Numbers of a vector where none are asked for."""
MOST_CHARACTERS = 50_000
"""Titan's limit of a text."""
_OPENAI = frozenset({"model", "input", "encoding_format", "dimensions", "user"})
_TITAN = frozenset({"inputText", "dimensions", "normalize", "embeddingTypes"})


def model_of(path: str) -> str | None:
    """The decoded model id of `/model/{modelId}/invoke`; None for any other path."""
    if path.startswith("/model/") and path.endswith("/invoke"):
        return unquote(path.removeprefix("/model/").removesuffix("/invoke"))
    return None


def parse(body: bytes) -> Asked:
    """Read and check a request to `/v1/embeddings`; raises WireError."""
    given = _object(body, _OPENAI)
    texts = given.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(given.get("model"), str) or not given["model"]:
        raise WireError("ValidationException", "you must provide a model parameter")
    if not isinstance(texts, list) or not 0 < len(texts) <= 2048:
        raise WireError("ValidationException", "input must hold 1 to 2048 texts")
    if given.get("encoding_format", "float") not in ("float", "base64"):
        raise WireError("ValidationException", "encoding_format must be float or base64")
    return _asked("openai", given["model"], texts, given.get("dimensions"))


def parse_titan(model: str, body: bytes) -> Asked:
    """Read and check a call of InvokeModel; raises WireError."""
    if "titan-embed-text" not in model:
        raise WireError("ValidationException", f"the simulated InvokeModel plays Titan only, not {model}")
    given = _object(body, _TITAN if "v2" in model else frozenset({"inputText"}))
    if given.get("dimensions", 1024) not in (1024, 512, 256):
        raise WireError("ValidationException", "dimensions must be 256, 512 or 1024")
    return _asked("converse", model, [given.get("inputText")], given.get("dimensions"))


def _object(body: bytes, known: frozenset[str]) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except ValueError as error:
        raise WireError("ValidationException", f"the body is no JSON: {error}") from error
    if not isinstance(given, dict) or set(given) - known:
        raise WireError("ValidationException", f"extraneous keys in {str(given)[:100]}")
    return given


def _asked(api: Any, model: str, texts: Sequence[Any], dimensions: Any) -> Asked:
    if not all(isinstance(text, str) and text for text in texts):
        raise WireError("ValidationException", "every text must be a string of one letter at least")
    if any(len(text) > MOST_CHARACTERS for text in texts):
        raise WireError(
            "ValidationException", "Too many input tokens.", openai_code="context_length_exceeded"
        )
    if dimensions is not None and (not isinstance(dimensions, int) or dimensions < 1):
        raise WireError("ValidationException", "dimensions must be a number from 1")
    return Asked(api, model, "", tuple(texts), None, None, embeds=True, dimensions=dimensions)


def vector(text: str, size: int) -> np.ndarray[Any, Any]:
    """Words counted by digest; not of length 1, since not every server sends such."""
    found = np.zeros(size, dtype=np.float32)
    for word in re.findall(r"\w+", text.lower()):
        place = zlib.crc32(word.encode())
        found[place % size] += 1.0 if place & 1024 else -1.0
    found[0] += 0.01
    return found


def tokens_of(texts: Sequence[str]) -> int:
    """Tokens billed."""
    return sum(math.ceil(len(text) / 4) for text in texts)


def write(asked: Asked) -> Reply:
    """The reply in the protocol of the request."""
    size = asked.dimensions or SIZE
    rows = [vector(text, size) for text in asked.texts]
    body = _titan(rows[0], asked) if asked.api == "converse" else _openai(rows, asked)
    return Reply(200, json.dumps(body).encode(), {"x-request-id": str(uuid4())})


def _titan(row: np.ndarray[Any, Any], asked: Asked) -> dict[str, Any]:
    return {
        "embedding": row.tolist(), "embeddingsByType": {"float": row.tolist()},
        "inputTextTokenCount": tokens_of(asked.texts),
    }  # fmt: skip


def _openai(rows: Sequence[np.ndarray[Any, Any]], asked: Asked) -> dict[str, Any]:
    """Last first: `index` says whose vector it is. Models named `base64…` send base64, asked or not."""
    as_text = asked.model.startswith("base64")
    data = [
        {"object": "embedding", "index": n,
         "embedding": base64.b64encode(row.tobytes()).decode() if as_text else row.tolist()}
        for n, row in enumerate(rows)
    ]  # fmt: skip
    usage = {"prompt_tokens": tokens_of(asked.texts), "total_tokens": tokens_of(asked.texts)}
    return {"object": "list", "data": data[::-1], "model": asked.model, "usage": usage}
