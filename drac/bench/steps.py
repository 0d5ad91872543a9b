"""How far an experiment is, in plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

_EVERY = 5.0
"""Seconds between lines."""


@dataclass(slots=True)
class Steps:
    """Tells of one stage after another; called from one thread at a time."""

    say: Callable[[str], None]
    """Shows a line."""
    _what: str = ""
    _total: int = 0
    _done: int = 0
    _next: float = field(default=0.0)

    def begin(self, what: str, total: int) -> None:
        """A stage over `total` things begins; nothing is said of one that ends within seconds."""
        self._what, self._total, self._done = what, total, 0
        self._next = time.monotonic() + _EVERY

    def advance(self) -> None:
        """One thing more is done."""
        self._done += 1
        if time.monotonic() >= self._next and self._done < self._total:
            self._next = time.monotonic() + _EVERY
            self.say(f"{self._what}: {self._done} of {self._total}")
