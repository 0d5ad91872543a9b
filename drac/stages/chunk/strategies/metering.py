"""What one document's requests to a model cost."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from drac.errors import EngineUnavailable, ModelError
from drac.ports import ChatReply, ChatRequest
from drac.records import Usage

Ask = Callable[[ChatRequest], ChatReply]
"""Sends a request and retries by itself; raises as `pipeline.asking.Asker.ask`."""
Cost = Callable[[ChatReply | ModelError], Usage]
"""What a reply, or a request that failed, cost."""


class Meter:
    """Asks on behalf of one document and adds up; safe to use from many threads."""

    def __init__(self, send: Ask, cost: Cost) -> None:
        """`send`: who is asked; `cost`: what that costs."""
        self._send, self._cost = send, cost
        self._costs: list[Usage] = []

    @property
    def usage(self) -> Usage:
        """Sum so far, the same in whatever order the replies came; those that were on disk count too."""
        return added(*self._costs)

    def ask(self, request: ChatRequest) -> ChatReply:
        """See Ask."""
        try:
            reply = self._send(request)
        except ModelError as error:
            self._costs.append(self._cost(error))
            raise
        self._costs.append(self._cost(reply))
        return reply


def added(*usages: Usage) -> Usage:
    """Their sum, the same in any order."""
    return Usage(
        sum(one.input_tokens for one in usages),
        sum(one.output_tokens for one in usages),
        fsum(one.usd for one in usages),
        sum(one.requests for one in usages),
    )


def unmetered() -> Meter:
    """Of a strategy that asks no model."""
    return Meter(_refuse, lambda _: Usage())


def _refuse(_: ChatRequest) -> ChatReply:
    raise EngineUnavailable("no model was chosen", remedy="Give the chunker an `engine`.")
