"""Which word of the text is which word of the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from drac.stages.convert.audit.alike import same_joined
from drac.stages.convert.audit.rows import Rows
from drac.stages.convert.audit.sides import Line, Seen, Unit, Written
from drac.stages.convert.audit.tiles import tile
from drac.stages.convert.audit.words import is_digits

_LONG, _SHORT = 4, 2
"""Words of the runs that are looked for first, and then."""
_TELLING = 3
"""Words of a running header that is known wherever it stands; a page's number may be any number."""
_ROW = -2
"""Stands for: told by a row, or a running header."""


class Match:
    """Words of both sides, each with its partner: an index, or -1."""

    def __init__(
        self, written: Written, seen: Seen, rows: Rows, furniture: Sequence[str], *, fuzzy: bool
    ) -> None:
        self.out = [word.text for word in written.words]
        self.seen = [word.text for word in seen.words]
        self.of_out = [-1] * len(self.out)
        self.of_seen = [-1] * len(self.seen)
        self._unit_of = [at for at, unit in enumerate(seen.units) for _ in range(unit.first, unit.last)]
        self._fuzzy = fuzzy
        self._take_rows(seen, rows)
        self._take_headers(seen, rows)
        self._take_furniture(written, seen, furniture)
        self._run(_LONG)
        self._fill()
        self._run(_SHORT)
        self._fill()
        self._single(written)

    def free(self, line: Line | Unit, *, out: bool) -> list[int]:
        """Indexes of a stretch's words without a partner."""
        partners = self.of_out if out else self.of_seen
        return [at for at in range(line.first, line.last) if partners[at] == -1]

    def units(self, line: Line) -> Counter[int]:
        """Units that a line's words stand in, and how many words in each."""
        partners = self.of_out[line.first : line.last]
        return Counter(self._unit_of[other] for other in partners if other >= 0)

    def _take_rows(self, seen: Seen, rows: Rows) -> None:
        """Set aside the lines of rows and what they say of the rows; other lines may say the rest."""
        for one in rows.said:
            left = Counter(self.out[one.line.first : one.line.last])
            self.of_out[one.line.first : one.line.last] = [_ROW] * (one.line.last - one.line.first)
            for row in one.rows:
                unit = seen.units[row.unit]
                for at in range(unit.first, unit.last):
                    if left[self.seen[at]] > 0:
                        left[self.seen[at]] -= 1
                        self.of_seen[at] = _ROW

    def _take_headers(self, seen: Seen, rows: Rows) -> None:
        """Set aside headers that the lines of rows say, however often."""
        told = {word for one in rows.said for word in self.out[one.line.first : one.line.last]}
        live = {row.unit for grid in seen.grids for row in grid.rows}
        for place, unit in enumerate(seen.units):
            if unit.kind == "header" or (unit.kind == "row" and place not in live):
                for at in range(unit.first, unit.last):
                    self.of_seen[at] = _ROW if self.seen[at] in told else -1

    def _take_furniture(self, written: Written, seen: Seen, furniture: Sequence[str]) -> None:
        """Set aside lines that are running headers and footers and nothing else of the page."""
        body = {seen.texts(unit.text) for unit in seen.units}
        edges = {words for one in furniture if len(words := seen.texts(one)) >= _TELLING} - body
        for line in written.lines:
            if tuple(written.texts(line)) in edges:
                self.of_out[line.first : line.last] = [_ROW] * (line.last - line.first)

    def _run(self, least: int) -> None:
        free, still = [one == -1 for one in self.of_out], [one == -1 for one in self.of_seen]
        for one in tile(self.out, self.seen, free, still, least):
            for step in range(one.length):
                self._pair(one.out + step, one.seen + step)

    def _pair(self, out: int, seen: int) -> None:
        self.of_out[out], self.of_seen[seen] = seen, out

    def _fill(self) -> None:
        """Match what is left between words that are matched, in order."""
        for start, end in _gaps(self.of_out):
            for first, last in self._windows(start, end):
                self._align(start, end, first, last)

    def _windows(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Free words of the page after the partner of the word before the gap, and before the next one's."""
        left = self.of_out[start - 1] if start else -1
        right = self.of_out[end] if end < len(self.of_out) else -1
        if left >= 0:
            stop = left + 1
            while stop < len(self.of_seen) and self.of_seen[stop] == -1:
                stop += 1
            yield left + 1, stop
        if right >= 0:
            begin = right
            while begin and self.of_seen[begin - 1] == -1:
                begin -= 1
            yield begin, right

    def _align(self, start: int, end: int, first: int, last: int) -> None:
        out = [at for at in range(start, end) if self.of_out[at] == -1]
        seen = [at for at in range(first, last) if self.of_seen[at] == -1]
        ours, theirs = [self.out[at] for at in out], [self.seen[at] for at in seen]
        for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
            if tag == "equal":
                for step in range(b - a):
                    self._pair(out[a + step], seen[c + step])
            elif tag == "replace" and same_joined(ours[a:b], theirs[c:d], fuzzy=self._fuzzy):
                for step in range(max(b - a, d - c)):
                    self.of_out[out[min(a + step, b - 1)]] = seen[min(c + step, d - 1)]
                    self.of_seen[seen[min(c + step, d - 1)]] = out[min(a + step, b - 1)]

    def _single(self, written: Written) -> None:
        """Match single words: digit strings within the units of their line, others anywhere."""
        places = defaultdict(list)
        for at, word in enumerate(self.seen):
            if self.of_seen[at] == -1:
                places[word].append(at)
        for line in written.lines:
            near = self._near(line)
            for at in self.free(line, out=True):
                open_ = [other for other in places[self.out[at]] if self.of_seen[other] == -1]
                if is_digits(self.out[at]):
                    open_ = [other for other in open_ if self._unit_of[other] in near]
                if open_:
                    self._pair(at, open_[0])

    def _near(self, line: Line) -> set[int]:
        return {unit + step for unit in self.units(line) for step in (-1, 0, 1)}


def _gaps(partners: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches without partners."""
    found, start = [], None
    for at, one in enumerate([*partners, 0]):
        if one == -1 and start is None:
            start = at
        elif one != -1 and start is not None:
            found.append((start, at))
            start = None
    return found
