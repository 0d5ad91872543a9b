"""From a page that was turned and straightened for reading, back to the page as it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from drac.records import Box, PageText


@dataclass(frozen=True, slots=True)
class Frame:
    """How a page was laid for reading: first turned by quarters, then straightened.

    Straightening keeps the page's middle in the middle and makes the sheet as large as its corners need.
    """

    width: float
    """Points of the page as shown."""
    height: float
    """Points of the page as shown."""
    turned: int = 0
    """Degrees clockwise by which it was turned: 0, 90, 180 or 270."""
    skew: float = 0.0
    """Degrees clockwise by which its lines then slanted, and by which they were straightened."""

    @property
    def turned_size(self) -> tuple[float, float]:
        """Width and height after turning."""
        return (self.height, self.width) if self.turned in (90, 270) else (self.width, self.height)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the page as it is read."""
        width, height = self.turned_size
        cos, sin = abs(math.cos(math.radians(self.skew))), abs(math.sin(math.radians(self.skew)))
        return (width * cos + height * sin, width * sin + height * cos)

    def shown(self, box: Box) -> Box:
        """A box of the page as read, on the page as shown; the smallest upright one around it."""
        if not self.turned and not self.skew:
            return box
        x0, y0, x1, y1 = box
        corners = [self._turned_back(*self._slanted(x, y)) for x in (x0, x1) for y in (y0, y1)]
        xs, ys = zip(*corners, strict=True)
        left, right = (min(max(0.0, x), self.width) for x in (min(xs), max(xs)))
        top, bottom = (min(max(0.0, y), self.height) for y in (min(ys), max(ys)))
        return (left, top, right, bottom)

    def _slanted(self, x: float, y: float) -> tuple[float, float]:
        if not self.skew:
            return x, y
        cos, sin = math.cos(math.radians(self.skew)), math.sin(math.radians(self.skew))
        (width, height), (own_width, own_height) = self.size, self.turned_size
        across, down = x - width / 2, y - height / 2
        return own_width / 2 + cos * across - sin * down, own_height / 2 + sin * across + cos * down

    def _turned_back(self, x: float, y: float) -> tuple[float, float]:
        if self.turned == 90:
            return y, self.height - x
        if self.turned == 180:
            return self.width - x, self.height - y
        if self.turned == 270:
            return self.width - y, x
        return x, y


def on_the_page_as_shown(text: PageText, frame: Frame) -> PageText:
    """The same text with its boxes on the page as shown, and with what was done to the page."""
    regions = tuple(replace(one, boxes=tuple(frame.shown(box) for box in one.boxes)) for one in text.regions)
    tables = tuple(replace(one, box=frame.shown(one.box)) for one in text.tables)
    return replace(text, regions=regions, tables=tables, turned=frame.turned, skew=frame.skew)
