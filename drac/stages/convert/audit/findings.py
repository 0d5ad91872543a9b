"""What is said of the differences between two readings of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from drac.audit_records import Finding, FindingKind
from drac.records import Box, Region
from drac.stages.convert.audit.match import Match
from drac.stages.convert.audit.rows import Rows
from drac.stages.convert.audit.sides import Line, Seen, Unit, Written
from drac.stages.convert.audit.thresholds import AuditThresholds
from drac.stages.convert.audit.words import is_digits

TEMPLATE = 3
"""Lines in which a word that the page lacks must stand to belong to how rows are told."""


@dataclass(slots=True)
class Compared:
    """All that is known of a page when findings are written."""

    written: Written
    """The text under audit."""
    seen: Seen
    """What the second reader saw."""
    rows: Rows
    """Rows and their lines."""
    match: Match
    """Words and their partners."""
    thresholds: AuditThresholds
    """From where on a difference is a finding."""
    edges: frozenset[str]
    """Words of running headers and footers that the second reader left out."""
    own_edges: frozenset[str]
    """Words of those that the text under audit left out."""
    regions: tuple[Region, ...] = ()
    """Where the text under audit says that it stands."""
    on_page: frozenset[str] = field(init=False)
    """All words that the second reader saw."""
    template: frozenset[str] = field(init=False)
    """Words that the page lacks and many lines have."""
    told: frozenset[str] = field(init=False)
    """Words of the lines of rows."""

    def __post_init__(self) -> None:
        names = frozenset[str]().union(*(grid.names for grid in self.seen.grids))
        self.on_page = frozenset(word.text for word in self.seen.words) | self.edges | names
        self.told = frozenset(word for one in self.rows.said for word in self.written.texts(one.line))
        lines = Counter(word for line in self.written.lines for word in set(self.written.texts(line)))
        self.template = frozenset(
            word
            for word, times in lines.items()
            if times >= TEMPLATE and word not in self.on_page and not is_digits(word)
        )

    def is_page_number(self, unit: Unit) -> bool:
        """Whether a unit is one digit string that stands above all others on the page, or below them."""
        if unit.last - unit.first != 1 or not self.seen.words[unit.first].is_digits or not unit.boxes:
            return False
        edges = [edge for one in self.seen.units for box in one.boxes for edge in (box[1], box[3])]
        return unit.boxes[0][1] <= min(edges) or unit.boxes[-1][3] >= max(edges)

    def at_line(self, kind: FindingKind, line: Line, what: Iterable[str]) -> Finding:
        """A finding in a line of the text."""
        text = self.written.markdown[line.start : line.end]
        return Finding(kind, text.strip(), " ".join(what), line.start, line.end, self._boxes(line))

    def at_unit(self, kind: FindingKind, unit: Unit, what: Iterable[str]) -> Finding:
        """A finding in what the second reader saw."""
        return Finding(kind, unit.text, " ".join(what), boxes=unit.boxes)

    def _boxes(self, line: Line) -> tuple[Box, ...]:
        own_boxes = [
            box for one in self.regions if one.start < line.end and line.start < one.end for box in one.boxes
        ]
        if own_boxes:
            return tuple(own_boxes)
        rows = [self.seen.units[one.row.unit] for one in self.rows.said if one.line is line]
        units = rows or [self.seen.units[at] for at in sorted(self.match.units(line))]
        return tuple(dict.fromkeys(box for unit in units for box in unit.boxes))


def lost(page: Compared) -> Iterator[Finding]:
    """Words and digit strings of the page, outside rows that have a line, that the text lacks.

    A number alone at the head or foot of the page is the page's, and no loss.
    """
    of_rows = {row.unit for _, row in page.rows.unsaid}
    said = {row.unit for one in page.rows.said for row in one.rows}
    for at, unit in enumerate(page.seen.units):
        words = [] if at in said or page.is_page_number(unit) else lacking(page, unit)
        if at in of_rows and 2 * len(words) > unit.last - unit.first:
            yield page.at_unit(FindingKind.ROW_MISSING, unit, words)
        elif len(words) >= page.thresholds.missing_words:
            yield page.at_unit(FindingKind.MISSING, unit, words)
        elif digits := [one for one in words if is_digits(one)]:
            yield page.at_unit(FindingKind.DIGITS, unit, digits)


def lacking(page: Compared, unit: Unit) -> list[str]:
    """Words of a unit that the text lacks and may not lack."""
    left = [page.seen.words[at] for at in page.match.free(unit, out=False)]
    words = [one.text for one in left if not one.optional]
    if page.own_edges.issuperset(words):
        return []
    return [one for one in words if one not in page.told] if unit.kind == "caption" else words


def added(page: Compared) -> Iterator[Finding]:
    """Words and digit strings of the text, outside lines that tell a row, that the page lacks."""
    told = {one.line for one in page.rows.said}
    again = _again(page, told)
    for line in page.written.lines:
        if line in told:
            continue
        left = [page.written.words[at] for at in page.match.free(line, out=True)]
        words = [one.text for one in left if not one.optional]
        if len(left) == line.last - line.first:
            words = [] if page.edges.issuperset(words) else words
        else:
            words = [one for one in words if one not in page.template and one not in again]
        yield from _too_much(page, line, words)


def _again(page: Compared, told: Collection[Line]) -> frozenset[str]:
    """Words that many lines have on top of what the page has, as rows have headers."""
    lines = Counter(
        word
        for line in page.written.lines
        if line not in told
        for word in {page.written.words[at].text for at in page.match.free(line, out=True)}
    )
    return frozenset(word for word, times in lines.items() if times >= TEMPLATE and not is_digits(word))


def _too_much(page: Compared, line: Line, words: Sequence[str]) -> Iterator[Finding]:
    limits = page.thresholds
    known = page.on_page | page.template
    absent = [one for one in words if one not in known and not is_digits(one)]
    share = len(words) / (line.last - line.first)
    if len(words) >= limits.repeated_words and share > 1 - limits.uncovered:
        again = not absent and _stands_elsewhere(page, line)
        yield page.at_line(FindingKind.REPEATED if again else FindingKind.INVENTED, line, words)
    elif len(absent) >= limits.invented_words:
        yield page.at_line(FindingKind.INVENTED, line, absent)
    elif digits := [one for one in words if is_digits(one)]:
        yield page.at_line(FindingKind.DIGITS, line, digits)


def _stands_elsewhere(page: Compared, line: Line) -> bool:
    """Whether most pairs of neighbouring words of a line stand in another line or on the page."""
    others = [page.written.texts(other) for other in page.written.lines if other is not line]
    units = [page.seen.words[unit.first : unit.last] for unit in page.seen.units]
    texts = [*others, *([word.text for word in words] for words in units)]
    pairs = {pair for words in texts for pair in pairwise(words)}
    mine = list(pairwise(page.written.texts(line)))
    return sum(pair in pairs for pair in mine) >= 0.6 * len(mine)
