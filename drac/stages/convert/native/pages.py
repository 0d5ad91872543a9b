"""Where the pages of a document without physical pages end.

One document is one page, unless it says where pages end: `<!-- Page N -->` on a line of its own, as in our
own exports, or a page break of its style. Markers that rise number their pages themselves, and numbers that
are left out are blank pages; others, and breaks, count from 1. Text before the first marker is on its page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from drac.stages.convert.write import Written

MARKER = re.compile(r"\s*[Pp]age\s+(\d{1,6})\s*")
"""Text of a comment that marks a page."""
MOST_SKIPPED = 1_000
"""Numbers that markers may leave out together; with more, pages are counted."""


@dataclass(slots=True)
class Pages:
    """Pages while they are written."""

    page: Written = field(default_factory=Written)
    """The page being written."""
    _done: list[tuple[int | None, Written]] = field(default_factory=list)
    _number: int | None = None

    def turn(self, number: int | None = None) -> None:
        """End the page; `number` is the next one's by a marker. A break on an empty page is none."""
        if number is None and not self.page.markdown:
            return
        first = number is not None and self._number is None and not self._done
        if not first:
            self._done.append((self._number, self.page))
            self.page = Written()
        self._number = number

    def finish(self) -> list[Written]:
        """All pages from 1, at least one."""
        everything = [*self._done, (self._number, self.page)]
        if self._number is None and len(everything) > 1 and not self.page.markdown:
            everything.pop()
        numbers = [number or 0 for number, _ in everything]
        rising = numbers[0] >= 1 and all(one < other for one, other in pairwise(numbers))
        if not rising or numbers[-1] - len(numbers) > MOST_SKIPPED:
            return [page for _, page in everything]
        pages = [Written() for _ in range(numbers[-1])]
        for number, page in zip(numbers, (page for _, page in everything), strict=True):
            pages[number - 1] = page
        return pages
