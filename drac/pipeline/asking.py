"""Requests to a model: journal, limiter, budget and the one owner of retries.

A reply that is on disk is used and never asked for again. A request that fails for a passing reason is
sent again with full jitter; what can never pass is raised at once, and so is what stops the run.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_random_exponential

from drac.errors import DiskFull, EngineUnavailable, Interrupted, ModelBusy
from drac.pipeline.budget import Budget
from drac.pipeline.limiter import Limiter
from drac.ports import ChatModel, ChatReply, ChatRequest, ImagePart
from drac.store.journal import Journal

log = logging.getLogger(__name__)
_CHARACTERS_A_TOKEN = 3
"""Careful estimate for reservations: more tokens than text mostly has."""
_GONE_ATTEMPTS = 8
"""Tries of a request while nobody listens, over about a minute: a server may be starting anew."""
_LATER = "Look after the server or the quota, then run again; finished pages are kept."
_SILENT = 10
"""Requests in a row that end without a reply after all their tries, with which the run stops."""
_LONGEST_WAIT = 60.0
"""Seconds between two tries at most, unless the server asks for more."""
_LONGEST_WAIT_ASKED = 600.0
"""Seconds that a server may ask to wait; one that asks for more has no quota left for this run."""
_WORTH_SAYING = 15.0
"""Seconds of waiting that the user is told of."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs, for reservations and counts."""

    image_tokens: int
    """Tokens of one image at most."""
    cost: Callable[[int, int], float | None]
    """(input tokens, output tokens) to US dollars; None where no price is known."""


@dataclass(slots=True)
class Spending:
    """What a run asked for; guarded by the asker's lock."""

    requests: int = 0
    """Requests sent, failed ones included."""
    replies: int = 0
    """Replies received now."""
    reused: int = 0
    """Replies that were on disk."""
    busy: Counter[str] = field(default_factory=Counter)
    """Passing failures by kind."""
    input_tokens: int = 0
    output_tokens: int = 0
    """Tokens of the replies, or searches of a reranker."""
    priced: bool = True
    """Whether a price is known; without one all dollars are 0."""
    usd: float = 0.0
    """Dollars of the replies received now."""
    usd_maybe: float = 0.0
    """Dollars, at worst, of requests that may have been billed without a reply."""
    searches: bool = False
    """Whether `output_tokens` counts searches."""

    def plus(self, other: Spending) -> Spending:
        """The sum; a price is known where it is of both."""
        return Spending(
            self.requests + other.requests, self.replies + other.replies, self.reused + other.reused,
            self.busy + other.busy, self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens, self.priced and other.priced,
            self.usd + other.usd, self.usd_maybe + other.usd_maybe, self.searches,
        )  # fmt: skip


class Asker:
    """Asks one model on behalf of a whole run; safe to use from many threads."""

    def __init__(
        self,
        model: ChatModel,
        journal: Journal,
        limiter: Limiter,
        budget: Budget,
        prices: Prices,
        *,
        attempts: int = 3,
        throttled_attempts: int = 12,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._model, self._journal, self._limiter = model, journal, limiter
        self._budget, self._prices = budget, prices
        self._stopped = threading.Event()
        self._sleep = sleep or self._stopped.wait
        self._attempts, self._throttled_attempts = attempts, throttled_attempts
        self._lock = threading.Lock()
        self._names: dict[str, threading.Lock] = {}
        self._given_up = 0
        self._unkept: Exception | None = None
        self.spending = Spending(priced=prices.cost(1, 1) is not None)

    def stop(self) -> None:
        """Send nothing more: the run ends. Requests in flight still come to the journal."""
        self._stopped.set()

    def session(self, tries: int = 0) -> Session:
        """A conversation in which a request that is sent again on purpose counts as another attempt.

        `tries`: attempts in conversations before this one, whose replies are not to be used again.
        """
        return Session(self, tries)

    def ask(self, request: ChatRequest, attempt: int = 0) -> ChatReply:
        """The reply to the `attempt`-th (from 0) sending of this request, from disk where it is there.

        Raises ModelBusy after the last try, RequestRejected, EngineUnavailable (also where many requests in a
        row got no reply) or BudgetReached.
        """
        name = self._journal.digest(request, attempt)
        with self._lock:
            mine = self._names.setdefault(name, threading.Lock())
        with mine:
            known = self._journal.get(name)
            if known is not None:
                with self._lock:
                    self.spending.reused += 1
                return known
            try:
                return self._retrying()(self._send, name, request, attempt)
            except ModelBusy as error:
                self._note_given_up(error)
                raise

    def _note_given_up(self, error: ModelBusy) -> None:
        """One request has had all its tries; raises EngineUnavailable where the next would fare no better."""
        with self._lock:
            self._given_up += 1
            many = self._given_up >= _SILENT
        if error.gone:
            raise EngineUnavailable(f"the server is gone: {error.message}", remedy=_LATER) from error
        if many:
            reason = f"{_SILENT} requests in a row got no reply after all their tries"
            raise EngineUnavailable(f"{reason}, the last: {error.message}", remedy=_LATER) from error

    def _retrying(self) -> Retrying:
        return Retrying(
            retry=retry_if_exception_type(ModelBusy),
            stop=self._should_stop,
            wait=self._wait,
            sleep=self._pause,
            reraise=True,
        )

    def _pause(self, seconds: float) -> None:
        self._sleep(seconds)

    def _should_stop(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        most = self._attempts
        if isinstance(error, ModelBusy) and (error.throttled or error.gone):
            most = self._throttled_attempts if error.throttled else max(most, _GONE_ATTEMPTS)
        return state.attempt_number >= most

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelBusy) and error.retry_after else 0.0
        return asked + wait_random_exponential(multiplier=1, max=_LONGEST_WAIT)(state)

    def _send(self, name: str, request: ChatRequest, attempt: int) -> ChatReply:
        if self._stopped.is_set():
            raise Interrupted("the run ends")
        tokens = self._input_tokens(request)
        worst = self._prices.cost(tokens, request.max_output_tokens) or 0.0
        with self._limiter.slot(tokens):
            if self._stopped.is_set():  # while it waited for its turn
                raise Interrupted("the run ends")
            if self._unkept is not None:  # the next reply would be paid for and lost as well
                raise self._unkept
            self._budget.reserve(worst)
            billed = worst
            try:
                with self._lock:
                    self.spending.requests += 1
                reply = self._sound(request, self._model.ask(request))
                billed = self._keep(name, request, attempt, reply)
            except ModelBusy as error:
                billed = self._note_busy(error, worst)
                if (error.retry_after or 0.0) > _LONGEST_WAIT_ASKED:
                    raise _too_long(error) from error
                raise
            except Exception:
                billed = 0.0
                raise
            finally:
                self._budget.settle(worst, billed)
        self._limiter.succeeded()
        return reply

    def _keep(self, name: str, request: ChatRequest, attempt: int, reply: ChatReply) -> float:
        """Write the reply to the journal; returns its price in dollars."""
        usd = self._prices.cost(reply.input_tokens, reply.output_tokens)
        try:
            self._journal.put(name, request, attempt, reply, usd)
        except (OSError, DiskFull) as error:
            self._unkept = error
            raise
        with self._lock:
            self._given_up = 0
            self.spending.replies += 1
            self.spending.input_tokens += reply.input_tokens
            self.spending.output_tokens += reply.output_tokens
            self.spending.usd += usd or 0.0
        return usd or 0.0

    def _sound(self, request: ChatRequest, reply: ChatReply) -> ChatReply:
        """A reply that can be written, and is paid for where the server counts nothing or nonsense."""
        sent, received = reply.input_tokens, reply.output_tokens
        return replace(
            reply,
            text=reply.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
            input_tokens=sent if sent > 0 else self._input_tokens(request),
            output_tokens=received if received > 0 else _written(request, reply),
        )

    def _note_busy(self, error: ModelBusy, worst: float) -> float:
        """Count a passing failure; returns what it may have cost. A wait past all patience ends the run."""
        if error.throttled:
            self._limiter.throttled()
        billed = worst if error.maybe_billed else 0.0
        with self._lock:
            self.spending.busy["throttled" if error.throttled else "failed"] += 1
            self.spending.usd_maybe += billed
        asked = error.retry_after or 0.0
        log.log(logging.WARNING if asked > _WORTH_SAYING else logging.INFO, "%s", error.message)
        return billed

    def _input_tokens(self, request: ChatRequest) -> int:
        text = len(request.system) + sum(len(part) for part in request.parts if isinstance(part, str))
        images = sum(isinstance(part, ImagePart) for part in request.parts)
        return text // _CHARACTERS_A_TOKEN + images * self._prices.image_tokens + 64


def _written(request: ChatRequest, reply: ChatReply) -> int:
    """Tokens of a reply that is not counted; vectors are none, and are asked for without an allowance."""
    return min(-(-len(reply.text) // _CHARACTERS_A_TOKEN), request.max_output_tokens)


def _too_long(error: ModelBusy) -> EngineUnavailable:
    return EngineUnavailable(
        f"the server asks to wait {error.retry_after:,.0f} s: {error.message}",
        remedy="Run again when the quota is there again; finished pages are kept.",
    )


class Session:
    """Counts how often a request was asked, so that a run that is repeated finds the same replies."""

    def __init__(self, asker: Asker, tries: int) -> None:
        self._asker, self._tries = asker, tries
        self._asked: Counter[ChatRequest] = Counter()

    def ask(self, request: ChatRequest) -> ChatReply:
        """See Asker.ask."""
        attempt = self._tries + self._asked[request]
        self._asked[request] += 1
        return self._asker.ask(request, attempt)
