"""Amazon Titan's text embeddings through the InvokeModel API of boto3."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from drac.adapters.bedrock_invoke import BedrockInvoke
from drac.errors import RequestRejected
from drac.ports import ChatReply, ChatRequest
from drac.retrieve.vectors import pack

TITAN = "titan-embed-text-v"
_FIRST = f"{TITAN}1"
"""Takes a text and nothing else."""


class BedrockEmbeddings(BedrockInvoke):
    """Implements ports.ChatModel for requests of the purpose `embed`, of one text each."""

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return titan_body(request)

    def _read_answer(self, answer: Mapping[str, Any], seconds: float) -> ChatReply:
        tokens = int(answer.get("inputTextTokenCount") or 0)
        return ChatReply(pack([answer["embedding"]]), "end", True, tokens, 0, seconds)


def titan_body(request: ChatRequest) -> dict[str, Any]:
    """The body of a call; raises RequestRejected for more than one text."""
    (text, *more) = request.parts
    if more or not isinstance(text, str):
        raise RequestRejected(f"{request.model} takes one text a request")
    if _FIRST in request.model:
        return {"inputText": text}
    return {"inputText": text, **json.loads(request.schema or "{}"), "normalize": True}
