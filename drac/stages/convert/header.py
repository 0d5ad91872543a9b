"""How many of a table's leading rows are headers; none where nothing tells the first row from the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from drac.records import Box
from drac.stages.convert.page import Line, union

_MAX_HEADER_ROWS = 3
"""More leading rows without a number are taken for rows of words; so are those that outnumber the rest."""
_NUMBER = re.compile(r"[\W\d]*\d[\W\d]*[A-Za-z%]{0,2}")
_YEAR = re.compile(r"\W*(?:19|20)\d\d\W*")
Row = dict[int, list[Line]]
"""Lines by column."""


def header_rows(placed: Sequence[Row], columns: int, boxes: Sequence[Box], rules: Sequence[Box]) -> int:
    """Leading rows that differ from the rest by weight, a rule below them, or lack of numbers.

    `boxes` are the rows' places, `rules` the ruling lines that may part a header from the rest.
    """
    if _all_bold(placed[0]) and not all(map(_all_bold, placed)):
        return _leading(_all_bold(row) for row in placed)
    if ruled := _above_rule(boxes, inner_rules(rules, union(boxes))):
        return ruled
    words = _leading(_numbers(row) < 0.2 for row in placed)
    if words and words < len(placed) and all(_numbers(row) > 0.4 for row in placed[words : words + 3]):
        return min(words, _MAX_HEADER_ROWS) if 2 * words <= len(placed) else 1
    if _is_data(placed):
        return 0
    return 1 if columns > 2 or not _keys(placed) else 0


def _above_rule(boxes: Sequence[Box], inner: Sequence[float]) -> int:
    """Leading rows above the first rule over the whole table, if few are drawn and few rows stand above."""
    if not inner or len(inner) > max(2, len(boxes) // 3):
        return 0
    above = sum((box[1] + box[3]) / 2 < inner[0] for box in boxes)
    return above if above <= _MAX_HEADER_ROWS and (above == 1 or 2 * above <= len(boxes)) else 0


def inner_rules(rules: Sequence[Box], box: Box) -> list[float]:
    """Heights of horizontal rules that run over most of the table."""
    width = box[2] - box[0]
    across = (
        rule
        for rule in rules
        if rule[3] - rule[1] < 3 and min(rule[2], box[2]) - max(rule[0], box[0]) > 0.6 * width
    )
    return sorted({round((rule[1] + rule[3]) / 2, 1) for rule in across if box[1] < rule[1] < box[3]})


def _is_data(placed: Sequence[Row]) -> bool:
    """Whether the first row holds numbers where the rows below do; years above other numbers head them."""
    below = [row for row in placed[1:] if len(row) > 1] or list(placed[1:])
    numeric = {column for row in below for column in row if _mostly_numbers(below, column)}
    first = {column: _text(lines) for column, lines in placed[0].items() if column in numeric}
    if all(_YEAR.fullmatch(text) for text in first.values()) and not _all_years(below, first):
        return False
    same = sum(_NUMBER.fullmatch(text) is not None for text in first.values())
    return bool(first) and 2 * same >= len(first)


def _mostly_numbers(rows: Sequence[Row], column: int) -> bool:
    texts = [_text(row[column]) for row in rows if column in row]
    return sum(_NUMBER.fullmatch(text) is not None for text in texts) > 0.6 * len(texts)


def _all_years(rows: Sequence[Row], columns: Iterable[int]) -> bool:
    texts = [_text(row[column]) for column in columns for row in rows if column in row]
    return all(_YEAR.fullmatch(text) for text in texts)


def _text(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines)


def _leading(flags: Iterable[bool]) -> int:
    """How many flags are true before the first that is not."""
    return sum(1 for _ in takewhile(bool, flags))


def _numbers(row: Row) -> float:
    """Share of a row's cells that hold a digit, the first column apart."""
    texts = [lines[0].text for column, lines in row.items() if column] or [""]
    return sum(any(c.isdigit() for c in text) for text in texts) / len(texts)


def _all_bold(row: Row) -> bool:
    return bool(row) and all(line.bold for lines in row.values() for line in lines)


def _keys(placed: Sequence[Row]) -> bool:
    """Whether the first column is labels: they end in a colon, or are bold beside text that is not."""
    first = [row[0] for row in placed if 0 in row]
    values = [row[1] for row in placed if 1 in row]
    colons = sum(lines[-1].text.endswith(":") for lines in first)
    bold = all(line.bold for lines in first for line in lines)
    plain = not any(line.bold for lines in values for line in lines)
    return colons > 0.5 * len(first) or (bold and plain)
