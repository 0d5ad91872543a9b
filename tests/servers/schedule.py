"""Which request gets which fault: by chance from a seed, by what a request holds, or one after another."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from threading import Lock
from typing import Any

from tests.servers.faults import Fault, passing
from tests.servers.replies import Shown
from tests.servers.wire import Asked

ALL = ("convert", "plan", "write")


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as a schedule sees it."""

    ordinal: int
    """Place among all requests as they came, from 1."""
    attempt: int
    """How many times these images (or this plan request) were asked for, this one included."""
    purpose: str
    """`convert` where there are images, `write` where a chunker's prompt is, else `plan`."""
    asked: Asked
    """The request."""
    shown: tuple[Shown, ...]
    """Its images, understood."""
    key: str
    """Names what is asked for: the images, or the plan request's text; temperature and prompt stay out."""

    def shows(self, document: str, page: int | None) -> Shown | None:
        """The image of a page (None: any) of a document (a pattern), if it is here."""
        for one in self.shown:
            sheet = one.found.sheet
            if sheet and fnmatchcase(sheet.document, document) and page in (None, sheet.number):
                return one
        return None


Schedule = Callable[[Seen], Fault | None]
"""What goes wrong with a request; None: nothing. Called from many threads."""


def no_faults(_: Seen) -> Fault | None:
    """Nothing goes wrong."""
    return None


@dataclass(frozen=True, slots=True)
class Chance:
    """A share of requests goes wrong, each by a fault drawn from `kinds`.

    Drawn from seed, content and attempt, so that the order in which requests arrive changes nothing.
    """

    rate: float
    """Share of requests, 0 to 1."""
    seed: int = 0
    """Another seed, other faults."""
    kinds: tuple[str, ...] = ()
    """Names of faults, each as likely; empty: all after which a run can go on."""
    purposes: tuple[str, ...] = ALL
    """Purposes that are hit."""
    slow: float = 5.0
    """Seconds of `slow`; give more than the client's read timeout."""
    retry_after: float | None = 0.2
    """Seconds in Retry-After."""

    def __call__(self, seen: Seen) -> Fault | None:
        dice = random.Random(_number(self.seed, seen.key, seen.attempt))
        kinds = self._kinds(seen)
        if seen.purpose not in self.purposes or dice.random() >= self.rate or not kinds:
            return None
        page = dice.choice([one.number for one in seen.shown]) if seen.shown else None
        return Fault(dice.choice(kinds), page, self.slow, self.retry_after)

    def _kinds(self, seen: Seen) -> Sequence[str]:
        possible = passing(seen.asked.api, seen.purpose)
        return [kind for kind in self.kinds if kind in possible] if self.kinds else possible


@dataclass
class Rule:
    """A fault for requests that fit everything that is given."""

    fault: Fault
    """What they get; a text fault without a page hits the page that the rule names."""
    document: str | None = None
    """Pattern of a document's name; the request must show a page of it."""
    page: int | None = None
    """1-based physical page that the request must show."""
    purpose: str | None = None
    """`convert`, `plan` or `write`."""
    model: str | None = None
    """Pattern of the model's id."""
    requests: tuple[int, int] | None = None
    """First and last ordinal, both included: a storm."""
    attempts: int | None = None
    """Only the first so many attempts at the same content."""
    times: int | None = None
    """So many times in all."""
    images: int | None = None
    """Only requests of so many images."""
    at_least: int | None = None
    """Only requests of so many images or more."""
    given: int = 0
    """How many times the rule has fired."""
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, seen: Seen) -> Fault | None:
        if not self._fits(seen):
            return None
        with self._lock:
            if self.times is not None and self.given >= self.times:
                return None
            self.given += 1
        return self._aimed(seen)

    def _fits(self, seen: Seen) -> bool:
        images = len(seen.shown)
        first, last = self.requests or (seen.ordinal, seen.ordinal)
        return (
            self.purpose in (None, seen.purpose)
            and (self.model is None or fnmatchcase(seen.asked.model, self.model))
            and first <= seen.ordinal <= last
            and (self.attempts is None or seen.attempt <= self.attempts)
            and self.images in (None, images)
            and images >= (self.at_least or 0)
            and (not self._about_pages or self._shown(seen) is not None)
        )

    @property
    def _about_pages(self) -> bool:
        return self.document is not None or self.page is not None

    def _shown(self, seen: Seen) -> Shown | None:
        return seen.shows(self.document or "*", self.page)

    def _aimed(self, seen: Seen) -> Fault:
        shown = self._shown(seen) if self._about_pages else None
        if shown is None or self.fault.page is not None:
            return self.fault
        fault = self.fault
        return Fault(fault.kind, shown.number, fault.seconds, fault.retry_after, fault.text)


@dataclass
class InTurn:
    """Faults one after another as requests arrive; None lets one pass; after the last, nothing."""

    faults: Sequence[Fault | str | None]
    """Faults or their kinds."""

    def __call__(self, seen: Seen) -> Fault | None:
        given = self.faults[seen.ordinal - 1] if seen.ordinal <= len(self.faults) else None
        return Fault(given) if isinstance(given, str) else given


def first_of(*schedules: Schedule) -> Schedule:
    """The first schedule that gives a fault."""

    def ask(seen: Seen) -> Fault | None:
        return next((fault for one in schedules if (fault := one(seen)) is not None), None)

    return ask


def rule(record: Mapping[str, Any]) -> Rule:
    """A rule from JSON, e.g. `{"fault": "refusal", "page": 6}`; `fault` is a kind or a Fault's fields.

    Raises ValueError for a kind that is not there.
    """
    given = dict(record)
    said = given.pop("fault")
    fault = Fault(said) if isinstance(said, str) else Fault(**said)
    if given.get("requests"):
        given["requests"] = tuple(given["requests"])
    return Rule(fault, **given)


def _number(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8])
