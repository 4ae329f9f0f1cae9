"""Figures with their bars: printed as one table, written as JSON, and growth drawn as a curve."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, thread_time
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. `bar` is what it should be at most (or at least, where more is better), None for none."""

    area: str
    name: str
    value: float
    unit: str
    bar: float | None = None
    more_is_better: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value >= self.bar if self.more_is_better else self.value <= self.bar


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Run a function and return (milliseconds, result)."""
    start = perf_counter()
    result = work()
    return (perf_counter() - start) * 1000, result


def worked(work: Callable[[], T]) -> tuple[float, T]:
    """Run a function and return (ms that this thread was busy, result), which other programs do not lengthen."""
    start = thread_time()
    result = work()
    return (thread_time() - start) * 1000, result


def best(work: Callable[[], object], rounds: int = 5) -> float:
    """Return the least of several runs in ms, which other programs have disturbed least."""
    return min(timed(work)[0] for _ in range(rounds))


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def show(figures: Iterable[Figure]) -> None:
    for figure in figures:
        sign = ("≥" if figure.more_is_better else "≤") if figure.bar is not None else " "
        bar = "" if figure.bar is None else f"{sign} {figure.bar:g}"
        verdict = {None: "", True: "met", False: "MISSED"}[figure.met]
        line = f"{figure.area:<11} {figure.name:<52} {figure.value:>10.2f} {figure.unit:<6} {bar:<9} {verdict:<7}"
        sys.stdout.write(f"{line}{figure.note}".rstrip() + "\n")
        sys.stdout.flush()


def save(figures: Iterable[Figure], path: Path) -> None:
    rows = [asdict(figure) | {"met": figure.met} for figure in figures]
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def curve(title: str, points: Sequence[tuple[int, float]], path: Path) -> None:
    """Return milliseconds over the number of entries (logarithmic) as an SVG."""
    import math

    width, height, left, low = 640, 300, 60, 40
    top = max(value for _, value in points) * 1.15 or 1
    first, last = math.log10(points[0][0]), math.log10(points[-1][0])

    def x(count: int) -> float:
        return left + (math.log10(count) - first) / max(last - first, 1e-9) * (width - left - 20)

    def y(value: float) -> float:
        return height - low - value / top * (height - low - 30)

    line = " ".join(f"{x(count):.0f},{y(value):.0f}" for count, value in points)
    marks = "".join(
        f'<circle cx="{x(count):.0f}" cy="{y(value):.0f}" r="3"/>'
        f'<text x="{x(count):.0f}" y="{height - low + 16}" text-anchor="middle">{count:,}</text>'
        f'<text x="{x(count):.0f}" y="{y(value) - 8:.0f}" text-anchor="middle">{value:.1f}</text>'
        for count, value in points
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">'
        f'<text x="{left}" y="16" font-size="13">{title} (ms)</text>'
        f'<polyline points="{line}" fill="none" stroke="#2563c9" stroke-width="2"/>{marks}</svg>\n',
        encoding="utf-8",
    )
