"""Models that are not asked: what a strategy would send, counted."""

from __future__ import annotations

import threading
from pathlib import Path

from drac.config import Settings
from drac.errors import RequestRejected
from drac.ports import ChatReply, ChatRequest
from drac.records import Usage
from drac.store.keys import digest
from drac.wiring import Models
from drac.wiring.models import ModelAccess, Purpose

_CHARACTERS_A_TOKEN = 4


class Rehearsal(Models):
    """Takes the place of a run's models; nothing is sent."""

    def __init__(self, settings: Settings, workspace: Path) -> None:
        super().__init__(settings, workspace)
        self._rehearsed: dict[str, _Rehearsed] = {}

    def access(self, engine: str, settings: Settings | None = None, purpose: Purpose = "chat") -> ModelAccess:
        """The engine's model, which counts what it is asked; other purposes than chats are as in Models."""
        if purpose != "chat":
            return super().access(engine, settings, purpose)
        wanted = settings or self.settings
        key = digest([engine, wanted.model_dump(mode="json", include={"model", "models"})])
        if key not in self._rehearsed:
            self._rehearsed[key] = _Rehearsed(engine, wanted, self.workspace)
        return self._rehearsed[key]

    @property
    def asked(self) -> bool:
        """Whether anybody wanted a model."""
        return bool(self._rehearsed)

    @property
    def usage(self) -> Usage:
        """Of requests without a reply on disk, each once: tokens by characters, replies at full length."""
        some = [one for access in self._rehearsed.values() for one in access.counted.values()]
        return Usage(
            sum(one.input_tokens for one in some), sum(one.output_tokens for one in some),
            sum(one.usd for one in some), len(some),
        )  # fmt: skip

    def close(self) -> None:
        """See Models."""
        for one in self._rehearsed.values():
            one.close()
        super().close()


class _Rehearsed(ModelAccess):
    """A model that gives no reply that is not on disk."""

    def __init__(self, engine: str, settings: Settings, workspace: Path) -> None:
        super().__init__(engine, settings, workspace)
        self.counted: dict[str, Usage] = {}
        self._counting = threading.Lock()

    def ask(self, request: ChatRequest) -> ChatReply:
        """A reply from disk; else raises RequestRejected, or gives a planner a reply without a plan."""
        sent = self._fitting(request)
        name = self.journal.digest(sent, 0)
        if known := self.journal.get(name):
            return known
        with self._counting:
            self.counted[name] = self._at_most(sent)
        if request.purpose == "plan":
            return ChatReply("", "not sent", True, 0, 0, 0.0)
        raise RequestRejected("not sent: this only counts")

    def _at_most(self, request: ChatRequest) -> Usage:
        texts = (request.system, *(one for one in request.parts if isinstance(one, str)))
        tokens, most = sum(map(len, texts)) // _CHARACTERS_A_TOKEN, request.max_output_tokens
        return Usage(tokens, most, self.profile.cost(tokens, most) or 0.0, 1)
