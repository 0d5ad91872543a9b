"""--max-usd by reservation: the worst case of a request is set aside before it is sent."""

from __future__ import annotations

import threading

from drac.errors import BudgetReached


class Budget:
    """Dollars of one run; safe to use from many threads. Without a limit it only counts."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._reserved = 0.0
        self._changed = threading.Condition()
        self.spent = 0.0
        """Dollars of replies, and of requests that may have been billed without one."""

    def reserve(self, worst: float) -> None:
        """Set `worst` dollars aside, waiting for requests in flight where these may leave enough.

        Raises BudgetReached where the request could pass the limit with nothing in flight.
        """
        with self._changed:
            while self._limit is not None and self.spent + self._reserved + worst > self._limit:
                if self._reserved <= 0:
                    raise BudgetReached(
                        f"the next request could cost ${worst:.4f} and ${self.spent:.4f} are spent: "
                        f"the limit of ${self._limit:.4f} could be passed"
                    )
                self._changed.wait()
            self._reserved += worst

    def settle(self, worst: float, actual: float) -> None:
        """Give a reservation back and count what was spent."""
        with self._changed:
            self._reserved = max(0.0, self._reserved - worst)
            if self._reserved < 1e-12:
                self._reserved = 0.0
            self.spent += actual
            self._changed.notify_all()
