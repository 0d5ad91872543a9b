"""Two texts printed over each other, told apart by the glyphs that their page prints elsewhere.

A recogniser reads one character at a place. Where a cell's text runs on over the next cell two stand there.
Which two is found by laying glyphs of the page over each other until they make what is printed: a beam search
that goes on with the text that is behind. A pair of texts that does not make it is no reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt

from drac.adapters.ocr_line import OcrLine
from drac.adapters.straighten import Image

Ink = npt.NDArray[np.float32]
"""Shape (rows, columns), 0 for paper to 1 for the page's blackest print."""

_SURE = 0.9
"""Confidence of a character from which its print serves as a glyph."""
_EACH = 12
"""Glyphs of one character that are tried, those nearest to the line: each falls on pixels in its own way."""
_FEW = 4
"""Glyphs of one character below which they are also laid half a pixel beside their place."""
_ALIKE = 0.25
"""Share by which a glyph's ink may differ from that usual for its character; else it holds more, or less."""
_STANDING = frozenset("ABDEFGHIKLMNPRTUVXZabcdefhiklmnorstuvxz0123456789")
"""Characters whose foot is on the baseline."""
_PRINTED = 0.35
"""Ink from which a pixel is printed."""
_BLANK = 0.2
"""Ink below which a pixel is paper."""
_WITHIN = 0.88
"""Share of a glyph's ink that must be printed where it is laid."""
_WINDOW = 1.5
"""Heights of the line's box, at most, before the edge and past it that are looked at."""
_GAP = 0.16
"""Heights of the box, at most, from one glyph of a word to the next."""
_BESIDE = 0.08
"""Heights of the box by which the second text may start beside the edge."""
_KERNED = 2
"""Pixels by which a glyph may stand under the one before."""
_COST = 0.02
"""Share of the ink that one more glyph must explain."""
_ODD = 0.03
"""The same on top where a text turns from letters to digits, back or to a capital, or starts as not read."""
_BEAM = 60
"""Pairs of texts that are followed."""
_STEPS = 16
"""Glyphs laid in all, at most, the end of the first text counted as one."""
_MOST = 20_000
"""Glyphs laid in trying, at most: where more fit, a bar or a stain is printed, and nothing can be told.

Our choice: an overprinted line of a table takes up to some thousand, half a second of one core this many."""
_MOST_A_PAGE = 100_000
"""The same on all lines of a page together: a table under a bar must not take the page's whole time."""
_LEFT_OVER = 0.15
"""Share of the ink that may be otherwise than the glyphs make it, up to the end of the first text.

Measured on lines of three tables drawn at 200 DPI: up to 0.1 for right pairs, from 0.16 for wrong ones."""
_DOUBT = 0.01
"""Share of the ink by which the pair must be better than the next that says something else."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character as printed somewhere on the page."""

    text: str
    ink: Ink
    top: int
    """Its first row, counted from the baseline; negative above it."""


@dataclass(slots=True)
class Print:
    """The print of a page, and the glyphs of it."""

    ink: Ink
    glyphs: tuple[tuple[float, Glyph], ...]
    """With the y of their lines, in pixels, from top to bottom."""
    left: int = _MOST_A_PAGE
    """Glyphs that may still be laid in trying."""


@dataclass(frozen=True, slots=True)
class _Laid:
    """A glyph at its place in the window."""

    glyph: Glyph
    row: int
    column: int

    @property
    def end(self) -> int:
        return self.column + int(self.glyph.ink.shape[1])


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts as far as they are laid."""

    ink: Ink
    cost: float
    """Ink that is otherwise than they make it, and what their glyphs cost."""
    ends: tuple[float, float]
    """Columns that they have come to."""
    first: tuple[_Laid, ...] = ()
    second: tuple[_Laid, ...] = ()
    is_over: bool = False
    """Whether the first text is complete."""


def print_of(image: Image, lines: Sequence[OcrLine]) -> Print:
    """The print of an RGB image of a page, dark on light; `lines` are those that hold one text each."""
    grey = image.mean(axis=2, dtype=np.float32)
    paper, black = float(np.median(grey)), float(np.quantile(grey[::3, ::3], 0.005))
    ink = np.clip((paper - grey) / max(paper - black, 1.0), 0.0, 1.0)
    ink = ink.astype(np.float32)
    told = (line for line in lines if len(line.spans) == len(line.scores) == len(line.text))
    return Print(ink, tuple((line.box[1], glyph) for line in told for glyph in _glyphs(ink, line)))


def told_apart(page: Print, line: OcrLine, second: OcrLine, edge: float) -> tuple[OcrLine, OcrLine] | None:
    """The line as two texts, the second of which starts at x = `edge`, in pixels; None where that fails.

    `second` is the second text as it was read by itself, first characters in doubt.
    """
    if not line.spans or not page.left:
        return None
    base, clear = _baseline(page.ink, line, edge), _clear(page.ink, line, edge)
    x0, top, height = round(line.spans[clear - 1][1]), round(line.box[1]) - 4, line.box[3] - line.box[1]
    if base is None or not clear or len(line.scores) != len(line.text) or edge - x0 > _WINDOW * height:
        return None
    end = min(line.box[2] + 0.3 * height, edge + _WINDOW * height)
    window = page.ink[max(0, top) : round(line.box[3]) + 4, x0 : round(end)]
    hits = _hits(window, round(base) - max(0, top), _near(page, line))
    most = min(_MOST, page.left)
    found, laid = _search(window, hits, (line.text[clear - 1], second.text[:1]), edge - x0, height, most)
    page.left -= laid
    if (
        not found
        or not found[0].second
        or not found[0].is_over
        or _left_over(window, found[0], edge - x0) > _LEFT_OVER
    ):
        return None
    if _is_doubtful(found, float(window.sum())):
        return None
    return _first(line, clear, found[0], x0), _second(second, found[0], x0)


def _baseline(ink: Ink, line: OcrLine, until: float = float("inf")) -> float | None:
    """Row below the feet of the characters that end before x = `until`."""
    feet = []
    for one, span in zip(line.text, line.spans, strict=False):
        if one in _STANDING and span[1] <= until:
            rows = np.flatnonzero(_cut(ink, line, span).max(axis=1, initial=0.0) > _PRINTED)
            feet += [round(line.box[1]) + int(row) + 1 for row in rows[-1:]]
    return float(np.median(feet)) if feet else None


def _cut(ink: Ink, line: OcrLine, span: tuple[float, float]) -> Ink:
    return ink[max(0, round(line.box[1])) : round(line.box[3]), round(span[0]) : round(span[1])]


def _clear(ink: Ink, line: OcrLine, edge: float) -> int:
    """How many characters stand before the edge and the last column of paper before it."""
    trim = round(0.12 * (line.box[3] - line.box[1]))
    blank = ink[round(line.box[1]) + trim : round(line.box[3]) - trim].max(axis=0, initial=0.0) < _BLANK
    places = (
        place
        for place, (before, after) in enumerate(pairwise(line.spans), 1)
        if before[1] < edge and blank[round(before[1]) : max(round(after[0]), round(before[1]) + 1)].any()
    )
    return max(places, default=0)


def _near(page: Print, line: OcrLine) -> list[Glyph]:
    """The glyphs of each character that stand nearest to the line, whole and by themselves."""
    found: dict[str, list[Glyph]] = {}
    for _, glyph in sorted(page.glyphs, key=lambda one: abs(one[0] - line.box[1])):
        if len(found.setdefault(glyph.text, [])) < _EACH:
            found[glyph.text].append(glyph)
    alike = [_alike(glyphs) for glyphs in found.values()]
    return [one for glyphs in alike for glyph in glyphs for one in _shifted(glyph, len(glyphs))]


def _shifted(glyph: Glyph, number: int) -> Iterator[Glyph]:
    """The glyph, and where there are few of them also half a pixel to the right, down and both."""
    import cv2

    yield glyph
    room = np.pad(glyph.ink, ((0, 1), (0, 1)))
    for right, down in ((0.5, 0.0), (0.0, 0.5), (0.5, 0.5)) if number < _FEW else ():
        by = np.array([[1, 0, right], [0, 1, down]], np.float32)
        yield Glyph(glyph.text, cv2.warpAffine(room, by, room.shape[::-1]).astype(np.float32), glyph.top)


def _glyphs(ink: Ink, line: OcrLine) -> Iterator[Glyph]:
    """The line's characters that were read for sure and touch no other."""
    base = _baseline(ink, line)
    solid = [place for place, one in enumerate(line.text) if not one.isspace()]
    spans = [(-1.0, -1.0), *(line.spans[place] for place in solid), (float("inf"), float("inf"))]
    for place, before, own, after in zip(solid, spans, spans[1:], spans[2:], strict=False):
        if base is not None and line.scores[place] >= _SURE and before[1] < own[0] < own[1] < after[0]:
            cut = _cut(ink, line, own)
            rows = np.flatnonzero(cut.max(axis=1, initial=0.0) > _PRINTED / 2)
            if rows.size:
                top = round(line.box[1]) + int(rows[0]) - round(base)
                yield Glyph(line.text[place], np.ascontiguousarray(cut[rows[0] : rows[-1] + 1]), top)


def _alike(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Those with about as much ink as is usual; all where two are too few to tell."""
    usual = float(np.median([glyph.ink.sum() for glyph in glyphs]))
    few = len(glyphs) < 3
    return [glyph for glyph in glyphs if few or abs(float(glyph.ink.sum()) - usual) <= _ALIKE * usual]


def _hits(window: Ink, base: int, glyphs: Sequence[Glyph]) -> dict[int, list[_Laid]]:
    """Where glyphs may stand, by column: all printed there; of a character the one that fits best."""
    best: dict[tuple[int, str], tuple[float, _Laid]] = {}
    for glyph in glyphs:
        for laid in _laid_within(window, base, glyph):
            key, fit = (laid.column, glyph.text), _misfit(window, laid)
            if key not in best or fit < best[key][0]:
                best[key] = (fit, laid)
    found: dict[int, list[_Laid]] = {}
    for (column, _), (_, laid) in sorted(best.items(), key=lambda one: one[0]):
        found.setdefault(column, []).append(laid)
    return found


def _laid_within(window: Ink, base: int, glyph: Glyph) -> Iterator[_Laid]:
    """The glyph on the baseline, a pixel above or below, where most of its ink is printed."""
    import cv2

    printed = (window > _PRINTED).astype(np.float32)
    printed[:, :-1] = np.maximum(printed[:, :-1], printed[:, 1:])
    first, (height, width) = base + glyph.top - 1, glyph.ink.shape
    strip = printed[max(0, first) : first + height + 2]
    if first >= 0 and strip.shape[0] >= height and strip.shape[1] >= width:
        share = cv2.matchTemplate(strip, glyph.ink, cv2.TM_CCORR) / float(glyph.ink.sum())
        for row, column in zip(*np.nonzero(share >= _WITHIN), strict=True):
            yield _Laid(glyph, first + int(row), int(column))


def _place(laid: _Laid) -> tuple[slice, slice]:
    height, width = laid.glyph.ink.shape
    return slice(laid.row, laid.row + height), slice(laid.column, laid.column + width)


def _misfit(window: Ink, laid: _Laid) -> float:
    there, glyph = window[_place(laid)], laid.glyph.ink
    return float(np.maximum(glyph - there, 0.0).sum() - 0.2 * np.minimum(glyph, there).sum())


def _search(
    window: Ink,
    hits: Mapping[int, Sequence[_Laid]],
    known: tuple[str, str],
    edge: float,
    height: float,
    most: int,
) -> tuple[list[_Pair], int]:
    """Pairs of texts, the one first that makes the window's print best, and how many glyphs were laid.

    No pairs where `most` glyphs are not enough. One whose first text is not over has its second text under it
    whole: which is which, print does not say.
    `known` is the character before the first text, and the one that the second was read to start with.
    """
    total = float(window.sum())
    pairs = [_Pair(np.zeros_like(window), total, (0.0, edge))]
    done: dict[tuple[str, str, bool], _Pair] = {}
    left = most
    for _ in range(_STEPS):
        every = (one for pair in pairs for one in _grown(window, hits, pair, known, height, total))
        grown = list(islice(every, left))
        left -= len(grown)
        if left <= 0:
            return [], most
        pairs = _cheapest({}, grown)[:_BEAM]
        ended = [one for one in pairs if one.is_over or (one.second and one.ends[0] > one.ends[1])]
        done = {_key(one): one for one in _cheapest(done, ended)}
    return sorted(done.values(), key=lambda one: one.cost), most - left


def _key(pair: _Pair) -> tuple[str, str, bool]:
    return _text(pair.first), _text(pair.second), pair.is_over


def _cheapest(best: dict[tuple[str, str, bool], _Pair], pairs: Sequence[_Pair]) -> list[_Pair]:
    """Of pairs that say the same the best one, in the order of their costs."""
    for one in pairs:
        key = _key(one)
        if key not in best or one.cost < best[key].cost:
            best[key] = one
    return sorted(best.values(), key=lambda one: one.cost)


def _text(laid: Sequence[_Laid]) -> str:
    return "".join(one.glyph.text for one in laid)


def _grown(
    window: Ink,
    hits: Mapping[int, Sequence[_Laid]],
    pair: _Pair,
    known: tuple[str, str],
    height: float,
    total: float,
) -> Iterator[_Pair]:
    """The pair with one more glyph of the text that is behind, or with the first text complete."""
    behind = not pair.is_over and pair.ends[0] <= pair.ends[1]
    if behind:
        yield replace(pair, is_over=True)
    starts = not behind and not pair.second
    before = _BESIDE * height if starts else _KERNED
    after = (_BESIDE if starts else _GAP) * height
    at = pair.ends[0 if behind else 1]
    for column in range(int(at - before), int(at + after) + 1):
        for laid in hits.get(column, ()):
            cost = (_COST + _ODD * _is_odd(pair, laid.glyph.text, known, behind)) * total
            yield _with(window, pair, laid, cost, behind)


def _is_odd(pair: _Pair, text: str, known: tuple[str, str], behind: bool) -> bool:
    """Whether a text turns there from one kind of character to another, or starts otherwise than read."""
    if not behind and not pair.second:
        return text != known[1]
    before = _text(pair.first if behind else pair.second)[-1:] or known[0]
    turned = before.isalpha() != text.isalpha() or (before.islower() and text.isupper())
    return before.isalnum() and text.isalnum() and turned


def _with(window: Ink, pair: _Pair, laid: _Laid, cost: float, behind: bool) -> _Pair:
    place, ink = _place(laid), pair.ink.copy()
    ink[place] = np.maximum(ink[place], laid.glyph.ink)
    there = window[place]
    cost += float(np.abs(there - ink[place]).sum() - np.abs(there - pair.ink[place]).sum())
    if behind:
        ends = (float(laid.end), pair.ends[1])
        return replace(pair, ink=ink, cost=pair.cost + cost, ends=ends, first=(*pair.first, laid))
    ends = (pair.ends[0], float(laid.end))
    return replace(pair, ink=ink, cost=pair.cost + cost, ends=ends, second=(*pair.second, laid))


def _left_over(window: Ink, pair: _Pair, edge: float) -> float:
    """Share of the ink that the pair makes otherwise, up to the end of the first text."""
    end = max(round(pair.ends[0]), round(edge), 1)
    there = window[:, :end]
    return float(np.abs(there - pair.ink[:, :end]).sum()) / max(float(there.sum()), 1.0)


def _is_doubtful(pairs: Sequence[_Pair], total: float) -> bool:
    """Whether other letters or digits under the print are about as good."""
    rival = next((one for one in pairs[1:] if _differs(one, pairs[0])), None)
    return rival is not None and rival.cost - pairs[0].cost < _DOUBT * total


def _differs(one: _Pair, other: _Pair) -> bool:
    """Whether letters or digits differ, those of the second text as far as the first covers them."""
    under = max(len(_said(_covered(one))), len(_said(_covered(other))))
    same = _said(one.second)[:under] == _said(other.second)[:under]
    return not same or _said(one.first) != _said(other.first)


def _said(laid: Sequence[_Laid]) -> str:
    return "".join(filter(str.isalnum, _text(laid)))


def _covered(pair: _Pair) -> list[_Laid]:
    return [laid for laid in pair.second if laid.column < pair.ends[0]]


def _first(line: OcrLine, clear: int, pair: _Pair, x0: int) -> OcrLine:
    """What stands clear of the line, and the first text that was laid."""
    spans = (*line.spans[:clear], *_spans(pair.first, x0))
    scores = (*line.scores[:clear], *[1 - _LEFT_OVER] * len(pair.first))
    box = (line.box[0], line.box[1], max(spans[-1][1], line.box[0] + 1), line.box[3])
    text = line.text[:clear] + _text(pair.first)
    return OcrLine(text, box, float(np.mean(scores)), spans, scores)


def _second(second: OcrLine, pair: _Pair, x0: int) -> OcrLine:
    """The second text that was laid as far as the first covers it, and from there on as it was read."""
    covered = _covered(pair)
    end = x0 + covered[-1].end - _KERNED if covered else float("-inf")
    rest = next((at for at, (start, _) in enumerate(second.spans) if start >= end), len(second.text))
    spans = (*_spans(covered, x0), *second.spans[rest:])
    scores = (*[1 - _LEFT_OVER] * len(covered), *second.scores[rest:])
    text = _text(covered) + second.text[rest:]
    return OcrLine(text, second.box, float(np.mean(scores)) if scores else 0.0, spans, scores)


def _spans(laid: Sequence[_Laid], x0: int) -> tuple[tuple[float, float], ...]:
    return tuple((float(x0 + one.column), float(x0 + one.end)) for one in laid)
