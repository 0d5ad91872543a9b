"""What is said of rows that are told wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from drac.audit_records import Finding, FindingKind
from drac.stages.convert.audit.alike import without_joins
from drac.stages.convert.audit.excess import Excess, on_top
from drac.stages.convert.audit.findings import TEMPLATE, Compared
from drac.stages.convert.audit.rows import Said, own
from drac.stages.convert.audit.sides import Seen
from drac.stages.convert.audit.words import is_digits

Alike = tuple[int, frozenset[int]]
"""Grid and filled columns: lines of such rows have the same on top."""


def told(page: Compared) -> Iterator[Finding]:
    """Rows told wrong: words and digit strings too many, too few, or two rows in one line."""
    excess = _excess(page)
    for one in page.rows.said:
        if one.merged:
            merged = [word for row in one.merged for word in own(row)]
            yield page.at_line(FindingKind.ROWS_MERGED, one.line, merged)
        more, fewer = _row_difference(page, one, excess[_alike(one)])
        yield from _row_findings(page, one, more, fewer)


def _row_findings(page: Compared, one: Said, more: list[str], fewer: list[str]) -> Iterator[Finding]:
    limits = page.thresholds
    digits = [word for word in (*more, *fewer) if is_digits(word)]
    if len(digits) >= limits.lost_digits:
        yield page.at_line(FindingKind.DIGITS, one.line, dict.fromkeys(digits))
    missing = [word for word in fewer if not is_digits(word)]
    if len(missing) >= limits.missing_words:
        yield page.at_line(FindingKind.MISSING, one.line, missing)
    absent = [word for word in more if word not in page.on_page and not is_digits(word)]
    if len(absent) >= limits.invented_words:
        yield page.at_line(FindingKind.INVENTED, one.line, absent)


def _alike(one: Said) -> Alike:
    return id(one.grid), frozenset(one.row.cells)


def _excess(page: Compared) -> dict[Alike, Excess]:
    """What lines have on top of their rows, for each grid and the columns filled."""
    lines: dict[Alike, list[Counter[str]]] = defaultdict(list)
    for one in page.rows.said:
        lines[_alike(one)].append(on_top(page.written.texts(one.line), one.words))
    return {alike: Excess(of_rows) for alike, of_rows in lines.items()}


def _row_difference(page: Compared, one: Said, others: Excess) -> tuple[list[str], list[str]]:
    """(words too many, words too few) in a row's line, in order, beside what lines of such rows have."""
    excess = on_top(page.written.texts(one.line), one.words)
    more: Counter[str] = Counter()
    fewer: Counter[str] = Counter()
    still_open = _still_open(page, one)
    for word in others.words:
        off = excess[word] - _usual(word, one, others)
        if off > 0 and not _may_repeat(page, one, word):
            more[word] = off
        elif off < 0 and word in still_open and not _may_lack(one, word, excess[word]):
            fewer[word] = -off
    return without_joins(
        _in_order(page.written.texts(one.line), more),
        _in_order(_row_words(page.seen, one), fewer),
        fuzzy=page.thresholds.fuzzy,
    )


def _still_open(page: Compared, one: Said) -> set[str]:
    """Words of a row that no other line says, and headers, which no line need say."""
    units = [page.seen.units[row.unit] for row in one.rows]
    left = {page.seen.words[at].text for unit in units for at in page.match.free(unit, out=False)}
    return left | one.grid.names


def _usual(word: str, one: Said, others: Excess) -> int:
    """How often lines of such rows have a word on top; the least where few tell."""
    if others.lines >= TEMPLATE:
        return others.usual(word)
    may = word in one.grid.names or not is_digits(word)
    return max(0, min(others.counts(word))) if may else 0


def _may_repeat(page: Compared, one: Said, word: str) -> bool:
    """Whether a word may stand once more: headers, values of cells above, how rows are told."""
    unit = page.seen.units[one.row.unit]
    may = {token.text for token in page.seen.words[unit.first : unit.last] if token.optional}
    if word in one.row.above or word in page.template or word in may:
        return True
    return word in one.grid.names and not is_digits(word)


def _may_lack(one: Said, word: str, excess: int) -> bool:
    """Whether the row itself has all that it has of a word, which is a header's or the template's."""
    return excess >= 0 and not (is_digits(word) and word in one.grid.names)


def _row_words(seen: Seen, one: Said) -> list[str]:
    units = [seen.units[row.unit] for row in one.rows]
    return [word.text for unit in units for word in seen.words[unit.first : unit.last]]


def _in_order(words: Sequence[str], wanted: Counter[str]) -> list[str]:
    """Wanted words as they come, the last ones of each, then those that do not come."""
    left, found = Counter(wanted), []
    for word in reversed(words):
        if left[word] > 0:
            left[word] -= 1
            found.append(word)
    return found[::-1] + sorted((+left).elements())
