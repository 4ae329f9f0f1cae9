"""Faults of servers with ever new seeds: `python -m tests.faults --minutes 60`, or `--seed 104` for one alone."""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.chance import played


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--seed", type=int, default=None, help="this one alone")
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    seed, end, broken = (
        options.first if options.seed is None else options.seed,
        time.monotonic() + options.minutes * 60,
        [],
    )
    while True:
        with tempfile.TemporaryDirectory() as folder:
            try:
                played(seed, Path(folder))
            except Exception as error:  # noqa: BLE001 - each is told, and the next one played
                broken.append(seed)
                sys.stdout.write(f"seed {seed}: {type(error).__name__}: {error}\n")
        if options.seed is not None or time.monotonic() > end:
            break
        seed += 1
    sys.stdout.write(
        f"{seed - (options.first if options.seed is None else seed) + 1} played, broken: {broken or 'none'}\n"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
