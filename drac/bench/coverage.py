"""What a chunker lost, repeated and invented of one document's text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from drac.ports import Draft, ParsedDocument

_WORD = re.compile(r"\w+")
Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of one document, or of several together."""

    characters: int = 0
    """Of the source's text, without white space."""
    covered: int = 0
    """Of these, those that stand in a chunk."""
    copies: int = 0
    """How often one stands in a further chunk, summed."""
    words: int = 0
    """Of all chunks."""
    invented: int = 0
    """Of these, those that stand neither in what the chunk was made from nor in the headings above it."""

    @property
    def coverage(self) -> float:
        """Share of the source's characters that stand in a chunk; 1.0 where there are none."""
        return self.covered / self.characters if self.characters else 1.0

    @property
    def duplication(self) -> float:
        """Copies over the source's characters."""
        return self.copies / self.characters if self.characters else 0.0

    @property
    def invention(self) -> float:
        """Share of the chunks' words that are invented."""
        return self.invented / self.words if self.words else 0.0


def total(some: Iterable[Coverage]) -> Coverage:
    """Of several documents together."""
    rows = [(one.characters, one.covered, one.copies, one.words, one.invented) for one in some]
    return Coverage(*map(sum, zip(*rows, strict=True))) if rows else Coverage()


def measure(document: ParsedDocument, drafts: Sequence[Draft]) -> Coverage:
    """Of the drafts that are searched: those that are nobody's parent.

    A draft without a text of its own holds its spans' characters. One with a text of its own holds those of
    a span that stands in it word for word, white space aside; else the words of its spans that are among its
    own, each as often as it stands there, with what stands between them and the next word.
    """
    inked = np.fromiter((not one.isspace() for one in document.text), np.bool_, len(document.text))
    counts = np.zeros(len(document.text), dtype=np.int32)
    words = invented = 0
    for draft in searched(drafts):
        if draft.text is None:
            stretches: Iterable[Stretch] = draft.spans
            words += sum(len(_words(document.text[start:end])) for start, end in draft.spans)
        else:
            said = _Said(document.text, draft)
            stretches = list(said.stretches())
            words, invented = words + said.words, invented + said.invented()
        for start, end in stretches:
            counts[start:end] += 1
    return _counted(counts[inked], words, invented)


def searched(drafts: Sequence[Draft]) -> list[Draft]:
    """Those that are nobody's parent."""
    above = {draft.parent for draft in drafts}
    return [draft for number, draft in enumerate(drafts) if number not in above]


def _counted(counts: npt.NDArray[np.int32], words: int, invented: int) -> Coverage:
    covered = int((counts > 0).sum())
    return Coverage(len(counts), covered, int(counts.sum()) - covered, words, invented)


class _Said:
    """A draft's own text, its words taken away one by one as they are found in its spans."""

    def __init__(self, source: str, draft: Draft) -> None:
        assert draft.text is not None
        self._source, self._draft = source, draft
        self._plain = " ".join(draft.text.split())
        self._left = Counter(_words(draft.text))
        self.words = sum(self._left.values())

    def stretches(self) -> Iterator[Stretch]:
        """What of the source it holds."""
        for start, end in self._draft.spans:
            piece = self._source[start:end]
            if " ".join(piece.split()) in self._plain:
                self._left.subtract(_words(piece))
                yield start, end
            else:
                yield from ((start + low, start + high) for low, high in self._found(piece))

    def _found(self, piece: str) -> Iterator[Stretch]:
        places = list(_WORD.finditer(piece))
        ends = [*(place.start() for place in places[1:]), len(piece)]
        for place, end in zip(places, ends, strict=True):
            word = place[0].casefold()
            if self._left[word] > 0:
                self._left[word] -= 1
                yield place.start(), end

    def invented(self) -> int:
        """Words that are left once the headings above are taken away too."""
        self._left.subtract(word for one in self._draft.breadcrumb for word in _words(one))
        return sum(count for count in self._left.values() if count > 0)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
