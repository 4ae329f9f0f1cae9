"""SIGKILL of windows and command lines while a reply is shown: what stood on the screen for a second is stored.

`python -m tests.faults.stream_kills --kills 100 window command` prints how many words were shown and lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stemmata.bootstrap.core import open_core
from stemmata.system.settings.settings import load
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import connect
from tests.fakes.script import Break, Call, Reply, Say, Think
from tests.faults.streaming_child import last_replies

ROOT = Path(__file__).parents[2]
MODEL = "claude-sonnet-5-5"
SECOND = 1.0  # what was shown for longer than this must be stored


def words(mark: str, count: int) -> str:
    """Each of them tells where it stood."""
    return " ".join(f"{mark}{at:05}" for at in range(count))


THOUGHT, TEXT, ARGUMENT = words("think", 60), words("word", 3000), words("argument", 3000)


@dataclass
class Tally:
    """Counts of shown words by age; `lost` words were not in the archive afterwards."""

    kills: int = 0
    shown: int = 0
    lost: int = 0
    lost_late: int = 0  # of those that were shown for more than a second
    problems: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.kills += other.kills
        self.shown += other.shown
        self.lost += other.lost
        self.lost_late += other.lost_late
        self.problems += other.problems

    def __str__(self) -> str:
        share = 100 * self.lost / self.shown if self.shown else 0.0
        return (
            f"{self.kills} kills, {self.shown} words shown, {self.lost} lost ({share:.1f} %), "
            f"{self.lost_late} of them shown for more than a second, {len(self.problems)} problems"
        )


def talker(chance: random.Random, *, only_text: bool) -> Any:
    """Return replies of different speed and kind; half of them stall somewhere."""

    def talks(_payload: Mapping[str, Any]) -> Reply:
        breaks = Break("stall", after=chance.randrange(1, 120)) if chance.random() < 0.5 else None
        kinds = [(Say(TEXT),)] if only_text else [
            (Say(TEXT),), (Think(THOUGHT), Say(TEXT)), (Think(THOUGHT * 50),),
            (Say("word00000 word00001"), Call("look", {"at": ARGUMENT})),
        ]  # fmt: skip
        piece = chance.choice((3, 12, 60))
        return Reply(blocks=chance.choice(kinds), piece=piece, delay=chance.choice((0.01, 0.03, 0.1)), breaks=breaks)

    return talks


@contextmanager
def child() -> Iterator[subprocess.Popen[str]]:
    more = {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}", "QT_QPA_PLATFORM": "offscreen",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}  # fmt: skip
    run = [sys.executable, "-m", "tests.faults.streaming_child"]
    with subprocess.Popen(
        run, env=os.environ | more, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def lived(process: subprocess.Popen[str], kind: str, folder: Path, seconds: float) -> list[dict[str, Any]]:
    """Return the output of a process that was killed some seconds after the first word."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{kind}\t{folder}\t{seconds}\n")
    process.stdin.flush()
    out: list[dict[str, Any]] = []
    for line in process.stdout:
        out.append(json.loads(line))
        if "gone" in out[-1]:
            return out
    raise RuntimeError("the processes are gone")


def tally(told: list[dict[str, Any]], replies: list[list[str]], server_texts: str) -> Tally:
    """Compare the shown words of one process with the replies in the archive afterwards."""
    killed = next(line["killed"] for line in told if "killed" in line)
    shown = [line for line in told if "shown" in line and line["at"] <= killed]
    late = [line for line in shown if line["at"] < killed - SECOND]
    out = Tally(kills=1)
    if shown:
        out.shown, out.lost = _missing(shown[-1]["shown"], replies)
    if late:
        _, out.lost_late = _missing(late[-1]["shown"], replies)
    if out.lost_late:
        out.problems.append(f"{late[-1]} of {server_texts}: stored {[[len(text) for text in r] for r in replies]}")
    return out


def _missing(shown: list[Any], replies: list[list[str]]) -> tuple[int, int]:
    """Return (words shown, words of these that are not stored); a word has about nine characters."""
    total = missing = 0
    for step, sizes in shown:
        for at, size in enumerate(sizes):
            text = replies[step][at] if step < len(replies) and at < len(replies[step]) else ""
            total += -(-size // 10)
            missing += -(-max(size - len(text), 0) // 10)
    return total, missing


def kill(kind: str, kills: int, seed: int, longest: float = 4.0) -> Tally:
    """Run and kill a number of processes on one profile."""
    chance, out = random.Random(seed), Tally()
    with (
        tempfile.TemporaryDirectory(prefix="stemmata-kills-") as place,
        AnthropicServer(talks=talker(chance, only_text=kind == "command")) as server,
        child() as process,
    ):
        folder = Path(place)
        (folder / "config").mkdir()
        connect(folder / "config", server.url, MODEL)
        before: list[dict[str, Any]] = []
        for life in range(kills + (kind == "window")):
            told = lived(process, kind, folder, chance.uniform(0.2, longest) if life < kills else 0.0)
            if kind == "command":
                out.add(_tallied_in_archive(told, folder))
            elif before:
                out.add(_tallied_by_window(before, told))
            before = told
    return out


def _tallied_by_window(before: list[dict[str, Any]], told: list[dict[str, Any]]) -> Tally:
    """Return the tally that the next window makes of the process before."""
    found = next((line for line in told if "replies" in line), None)
    if found is None:
        raise RuntimeError("the window did not come up")
    out = tally(before, found["replies"], "a window")
    out.problems += found["problems"]
    if "retry" not in found["offers"]:
        out.problems.append(f"offers: {found['offers']}")
    return out


def _tallied_in_archive(told: list[dict[str, Any]], folder: Path) -> Tally:
    core = open_core(folder / "data" / "archive.db", load(folder / "config" / "settings.toml"), folder)
    try:
        core.services.recover().result()
        session = core.services.sessions.all().result()[0].key
        out = tally(told, last_replies(core.services, session), "a command")
        out.problems += [str(problem) for problem in core.services.sessions.check().result()]
        return out
    finally:
        core.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill processes while they show a reply; count the lost words.")
    parser.add_argument("kinds", nargs="*", choices=["window", "command", []], help="what is killed; both by default")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--beside", type=int, default=3, help="processes at a time")
    chosen = parser.parse_args()
    bad = False
    for kind in chosen.kinds or ("window", "command"):
        out, each = Tally(), -(-chosen.kills // chosen.beside)
        seeds = range(chosen.seed, chosen.seed + chosen.beside)
        with ThreadPoolExecutor(chosen.beside) as pool:
            for part in pool.map(kill, [kind] * chosen.beside, [each] * chosen.beside, seeds):
                out.add(part)
        sys.stdout.write(f"{kind}, seed {chosen.seed}: {out}\n" + "".join(f"  {text}\n" for text in out.problems[:9]))
        bad = bad or bool(out.problems)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
