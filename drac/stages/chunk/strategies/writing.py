"""How a model is asked to write: one JSON object out, one JSON value back, checked, asked for once more."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from drac.config import Prompt
from drac.errors import RequestRejected
from drac.ports import ChatRequest
from drac.stages.chunk.strategies.metering import Ask, Meter

S = TypeVar("S")
T = TypeVar("T")
log = logging.getLogger(__name__)
UNREADABLE = "unreadable"
"""Count of requests that brought nothing usable, so that the unrewritten text stands in."""
LOST, INVENTED, WORDS = "lost words", "invented words", "words"
"""Counts of different words, passage by passage: of the document and not written, of what was written and
not in the document, of the document."""
_REMINDER = "Answer with the JSON that was asked for and nothing else."
_MAX_STARTS = 256
"""Opening brackets tried at most; a hostile reply of nothing but brackets ends soon."""
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_OWN = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3"
_WORD = re.compile(rf"[{_OWN}]|[^\W{_OWN}]+")


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that writes for one strategy."""

    model: str
    """Its id, as the engine knows it."""
    prompt: Prompt
    """System text."""
    temperature: float
    """Sampling temperature."""
    max_output_tokens: int
    """Tokens of a reply at most."""
    at_once: int
    """Requests of one document in flight at most."""
    server: Mapping[str, str]
    """Who answers: engine, endpoint, no secrets."""
    meter: Callable[[], Meter]
    """Makes a new meter."""

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Server, model and prompt: what can change what is written beside the options."""
        return {**self.server, "model": self.model, "prompt": self.prompt.sha256, "writing": "1"}

    def request(self, payload: Mapping[str, Any], *reminder: str) -> ChatRequest:
        """The payload as JSON, so that no text of a document can pass for anything else."""
        return ChatRequest(
            purpose="write",
            model=self.model,
            system=self.prompt.text,
            parts=(json.dumps(payload, ensure_ascii=False), *reminder),
            temperature=self.temperature,
            max_output_tokens=self.max_output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """What came of one request."""

    value: T | None
    """What the reply said, checked; None: nothing usable."""
    too_large: bool = False
    """Whether the request was more than the model takes."""
    unfinished: bool = False
    """Whether the reply ended before it was done, as for its length."""


def ask_for(
    writer: Writer, ask: Ask, payload: Mapping[str, Any], read: Callable[[str], T | None]
) -> Written[T]:
    """Ask, and once more with a reminder where `read` finds nothing usable in the reply.

    A request that will never pass brings nothing; passing failures and those that end the run are raised.
    """
    for reminder in ((), (_REMINDER,)):
        try:
            reply = ask(writer.request(payload, *reminder))
        except RequestRejected as error:
            log.warning("%s", error.message)
            return Written(None, too_large=error.too_large)
        if not reply.finished:
            log.warning("a reply ended with %r", reply.stop_reason)
            return Written(None, unfinished=True)
        if (value := read(reply.text)) is not None:
            return Written(value)
        log.warning("a reply holds nothing usable")
    return Written(None)


def in_turn(at_once: int, work: Callable[[S], T], items: Sequence[S]) -> list[T]:
    """`work` of each, several beside each other, in the order of the items; the first error ends it."""
    pool = ThreadPoolExecutor(max(1, at_once), thread_name_prefix="writing")
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def json_values(text: str, kind: type[T]) -> Iterator[T]:
    """Every JSON value of that kind (`list` or `dict`) in a reply, be it among prose or in a fence."""
    decoder, at = json.JSONDecoder(), -1
    for _ in range(_MAX_STARTS):
        at = text.find("[" if kind is list else "{", at + 1)
        if at < 0:
            return
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, kind):
            yield value


def clean(text: Any) -> str:
    """A string of a reply without control characters; empty for anything else."""
    return sendable(text).strip() if isinstance(text, str) else ""


def one_line(text: Any) -> str:
    """The same in one line."""
    return " ".join(clean(text).split())


def sendable(text: str) -> str:
    """A document's text without characters that no server takes."""
    return _ODD.sub(" ", text)


def compare(source: str, written: Sequence[str], may_use: Sequence[str] = ()) -> dict[str, int]:
    """Words of `source` lost, and words invented, which stand in `may_use` neither; but for case."""
    of, by, around = _words(source), _words(*written), _words(*may_use)
    return {LOST: len(of - by), INVENTED: len(by - of - around), WORDS: len(of)}


def _words(*texts: str) -> set[str]:
    return {match[0].casefold() for text in texts for match in _WORD.finditer(text)}


def total(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Counts added up by name."""
    names = dict.fromkeys(name for one in counts for name in one)
    return {name: sum(one.get(name, 0) for one in counts) for name in names}
