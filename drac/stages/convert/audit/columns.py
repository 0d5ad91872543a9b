"""Whether values stand beside their own column's header, in whatever words a row is told."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drac.stages.convert.audit.rows import Rows, Said
from drac.stages.convert.audit.sides import Grid, Written

Words = Sequence[str]
_SURE = 0.6
"""Share of a column's values that must stand beside the same other header."""

_ROWS = 2
"""Rows that must show that a column's values stand elsewhere."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Values of one row beside other columns' headers."""

    said: Said
    """The row."""
    values: tuple[str, ...]
    """The values, each as its words."""


def swapped(rows: Rows, written: Written) -> list[Swap]:
    """Rows whose values stand beside other headers, in grids where columns do so as a whole."""
    found = []
    for grid in _grids(rows):
        votes = [
            (one, *_owners(one, written)) for one in rows.said if one.grid is grid and len(one.rows) == 1
        ]
        told = any(by_label for _, _, by_label in votes)
        votes = [vote for vote in votes if vote[2] == told]
        wrong = _wrong_columns([owners for _, owners, _ in votes], told)
        for one, owners, _ in votes:
            if values := tuple(
                " ".join(one.row.cells[column])
                for column, owner in owners.items()
                if wrong.get(column) == owner
            ):
                found.append(Swap(one, values))
        found += _turned([one for one in rows.said if one.grid is grid], written)
    return found


def _turned(lines: Sequence[Said], written: Written) -> list[Swap]:
    """Rows with a cell, two columns read as one, whose second part stands before the first; in most rows."""
    cells = {column for one in lines for column in one.row.cells}
    found = []
    for column in sorted(cells):
        orders = [(one, _order(one.row.cells.get(column, ()), written.texts(one.line))) for one in lines]
        turned = [one for one, order in orders if order is True]
        kept = sum(order is False for _, order in orders)
        if len(turned) >= _ROWS and len(turned) >= _SURE * (len(turned) + kept):
            found += [Swap(one, (" ".join(one.row.cells[column]),)) for one in turned]
    return found


def _order(cell: Words, words: Words) -> bool | None:
    """Whether a cell in two parts stands with its second first; None where it is not in two parts."""
    seen = None
    for at in range(1, len(cell)):
        places = _places({0: cell[:at], 1: cell[at:]}, words)
        if len(places) == 2:
            seen = min(places[0]) > max(places[1])
            if not seen:
                return False
    return seen


def _grids(rows: Rows) -> list[Grid]:
    return list({id(one.grid): one.grid for one in rows.said}.values())


def _wrong_columns(votes: Sequence[Mapping[int, int]], told: bool) -> dict[int, int]:
    """Another column by column, where most of its values stand beside that header.

    Several rows must show it, or, where headers are `told`, two columns in each other's place.
    """
    by_column: dict[int, Counter[int]] = defaultdict(Counter)
    for owners in votes:
        for column, owner in owners.items():
            by_column[column][owner] += 1
    wrong = {}
    for column, counts in by_column.items():
        owner, times = counts.most_common(1)[0]
        if owner != column and times >= _SURE * counts.total():
            wrong[column] = owner
    return {
        column: owner
        for column, owner in wrong.items()
        if by_column[column][owner] >= _ROWS or (told and wrong.get(owner) == column)
    }


def _owners(said: Said, written: Written) -> tuple[dict[int, int], bool]:
    """The column whose label stands beside each column's value, and whether labels told it.

    Only for values that no other cell of the row has. Without labels, values go from left to right.
    """
    words = written.texts(said.line)
    labels = _label_places({column: said.grid.labels.get(column, ()) for column in said.row.cells}, words)
    values = _places(said.row.cells, words)
    if labels and values:
        return dict(_by_labels(said, labels, values)), True
    return dict(_by_order(said, values)), False


def _by_order(said: Said, values: Mapping[int, list[int]]) -> Iterator[tuple[int, int]]:
    single = {column: places[0] for column, places in values.items() if len(places) == 1}
    if len(single) == len(said.row.cells):
        yield from zip(sorted(single, key=lambda column: single[column]), sorted(single), strict=True)


def _by_labels(
    said: Said, labels: Mapping[int, list[int]], values: Mapping[int, list[int]]
) -> Iterator[tuple[int, int]]:
    marks = sorted((place, column) for column, places in labels.items() for place in places)
    texts = Counter(said.row.cells.values())
    told = {
        column: places
        for column, places in values.items()
        if column in labels and texts[said.row.cells[column]] == 1
    }
    for column, owners in _in_one_way(told, marks).items():
        if column in owners:
            yield column, column
        elif len(owners) == 1:
            yield column, owners.pop()


def _in_one_way(told: Mapping[int, list[int]], marks: Sequence[tuple[int, int]]) -> dict[int, set[int]]:
    """Columns whose labels stand beside each value: before it or, in lines that end with a label, after it.

    A way in which every value stands beside its own label is the line's way.
    """
    before, after = (
        {column: _beside(places, marks, after=way) for column, places in told.items()}
        for way in (False, True)
    )
    if all(column in owners for column, owners in after.items()):
        return after
    spots = [place for places in told.values() for place in places]
    labels_last = bool(spots) and max(spots) < marks[-1][0]
    if all(column in owners or not (owners or labels_last) for column, owners in before.items()):
        return before
    return after if labels_last and min(spots) < marks[0][0] else before


def _beside(places: Sequence[int], marks: Sequence[tuple[int, int]], *, after: bool) -> set[int]:
    """The columns of the next labels after a value's places, or of the last before them."""
    ahead = marks if after else marks[::-1]
    found = (
        next((column for at, column in ahead if (at > place if after else at < place)), None)
        for place in places
    )
    return {column for column in found if column is not None}


def _label_places(labels: Mapping[int, Words], words: Words) -> dict[int, list[int]]:
    """Where each label stands, or the parts of it that no other label has: two columns may be read as one."""
    found = _places(labels, words)
    for column, label in labels.items():
        if column not in found:
            others = [other for at, other in labels.items() if at != column]
            if places := sorted(_parts(label, others, words)):
                found[column] = places
    return found


def _parts(label: Words, others: Sequence[Words], words: Words) -> Iterator[int]:
    """Where parts of a label stand, the longest first; no word is in two of them."""
    used: set[int] = set()
    for length in range(len(label) - 1, 0, -1):
        for at in range(len(label) - length + 1):
            part = label[at : at + length]
            if used & set(range(at, at + length)) or any(_within(part, one) for one in others):
                continue
            if places := _places({0: part}, words).get(0):
                used.update(range(at, at + length))
                yield from places


def _within(part: Words, phrase: Words) -> bool:
    return any(tuple(phrase[at : at + len(part)]) == tuple(part) for at in range(len(phrase) - len(part) + 1))


def _places(phrases: Mapping[int, Words], words: Words) -> dict[int, list[int]]:
    """Where each phrase stands; where two overlap, the longer one."""
    taken: set[int] = set()
    found: dict[int, list[int]] = defaultdict(list)
    for column, phrase in sorted(phrases.items(), key=lambda one: -len(one[1])):
        mine = [
            at
            for at in range(len(words) - len(phrase) + 1)
            if phrase and tuple(words[at : at + len(phrase)]) == tuple(phrase)
        ]
        free = [at for at in mine if not taken & set(range(at, at + len(phrase)))]
        if len({tuple(one) for one in phrases.values()}) == len(phrases):
            taken.update(step for at in free for step in range(at, at + len(phrase)))
        if free:
            found[column] = free
    return found
