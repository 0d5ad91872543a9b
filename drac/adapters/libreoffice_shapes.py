"""Where the texts of a slide are in danger to run off it, by estimate, and how they are kept inside.

Loaded by `libreoffice_bridge` into the Python that can `import uno`; it stands alone.
"""

from __future__ import annotations

import importlib
from typing import Any

_MARGIN = 300
"""1/100 mm left free at an edge."""
_POINT = 35.28
"""1/100 mm of a typographic point."""
_USUAL = 16.0
"""Points that type has at least for the estimate of how much room text takes."""
_CAREFUL = 0.8
"""Width of a character in shares of the type's size; that of common text is about half."""
_COMMON = 0.5
"""Width of a character of common text likewise."""
_LEAST_OVER = 100
"""1/100 mm by which a frame may pass the right or the upper edge."""
_GROUP = "com.sun.star.drawing.GroupShape"
_ADJUST = "com.sun.star.drawing.TextVerticalAdjust"


def bring_in(page: Any) -> None:
    """Texts that run off are reached in groups too, and run off at the lower edge and not at the others."""
    index = 0
    while index < page.getCount():
        shape = page.getByIndex(index)
        if shape.supportsService(_GROUP) and _holds_too_much(shape, page):
            page.ungroup(shape)
            continue
        if hasattr(shape, "getString") and shape.getString().strip():
            _keep_inside(shape, page)
        index += 1


def _holds_too_much(group: Any, page: Any) -> bool:
    for index in range(group.getCount()):
        shape = group.getByIndex(index)
        if shape.supportsService(_GROUP):
            too_much = _holds_too_much(shape, page)
        elif hasattr(shape, "getString") and shape.getString().strip():
            room = page.Height - shape.Position.Y - _MARGIN
            too_much = may_run_off(shape, room) or _starts_above(shape)
        else:
            too_much = False
        if too_much:
            return True
    return False


def _keep_inside(shape: Any, page: Any) -> None:
    """Text that would begin above the slide begins at its frame's upper edge; frames end at the right edge.

    What lies wholly beside the slide stays there: nobody sees it.
    """
    place, size = shape.Position, shape.Size
    if not (-size.Width < place.X < page.Width and -size.Height < place.Y < page.Height):
        return
    over = place.X + size.Width - page.Width
    if _LEAST_OVER < over < size.Width / 2 and not shape.RotateAngle:
        size.Width -= over + _MARGIN
        shape.setSize(size)
    if _starts_above(shape):
        shape.TextVerticalAdjust = importlib.import_module("uno").Enum(_ADJUST, "TOP")
        place.Y = max(0, place.Y)
        shape.setPosition(place)


def _starts_above(shape: Any) -> bool:
    """Whether its text begins, by estimate, above the slide; a frame that grows may do so on both sides."""
    share = {"CENTER": 0.5, "BOTTOM": 1.0}.get(getattr(shape.TextVerticalAdjust, "value", ""), 0.0)
    if shape.RotateAngle:
        return False
    height = _lines(shape, _COMMON) * float(shape.CharHeight or _USUAL) * _POINT * 1.2
    return bool(shape.Position.Y + share * (shape.Size.Height - height) < -_LEAST_OVER)


def may_run_off(shape: Any, room: int) -> bool:
    """Whether a careful estimate, much cheaper than to set the text, says so."""
    size = max(float(shape.CharHeight or 0.0), _USUAL) * _POINT  # where sizes differ that of the first
    return bool(_lines(shape, _CAREFUL) * size * 2.0 > room)


def _lines(shape: Any, character: float) -> int:
    """Lines of the shape's text, with characters of this width in shares of the type's size."""
    size, width = max(float(shape.CharHeight or 0.0), _USUAL) * _POINT, max(int(shape.Size.Width), 1)
    return sum(-(-int(len(line) * size * character) // width) or 1 for line in shape.getString().split("\n"))
