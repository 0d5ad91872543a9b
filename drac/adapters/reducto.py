"""Reducto's parse endpoint through its SDK, as a ChatModel: journal, limiter, budget and retries are shared.

A request has two parts, its configuration as JSON and the PDF. A reply's text is the whole answer as JSON. Of
its counts, `input_tokens` are pages and `output_tokens` thousandths of a credit.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from drac.adapters.model_errors import Complaint, Kind, error_of, kind_of_status, retry_after
from drac.adapters.model_http import Simulation, forbid_paid, is_loopback, public_url
from drac.errors import DracError, EngineUnavailable, MissingExtra
from drac.ports import ChatReply, ChatRequest, ImagePart

BASE_URL = "https://platform.reducto.ai"
"""Where requests go without `base_url` and REDUCTO_BASE_URL."""
CREDIT = 1000
"""Parts of a credit that are counted."""
_AGAIN = "; then run again: what is finished is kept."
REMEDIES: Mapping[Kind, str] = {
    Kind.CREDENTIALS: "Set REDUCTO_API_KEY to a valid key" + _AGAIN,
    Kind.ACCESS: "Have the key's account allowed to parse" + _AGAIN,
    Kind.MODEL: "Check base_url, and the options against Reducto's documentation.",
    Kind.ADDRESS: "Check base_url (or REDUCTO_BASE_URL) and the network" + _AGAIN,
    Kind.QUOTA: "Add credits to the account of the key" + _AGAIN,
}


class ReductoOptions(BaseModel):
    """What the parser `reducto` can be told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    """Address of the service; None: REDUCTO_BASE_URL, else Reducto's own."""
    enhance: dict[str, Any] = {}
    """Reducto's `enhance`: agentic reading, summaries of figures."""
    formatting: dict[str, Any] = {}
    """Its `formatting`; tables come as HTML whatever this says."""
    settings: dict[str, Any] = {}
    """Its `settings`, such as `model` and `extraction_mode`; the page range is ours."""
    usd_per_credit: float | None = Field(None, gt=0)
    """Dollars of a credit, as your contract says; None: not known, and a budget cannot be kept."""
    most_credits: float = Field(4.0, gt=0)
    """Credits of a page at most, for the budget; also what a page counts where the answer says nothing."""
    read_timeout: float = Field(900.0, gt=0)
    """Seconds for a whole answer."""

    def told(self, ranges: list[tuple[int, int]]) -> dict[str, Any]:
        """What the service is asked for, of 1-based pages."""
        pages = [{"start": first, "end": last} for first, last in ranges]
        return {
            "enhance": self.enhance,
            "formatting": {**self.formatting, "table_output_format": "html"},
            "settings": {**self.settings, "page_range": pages},
        }


class ReductoService:
    """Implements ports.ChatModel; one `ask` uploads a PDF and has it parsed, and retries nothing."""

    engine = "reducto"

    def __init__(self, options: ReductoOptions) -> None:
        """Opens nothing; raises MissingExtra without the SDK, UsageError for an address that is none."""
        if find_spec("reducto") is None:
            raise MissingExtra("the parser 'reducto'", "reducto")
        self._options = options
        self._url = options.base_url or os.environ.get("REDUCTO_BASE_URL") or BASE_URL
        self._key = os.environ.get("REDUCTO_API_KEY") or ""
        self._endpoint = public_url(self._url)
        self._simulation = Simulation(self._url)
        self._lock = threading.Lock()
        self._reached = False

    @property
    def endpoint(self) -> str:
        """The service's address without user and password."""
        return self._endpoint

    @property
    def simulated(self) -> bool:
        """See ports.ChatModel."""
        return self._simulation()

    def ask(self, request: ChatRequest) -> ChatReply:
        """Upload and parse; `parts` are the configuration as JSON, then the PDF. See ports.ChatModel."""
        forbid_paid(self._url)
        if not self._key and not is_loopback(self._url):
            raise EngineUnavailable("REDUCTO_API_KEY is not set", remedy=REMEDIES[Kind.CREDENTIALS])
        stated, pdf = request.parts
        assert isinstance(stated, str) and isinstance(pdf, ImagePart)
        began = time.perf_counter()
        try:
            answer = self._parse(json.loads(stated), pdf.data)
        except DracError:
            raise
        except Exception as error:  # the SDK's, and the transport's own while a body is read
            raise self._sorted(error, request.model) from error
        return self._reply(answer, time.perf_counter() - began)

    def _parse(self, stated: Mapping[str, Any], pdf: bytes) -> dict[str, Any]:
        client = self._client
        uploaded = client.upload(file=("document.pdf", pdf, "application/pdf"), extension=".pdf")
        self._reached = True
        answer: dict[str, Any] = client.parse.run(input=uploaded.file_id, **stated).model_dump(mode="json")
        if answer["result"]["type"] == "url":
            answer["result"] = self._fetched(answer["result"]["url"])
        return answer

    def _fetched(self, url: str) -> Any:
        """A result that is too large for an answer lies under an address of its own."""
        import httpx

        response = httpx.get(url, timeout=self._options.read_timeout, trust_env=not is_loopback(url))
        response.raise_for_status()
        return response.json()

    def _reply(self, answer: Mapping[str, Any], seconds: float) -> ChatReply:
        usage = answer.get("usage") or {}
        pages = int(usage.get("num_pages") or 0)
        credits = usage.get("credits")
        spent = float(credits) if credits is not None else pages * self._options.most_credits
        text = json.dumps(answer, ensure_ascii=False, sort_keys=True)
        return ChatReply(text, "parsed", True, pages, max(1, round(spent * CREDIT)), seconds)

    @cached_property
    def _client(self) -> Any:
        import httpx
        import reducto

        transport = httpx.Client(
            timeout=self._options.read_timeout, trust_env=not is_loopback(self._url), follow_redirects=False
        )
        return reducto.Reducto(
            api_key=self._key or "none", base_url=self._url, max_retries=0, http_client=transport
        )

    def _sorted(self, error: Exception, model: str) -> DracError:
        """Our error for what the SDK raised; a service that never answered is a wrong address."""
        import httpx
        import reducto

        if isinstance(error, reducto.APIStatusError):
            kind, name = kind_of_status(error.status_code, str(error.body)), f"HTTP {error.status_code}"
            waited = retry_after(dict(error.response.headers))
        else:
            cause = error.__cause__ or error
            name, waited = type(cause).__name__, None
            refused = isinstance(cause, (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol))
            kind = (Kind.GONE if self._reached else Kind.ADDRESS) if refused else Kind.UNSURE
        said = Complaint(model, self._endpoint, name, str(error), waited, (self._key,))
        return error_of(kind, said, REMEDIES)

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if "_client" in self.__dict__:
                self._client.close()
                del self.__dict__["_client"]
