"""Chats for very many turns with tools and tells what the server refused, and what a turn took.

python -m tests.marathon --turns 1000 [--window 32000] [--api openai-chat] [--unknown] [--seed 1]
    [--minutes 15] [--summariser model]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from math import inf
from pathlib import Path
from statistics import mean, median

from tests.marathon.marathon import MODELS, Course, Figures, run, server_apart

PARTS = 3  # the most requests of one summary: a request takes at least a third of a context at its trigger
STRETCH = 100  # turns of one line of the report


def main() -> int:
    course = _course()
    with tempfile.TemporaryDirectory() as folder, server_apart(course) as url:
        figures = run(course, Path(folder), url, _tell)
    kinds = ", ".join(f"{kind} {count}" for kind, count in figures.kinds.items() if count)
    _say(f"entries: {kinds}")
    for name, value in figures.tally.items():
        _say(f"{name}: {value}")
    _say(f"turns: {len(figures.cpu)}")
    measured = {"processor, ms": [1000 * cpu for cpu in figures.cpu], "memory, MB": figures.memory}
    for name, values in measured.items():
        part = min(500, len(values) // 2)
        first, last = mean(values[:part]), mean(values[-part:])
        _say(f"{name}: first {part} turns {first:.0f}, last {last:.0f} ({last / first:.2f})")
    least = figures.kinds["compaction"] if course.summariser == "model" else 0
    most = PARTS * least
    _say(f"paid summaries: {figures.tally['summaries']}, predicted {least} to {most}")
    _say(f"problems: {len(figures.problems)}")
    for problem in figures.problems[:20]:
        _say(f"  {problem}")
    tally = figures.tally
    lost = tally["violations"] or tally["over the window"] or tally["constraints lost"]
    return 1 if lost or not least <= tally["summaries"] <= most or figures.problems else 0


def _course() -> Course:
    parser = argparse.ArgumentParser(prog="python -m tests.marathon", description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--window", type=int, default=32_000, help="of the model, in tokens")
    parser.add_argument("--api", choices=tuple(MODELS), default="anthropic")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=inf, help="ends the marathon earlier")
    parser.add_argument("--summariser", choices=("digest", "model"), default="digest")
    parser.add_argument("--unknown", action="store_true", help="nobody tells the window, but for refusals")
    given = parser.parse_args()
    return Course(
        turns=given.turns, window=given.window, api=given.api, seed=given.seed, known=not given.unknown,
        minutes=given.minutes, summariser=given.summariser,
    )  # fmt: skip


def _tell(turn: int, figures: Figures) -> None:
    if (turn + 1) % STRETCH == 0:
        cpu, wall = median(figures.cpu[-STRETCH:]) * 1000, median(figures.wall[-STRETCH:]) * 1000
        _say(
            f"turn {turn + 1}: {cpu:.0f} ms of the processor, {wall:.0f} ms by the clock; {figures.memory[-1]:.0f} MB"
        )


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
