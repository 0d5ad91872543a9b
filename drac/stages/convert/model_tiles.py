"""Halves or tiles of a page back to one text: what stands in two of them is written once.

Text that is doubled is less bad than text that is lost, so that pieces are joined at their overlap
only where it is certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce

from drac.stages.convert.model_reading import Tile
from drac.stages.convert.reply_words import WORD, longest_run

_REACH = 400
"""Words from the cut in which an overlap is looked for."""
_LEAST = 3
"""Words that the top half's end and the bottom half's start must share exactly."""
_LEAST_CUT = 2
"""The same for a line that goes on in the tile on the right."""
_LEAST_NOISY = 8
"""Words that must be the same where lines cut in two stand around them."""
_NOISE = 16
"""Words of such cut lines at most."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


def merge_halves(top: str, bottom: str) -> str:
    """The Markdown of both halves, lines of the overlap once; parted by a blank line where none is found."""
    if not top.strip() or not bottom.strip():
        return (top.strip() or bottom.strip()).strip("\n")
    head, tail = _words(top)[-_REACH:], _words(bottom)[:_REACH]
    found = _exact(head, tail) or _noisy(head, tail, top, bottom)
    if found is None:
        return f"{top.rstrip()}\n\n{bottom.lstrip()}"
    return top[: head[found[0]].end] + bottom[tail[found[1]].end :]


def merge_tiles(tiles: Sequence[Tile], texts: Sequence[str]) -> str:
    """The Markdown of a page from that of its tiles, in the same order: rows of tiles from the top."""
    places = {(tile.row, tile.column): text for tile, text in zip(tiles, texts, strict=True)}
    if all(tile.column == 0 for tile in tiles):
        return reduce(merge_halves, texts)
    rows: dict[int, str] = {}
    for tile in tiles:
        text = _below(places.get((tile.row - 1, tile.column), ""), places[tile.row, tile.column])
        rows[tile.row] = merge_beside(rows.get(tile.row, ""), text, tile.shared)
    return "\n\n".join(text for text in rows.values() if text)


def _below(upper: str, lower: str) -> str:
    """What the lower tile shows and the upper one does not."""
    tail = _words(lower)
    found = _exact(_words(upper)[-_REACH:], tail[:_REACH])
    if found is not None:
        return lower[tail[found[1]].end :].strip()
    there = {_key(one) for one in upper.split("\n\n")}
    blocks = (one for one in lower.split("\n\n") if len(_key(one)) < _LEAST or _key(one) not in there)
    return "\n\n".join(blocks)


def merge_beside(left: str, right: str, shared: str = "") -> str:
    """The Markdown of two tiles beside each other: the left one's blocks, then those of the right one.

    A block that both show is written once, where it has three words or all its words are in `shared`, the
    text layer of their overlap. A block that goes on in the right tile is joined where two words are in both.
    """
    blocks = [one for one in left.split("\n\n") if one.strip()]
    there = Counter(_key(one) for one in blocks)
    common = Counter(word.text for word in _words(shared))
    for block in (one for one in right.split("\n\n") if one.strip()):
        key = _key(block)
        if there[key] and (len(key) >= _LEAST or not Counter(key) - common):
            there[key] -= 1
        elif (at := next((n for n, one in enumerate(blocks) if _goes_on(one, block)), None)) is not None:
            blocks[at] = _join(blocks[at], block)
        else:
            blocks.append(block)
    return "\n\n".join(blocks)


def _key(block: str) -> tuple[str, ...]:
    return tuple(word.text for word in _words(block))


def _goes_on(block: str, other: str) -> int:
    """Words, at least two, that `block` ends and `other` starts with; else 0."""
    ends, starts = _key(block), _key(other)
    sizes = range(min(len(ends), len(starts)), _LEAST_CUT - 1, -1)
    return next((size for size in sizes if ends[-size:] == starts[:size]), 0)


def _join(block: str, other: str) -> str:
    last = _words(other)[_goes_on(block, other) - 1]
    return block[: _words(block)[-1].end] + other[last.end :]


def _words(text: str) -> list[_Word]:
    return [_Word(match[0].casefold(), *match.span()) for match in WORD.finditer(text)]


def _exact(head: Sequence[_Word], tail: Sequence[_Word]) -> tuple[int, int] | None:
    """Last index in both of the longest end of `head` that `tail` starts with."""
    ends, starts = [one.text for one in head], [one.text for one in tail]
    for size in range(min(len(ends), len(starts)), _LEAST - 1, -1):
        if ends[-size:] == starts[:size]:
            run = longest_run(starts[:size])
            equal_rows = run is not None and run.times > 2  # how many of them overlap is not known
            return len(ends) - 1, (len(run.unit) if run and equal_rows else size) - 1
    return None


def _noisy(head: Sequence[_Word], tail: Sequence[_Word], top: str, bottom: str) -> tuple[int, int] | None:
    """The same for a stretch over a line's end that has remains of cut lines around it."""
    ends, starts = [one.text for one in head], [one.text for one in tail]
    match = SequenceMatcher(None, ends, starts, autojunk=False).find_longest_match()
    noise = len(ends) - match.a - match.size + match.b
    if match.size < _LEAST_NOISY or noise > min(_NOISE, match.size // 2):
        return None
    run = longest_run(ends[match.a : match.a + match.size])
    if run is not None and run.times > 2:
        return None
    for at in range(match.size - 2, -1, -1):
        if _ends_line(top, head, match.a + at) and _ends_line(bottom, tail, match.b + at):
            return match.a + at, match.b + at
    return None


def _ends_line(text: str, found: Sequence[_Word], index: int) -> bool:
    return "\n" in text[found[index].end : found[index + 1].start]
