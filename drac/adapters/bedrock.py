"""Models of Amazon Bedrock through the Converse API of boto3."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from drac.adapters.bedrock_errors import answered, sort_error
from drac.adapters.model_errors import Complaint, Kind, error_of
from drac.adapters.model_http import Simulation, forbid_paid, is_loopback, public_url, split_url
from drac.errors import DracError, RequestRejected
from drac.ports import ChatReply, ChatRequest, ImagePart
from drac.profiles import ModelProfile, find_profile

READ_TIMEOUT = 300.0
"""Seconds without a byte; a full batch of 8,192 output tokens takes minutes on a slow model."""
CONNECT_TIMEOUT = 10.0
"""Seconds for a connection."""
CONNECTIONS = 64
"""Connections kept open; more requests at once than that work, but connect anew."""
NORMAL_END = "end_turn"
"""The only stop reason that counts. No stop sequences are sent, so that `stop_sequence` is none."""
_AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")
_ANY_REGION = "us-east-1"
_NO_KEYS = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
_SECRETS = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


class BedrockChat:
    """Implements ports.ChatModel. Any model id, inference profile or ARN that Converse takes.

    Region, profile and endpoint are AWS's usual settings (environment, configuration files, single sign-on,
    AWS_BEARER_TOKEN_BEDROCK) where they are None; a server on this machine needs none of them. boto3 does
    not retry: one `ask` is one request at most.
    `profiles` says what a model takes, see drac.profiles.
    """

    engine = "bedrock"

    def __init__(
        self,
        region: str | None = None,
        profile: str | None = None,
        endpoint_url: str | None = None,
        read_timeout: float = READ_TIMEOUT,
        connect_timeout: float = CONNECT_TIMEOUT,
        *,
        connections: int = CONNECTIONS,
        profiles: Callable[[str], ModelProfile] = find_profile,
    ) -> None:
        """Opens nothing. `connections`: at least as many as requests at once. Raises UsageError for an
        `endpoint_url` that is none."""
        if endpoint_url is not None:
            split_url(endpoint_url)
        self._region = region
        self._profile = profile
        self._endpoint_url = endpoint_url
        self._timeouts = {"read_timeout": read_timeout, "connect_timeout": connect_timeout}
        self._connections = connections
        self._profiles = profiles
        self._lock = threading.Lock()
        self._made: Any = None
        self._simulation: Simulation | None = None
        self._reached = False

    @property
    def endpoint(self) -> str:
        """The region, or the URL of an endpoint that is not AWS's own.

        Raises EngineUnavailable without a region.
        """
        url: str = self._client.meta.endpoint_url
        if str(split_url(url).hostname).endswith(_AWS_HOSTS):
            return str(self._client.meta.region_name)
        return public_url(url)

    @property
    def simulated(self) -> bool:
        """Asks a loopback endpoint, once; raises EngineUnavailable where nothing answers there."""
        client = self._client
        with self._lock:
            if self._simulation is None:
                self._simulation = Simulation(client.meta.endpoint_url)
        return self._simulation()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = None

    def ask(self, request: ChatRequest) -> ChatReply:
        """One Converse call; see ports.ChatModel for what it raises."""
        client = self._client
        forbid_paid(client.meta.endpoint_url)
        call = self._call(client, request)
        began = time.perf_counter()
        try:
            answer = self._send(client, call)
        except Exception as error:
            self._reached = self._reached or answered(error)
            raise self._sorted(error, request.model) from error
        self._reached = True
        return self._reply(answer, request.model, time.perf_counter() - began)

    def _call(self, client: Any, request: ChatRequest) -> dict[str, Any]:
        return converse_call(request, self._profiles(request.model), can_schema=_can_schema(client))

    def _send(self, client: Any, call: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = client.converse(**call)
        return found

    def _read_answer(self, answer: Mapping[str, Any], seconds: float) -> ChatReply:
        return read_answer(answer, seconds)

    @property
    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                try:
                    self._made = self._make()
                except Exception as error:
                    where = self._region or "Amazon Bedrock"
                    raise sort_error(error, model="any model", endpoint=where, reached=False) from error
            return self._made

    def _make(self) -> Any:
        import boto3
        from botocore.exceptions import NoRegionError

        session = boto3.Session(profile_name=self._profile)
        # boto3 itself knows AWS_DEFAULT_REGION only
        region = self._region or os.environ.get("AWS_REGION") or session.region_name
        client = self._connect(session, {"region_name": region or _ANY_REGION})
        if is_loopback(client.meta.endpoint_url):
            client.close()
            return self._connect_here(session, region or _ANY_REGION)
        if region is None:
            raise NoRegionError()
        return client

    def _connect_here(self, session: Any, region: str) -> Any:
        """A server on this machine is never asked through a proxy, and needs no account.

        It is sent a signature, never AWS_BEARER_TOKEN_BEDROCK, which botocore refuses to put on plain HTTP.
        """
        keys = {} if session.get_credentials() else _NO_KEYS
        return self._connect(session, {"region_name": region, **keys}, proxies={}, signature_version="v4")

    def _connect(self, session: Any, where: Mapping[str, str], **settings: Any) -> Any:
        from botocore.config import Config

        config = Config(
            retries={"total_max_attempts": 1, "mode": "standard"},
            max_pool_connections=self._connections,
            tcp_keepalive=True,
            **self._timeouts,
            **settings,
        )
        return session.client("bedrock-runtime", endpoint_url=self._endpoint_url, config=config, **where)

    def _sorted(self, error: Exception, model: str) -> DracError:
        secrets = tuple(os.environ.get(name, "") for name in _SECRETS)
        return sort_error(error, model=model, endpoint=self.endpoint, reached=self._reached, secrets=secrets)

    def _reply(self, answer: Mapping[str, Any], model: str, seconds: float) -> ChatReply:
        try:
            return self._read_answer(answer, seconds)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            said = Complaint(model, self.endpoint, "a reply that is none", str(dict(answer))[:200])
            raise error_of(Kind.UNSURE, said, {}) from error


def converse_call(request: ChatRequest, profile: ModelProfile, *, can_schema: bool) -> dict[str, Any]:
    """Arguments of `converse`; raises RequestRejected for an image type that Converse does not take."""
    limits: dict[str, Any] = {"maxTokens": request.max_output_tokens}
    if profile.temperature:
        limits["temperature"] = request.temperature
    call: dict[str, Any] = {
        "modelId": request.model,
        "messages": [{"role": "user", "content": [_block(part) for part in request.parts]}],
        "inferenceConfig": limits,
    }
    if request.system:
        call["system"] = [{"text": request.system}]
    if request.schema and profile.json_schema and can_schema:
        shape = {"jsonSchema": {"name": "reply", "schema": request.schema}}
        call["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": shape}}
    return call


def read_answer(answer: Mapping[str, Any], seconds: float) -> ChatReply:
    """What Converse answered; raises KeyError, TypeError or ValueError where it is no reply.

    Tokens read from or written to a cache count as input: they are billed. Absent usage is 0.
    """
    reason = str(answer.get("stopReason") or "missing")
    blocks = answer["output"]["message"]["content"]
    usage: Mapping[str, Any] = answer.get("usage") or {}
    billed = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    return ChatReply(
        text="".join(str(block["text"]) for block in blocks if "text" in block),
        stop_reason=reason,
        finished=reason == NORMAL_END,
        input_tokens=sum(int(usage.get(name) or 0) for name in billed),
        output_tokens=int(usage.get("outputTokens") or 0),
        seconds=seconds,
    )


def _block(part: str | ImagePart) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    if part.media_type not in {"image/png", "image/jpeg"}:
        raise RequestRejected(f"{part.media_type}: Amazon Bedrock takes PNG and JPEG images")
    return {"image": {"format": part.media_type.removeprefix("image/"), "source": {"bytes": part.data}}}


def _can_schema(client: Any) -> bool:
    """Whether this version of botocore knows Converse's structured output."""
    members = client.meta.service_model.operation_model("Converse").input_shape.members
    return "outputConfig" in members and "textFormat" in members["outputConfig"].members
