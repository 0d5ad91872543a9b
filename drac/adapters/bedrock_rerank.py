"""Reranking models of Amazon Bedrock through the InvokeModel API of boto3."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from drac.adapters.bedrock_invoke import BedrockInvoke
from drac.ports import ChatReply, ChatRequest
from drac.retrieve.rerank_reply import pack_scores

_COHERE_VERSION = 2
"""Of the request's format; Cohere's models on Bedrock refuse a request without it."""


class BedrockRerank(BedrockInvoke):
    """Implements ports.ChatModel for requests of the purpose `rerank`.

    The reply does not say what was billed; see pipeline.reranking for the estimate.
    """

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return rerank_body(request)

    def _send(self, client: Any, call: Mapping[str, Any]) -> Mapping[str, Any]:
        """How many were asked goes along: the reply alone does not tell whether it is whole."""
        found = super()._send(client, call)
        return {"results": found.get("results"), "asked": len(json.loads(call["body"])["documents"])}

    def _read_answer(self, answer: Mapping[str, Any], seconds: float) -> ChatReply:
        found = [(one["index"], one["relevance_score"]) for one in answer["results"]]
        return ChatReply(pack_scores(found, answer["asked"]), "end", True, 0, 0, seconds)


def rerank_body(request: ChatRequest) -> dict[str, Any]:
    """The body of a call."""
    query, *texts = request.parts
    body: dict[str, Any] = {"query": query, "documents": texts, "top_n": len(texts)}
    return {**body, "api_version": _COHERE_VERSION} if "cohere." in request.model else body
