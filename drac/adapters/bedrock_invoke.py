"""Models of Amazon Bedrock whose requests are JSON of their own, through the InvokeModel API of boto3."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from drac.adapters.bedrock import BedrockChat
from drac.ports import ChatRequest


class BedrockInvoke(BedrockChat):
    """Implements ports.ChatModel but for what a model's body says."""

    @abstractmethod
    def _body(self, request: ChatRequest) -> Mapping[str, Any]:
        """What the model is sent; raises RequestRejected for what it does not take."""

    def _call(self, client: Any, request: ChatRequest) -> dict[str, Any]:
        return {
            "modelId": request.model,
            "body": json.dumps(self._body(request)),
            "contentType": "application/json",
            "accept": "application/json",
        }

    def _send(self, client: Any, call: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = client.invoke_model(**call)
        with answer["body"] as body:
            text = body.read()
        try:
            found = json.loads(text)
        except ValueError:
            found = text[:200].decode("utf-8", "replace")
        return found if isinstance(found, dict) else {"body": found}
