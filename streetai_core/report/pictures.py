"""Diagrams as inline SVG: no script, no font but the reader's own, and a text for whoever cannot see them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core.rendering import escaped
from streetai_core.report.palette import INK, LINE, MUTED

WIDTH, HEIGHT = 720, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 16, 12, 46
_TICKS = 5
_STEPS = (1, 2, 2.5, 5, 10)
"""Distances between ticks that people count in, times a power of ten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a diagram."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    label: str = ""
    """Stands in the legend; empty: not there."""
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A dot of a map."""

    name: str
    x: float
    y: float
    radius: float
    """In pixels."""
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What stands round a diagram."""

    title: str
    alt: str
    """What the diagram shows, in words."""
    x_label: str
    y_label: str
    from_zero: bool = True
    """Whether the y axis begins at 0."""


def line_chart(frame: Frame, lines: Sequence[Line]) -> str:
    """Lines over a common x axis."""
    scale = _Scale.of(
        [value for line in lines for value in line.x],
        [value for line in lines for value in line.y] + ([0.0] if frame.from_zero else []),
    )
    drawn = "".join(_line(line, scale) for line in lines if len(line.x))
    return _svg(frame, _axes(frame, scale) + drawn)


def dot_map(frame: Frame, dots: Sequence[Dot]) -> str:
    """Dots on a plane."""
    scale = _Scale.of([dot.x for dot in dots], [dot.y for dot in dots], room=0.05)
    drawn = "".join(_dot(dot, scale) for dot in dots)
    return _svg(frame, _axes(frame, scale) + drawn)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to pixels."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def of(cls, x: Sequence[float], y: Sequence[float], room: float = 0.0) -> _Scale:
        """A scale on which all values are seen; `room` is left at each side, as a share."""
        left, right = _spread(x, room)
        bottom, top = _spread(y, room)
        return cls(left, right, bottom, top)

    def x(self, value: float) -> float:
        return _LEFT + (value - self.left) / (self.right - self.left) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - _BOTTOM - (value - self.bottom) / (self.top - self.bottom) * (HEIGHT - _TOP - _BOTTOM)


def _spread(values: Sequence[float], room: float) -> tuple[float, float]:
    """Lowest and highest value; something where there is nothing to spread."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if not low < high:
        low, high = low - 0.5, high + 0.5
    margin = room * (high - low)
    return low - margin, high + margin


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers in [low, high]."""
    least = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * one for one in _STEPS if power * one >= least * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def _axes(frame: Frame, scale: _Scale) -> str:
    parts = []
    for value in ticks(scale.bottom, scale.top):
        y = scale.y(value)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" stroke="{LINE}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_short(value)}</text>')
    for value in ticks(scale.left, scale.right):
        place = f'x="{scale.x(value):.1f}" y="{HEIGHT - _BOTTOM + 18}"'
        parts.append(f'<text {place} text-anchor="middle">{_short(value)}</text>')
    middle = (HEIGHT - _BOTTOM + _TOP) / 2
    parts.append(
        f'<text x="{(WIDTH + _LEFT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escaped(frame.x_label)}</text>'
    )
    turned = f'transform="translate(14 {middle}) rotate(-90)" text-anchor="middle"'
    parts.append(f"<text {turned}>{escaped(frame.y_label)}</text>")
    return "".join(parts)


def _line(line: Line, scale: _Scale) -> str:
    points = " ".join(f"{scale.x(x):.1f},{scale.y(y):.1f}" for x, y in zip(line.x, line.y, strict=True))
    width = 1 if line.colour == MUTED and not line.label else 2
    dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="{width}"{dashes}>'
        f"<title>{escaped(line.name)}</title></polyline>"
    )


def _dot(dot: Dot, scale: _Scale) -> str:
    return (
        f'<circle cx="{scale.x(dot.x):.1f}" cy="{scale.y(dot.y):.1f}" r="{dot.radius:.1f}" fill="{dot.colour}" '
        f'fill-opacity=".75"><title>{escaped(dot.name)}</title></circle>'
    )


def _svg(frame: Frame, content: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="12" fill="{INK}">'
        f"<title>{escaped(frame.title)}</title><desc>{escaped(frame.alt)}</desc>{content}</svg>"
    )


def _short(value: float) -> str:
    """A tick's number."""
    return f"{value:,.0f}" if value == round(value) else f"{value:g}" if abs(value) >= 1 else f"{value:.3g}"
