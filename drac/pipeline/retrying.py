"""Pages that are read anew though they have a text: those by a fallback, where `--retry fallback` asks so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from drac.records import Page, PageState, PageText
from drac.stages.convert.model_reading import total
from drac.store.store import Store


class Retrying:
    """Knows what was tried before of the pages that a run reads anew; without `retry` there are none."""

    def __init__(self, store: Store, retry: str | None) -> None:
        self._store, self._is_on = store, retry == "fallback"

    def finished(self, digest: str, page: Page, engine: str) -> PageText | None:
        """The page as it is on disk; None where it is to be read, also anew. Failed ones are left alone."""
        text = self._store.get_page(digest)
        if text is None and self._is_on:
            return self._store.failed_page(digest, page, engine)
        return None if self._before(text) else text

    def batches(
        self, pages: Sequence[Page], digests: dict[int, str], engine: str, size: int
    ) -> Iterator[tuple[Page, ...]]:
        """Neighbours, `size` at most in a batch, that were tried equally often."""
        for _, group in groupby(pages, key=lambda page: self.tries(digests[page.number], engine)):
            same = tuple(group)
            yield from (same[at : at + size] for at in range(0, len(same), size))

    def tries(self, digest: str, engine: str) -> int:
        """How often the engine was asked for a page that is read anew; 0 for others.

        Counted in the page's record, so that a retry that was cut short finds the replies it has paid for.
        """
        before = self._before(self._store.get_page(digest)) if self._is_on else None
        return sum(one.engine == engine for one in before.attempts) if before else 0

    def with_earlier(self, digest: str, text: PageText) -> PageText:
        """The text with the tries before, and what they cost; one that has failed takes no text's place."""
        before = self._before(self._store.get_page(digest)) if self._is_on else None
        if before is None or text.state is PageState.FAILED:
            return text
        attempts = (*before.attempts, *text.attempts)
        return replace(text, attempts=attempts, usage=total((before.usage, text.usage)))

    def _before(self, text: PageText | None) -> PageText | None:
        """The text, where it is one that is to be read anew."""
        return text if self._is_on and text and text.state is PageState.FALLBACK else None
