"""Glyphs of a text layer's line to words and lines; what is printed over its neighbour is parted from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from unicodedata import bidirectional

from drac.adapters.pymupdf_bidi import as_read, gaps, is_visual, logical, mirrored, runs_left, wide_turns
from drac.records import Box
from drac.stages.convert.page import Line, Word, union
from drac.stages.convert.text import is_right_to_left

_OVERPRINT = 0.175
"""Font sizes by which a letter reaches over the next, from which another text starts there.

Kerning takes up to 0.17; cells that run over their neighbours overlap by 0.18 to 0.8 (measured on
RAG-Multi-Corpus).
"""
_COLUMN = 2.0
"""Font sizes of white from which text of another direction is another column."""
_STRONG = ("L", "R", "AL", "EN", "AN")
"""Bidirectional classes of letters and digits."""
_SPACE = 0.12
"""Font sizes of a gap that is a space, between Arabic or Hebrew and digits or Latin."""


@dataclass(frozen=True, slots=True)
class _Glyph:
    """One character of a line."""

    text: str
    """As the text layer has it."""
    box: Box
    """In page points."""
    span: dict[str, Any]
    """MuPDF's span that it belongs to: font, size, flags."""


def text_of(span: dict[str, Any]) -> str:
    """The characters of a span."""
    return "".join(glyph["c"] for glyph in span["chars"])


def plain_text(page: Any, flags: int) -> str:
    """A page's text layer as MuPDF gives it, lines parted; Arabic and Hebrew in the order of reading."""
    text = str(page.get_text(flags=flags))
    if not any(map(runs_left, text)):
        return text
    blocks = page.get_text("rawdict", flags=flags)["blocks"]
    lines = (line for block in blocks for line in block.get("lines", ()))
    return "\n".join(one.text for line in lines for one in lines_of(line["dir"], line["spans"], 0, 0))


def lines_of(
    direction: tuple[float, float], spans: Sequence[dict[str, Any]], order: int, run: int
) -> list[Line]:
    """The lines that one MuPDF line holds: one, or more where text is printed over text.

    `order` is the first line's place among the page's, `run` the number of its content block.
    """
    glyphs = [_Glyph(glyph["c"], glyph["bbox"], span) for span in spans for glyph in logical(span["chars"])]
    upright = abs(direction[1]) < 0.1 and direction[0] > 0
    texts = [text for column in _columns(glyphs) for text in _from_the_right(column)] if upright else [glyphs]
    parts = [part for text in texts for part in _parted(text)] if upright else texts
    printed = [part for part in parts if any(not glyph.text.isspace() for glyph in part)]
    return [_line(part, upright, order + place, run) for place, part in enumerate(printed)]


def part_at_insets(lines: Sequence[Line]) -> list[Line]:
    """Lines parted where another one stands in a gap between their words, in the order of content.

    A letter that the font lacks is drawn by itself, in another font, over the room that was left for it.
    """
    by_baseline: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        by_baseline[round(line.baseline)].append(line)
    parted: list[Line] = []
    for line in lines:
        beside = by_baseline[round(line.baseline)]
        insets = (
            [one.box for one in beside if one is not line and _stands_in(one, line)] if line.upright else []
        )
        parted += _parts(line, insets)
    return [replace(line, order=order) for order, line in enumerate(parted)]


def _stands_in(inset: Line, line: Line) -> bool:
    left, right = inset.box[0], inset.box[2]
    if not inset.upright or len(line.words) < 2 or not line.box[0] < left < right < line.box[2]:
        return False
    slack = 0.1 * line.size
    return all(word.box[2] <= left + slack or word.box[0] >= right - slack for word in line.words)


def _parts(line: Line, insets: Sequence[Box]) -> Iterator[Line]:
    words: list[Word] = []
    for word in line.words:
        if words and any(_is_between(box, words[-1].box, word.box) for box in insets):
            yield _of_words(line, words)
            words = []
        words.append(word)
    yield _of_words(line, words) if len(words) < len(line.words) else line


def _is_between(inset: Box, one: Box, other: Box) -> bool:
    return min(one[0], other[0]) < inset[0] < max(one[0], other[0])


def _of_words(line: Line, words: Sequence[Word]) -> Line:
    left, _, right, _ = union(word.box for word in words)
    box = (left, line.box[1], right, line.box[3])
    bold = min(line.bold_words, len(words)) if words[0] is line.words[0] else 0
    raw = " ".join(word.text for word in words)
    return replace(line, words=tuple(words), box=box, bold_words=bold, raw=raw)


def _columns(glyphs: Sequence[_Glyph]) -> Iterator[list[_Glyph]]:
    """The glyphs in the order of reading, parted where text of the other direction stands far away."""
    places = [(one.text, one.box) for one in glyphs]
    starts = wide_turns(places, _COLUMN * glyphs[0].span["size"]) if glyphs else []
    for start, end in pairwise([0, *starts, len(glyphs)]):
        part = glyphs[start:end]
        turned = is_visual(places[start:end])
        order = as_read(places[start:end])
        yield [_turned(part[place]) if turned else part[place] for place in order]


def _turned(glyph: _Glyph) -> _Glyph:
    return replace(glyph, text=mirrored(glyph.text))


def _from_the_right(glyphs: list[_Glyph]) -> list[list[_Glyph]]:
    """A line that runs from right to left, with the stops and spaces that MuPDF puts before its letters.

    Those at its left end come last, those at its right end from the right; others stand between words and are
    a text of their own.
    """
    kinds = [bidirectional(glyph.text[:1]) in _STRONG for glyph in glyphs]
    if not any(kinds) or not is_right_to_left("".join(glyph.text for glyph in glyphs)):
        return [glyphs]
    strong = kinds.index(True)
    stops, letters = _stops(glyphs[:strong]), glyphs[strong:]
    left, right = min(one.box[0] for one in letters if not one.text.isspace()), letters[0].box[2]
    slack = _SPACE * letters[0].span["size"]
    if all(one.box[2] <= left + slack for one in stops):
        while letters[-1].text.isspace():
            letters.pop()
        return [[*letters, *stops]]
    beside = right - slack < stops[-1].box[0] < right + slack
    return [[*stops, *letters]] if beside else [glyphs[:strong], letters]


def _stops(glyphs: Sequence[_Glyph]) -> list[_Glyph]:
    """From the right, without the space that MuPDF puts where another one stands."""
    printed = [one for one in glyphs if not one.text.isspace()]
    doubled = [
        one for one in glyphs if one.text.isspace() and any(_is_over(one.box, other.box) for other in printed)
    ]
    return sorted((one for one in glyphs if one not in doubled), key=lambda one: -one.box[0])


def _is_over(space: Box, stop: Box) -> bool:
    return stop[0] < (space[0] + space[2]) / 2 < stop[2]


def _parted(glyphs: Sequence[_Glyph]) -> list[list[_Glyph]]:
    """Parts between which one text is printed over another; letters that are all set tight stay together."""
    flags = [False, *(_is_overprint(*pair) for pair in pairwise(glyphs)), False]
    parts = [[glyphs[0]]]
    for place, glyph in enumerate(glyphs[1:], 1):
        if (flags[place] and not (flags[place - 1] or flags[place + 1])) or _is_jump(
            glyphs[place - 1], glyph
        ):
            parts.append([])
        parts[-1].append(glyph)
    return parts


def _is_overprint(before: _Glyph, glyph: _Glyph) -> bool:
    """Whether a letter starts inside the one before it and reaches further right.

    Text that runs from right to left goes the other way; the second letter of a ligature has no width.
    """
    overlaps = before.box[2] - glyph.box[0] > _OVERPRINT * glyph.span["size"]
    goes_on = before.box[2] < glyph.box[2] and before.box[0] < before.box[2]
    return overlaps and goes_on and before.text.isalnum() and glyph.text.isalnum()


def _is_jump(before: _Glyph, glyph: _Glyph) -> bool:
    """Whether a line that runs to the left goes on far to the right."""
    return runs_left(before.text) and glyph.box[0] - before.box[2] > _COLUMN * glyph.span["size"]


def _line(glyphs: Sequence[_Glyph], upright: bool, order: int, run: int) -> Line:
    words = tuple(_words(glyphs))
    printed = [glyph for glyph in glyphs if not glyph.text.isspace()]
    size = _most(glyph.span["size"] for glyph in printed)
    box = union(word.box for word in words)
    if upright:
        baseline = _most(glyph.span["origin"][1] for glyph in printed)
        box = (box[0], baseline - 0.8 * size, box[2], baseline + 0.2 * size)
    return Line(
        words=words,
        box=box,
        size=size,
        bold=_most(_is_bold(glyph.span) for glyph in printed),
        bold_words=_bold_words(glyphs),
        mono=all(glyph.span["flags"] & 8 for glyph in printed),
        upright=upright,
        order=order,
        run=run,
        raw="".join(glyph.text for glyph in glyphs),
    )


def _is_bold(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & 16 or span["char_flags"] & 8)


def _bold_words(glyphs: Sequence[_Glyph]) -> int:
    """Words before the one that holds the first glyph that is not bold."""
    light = next(
        (place for place, one in enumerate(glyphs) if not one.text.isspace() and not _is_bold(one.span)), None
    )
    text = "".join(glyph.text for glyph in glyphs[:light])
    return len(text.split()) - (light is not None and bool(text) and not text[-1].isspace())


def _most(values: Iterable[Any]) -> Any:
    """The value that most characters have, the first of equals."""
    return Counter(values).most_common(1)[0][0]


def _words(glyphs: Sequence[_Glyph]) -> Iterator[Word]:
    parted = _turns(glyphs)
    word: list[_Glyph] = []
    for place, glyph in enumerate(glyphs):
        if word and (glyph.text.isspace() or place in parted):
            yield _word(word)
            word = []
        if not glyph.text.isspace():
            word.append(glyph)
    if word:
        yield _word(word)


def _turns(glyphs: Sequence[_Glyph]) -> set[int]:
    """Places where a word ends because text turns from one direction to the other with room between."""
    if not any(runs_left(glyph.text) for glyph in glyphs):
        return set()
    return gaps([(one.text, one.box) for one in glyphs], _SPACE * glyphs[0].span["size"])


def _word(glyphs: Sequence[_Glyph]) -> Word:
    text = "".join(glyph.text for glyph in glyphs)
    return Word(text, union(glyph.box for glyph in glyphs), tuple(glyph.box[0] for glyph in glyphs))
