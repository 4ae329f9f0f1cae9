"""Reads session files that were spoilt in ever new ways, and tells of each that broke something.

python -m tests.fuzz --minutes 20 [--seed 1] [--keep folder]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.run import mutant, tried


def main() -> None:
    options = _options()
    keep = Path(options.keep)
    end, seed = time.monotonic() + options.minutes * 60, options.seed
    trials: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    broke: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            made = mutant(seed)
            outcome = tried(made, Path(folder))
            trials[made.what] += 1
            refused[made.what] += made.main in outcome.refused
            for fault in outcome.faults:
                broke[fault] += 1
                if broke[fault] == 1:
                    _keep(keep / f"seed-{seed}", made.files)
                    _say(f"seed {seed} ({made.seed}, {made.what}): {fault}")
            seed += 1
    whole = sum(refused.values())
    _say(f"{sum(trials.values())} spoilt files, {sum(broke.values())} faults of {len(broke)} kinds,")
    _say(f"{whole} refused whole ({100 * whole / max(sum(trials.values()), 1):.1f} %):")
    for what, number in sorted(refused.items(), key=lambda item: -item[1]):
        _say(f"  {what}: {number} of {trials[what]}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--keep", default="fuzz-out", help="a folder for the files that broke something")
    return parser.parse_args()


def _keep(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


main()
