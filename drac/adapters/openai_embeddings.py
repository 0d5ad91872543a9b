"""Embeddings behind any server that speaks OpenAI's `/v1/embeddings`: vLLM, Ollama, gateways and OpenAI."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.adapters.openai import OpenAiChat
from drac.ports import ChatReply, ChatRequest
from drac.retrieve.vectors import pack


class OpenAiEmbeddings(OpenAiChat):
    """Implements ports.ChatModel for requests of the purpose `embed`, see pipeline.embedding."""

    def _call(self, request: ChatRequest) -> dict[str, Any]:
        return {
            "model": request.model,
            "input": [part for part in request.parts if isinstance(part, str)],
            "encoding_format": "float",  # what every server knows
            **json.loads(request.schema or "{}"),
        }

    def _resource(self) -> Any:
        return self._client.embeddings

    def _read_answer(self, answer: Mapping[str, Any], request: ChatRequest, seconds: float) -> ChatReply:
        return read_embeddings(answer, len(request.parts), seconds)


def read_embeddings(answer: Mapping[str, Any], rows: int, seconds: float) -> ChatReply:
    """What the server answered; raises KeyError, TypeError or ValueError where it is no reply.

    Vectors come in any order and say by `index` whose they are; absent usage is 0 tokens.
    """
    data = sorted(answer["data"], key=lambda one: int(one["index"]))
    if [int(one["index"]) for one in data] != list(range(rows)):
        raise ValueError(f"{len(data)} vectors for {rows} texts")
    usage: Mapping[str, Any] = answer.get("usage") or {}
    tokens = int(usage.get("prompt_tokens") or usage.get("total_tokens") or 0)
    return ChatReply(pack([_numbers(one["embedding"]) for one in data]), "stop", True, tokens, 0, seconds)


def _numbers(value: object) -> npt.NDArray[np.float32]:
    """A vector as numbers, or in base64, which some servers send unasked."""
    if isinstance(value, str):
        return np.frombuffer(b64decode(value, validate=True), dtype="<f4")
    return np.asarray(value, dtype=np.float32)
