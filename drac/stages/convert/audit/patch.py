"""Words that OCR misread put right from a text layer, each at its own place; none is added or taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher

from drac.records import Cell, PageText, Table
from drac.stages.convert.carry import rewritten

_WORD = re.compile(r"[^\W_]+(?:[.,:'’/-][^\W_]+)*")
_ALIKE = 0.5
"""Similarity, as difflib's ratio, from which one word can be a misreading of another."""
_Word = tuple[int, int, str]
"""Start, end, and what is to stand there."""


def patch(written: PageText, reference: PageText) -> PageText:
    """`written` with the reference's word where a word alike stands between the same neighbours."""
    words = list(_misread(written.markdown, reference.markdown))
    if not words:
        return written
    made = rewritten(written, {(start, end): text for start, end, text in words})
    tables = tuple(
        _cells_patched(old, new, written.markdown, words)
        for old, new in zip(written.tables, made.tables, strict=True)
    )
    return replace(made, tables=tables)


def _misread(text: str, other: str) -> Iterator[_Word]:
    mine, theirs = list(_WORD.finditer(text)), [one[0] for one in _WORD.finditer(other)]
    matcher = SequenceMatcher(None, [one[0] for one in mine], theirs, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "replace" or last - first != end - start:
            continue
        for word, right in zip(mine[first:last], theirs[start:end], strict=True):
            if _is_alike(word[0], right):
                yield word.start(), word.end(), right


def _is_alike(word: str, other: str) -> bool:
    same_length = len(word) == len(other)
    if same_length and any(map(str.isdigit, word + other)):
        return True
    return SequenceMatcher(None, word, other, autojunk=False).ratio() >= _ALIKE


def _cells_patched(table: Table, moved: Table, text: str, words: list[_Word]) -> Table:
    """The grid with the same words put right in the row whose sentence they stand in."""
    by_row: dict[int, dict[str, str]] = {}
    for row, start, end in table.sentences:
        found = {text[a:b]: right for a, b, right in words if start <= a and b <= end}
        by_row.setdefault(row, {}).update(found)
    cells = tuple(_cell_patched(one, by_row.get(one.row, {})) for one in moved.cells)
    return replace(moved, cells=cells)


def _cell_patched(cell: Cell, right: Mapping[str, str]) -> Cell:
    text = _WORD.sub(lambda one: right.get(one[0], one[0]), cell.text) if right else cell.text
    return replace(cell, text=text)
