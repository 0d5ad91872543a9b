"""One limiter for the whole corpus: requests in flight, requests and tokens a minute.

The number in flight grows by one for each round of good replies and is halved when the server
throttles (additive increase, multiplicative decrease), never past what the user allows.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MINUTE = 60.0
_SETTLE = 1.0
"""Seconds after a decrease in which further throttling replies belong to the same burst."""


class Limiter:
    """Safe to use from many threads."""

    def __init__(
        self,
        concurrency: int,
        *,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = concurrency
        self._allowed = float(concurrency)
        self._requests, self._tokens = requests_per_minute, tokens_per_minute
        self._clock = clock
        self._flying = 0
        self._sent: deque[tuple[float, int]] = deque()
        self._decreased = -_MINUTE
        self._changed = threading.Condition()
        self.most_in_flight = 0

    @property
    def allowed(self) -> int:
        """Requests that may be in flight now."""
        return max(1, int(self._allowed))

    @contextmanager
    def slot(self, tokens: int) -> Iterator[None]:
        """Wait until one more request of about `tokens` tokens may be sent; free its place at the end."""
        with self._changed:
            while (wait := self._wait_for(tokens)) is not None:
                self._changed.wait(wait or None)
            self._flying += 1
            self.most_in_flight = max(self.most_in_flight, self._flying)
            self._sent.append((self._clock(), tokens))
        try:
            yield
        finally:
            with self._changed:
                self._flying -= 1
                self._changed.notify_all()

    def _wait_for(self, tokens: int) -> float | None:
        """None: go. 0: until something changes. Else seconds until the minute's share is free."""
        if self._flying >= self.allowed:
            return 0.0
        now = self._clock()
        while self._sent and self._sent[0][0] <= now - _MINUTE:
            self._sent.popleft()
        if self._requests is not None and len(self._sent) >= self._requests:
            return self._until_oldest_leaves(now)
        used = sum(one for _, one in self._sent)
        if self._tokens is not None and self._sent and used + tokens > self._tokens:
            return self._until_oldest_leaves(now)
        return None

    def _until_oldest_leaves(self, now: float) -> float:
        return max(0.01, self._sent[0][0] + _MINUTE - now)

    def succeeded(self) -> None:
        """A good reply came."""
        with self._changed:
            self._allowed = min(self._most, self._allowed + 1.0 / self._allowed)
            self._changed.notify_all()

    def throttled(self) -> None:
        """The server asked for fewer requests."""
        with self._changed:
            now = self._clock()
            if now - self._decreased >= _SETTLE:
                self._allowed = max(1.0, self._allowed / 2)
                self._decreased = now
