"""The planner that asks a model: one request a section, IDs in, IDs out."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from drac.config import PlanSettings, Prompt
from drac.errors import RequestRejected
from drac.ports import ChatReply, ChatRequest
from drac.records import Element
from drac.stages.chunk.prompt import RULES, plan_prompt
from drac.stages.chunk.reply import check_reply, first_array
from drac.stages.outline import heading_paths

log = logging.getLogger(__name__)
_REMINDER = "Answer with the JSON array of arrays of IDs and nothing else."


class ModelPlanner:
    """Plans by asking a model (implements `ports.Planner`); safe to use from many threads.

    A section of at most `min_blocks` blocks is one chunk without asking. A reply that did not end by
    itself is not read, the section is asked for again in two halves; one without a usable plan is asked
    for once more. What then has no plan comes back as it is, for the reply check to count. Errors of
    `ask` pass, but for RequestRejected: that section has no plan, or is halved where it was too large.
    """

    def __init__(
        self,
        ask: Callable[[ChatRequest], ChatReply],
        model: str,
        settings: PlanSettings,
        prompt: Prompt,
        server: Mapping[str, str] | None = None,
    ) -> None:
        """`ask` sends a request and retries by itself; `server` names whom: engine, endpoint, no secrets."""
        self._ask, self._model, self._settings, self._prompt = ask, model, settings, prompt
        self._server = dict(server or {})
        self._least, self._most = settings.model_blocks

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Server, model and prompt: what can change the answer beside the settings."""
        ours = {"planner": "model", "model": self._model, "prompt": self._prompt.sha256, "rules": RULES}
        return {**self._server, **ours}

    def plan(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        """A model's reply, two halves' replies as one array, or a text without an array."""
        if len(elements) <= self._least:
            return _array([[one.id for one in elements]])
        try:
            return self._reply(elements, ancestors)
        except RequestRejected as error:
            _note(elements, str(error))
            return self._halves(elements, ancestors) if error.too_large else ""

    def _reply(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        parts = plan_prompt(elements, ancestors, self._settings)
        text = ""
        for reminder in ((), (_REMINDER,)):
            reply = self._ask(self._request((*parts, *reminder)))
            if not reply.finished:
                _note(elements, f"the reply ended with {reply.stop_reason!r}")
                return self._halves(elements, ancestors)
            text = reply.text
            if check_reply(text, {one.id for one in elements}).groups:
                break
            _note(elements, "the reply holds no plan")
        return text

    def _request(self, parts: tuple[str, ...]) -> ChatRequest:
        return ChatRequest(
            purpose="plan",
            model=self._model,
            system=self._prompt.text,
            parts=parts,
            temperature=self._settings.temperature,
            max_output_tokens=self._settings.max_output_tokens,
        )

    def _halves(self, elements: Sequence[Element], ancestors: Sequence[Element]) -> str:
        """Both halves' plans in one array; nothing for a section no larger than two chunks."""
        if len(elements) <= 2 * self._most:
            return ""
        cut = _middle(elements)
        by_id = {one.id: one for one in (*ancestors, *elements)}
        above = heading_paths([*ancestors, *elements])[elements[cut].id]
        halves = (elements[:cut], ancestors), (elements[cut:], [by_id[one] for one in above])
        return _array(item for half in halves for item in _items(self.plan(*half)))


def _middle(elements: Sequence[Element]) -> int:
    """Where the second half starts: in the middle, or before the headings of what stands there."""
    middle = cut = len(elements) // 2
    while cut and elements[cut - 1].level:
        cut -= 1
    return cut or middle


def _items(text: str) -> Iterable[object]:
    """The groups of a reply; what is no ID or no group as null, which the reply check counts."""
    for item in first_array(text) or ():
        members = item if isinstance(item, list) else None
        yield members and [one if isinstance(one, str) else None for one in members]


def _array(items: Iterable[object]) -> str:
    return json.dumps(list(items), separators=(",", ":"))


def _note(elements: Sequence[Element], what: str) -> None:
    log.warning("plan of %d blocks from %s: %s", len(elements), elements[0].id, what)
