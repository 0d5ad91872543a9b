"""Ruling lines in the image of a page, as a text layer's drawings give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from drac.adapters.straighten import Image
from drac.records import Box

_LONG = 0.03
"""Shares of the image's longer side that a ruling line is long, at least: 0.33 inch on Letter."""
_HIGH = 0.011
"""The same of a vertical one, which may be as short as a row."""
_THICK = 0.004
"""The same that it is thick, at most."""
_BLOCK = 0.014
"""Side of the window, as a share, in which a pixel is darker than the paper around."""
_DARKER = 18
"""Grey levels that ink is darker than the mean around it."""
_FAINT = 0.6
"""Share of a line's length that is ink, at least: scans break lines."""

_AMID = (0.12, 0.88)
"""Shares of the height of a line's box between which its letters stand."""


def ruling_lines(image: Image, texts: Sequence[Box] = ()) -> list[Box]:
    """Horizontal and vertical ruling lines of an upright RGB image, boxes in pixels.

    `texts` are the boxes of its lines of text: feet and crossbars of letters in a row are no rules.
    """
    import cv2

    side = max(image.shape[:2])
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    block = round(_BLOCK * side) | 1
    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, block, _DARKER)
    flat = _lines(ink, round(_LONG * side), _THICK * side)
    flat = [box for box in flat if not any(_runs_through(box, text) for text in texts)]
    steep = [_swapped(box) for box in _lines(np.ascontiguousarray(ink.T), round(_HIGH * side), _THICK * side)]
    return flat + [box for box in steep if _is_rule(box, flat, round(_LONG * side))]


def _lines(ink: Any, least: int, thick: float) -> list[Box]:
    """Horizontal lines; breaks of some pixels and a slight slant are bridged."""
    import cv2

    bridged = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, 5), np.uint8))
    runs = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, np.ones((1, least), np.uint8))
    runs = cv2.dilate(runs, np.ones((3, 9), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    found = []
    for x, y, width, height, count in stats[1:].tolist():
        if height - 2 <= thick and width >= least and count >= _FAINT * width:
            found.append((float(x + 4), float(y + 1), float(x + width - 4), float(y + height - 1)))
    return found


def _runs_through(rule: Box, text: Box) -> bool:
    """Whether a horizontal line lies amid a line of text; one at its foot underlines it."""
    top, foot = text[1] + _AMID[0] * (text[3] - text[1]), text[1] + _AMID[1] * (text[3] - text[1])
    common = min(rule[2], text[2]) - max(rule[0], text[0])
    return top < (rule[1] + rule[3]) / 2 < foot and common > 0.7 * (rule[2] - rule[0])


def _swapped(box: Box) -> Box:
    return (box[1], box[0], box[3], box[2])


def _is_rule(steep: Box, flat: list[Box], long: int) -> bool:
    """Whether a vertical line is long, or ends on a horizontal one; stems of large letters do neither."""
    if steep[3] - steep[1] >= long:
        return True
    x = (steep[0] + steep[2]) / 2
    ends = [y for x0, y0, x1, y1 in flat if x0 - 6 <= x <= x1 + 6 for y in (y0, y1)]
    return any(abs(y - end) <= 8 for y in ends for end in (steep[1], steep[3]))
