"""How large and how heavy print is, measured from its ink: the styles of a scanned document and its lines.

Capitals, digits, letters with a stem up and letters with a tail down all are about 0.7 em high, so that most
lines hold glyphs of that height, whatever their text says. Strokes are compared with those of the body.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from drac.adapters.straighten import Image
from drac.records import Box
from drac.stages.convert.headings import heading_styles, style_of
from drac.stages.convert.page import DocumentFacts, Line

_HIGH = re.compile(r"[^\W\d_a-z]|[bdfhkl]")
"""Capitals and letters with a stem up; other scripts' letters count as such."""
_HIGHER = re.compile(r"[()\[\]{}|/$@jQ\u00c0-\u00dd]")
"""What reaches past them, or below the line as well."""
_AS_HIGH = re.compile(r"[\dgpqyt]")
"""What is about as high, where there is none of them."""
_LOW_ONES = re.compile(r"[acemnorsuvwxz]")
_X_HEIGHT = 0.72
"""Height of low letters over that of capitals: 0.68 (Times) to 0.73 (Arial)."""
_TALL = 0.7
"""Height of a tall glyph in em: 0.66 (Times) to 0.73 (Arial)."""
_FEW = 3
"""Glyphs below which a line says nothing."""
_ENOUGH = 6
"""Glyphs below which it says nothing of other lines: brackets and tails up stand out among few."""
_CONTRAST = 0.5
"""Share of the way from the paper to the strongest ink at which a stroke's edge is."""
_FAINT = 24.0
"""Grey levels from the paper below which nothing is ink."""
_LOW = 0.3
"""Height of a glyph over that of the line's box, at least: dots, commas and dashes are lower."""
_ALIKE = 0.09
"""Share by which sizes of one style differ: digits are up to 6 % lower than capitals, a pixel is 5 %."""
_BOLD = 1.28
"""Stroke over the body's from which print is bold; bold cuts of common typefaces have 1.4 to 1.8."""
_LARGER = 1.1
"""Sizes of the body's from which print is larger."""
_LARGEST = 5.0
"""Sizes of the body's above which something is no print, or a picture's."""
_DARKER = 18
"""Grey levels that ink is darker than the mean around it."""
_WINDOW = 11.0
"""Points of the side of the window in which that is so."""
_WORD_GAP = 8.5
"""Widest white between words of a line in points; at 30 points a space has as much."""
_HEIGHTS = (3.0, 32.0)
"""Points from the highest to the lowest ink of a line of print."""
_FINE = 0.6
"""Points of a pixel under which lines are looked for at half size."""


@dataclass(frozen=True, slots=True)
class Print:
    """One line's print."""

    tall: float
    """Pixels that its tall glyphs are high."""
    stroke: float
    """Width of a stroke over `tall`."""
    glyphs: int
    """Glyphs counted."""


@dataclass(frozen=True, slots=True)
class PrintStyles:
    """What print a document's pages hold."""

    sizes: tuple[float, ...] = ()
    """Font sizes in points, that of most glyphs first."""
    stroke: float = 0.0
    """Stroke of the body, over the height of its tall glyphs."""
    bold: frozenset[float] = frozenset()
    """Sizes that are bold: of those larger than the body's, where most glyphs are; the body's where some."""

    def facts(self, known: DocumentFacts) -> DocumentFacts:
        """What is known of the document, with these styles in place of its text layer's."""
        if not self.sizes:
            return known
        body = (_half(self.sizes[0]), False)
        styles = Counter([body, *((_half(size), size in self.bold) for size in self.sizes)])
        found = heading_styles(styles, body)
        return replace(
            known,
            body_size=body[0],
            body_bold=False,
            measured=True,
            heading_styles=found,
            title_levels={},
            class_levels={},
        )

    def styled(self, line: Line, seen: Print | None, points: float) -> Line:
        """The line with the size and weight that were seen; one pixel has so many `points`."""
        if seen is None or not self.sizes or not line.upright or line.cell is not None:
            return line
        size = seen.tall * points / _TALL
        near = min(self.sizes, key=lambda one: abs(one - size))
        size = near if abs(near - size) <= 1.5 * _ALIKE * near else size
        larger = size in self.sizes[1:]
        bold = size in self.bold if larger else seen.stroke > _BOLD * self.stroke
        middle = (line.box[1] + line.box[3]) / 2
        box = (line.box[0], middle - size / 2, line.box[2], middle + size / 2)
        return replace(line, size=round(size, 1), box=box, bold=bold, bold_words=len(line.words) * bold)


def print_of(grey: npt.NDArray[np.uint8], text: str = "") -> Print | None:
    """The print of a grey image of one line; None where it holds too few glyphs.

    Where its text is known, that tells how many of the glyphs are tall.
    """
    import cv2

    paper = np.median(grey)
    away = np.abs(grey.astype(np.float32) - paper)
    least = _CONTRAST * float(np.quantile(away, 0.99))
    if grey.size == 0 or 2 * least < _FAINT:
        return None
    ink = (away > least).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    heights = stats[1:][(stats[1:, 3] >= _LOW * len(grey)) & (stats[1:, 2] <= 6 * stats[1:, 3])][:, 3]
    if len(heights) < _FEW:
        return None
    tall = _tall(np.sort(heights)[::-1], text)
    return Print(tall, _stroke(ink, tall) / tall, len(heights))


def _tall(heights: npt.NDArray[np.int32], text: str) -> float:
    """The height of capitals, from those of all glyphs, highest first."""
    higher = len(_HIGHER.findall(text))
    for kind, lower in ((_HIGH, 1.0), (_AS_HIGH, 1.0), (_LOW_ONES, _X_HEIGHT)):
        if count := min(len(kind.findall(text)), len(heights) - higher):
            return float(np.median(heights[higher : higher + count])) / lower
    near = heights[heights > 0.85 * np.quantile(heights, 0.85)]
    return float(np.quantile(near, 0.6))


def _stroke(ink: npt.NDArray[np.uint8], tall: float) -> float:
    """Pixels of a usual run of ink in a row of pixels: the width of stems."""
    steps = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    runs = np.nonzero(steps < 0)[1] - np.nonzero(steps > 0)[1]
    runs = runs[runs <= 0.6 * tall]
    return float(runs[runs <= 2 * np.median(runs)].mean()) if len(runs) else 0.0


def prints_in(image: Image, lines: Iterable[tuple[Box, str]]) -> Iterator[Print | None]:
    """The print in each of the boxes, in pixels of an RGB image; texts may be empty."""
    grey = _grey(image)
    for (x0, y0, x1, y1), text in lines:
        part = grey[max(0, round(y0)) : round(y1), max(0, round(x0)) : round(x1)]
        yield print_of(part, text) if part.size else None


def print_styles(images: Iterable[tuple[Image, float]]) -> PrintStyles:
    """The styles of level RGB images of pages; with each the points that a pixel has."""
    found = [
        (one.tall * points / _TALL, one.stroke, one.glyphs)
        for image, points in images
        for one in prints_in(image, ((box, "") for box in lines_of_print(image, points)))
        if one is not None and one.glyphs >= _ENOUGH
    ]
    if not found:
        return PrintStyles()
    body = _commonest(found)
    strokes = sorted((stroke, glyphs) for size, stroke, glyphs in found if _are_alike(size, body))
    usual = _middle(strokes)
    left = [one for one in found if one[0] < _LARGEST * body]
    return _styles(left, body, usual)


def _styles(found: Sequence[tuple[float, float, int]], body: float, usual: float) -> PrintStyles:
    sizes, left = [body], [one for one in found if one[0] > _LARGER * body and not _are_alike(one[0], body)]
    while left:
        sizes.append(_commonest(left))
        left = [one for one in left if not _are_alike(one[0], sizes[-1])]
    heavy = dict.fromkeys(sizes, 0)
    light = dict(heavy)
    for size, stroke, glyphs in found:
        near = next((one for one in sizes if _are_alike(size, one)), None)
        if near is not None:
            (heavy if stroke > _BOLD * usual else light)[near] += glyphs
    bold = frozenset(size for size in sizes if heavy[size] > (size != body) * light[size])
    return PrintStyles(tuple(sizes), usual, bold)


def _commonest(found: Sequence[tuple[float, float, int]]) -> float:
    """The size around which most glyphs are, and of those the middle one."""
    weights = {
        size: sum(glyphs for other, _, glyphs in found if _are_alike(other, size)) for size, _, _ in found
    }
    peak = max(weights, key=lambda size: (weights[size], -size))
    return _middle(sorted((size, glyphs) for size, _, glyphs in found if _are_alike(size, peak)))


def _are_alike(size: float, other: float) -> bool:
    return abs(size - other) <= _ALIKE * other


def _middle(sorted_values: Sequence[tuple[float, int]]) -> float:
    """The value of the middle glyph."""
    passed = np.cumsum([count for _, count in sorted_values])
    return sorted_values[int(np.searchsorted(passed, passed[-1] / 2))][0]


def lines_of_print(image: Image, points: float) -> list[Box]:
    """Boxes of what looks like lines of print on a level RGB image, in pixels of so many points each."""
    import cv2

    grey = _grey(image)
    scale = 2 if points < _FINE else 1
    unit = scale * points
    small = cv2.resize(grey, None, fx=1 / scale, fy=1 / scale, interpolation=cv2.INTER_AREA)
    window = max(3, round(_WINDOW / unit) | 1)
    mean, binary = cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV
    ink: Any = cv2.adaptiveThreshold(small, 255, mean, binary, window, _DARKER)
    ink = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, max(1, round(_WORD_GAP / unit))), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    low, high = (height / unit for height in _HEIGHTS)
    return [
        (float(scale * x), scale * (y - 0.15 * h), float(scale * (x + w)), scale * (y + 1.15 * h))
        for x, y, w, h, _ in stats[1:].tolist()
        if low <= h <= high and w >= 2 * h
    ]


def _grey(image: Image) -> npt.NDArray[np.uint8]:
    import cv2

    grey: npt.NDArray[np.uint8] = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return grey


def _half(size: float) -> float:
    return style_of(Line((), (0, 0, 0, 0), round(size, 1)))[0]
