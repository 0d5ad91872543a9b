"""What lines of a table have on top of their rows: headers and the words that tell rows, the same in most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping


class Excess:
    """How often each word stands in lines on top of their rows, below zero where a line lacks it."""

    def __init__(self, lines: Iterable[Mapping[str, int]]) -> None:
        self._counts: dict[str, Counter[int]] = defaultdict(Counter)
        self.lines = 0
        for line in lines:
            self.lines += 1
            for word, count in line.items():
                self._counts[word][count] += 1

    @property
    def words(self) -> set[str]:
        """All that stand on top of a row, or lack, somewhere."""
        return set(self._counts)

    def counts(self, word: str, but: Mapping[str, int] | None = None) -> Counter[int]:
        """Lines by how often they have a word on top, without one line where that is given."""
        counts = Counter(self._counts.get(word, ()))
        counts[0] += self.lines - counts.total()
        if but is not None:
            counts[but.get(word, 0)] -= 1
        return +counts

    def usual(self, word: str, but: Mapping[str, int] | None = None) -> int:
        """How often most lines have a word on top; of several answers that nearest to never."""
        counts = self.counts(word, but)
        return min(counts, key=lambda times: (-counts[times], abs(times), times), default=0)


def on_top(line: Iterable[str], row: Mapping[str, int]) -> Counter[str]:
    """Words of a line less those of its row; below zero where the line lacks them."""
    found = Counter(line)
    found.subtract(row)
    return found
