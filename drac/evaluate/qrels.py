"""Supporting facts to judged pages: the pages of a fact's document that hold most of its content words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from drac.evaluate.facts import SHARE, content_words
from drac.evaluate.placing import CorpusDocument, Key, stem
from drac.records import Judgment, Query

Words = frozenset[str]


def fact_pages(fact: Words, pages: Sequence[Words]) -> tuple[float, tuple[int, ...]]:
    """(share, 1-based pages) that hold the largest share of a fact's content words; (0.0, ()) below SHARE.

    One page where one holds enough, else two in a row. Of pages that hold equally much all count; of pairs
    the first.
    """
    if not fact or not pages:
        return 0.0, ()
    shares = [len(fact & page) / len(fact) for page in pages]
    best = max(shares)
    if best >= SHARE:
        return best, tuple(number for number, share in enumerate(shares, start=1) if share == best)
    pairs = [len(fact & (one | two)) / len(fact) for one, two in pairwise(pages)]
    best = max(pairs, default=0.0)
    first = pairs.index(best) + 1 if pairs else 0
    return (best, (first, first + 1)) if best >= SHARE else (0.0, ())


class Judge:
    """Finds the pages of facts in a corpus's documents."""

    def __init__(self, documents: Sequence[CorpusDocument]) -> None:
        self._words = {one.key: [content_words(page) for page in one.pages] for one in documents}

    def judgments(self, query: Query) -> tuple[list[Judgment], list[int]]:
        """The pages of the query's facts, each once, in order; 0-based numbers of facts without a page."""
        found: dict[tuple[str, str, int], None] = {}
        missing = []
        for number, fact in enumerate(query.facts):
            places = self._places(query.collection, fact.document, content_words(fact.text))
            found |= dict.fromkeys(sorted(places))
            if not places:
                missing.append(number)
        return [Judgment(query.query_id, *place) for place in found], missing

    def _places(self, collection: str, name: str, fact: Words) -> list[tuple[str, str, int]]:
        """In the documents of that name, best first."""
        ranked = sorted(
            ((fact_pages(fact, self._words[key]), key) for key in self._named(collection, name)),
            key=lambda one: (-one[0][0], one[1]),
        )
        return [(*key, page) for (_, pages), key in ranked[:1] for page in pages]

    def _named(self, collection: str, name: str) -> Iterator[Key]:
        """A fact may name several documents, as in `a.md, b.md`, or one without a suffix."""
        wanted = {stem(part) for part in (name, f"{name}.x", *name.split(","))}
        yield from (key for key in self._words if key[0] == collection and stem(key[1]) in wanted)
