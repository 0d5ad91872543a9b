"""Hyphens at line ends: whether a document cuts words, or only breaks lines at hyphens of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from drac.stages.convert.page import Line
from drac.stages.convert.text import parts_at_hyphen

_LEAST = 100
"""Lines that go on, from which their ends tell whether words are cut."""
_RARE = 0.02
"""Share of such lines that end in a hyphen, below which no words are cut.

Measured on 30 real documents: up to 0.01 without hyphenation, 0.03 to 0.24 with it.
"""


@dataclass(slots=True)
class LineEnds:
    """Counts over a document."""

    wrapped: int = 0
    """Lines that go on in the line below."""
    parts: set[tuple[str, str]] = field(default_factory=set)
    """What stands before and after hyphens at their ends, in small letters."""
    hyphens: int = 0
    """How many of them end in a hyphen amid small letters."""

    def add(self, lines: Sequence[Line]) -> None:
        """Count a page's lines, given in content order."""
        for above, below in _wrapped(lines):
            self.wrapped += 1
            if parts := parts_at_hyphen(above.text, below.text):
                self.parts.add(parts)
                self.hyphens += 1

    def compounds(self, words: Collection[str]) -> frozenset[str]:
        """Compounds that stand over two lines, where the document cuts no words; `words` are its own."""
        cuts = any(left + right in words for left, right in self.parts)
        rare = self.wrapped >= _LEAST and self.hyphens < _RARE * self.wrapped
        return frozenset(f"{left}-{right}" for left, right in self.parts if rare and not cuts)


def _wrapped(lines: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    for above, below in pairwise(lines):
        if above.run == below.run and below.baseline > above.baseline + 0.5 * above.size:
            yield above, below
