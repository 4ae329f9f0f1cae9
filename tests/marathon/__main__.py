"""Chats for very many turns with tools and tells what the server refused, and what a turn took.

python -m tests.marathon --turns 1000 [--window 32000] [--api openai-chat] [--unknown] [--seed 1]
    [--minutes 15] [--summariser model] [--draw curves.svg]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from math import inf
from pathlib import Path
from statistics import mean

from tests.marathon.drawing import Chart, draw
from tests.marathon.marathon import MODELS, STRETCH, Course, Figures, run, server_apart

COMPARED = 500  # turns at the beginning and at the end that are compared
MOST_GROWTH = 1.25  # the last of them ÷ the first


def main() -> int:
    course, drawing = _course()
    with tempfile.TemporaryDirectory() as folder, server_apart(course) as url:
        figures = run(course, Path(folder), url, _tell)
    kinds = ", ".join(f"{kind} {count}" for kind, count in figures.kinds.items() if count)
    _say(f"entries: {kinds}")
    for name, value in figures.tally.items():
        _say(f"{name}: {value}")
    _say(f"turns: {len(figures.cpu)}")
    grown = _grown(figures)
    paid, tally = figures.tally["summaries"], figures.tally
    _say(f"paid summaries: {paid}, predicted {figures.predicted}; failed compactions: {figures.failed}")
    _say(f"problems: {len(figures.problems)}")
    for problem in figures.problems[:20]:
        _say(f"  {problem}")
    if drawing is not None and figures.points:
        draw(_charts(course, figures), drawing)
    lost = tally["violations"] or tally["over the window"] or tally["without an early constraint"]
    return 1 if lost or grown or figures.failed or paid != figures.predicted or figures.problems else 0


def _grown(figures: Figures) -> bool:
    """Report the cost of the last turns in relation to the first, and whether it is too high."""
    measured = {"processor, ms": [1000 * cpu for cpu in figures.cpu], "memory, MB": figures.memory}
    grown = False
    for name, values in measured.items():
        part = min(COMPARED, len(values) // 2)
        first, last = mean(values[:part]), mean(values[-part:])
        _say(f"{name}: first {part} turns {first:.0f}, last {last:.0f} ({last / first:.2f})")
        grown |= part == COMPARED and last > MOST_GROWTH * first
    return grown


def _charts(course: Course, figures: Figures) -> list[Chart]:
    points = figures.points
    about = f"{len(figures.cpu):,} turns, window of {course.window:,} tokens, {course.summariser}"
    return [
        Chart(f"Processor time of a turn, ms, median of {STRETCH} turns ({about})",
              {"processor": [(point.turn, point.cpu) for point in points]}),
        Chart("Memory, MB", {
            "resident": [(point.turn, point.memory) for point in points],
            "C heap, used": [(point.turn, point.heap.used) for point in points],
            "C heap, free": [(point.turn, point.heap.free) for point in points],
        }),
        Chart("Constraints of the user, told and word for word in the last request", {
            "told": [(point.turn, point.constraints) for point in points],
            "in the request": [(point.turn, point.kept) for point in points],
        }),
    ]  # fmt: skip


def _course() -> tuple[Course, Path | None]:
    parser = argparse.ArgumentParser(prog="python -m tests.marathon", description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--window", type=int, default=32_000, help="of the model, in tokens")
    parser.add_argument("--api", choices=tuple(MODELS), default="anthropic")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=inf, help="ends the marathon earlier")
    parser.add_argument("--summariser", choices=("digest", "model"), default="digest")
    parser.add_argument("--unknown", action="store_true", help="nobody tells the window, but for refusals")
    parser.add_argument("--draw", type=Path, help="file for the curves, an SVG")
    given = parser.parse_args()
    course = Course(
        turns=given.turns, window=given.window, api=given.api, seed=given.seed, known=not given.unknown,
        minutes=given.minutes, summariser=given.summariser,
    )  # fmt: skip
    return course, given.draw


def _tell(turn: int, figures: Figures) -> None:
    if (turn + 1) % STRETCH == 0:
        point = figures.points[-1]
        _say(
            f"turn {point.turn}: {point.cpu:.0f} ms of the processor, {point.wall:.0f} ms by the clock; "
            f"{point.memory:.0f} MB, C heap {point.heap.used:.0f} + {point.heap.free:.0f} MB, "
            f"{point.heap.blocks:,} blocks of Python; constraints {point.kept} of {point.constraints}"
        )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
