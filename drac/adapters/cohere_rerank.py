"""Cohere's rerankers, and servers that speak its rerank API, through the cohere package."""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from typing import Any

from drac.adapters.cohere_errors import REMEDIES, sort_error
from drac.adapters.model_errors import Complaint, Kind, error_of
from drac.adapters.model_http import Simulation, forbid_paid, is_loopback, public_url, split_url
from drac.errors import EngineUnavailable, MissingExtra
from drac.ports import ChatReply, ChatRequest
from drac.retrieve.rerank_reply import pack_scores

BASE_URL = "https://api.cohere.com"
"""Where requests go without CO_API_URL."""
READ_TIMEOUT = 60.0
"""Seconds without a byte; a hundred texts take about one."""
CONNECT_TIMEOUT = 10.0
"""Seconds for a connection."""
_NO_KEY = "none"
"""Sent where there is no key: servers of one's own ask none, but the package wants one."""


class CohereRerank:
    """Implements ports.ChatModel for requests of the purpose `rerank`.

    `base_url` and `api_key` are CO_API_URL and CO_API_KEY where they are None. The package does not
    retry: one `ask` is one request at most.
    """

    engine = "cohere"

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, read_timeout: float = READ_TIMEOUT
    ) -> None:
        """Opens nothing. Raises MissingExtra without the package, UsageError for no `base_url`."""
        if importlib.util.find_spec("cohere") is None:
            raise MissingExtra("Reranking by Cohere", "cohere")
        self._url = base_url or os.environ.get("CO_API_URL") or BASE_URL
        self._key = api_key or os.environ.get("CO_API_KEY") or ""
        self._endpoint = public_url(self._url)
        self._read_timeout = read_timeout
        self._simulation = Simulation(self._url)
        self._lock = threading.Lock()
        self._made: Any = None
        self._transport: Any = None
        self._reached = False

    @property
    def endpoint(self) -> str:
        """The base URL without user and password."""
        return self._endpoint

    @property
    def simulated(self) -> bool:
        """Asks a loopback server, once; raises EngineUnavailable where nothing answers there."""
        return self._simulation()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._transport is not None:
                self._transport.close()
                self._made = self._transport = None

    def ask(self, request: ChatRequest) -> ChatReply:
        """One rerank call; see ports.ChatModel for what it raises."""
        forbid_paid(self._url)
        if not self._key and split_url(self._url).hostname == split_url(BASE_URL).hostname:
            raise EngineUnavailable("CO_API_KEY is not set", remedy=REMEDIES[Kind.CREDENTIALS])
        query, *texts = map(str, request.parts)
        began = time.perf_counter()
        try:
            answer = self._client.rerank(model=request.model, query=query, documents=texts)
        except Exception as error:  # beside the package's errors, the transport's own
            self._reached = self._reached or getattr(error, "status_code", None) is not None
            raise sort_error(
                error, model=request.model, endpoint=self._endpoint, reached=self._reached,
                secrets=(self._key,),
            ) from error  # fmt: skip
        self._reached = True
        return self._reply(answer, request.model, len(texts), time.perf_counter() - began)

    def _reply(self, answer: Any, model: str, number: int, seconds: float) -> ChatReply:
        try:
            found = [(one.index, one.relevance_score) for one in answer.results]
            return ChatReply(pack_scores(found, number), "end", True, 0, _searches(answer), seconds)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            said = Complaint(model, self._endpoint, "a reply that is none", str(answer)[:200])
            raise error_of(Kind.UNSURE, said, REMEDIES) from error

    @property
    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> Any:
        import cohere
        import httpx

        # a redirect could lead off this machine; a server on this machine is never asked through a proxy
        self._transport = httpx.Client(
            timeout=httpx.Timeout(self._read_timeout, connect=CONNECT_TIMEOUT),
            follow_redirects=False,
            trust_env=not is_loopback(self._url),
        )
        return cohere.ClientV2(
            api_key=self._key or _NO_KEY,
            base_url=self._url,
            max_retries=0,
            httpx_client=self._transport,
            log_warning_experimental_features=False,
        )


def _searches(answer: Any) -> int:
    """Searches that were billed; 0: the server did not say."""
    units = getattr(getattr(answer, "meta", None), "billed_units", None)
    return int(getattr(units, "search_units", None) or 0)
