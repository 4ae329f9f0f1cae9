"""Lets monkeys at the window one after another and tells of each whose steps broke something, as few as will do.

python -m tests.monkey --minutes 20 [--seed 100] [--steps 400] [--platform xcb] [--keep folder]
python -m tests.monkey --shorten steps.jsonl
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = "tests/journeys/test_monkey.py"
LONGEST = 900  # seconds a run may take
TRIES = 2  # a fault that does not come again every time


def main() -> None:
    options = _options()
    keep = Path(options.keep)
    keep.mkdir(parents=True, exist_ok=True)
    if options.shorten:
        _shorten(Path(options.shorten), options.platform)
        return
    end, seed, broke = time.monotonic() + options.minutes * 60, options.seed, 0
    while time.monotonic() < end:
        told = keep / f"seed-{seed}.jsonl"
        output = _played(told, options.platform, MONKEY_SEED=str(seed), MONKEY_STEPS=str(options.steps))
        if output:
            broke += 1
            (keep / f"seed-{seed}.txt").write_text(output, encoding="utf-8")
            _say(f"seed {seed}: {_gist(output)}; steps in {told}")
        else:
            told.unlink(missing_ok=True)
            _say(f"seed {seed}: all is well")
        seed += 1
    _say(f"{broke} of {seed - options.seed} seeds broke something")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.monkey", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=100, help="the first one")
    parser.add_argument("--steps", type=int, default=400, help="of one seed")
    parser.add_argument("--platform", default="offscreen", help="of Qt; xcb needs a display")
    parser.add_argument("--keep", default="/tmp/monkey", help="a folder for what broke")
    parser.add_argument("--shorten", default="", help="a file of steps to make shorter")
    return parser.parse_args()


def _played(told: Path, platform: str, **settings: str) -> str:
    """Return the output of the test when it failed, "" when it did not."""
    environment = os.environ | settings | {"MONKEY_TOLD": str(told), "TEST_PLATFORM": platform}
    environment.setdefault("MONKEY_SLOWEST", "0.25")
    command = [sys.executable, "-X", "faulthandler", "-m", "pytest", TEST, "-q", "-n", "0", "-p", "no:randomly"]
    command += ["-o", "faulthandler_timeout=0", "--tb=short"]
    try:
        ran = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", timeout=LONGEST
        )
    except subprocess.TimeoutExpired as late:
        return f"no end after {LONGEST} seconds\n{late.stdout!r}"
    return "" if ran.returncode == 0 else f"exit status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"


def _gist(output: str) -> str:
    """Return the line that names the fault."""
    marks = ("FaultError: ", "Fatal Python error", "no end after", "left behind", "left running", "unexpected log")
    lines = output.splitlines()
    found = [at for at, line in enumerate(lines) if any(mark in line for mark in marks)]
    return " | ".join(line.strip() for line in lines[found[0] : found[0] + 2]) if found else lines[0]


def _shorten(path: Path, platform: str) -> None:
    """Remove parts, ever smaller ones, as long as the same fault occurs without them."""
    steps = path.read_text(encoding="utf-8").splitlines()
    trial = path.with_suffix(".trial")
    wanted = _kind(_again(steps, trial, platform))
    _say(f"to be found again: {wanted}")
    part = max(len(steps) // 2, 1)
    while wanted:
        for start in range(len(steps) - part, -1, -part):
            fewer = steps[:start] + steps[start + part :]
            if _kind(_again(fewer, trial, platform)) == wanted:
                steps = fewer
        path.with_suffix(".short").write_text("\n".join(steps) + "\n", encoding="utf-8")
        _say(f"{len(steps)} steps")
        if part == 1:
            break
        part = max(part // 2, 1)


def _kind(output: str) -> str:
    """Return the part of a fault's text that is equal in every run."""
    return "".join(character for character in _gist(output) if not character.isdigit())[:80] if output else ""


def _again(steps: list[str], trial: Path, platform: str) -> str:
    trial.write_text("\n".join(steps) + "\n", encoding="utf-8")
    for _ in range(TRIES):
        settings = {"MONKEY_FILE": str(trial), "MONKEY_SEED": "0"}
        if output := _played(trial.with_suffix(".told"), platform, **settings):
            return output
    return ""


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


main()
