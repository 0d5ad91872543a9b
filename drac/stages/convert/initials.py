"""Drop caps: a large first letter beside the lines that it opens goes back into its word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from drac.stages.convert.page import Line, Word, union
from drac.stages.convert.text import words_of

_LARGE = 1.8
"""Sizes of the text beside it, at least; smaller ones stand on the first line's baseline."""
_GAP = 1.0
"""Font sizes of the text between the letter and its line, at most."""


def with_initials(lines: Sequence[Line], known: Collection[str]) -> tuple[Line, ...]:
    """The lines with each drop cap put before the first of the lines beside it.

    `known` are the document's words in small letters; they tell "A man" from "Aman".
    """
    kept = list(lines)
    for cap in [line for line in lines if _is_initial(line)]:
        if opened := _opened(cap, kept):
            kept[kept.index(opened)] = _joined(cap, opened, known)
            kept.remove(cap)
    return tuple(kept)


def _is_initial(line: Line) -> bool:
    letters = line.text.lstrip("\"'“‘„«¿¡(")
    return line.upright and len(letters) == 1 and letters.isupper()


def _opened(cap: Line, lines: Sequence[Line]) -> Line | None:
    """The topmost line right of the letter, where another one stands below it beside the letter."""
    beside = sorted((line for line in lines if _is_beside(line, cap)), key=lambda line: line.baseline)
    first = beside[0] if beside else None
    if first is None or len(beside) < 2 or abs(beside[1].box[0] - first.box[0]) > _GAP * first.size:
        return None
    goes_on = first.text[0].isalpha() or first.text[0] in "'’"
    return first if goes_on and first.box[1] < cap.box[1] + 0.5 * cap.size else None


def _is_beside(line: Line, cap: Line) -> bool:
    inside = cap.box[1] - 0.3 * line.size < line.baseline < cap.baseline + 0.3 * line.size
    near = -0.2 * line.size < line.box[0] - cap.box[2] < _GAP * line.size
    return line.upright and inside and near and cap.size >= _LARGE * line.size


def _joined(cap: Line, line: Line, known: Collection[str]) -> Line:
    first = line.words[0]
    whole, alone = (next(words_of(text), "") for text in (cap.text + first.text, first.text))
    apart = cap.text.casefold() in known and alone in known and whole not in known and cap.text in "AIOÉEY"
    box = union((cap.words[-1].box, first.box)) if not apart else cap.words[-1].box
    box = (box[0], line.box[1], box[2], line.box[3])
    opening = Word(cap.text if apart else cap.text + first.text, box)
    words = (opening, *line.words[0 if apart else 1 :])
    whole_box = (cap.box[0], *line.box[1:])
    return replace(line, words=words, box=whole_box, raw=cap.text + " " * apart + line.raw.lstrip())
