"""Reads session files that were spoilt in ever new ways, and tells of each that broke something.

python -m tests.fuzz --minutes 20 [--seed 1] [--keep FOLDER]      any format, read, imported and written out
python -m tests.fuzz --each 10000 [--formats pi,zed] [--keep FOLDER]   so many spoilt files of each format

With `--each`, one file in 50 is imported and written out as well; the others are only read, which is the part that
differs between formats.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from stemmata.formats.registry import FORMATS
from tests.fuzz.run import Mutant, mutant, read, tried
from tests.fuzz.trial import Outcome

WHOLE = 50  # of so many spoilt files one is imported as well


@dataclass
class Tally:
    """What became of many spoilt files."""

    keep: Path
    files: int = 0
    whole: int = 0
    entries: int = 0
    skipped: int = 0
    good: int = 0
    lost: int = 0
    slowest: float = 0
    refused: Counter[str] = field(default_factory=Counter)
    trials: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, made: Mutant, outcome: Outcome, *, whole: bool) -> None:
        self.files += 1
        self.whole += whole
        self.entries += outcome.entries
        self.skipped += outcome.skipped
        self.good += outcome.good
        self.lost += outcome.lost
        self.slowest = max(self.slowest, outcome.slowest)
        self.trials[made.what] += 1
        self.refused[made.what] += made.main in outcome.refused
        for fault in outcome.faults:
            self.faults[fault] += 1
            if self.faults[fault] == 1:
                _keep(self.keep / f"seed-{made.number}-{made.seed.replace(' ', '-')}", made.files)
                _say(f"seed {made.number} ({made.seed}, {made.what}): {fault}")


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        if options.each:
            return _by_format(options, Path(folder))
        return _for_a_time(options, Path(folder))


def _for_a_time(options: argparse.Namespace, folder: Path) -> int:
    end, seed, tally = time.monotonic() + options.minutes * 60, options.seed, Tally(Path(options.keep))
    while time.monotonic() < end:
        made = mutant(seed)
        tally.add(made, tried(made, folder), whole=True)
        seed += 1
    refused = tally.refused.total()
    _say(f"{tally.files} spoilt files, {tally.faults.total()} faults of {len(tally.faults)} kinds,")
    _say(f"{refused} refused whole ({100 * refused / max(tally.files, 1):.1f} %):")
    for what, number in sorted(tally.refused.items(), key=lambda item: -item[1]):
        _say(f"  {what}: {number} of {tally.trials[what]}")
    return 1 if tally.faults else 0


def _by_format(options: argparse.Namespace, folder: Path) -> int:
    names = options.formats.split(",") if options.formats else [one.name for one in FORMATS if one.reader is not None]
    out = [
        "| format | spoilt files | refused | entries | skipped | good records | lost, reported | faults | slowest |"
    ]
    out.append("|" + "---|" * 9)
    faults = 0
    for name in names:
        tally = Tally(Path(options.keep))
        for seed in range(options.seed, options.seed + options.each):
            made, whole = mutant(seed, name), seed % WHOLE == 0
            tally.add(made, (tried if whole else read)(made, folder), whole=whole)
        faults += len(tally.faults)
        out.append(
            f"| {name} | {tally.files:,} ({tally.whole:,} imported) | {tally.refused.total():,} | {tally.entries:,}"
            f" | {tally.skipped:,} | {tally.good:,} | {tally.lost:,} | {len(tally.faults)} | {tally.slowest:.2f} s |"
        )
        _say(out[-1])
    _say("\n".join(["", *out]))
    return 1 if faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--each", type=int, default=0, help="spoilt files of each format")
    parser.add_argument("--formats", default="", help="names of formats, with commas between them")
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


if __name__ == "__main__":
    sys.exit(main())
