"""The curves of a marathon as an SVG: one small chart per measure, turns from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _LOW = 720, 170, 52, 150, 30, 26
_COLOURS = ("#2563c9", "#c2410c", "#15803d")


@dataclass(frozen=True, slots=True)
class Chart:
    """A title with the unit, and the lines by name: (turn, value) from left to right."""

    title: str
    lines: dict[str, Sequence[tuple[int, float]]]


def draw(charts: Sequence[Chart], path: Path) -> None:
    """Write the charts, one below the other. Each begins at 0."""
    height = _HEIGHT * len(charts)
    drawn = "".join(
        f'<g transform="translate(0 {_HEIGHT * at})">{_drawn(chart)}</g>' for at, chart in enumerate(charts)
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" '
        f'font-size="11"><rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>{drawn}</svg>\n',
        encoding="utf-8",
    )


def _drawn(chart: Chart) -> str:
    values = [value for points in chart.lines.values() for _, value in points]
    turns = max(turn for points in chart.lines.values() for turn, _ in points)
    top = max(values) * 1.15 or 1.0
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _LOW

    def x(turn: int) -> float:
        return _LEFT + turn / turns * wide

    def y(value: float) -> float:
        return _TOP + high - value / top * high

    out = [f'<text x="{_LEFT}" y="18" font-size="13">{chart.title}</text>']
    for share in (0.0, 0.5, 1.0):
        at = max(values) * share
        out.append(f'<path d="M{_LEFT} {y(at):.1f}h{wide}" stroke="#d4d4d8"/>')
        out.append(f'<text x="{_LEFT - 6}" y="{y(at) + 4:.1f}" text-anchor="end">{at:,.0f}</text>')
        turn = round(turns * share)
        out.append(f'<text x="{x(turn):.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{turn:,}</text>')
    for place, colour, (name, points) in zip(
        _apart([y(points[-1][1]) for points in chart.lines.values()]), _COLOURS, chart.lines.items(), strict=False
    ):
        line = " ".join(f"{x(turn):.1f},{y(value):.1f}" for turn, value in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = f"{name} {points[-1][1]:,.0f}"
        out.append(f'<text x="{x(turns) + 6:.1f}" y="{place + 4:.1f}" fill="{colour}">{label}</text>')
    return "".join(out)


def _apart(places: Sequence[float]) -> list[float]:
    """The places of labels, moved down where they would cover one another."""
    order = sorted(range(len(places)), key=places.__getitem__)
    out = list(places)
    for above, below in pairwise(order):
        out[below] = max(out[below], out[above] + 13)
    return out
