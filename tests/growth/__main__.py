"""Reads files in random pieces, and line by line, and tells where the archive then differs from one reading.

python -m tests.growth [--rounds 20] [--seed 1] [--lines] [--made 1000] [PATH…]
python -m tests.growth --courses 500 [--seed 1]

`--courses`: sources of every format that are read while they grow, are cut, replaced, removed or locked. `--made`: so
many files that are made up, too. Each path is a session file, or the folder of one with its subagents'
files beside it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.run import seeds_of
from tests.growth.courses import differences_of_course, random_course
from tests.growth.growth import (
    cuts_at,
    cuts_by_line,
    differences,
    grow,
    jsonl,
    play_and_compare,
    read_in_pieces,
    renamed,
)
from tests.growth.made import OpencodeStep, copilot_logs, gemini_logs, opencode_steps, pi_files, talks, vscode_logs

MOST_LINES = 400  # of a file that is read line by line


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.growth", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", action="store_true", help="line by line as well")
    parser.add_argument("--made", type=int, default=0)
    parser.add_argument("--courses", type=int, default=0, help="courses of the sources of every format")
    given = parser.parse_args()
    if given.courses:
        return _try_courses(given.courses, given.seed)
    if given.made:
        _try_made(given.made)
    random, bad = Random(given.seed), 0
    for path in _files(given.paths):
        files = _with_parts(path)
        with tempfile.TemporaryDirectory() as folder:
            expected = read_in_pieces(Path(folder, "whole"), files, [])
            courses = [cuts_at(files, random, random.randint(1, 4)) for _ in range(given.rounds)]
            if given.lines and path.read_bytes().count(b"\n") <= MOST_LINES:
                courses.append(list(cuts_by_line(files)))
            for at, cuts in enumerate(courses):
                worth = random.choice((1, 256 << 10))
                found = read_in_pieces(Path(folder, str(at)), files, cuts, worth=worth)
                told = differences(found, expected)
                if told:
                    bad += 1
                    sys.stdout.write(f"{path} in {str(cuts)[:300]}, worth {worth}:\n")
                    sys.stdout.writelines(f"  {line}\n" for line in told)
        sys.stdout.write(f"{path.name}: {len(courses)} ways\n")
        sys.stdout.flush()
    sys.stdout.write(f"{bad} differ\n")
    return 1 if bad else 0


def _try_courses(count: int, first: int) -> int:
    """Try courses of six steps, the sources one after the other; return whether one ended otherwise."""
    bad, sources = 0, seeds_of()
    for number in range(first, first + count):
        random = Random(number)
        seed, course = sources[number % len(sources)], random_course(random, 6)
        told = differences_of_course(seed.files, random, course)
        bad += bool(told)
        sys.stdout.writelines(f"{number} ({seed.name}, {', '.join(course)}): {line}\n" for line in told[:2])
        sys.stdout.flush()
    sys.stdout.write(f"{count} courses, {bad} differ\n")
    return 1 if bad else 0


def _try_made(count: int) -> None:
    """Try made-up files. Raises AssertionError with the smallest file that breaks the rule."""

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        st.one_of(pi_files(), talks().map(jsonl), gemini_logs(), copilot_logs(), vscode_logs()),
        talks().map(jsonl),
        st.randoms(use_true_random=False),
    )
    def one(main: bytes, part: bytes, random: Random) -> None:
        files = {"s.jsonl": main, "s/subagents/agent-7.jsonl": renamed(part)}
        assert grow(files, cuts_at(files, random, random.randint(1, 4))) == []

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(opencode_steps(), st.sets(st.integers(0, 13)))
    def other(steps: list[OpencodeStep], readings: set[int]) -> None:
        assert play_and_compare(steps, readings) == []

    one()
    other()


def _files(paths: list[Path]) -> list[Path]:
    found = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.jsonl")))]
    return [file for file in found if "subagents" not in file.parts]


def _with_parts(path: Path) -> dict[str, bytes]:
    beside = path.with_suffix("")
    parts = sorted(file for file in beside.rglob("*") if file.is_file()) if beside.is_dir() else []
    return {str(file.relative_to(path.parent)): file.read_bytes() for file in (path, *parts)}


if __name__ == "__main__":
    sys.exit(main())
