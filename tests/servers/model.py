"""The simulated model: a request in, what to write to the wire out. Knows nothing of sockets."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image as Pillow

from tests.servers import completions, converse, embeddings, rerank
from tests.servers.faults import Fault, error_of
from tests.servers.log import Entry, ServerLog
from tests.servers.pages import PageBook
from tests.servers.replies import (
    Planner,
    Said,
    Shown,
    honest,
    ids_of,
    plan_in_order,
    understand,
    wrap,
    write_pages,
)
from tests.servers.schedule import Schedule, Seen, no_faults
from tests.servers.spoil import spoil_pages, spoil_plan
from tests.servers.wire import Answer, Asked, Reply, WireError
from tests.servers.writing import spoil_written, strategy_of, write

_CUT_AT = 0.6
"""Share of the text that a reply has which was cut off."""
_CUTTING = ("max_tokens", "length", "model_context_window_exceeded")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the model takes; past it a request is refused as the real service would (Converse's figures)."""

    images: int = 20
    """Images of a request at most."""
    image_bytes: int = 3_750_000
    """Bytes of an image at most."""
    image_side: int = 8_000
    """Pixels of an image's side at most."""
    input_tokens: int = 128_000
    """Tokens of a request at most."""
    in_flight: int | None = None
    """Requests open at once; one more is throttled. None: no limit."""


Latency = float | Callable[[Seen], float]
"""Seconds from the request's arrival to its reply, fixed or by what it holds."""


@dataclass
class Behaviour:
    """How the simulated model behaves; every field may be changed while it serves."""

    latency: Latency = 0.0
    """Of replies; errors come at once."""
    schedule: Schedule = no_faults
    """What goes wrong."""
    limits: Limits = field(default_factory=Limits)
    """What is refused."""
    models: tuple[str, ...] = ()
    """Models that are there; empty: any."""
    planner: Planner = plan_in_order
    """Answers plan requests."""
    image_tokens: int = 256
    """Tokens of an image (Gemma 3: 256)."""
    blank: str = "[blank page]"
    """What an honest reply says under the marker of a page without text."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to do with one request."""

    reply: Reply
    """What to write."""
    seconds: float
    """When to write it, counted from the request's arrival."""
    sent: float = 1.0
    """Share of the reply that is written before the connection is cut; 1: all of it."""
    good: bool = False
    """Whether it is a well-formed reply of status 200 that is written whole."""
    record: dict[str, Any] = field(default_factory=dict)
    """For the log."""


@dataclass(frozen=True, slots=True)
class _Drafted:
    """A reply's text before it is counted and cut to size."""

    text: str
    meant: tuple[Said, ...] = ()
    stop: str = ""


@dataclass
class Model:
    """Answers requests of both protocols; safe to use from many threads."""

    book: PageBook
    """Pages that it can read."""
    behaviour: Behaviour
    """How it behaves."""
    log: ServerLog
    """Where everything is noted."""

    def receive(self, path: str, body: bytes, asked: Asked | WireError) -> tuple[Entry, Outcome]:
        """Note a request and decide on everything."""
        digest = hashlib.sha256(path.encode() + b"\0" + body).hexdigest()
        if isinstance(asked, WireError):
            return self._refuse_unread(path, digest, asked)
        try:
            shown: tuple[Shown, ...] | WireError = (
                () if asked.embeds or asked.reranks else understand(asked, self.book)
            )
        except WireError as error:
            shown = error
        seen, entry = self._note(digest, asked, () if isinstance(shown, WireError) else shown)
        try:
            if isinstance(shown, WireError):
                raise shown
            self._check(asked, entry["in_flight"])
            return entry, self._answer(seen)
        except WireError as error:
            return entry, self._refuse(asked.api, error)

    def _refuse_unread(self, path: str, digest: str, error: WireError) -> tuple[Entry, Outcome]:
        api = "openai" if path.startswith("/v1/") else "cohere" if path == rerank.PATH else "converse"
        entry = self.log.received(digest, {"digest": digest, "api": api, "purpose": "unread", "shown": []})
        return entry, self._refuse(api, error)

    def _refuse(self, api: str, error: WireError, fault: Fault | None = None) -> Outcome:
        writers = {"converse": converse.write_error, "cohere": rerank.write_error}
        write = writers.get(api, completions.write_error)
        return Outcome(write(error), 0.0, record={"error": error.code, **_about(fault)})

    def _note(self, digest: str, asked: Asked, shown: tuple[Shown, ...]) -> tuple[Seen, Entry]:
        images = [hashlib.sha256(image.data).hexdigest() for image in asked.images]
        prompt = "\n\n".join(asked.texts)
        kinds = {
            "embed": asked.embeds,
            "rerank": asked.reranks,
            "convert": bool(images),
            "write": bool(strategy_of(asked)),
        }
        purpose = next((name for name, fits in kinds.items() if fits), "plan")
        content = hashlib.sha256("\n".join(images or [prompt]).encode()).hexdigest()
        entry = self.log.received(content, {
            "digest": digest, "api": asked.api, "model": asked.model, "purpose": purpose, "images": images,
            "shown": [one.record() for one in shown], "prompt": prompt, "temperature": asked.temperature,
            "max_tokens": asked.max_tokens,
        })  # fmt: skip
        return Seen(entry["id"], entry["attempt"], purpose, asked, shown, content), entry

    def _check(self, asked: Asked, in_flight: int) -> None:
        limits, models = self.behaviour.limits, self.behaviour.models
        if models and asked.model not in models:
            raise WireError("ResourceNotFoundException", f"The model `{asked.model}` does not exist.")
        if limits.in_flight is not None and in_flight > limits.in_flight:
            raise WireError("ThrottlingException", "Too many requests.", retry_after=0.1)
        if len(asked.images) > limits.images:
            raise WireError("ValidationException", f"too many images: at most {limits.images} are allowed")
        for number, image in enumerate(asked.images, 1):
            _check_image(number, image.data, limits)
        if self._input_tokens(asked) > limits.input_tokens:
            raise WireError(
                "ValidationException", "Input is too long for requested model.",
                openai_code="context_length_exceeded",
            )  # fmt: skip

    def _input_tokens(self, asked: Asked) -> int:
        characters = len(asked.system) + sum(map(len, asked.texts))
        return math.ceil(characters / 4) + self.behaviour.image_tokens * len(asked.images)

    def _answer(self, seen: Seen) -> Outcome:
        fault = self.behaviour.schedule(seen)
        error = error_of(fault) if fault else None
        if error:
            return self._refuse(seen.asked.api, error, fault)
        latency = self.behaviour.latency
        seconds = latency(seen) if callable(latency) else latency
        return self._transported(self._reply(seen, fault, seconds), fault)

    def _reply(self, seen: Seen, fault: Fault | None, seconds: float) -> Outcome:
        if seen.purpose == "rerank":
            searches = rerank.searches_of(seen.asked)
            record = {"error": None, **_about(fault), "input_tokens": 0, "output_tokens": searches}
            return Outcome(rerank.write(seen.asked), seconds, good=True, record=record)
        if seen.purpose == "embed":
            tokens = embeddings.tokens_of(seen.asked.texts)
            record = {"error": None, **_about(fault), "input_tokens": tokens, "output_tokens": 0}
            return Outcome(embeddings.write(seen.asked), seconds, good=True, record=record)
        answer, meant = self._say(seen, fault)
        api = seen.asked.api
        if api == "converse":
            reply = converse.write(answer, round(seconds * 1000))
        else:
            reply = completions.write(answer, seen.asked.model)
        normal = converse.NORMAL if api == "converse" else completions.NORMAL
        return Outcome(reply, seconds, good=True, record={
            "error": None, **_about(fault), "said": answer.text, "stop": answer.stop or normal,
            "meant": [{"number": one.number, "text": one.text} for one in meant],
            "input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens,
        })  # fmt: skip

    def _say(self, seen: Seen, fault: Fault | None) -> tuple[Answer, tuple[Said, ...]]:
        draft = self._draft(seen, fault)
        text, stop = draft.text, draft.stop
        most = seen.asked.max_tokens
        if most is not None and len(text) > most * 4:
            text, stop = text[: most * 4], _truncated(seen.asked)
        tool = stop in ("tool_use", "tool_calls", "function_call")
        tokens = math.ceil(len(text) / 4)
        return Answer(text, stop, tool, self._input_tokens(seen.asked), tokens), draft.meant

    def _draft(self, seen: Seen, fault: Fault | None) -> _Drafted:
        if seen.purpose == "convert":
            return _stopped(self._draft_pages(seen, fault), fault)
        drafted = self._draft_written if seen.purpose == "write" else self._draft_plan
        return _stopped(drafted(seen, fault), fault)

    def _draft_pages(self, seen: Seen, fault: Fault | None) -> _Drafted:
        said, blank = honest(seen.shown), self.behaviour.blank
        if fault is None or not fault.spoils("convert"):
            return _Drafted(write_pages(said, blank), said)
        spoiled = spoil_pages(fault, said, blank)
        return _Drafted(spoiled.text, spoiled.meant)

    def _draft_plan(self, seen: Seen, fault: Fault | None) -> _Drafted:
        ids = ids_of(seen.asked)
        plan = self.behaviour.planner("\n\n".join(seen.asked.texts), ids)
        if fault is None or not fault.spoils("plan") or not ids:
            return _Drafted(wrap(plan, seen.asked))
        stop = _truncated(seen.asked) if fault.kind == "plan_truncated" else ""
        return _Drafted(spoil_plan(fault, plan), stop=stop)

    def _draft_written(self, seen: Seen, fault: Fault | None) -> _Drafted:
        reply = write(seen.asked)
        if fault is None or not fault.spoils("write"):
            return _Drafted(reply)
        return _Drafted(spoil_written(fault.kind, reply, fault.text or ""))

    def _transported(self, outcome: Outcome, fault: Fault | None) -> Outcome:
        reply, seconds, record = outcome.reply, outcome.seconds, outcome.record
        match fault.kind if fault else None:
            case "slow":
                assert fault is not None
                return replace(outcome, seconds=seconds + fault.seconds)
            case "cut":
                return Outcome(reply, seconds, 0.5, record=record)
            case "cut_before":
                return Outcome(reply, seconds, 0.0, record=record)
            case "garbage_body":
                page = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
                return Outcome(Reply(200, page, content_type="text/html"), seconds, record=record)
            case "wrong_shape":
                return Outcome(Reply(200, b'{"status": "ok"}'), seconds, record=record)
        return outcome


def _check_image(number: int, data: bytes, limits: Limits) -> None:
    with Pillow.open(io.BytesIO(data)) as image:
        side = max(image.size)
    if len(data) > limits.image_bytes:
        raise WireError(
            "ValidationException", f"image {number} exceeds {limits.image_bytes} bytes: {len(data)} bytes"
        )
    if side > limits.image_side:
        raise WireError(
            "ValidationException", f"image {number}: dimensions exceed {limits.image_side} pixels: {side}"
        )


def _truncated(asked: Asked) -> str:
    return "max_tokens" if asked.api == "converse" else "length"


def _about(fault: Fault | None) -> dict[str, Any]:
    return {"fault": fault.kind if fault else None, "fault_page": fault.page if fault else None}


def _stopped(draft: _Drafted, fault: Fault | None) -> _Drafted:
    """A stop reason other than the end; those that name a budget cut the text too."""
    if fault is None or not fault.kind.startswith("stop:"):
        return draft
    stop = fault.kind.removeprefix("stop:")
    text = draft.text if fault.text is None else fault.text
    return _Drafted(text[: int(len(text) * _CUT_AT)] if stop in _CUTTING else text, draft.meant, stop)
