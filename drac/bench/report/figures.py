"""Figures as SVG: scatter with a front, ranges of sizes, effects with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from drac.bench.report.effects import Effect
from drac.bench.report.pareto import front
from drac.evaluate.report.charts import colour

_WIDTH, _LEFT, _RIGHT, _TOP = 860.0, 60.0, 20.0, 14.0
_HEIGHT, _ROW = 300.0, 22.0
_NAMES = 330.0
"""Width of the names at the left of a figure with one row a configuration."""


def scatter(points: Sequence[tuple[str, float, float]], across: str, up: str) -> str:
    """(name, cost, quality) of each configuration, the Pareto front as a line."""
    xs, ys = _span([x for _, x, _ in points], 0.0), _span([y for _, _, y in points], None)
    place = [(_x(x, xs), _y(y, ys)) for _, x, y in points]
    kept = front([(x, y) for _, x, y in points])
    path = " ".join(f"{place[n][0]:.1f},{place[n][1]:.1f}" for n in kept)
    parts = [_frame(xs, ys, across, up)]
    parts.append(f'<polyline fill="none" stroke="#999" stroke-dasharray="5 4" points="{path}"/>')
    for number, ((name, x, y), (left, top)) in enumerate(zip(points, place, strict=True)):
        title = f"<title>{escape(name)}: {y:.4f} at {x:,.6g}</title>"
        size = 6 if number in kept else 4
        parts.append(
            f'<circle cx="{left:.1f}" cy="{top:.1f}" r="{size}" fill="{colour(number)}">{title}</circle>'
        )
    parts += [_text(place[n][0] + 8, place[n][1] - 6, points[n][0], "start") for n in kept]
    return _svg(parts, _TOP + _HEIGHT + 44)


def ranges(sizes: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Words of the chunks of each configuration: 5 % to 95 %, the middle half, the median."""
    bounds = [np.quantile(some or [0], [0.05, 0.25, 0.5, 0.75, 0.95]) for _, some in sizes]
    most = max(1.0, *(float(one[4]) for one in bounds))
    bottom = _TOP + _ROW * len(sizes)
    parts = [_scale(0.0, most, bottom, "words a chunk")]
    for number, ((name, some), one) in enumerate(zip(sizes, bounds, strict=True)):
        middle = _TOP + _ROW * (number + 0.5)
        at = [_across(float(value), 0.0, most) for value in one]
        title = f"<title>{escape(name)}: {len(some):,} chunks, median {one[2]:.0f} words</title>"
        parts.append(_text(_NAMES - 8, middle + 4, name, "end"))
        parts.append(f'<line x1="{at[0]:.1f}" x2="{at[4]:.1f}" y1="{middle}" y2="{middle}" stroke="#888"/>')
        parts.append(
            f'<rect x="{at[1]:.1f}" width="{max(1.0, at[3] - at[1]):.1f}" y="{middle - 6}" height="12" '
            f'fill="{colour(0)}">{title}</rect>'
        )
        parts.append(
            f'<line x1="{at[2]:.1f}" x2="{at[2]:.1f}" y1="{middle - 6}" y2="{middle + 6}" stroke="#fff"/>'
        )
    return _svg(parts, bottom + 40)


def intervals(found: Sequence[Effect], measure: str) -> str:
    """Each choice's difference with its 95 % interval; 0 is the axis's first choice."""
    values = [0.0, *(value for one in found for value in (one.difference.low, one.difference.high))]
    low, high = min(values), max(values) if max(values) > min(values) else min(values) + 1.0
    bottom = _TOP + _ROW * len(found)
    zero = _across(0.0, low, high)
    parts = [_scale(low, high, bottom, f"difference in {measure}")]
    parts.append(f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="{_TOP}" y2="{bottom}" stroke="#444"/>')
    for number, one in enumerate(found):
        middle, difference = _TOP + _ROW * (number + 0.5), one.difference
        ends = [_across(value, low, high) for value in (difference.low, difference.high)]
        sure = difference.low > 0 or difference.high < 0
        ink = colour(0) if sure else "#999"
        parts.append(_text(_NAMES - 8, middle + 4, f"{one.choice} vs {one.base}", "end"))
        line = f'x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{middle}" y2="{middle}"'
        parts.append(f'<line {line} stroke="{ink}" stroke-width="3"/>')
        title = f"<title>{difference.mean:+.4f}, p = {difference.p:.4f}</title>"
        x = _across(difference.mean, low, high)
        parts.append(f'<circle cx="{x:.1f}" cy="{middle}" r="5" fill="{ink}">{title}</circle>')
    return _svg(parts, bottom + 40)


def _span(values: Sequence[float], low: float | None) -> tuple[float, float]:
    """A little more than the values take; from `low` where given."""
    least, most = min(values), max(values)
    room = 0.06 * (most - least) or 0.05 * abs(most) or 1.0
    return (least - room if low is None else low), most + room


def _x(value: float, span: tuple[float, float]) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - span[0]) / (span[1] - span[0])


def _y(value: float, span: tuple[float, float]) -> float:
    return _TOP + _HEIGHT * (1.0 - (value - span[0]) / (span[1] - span[0]))


def _across(value: float, low: float, high: float) -> float:
    return _NAMES + (_WIDTH - _NAMES - _RIGHT) * (value - low) / (high - low)


def _frame(xs: tuple[float, float], ys: tuple[float, float], across: str, up: str) -> str:
    bottom, parts = _TOP + _HEIGHT, []
    for value in np.linspace(*ys, 6):
        y = _y(float(value), ys)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{value:.3f}", "end"))
    ticks = (float(value) for value in np.linspace(*xs, 6))
    parts += [_text(_x(value, xs), bottom + 16, f"{value:,.4g}", "middle") for value in ticks]
    parts.append(_text((_LEFT + _WIDTH) / 2, bottom + 36, f"{across} (across), {up} (up)", "middle"))
    return "".join(parts)


def _scale(low: float, high: float, bottom: float, unit: str) -> str:
    parts = []
    for value in np.linspace(low, high, 6):
        x = _across(float(value), low, high)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}" stroke="#eee"/>')
        parts.append(_text(x, bottom + 14, f"{value:.3g}", "middle"))
    parts.append(_text((_NAMES + _WIDTH) / 2, bottom + 32, unit, "middle"))
    return "".join(parts)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(parts: Sequence[str], height: float) -> str:
    head = 'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11"'
    return (
        f'<svg {head} viewBox="0 0 {_WIDTH:.0f} {height:.0f}" role="img" width="100%">{"".join(parts)}</svg>'
    )
