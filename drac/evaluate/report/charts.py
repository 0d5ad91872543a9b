"""Bar and line charts as inline SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#3b6fb6", "#d9822b", "#4d9a5b", "#b0413e", "#7a5ba6", "#7d6b5d", "#c46a9f", "#6b7b8c")
"""One a system, in order; they repeat."""
_WIDTH, _LEFT, _TOP, _PLOT = 860, 46, 14, 220


def colour(number: int) -> str:
    """Of the system with this 0-based number."""
    return COLOURS[number % len(COLOURS)]


def bars(groups: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> str:
    """A group of bars for each of `groups`, a bar a series; values are 0.0 to 1.0, None leaves a gap."""
    slot = (_WIDTH - _LEFT) / max(1, len(groups))
    width = min(26.0, slot * 0.8 / max(1, len(series)))
    parts = [_axis()]
    for place, group in enumerate(groups):
        middle = _LEFT + slot * (place + 0.5)
        start = middle - width * len(series) / 2
        for number, (name, values) in enumerate(series.items()):
            if (value := values[place]) is not None:
                parts.append(_bar(start + number * width, width, value, number, f"{group}, {name}"))
        parts.append(_text(middle, _TOP + _PLOT + 16, group, "middle"))
    return _svg(parts)


def lines(points: Sequence[float], series: Mapping[str, Sequence[float]], unit: str) -> str:
    """A line a series over `points` (ascending, from above 0); values are 0.0 to 1.0."""
    most = max(points)
    places = [_LEFT + (_WIDTH - _LEFT - 20) * point / most for point in points]
    parts = [_axis()]
    for place, point in zip(places, points, strict=True):
        parts.append(_text(place, _TOP + _PLOT + 16, f"{point:g} {unit}".strip(), "middle"))
    for number, (name, values) in enumerate(series.items()):
        marks = [(place, _height(value)) for place, value in zip(places, values, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in marks)
        parts.append(f'<polyline fill="none" stroke="{colour(number)}" stroke-width="2" points="{path}"/>')
        for (x, y), value in zip(marks, values, strict=True):
            title = f"<title>{escape(name)}: {value:.4f}</title>"
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour(number)}">{title}</circle>'
            )
    return _svg(parts)


def legend(names: Sequence[str]) -> str:
    """The systems' colours."""
    items = (
        f'<span class="key"><i style="background:{colour(number)}"></i>{escape(name)}</span>'
        for number, name in enumerate(names)
    )
    return f'<p class="legend">{"".join(items)}</p>'


def _svg(parts: Sequence[str]) -> str:
    size = f"0 0 {_WIDTH} {_TOP + _PLOT + 26}"
    return f'<svg viewBox="{size}" role="img" width="100%">{"".join(parts)}</svg>'


def _axis() -> str:
    drawn = []
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _height(value)
        drawn.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        drawn.append(_text(_LEFT - 6, y + 4, f"{value:g}", "end"))
    return "".join(drawn)


def _bar(x: float, width: float, value: float, number: int, name: str) -> str:
    top = _height(value)
    title = f"<title>{escape(name)}: {value:.4f}</title>"
    place = f'x="{x:.1f}" y="{top:.1f}" width="{width - 1:.1f}" height="{_height(0.0) - top:.1f}"'
    return f'<rect {place} fill="{colour(number)}">{title}</rect>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _height(value: float) -> float:
    return _TOP + _PLOT * (1.0 - min(max(value, 0.0), 1.0))
