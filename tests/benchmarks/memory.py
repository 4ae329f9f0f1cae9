"""Peak memory of reading one large file of each tool again in all its states, and of checking and exporting it.

Every step runs in a process of its own, on the archive that the steps before it left.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from tests.benchmarks.corpus import Shape, write_claude_code_session, write_session
from tests.benchmarks.report import Figure

ROOT = Path(__file__).parents[2]
LIMIT = 250  # MB of resident memory, of the process at its peak
TOOLS: dict[str, Callable[[Path, Shape], Path]] = {
    "pi": write_session,
    "claude-code": write_claude_code_session,
    "openclaw": write_session,
}
_CHILD = """
import json, sys
from time import process_time
from stemmata.bootstrap.commands import command_line
code = command_line(sys.argv[1:])
with open("/proc/self/status", encoding="ascii") as file:
    peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
print()
print(json.dumps({"code": code, "peak": peak / 1024, "cpu": process_time()}))
"""


@dataclass(frozen=True)
class Ran:
    """The cost of a process: peak resident memory in MB, seconds of processor time and of wall clock."""

    peak: float
    cpu: float
    seconds: float
    output: str


def figures(work: Path, megabytes: int, tools: tuple[str, ...] = tuple(TOOLS)) -> Iterator[Figure]:
    """Yield the peak of each step with a file of this size, in MB of resident memory."""
    for tool in tools:
        yield from _of_tool(work / f"memory-{tool}-{megabytes}", tool, megabytes)


def _of_tool(work: Path, tool: str, megabytes: int) -> Iterator[Figure]:
    folder = work / (".openclaw" if tool == "openclaw" else tool) / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (work / "copy" / folder.parent.name).mkdir(parents=True, exist_ok=True)
    for old in (*work.glob("archive.db*"), *folder.glob("*"), *work.glob("copy/*/*")):
        old.unlink()
    shape = Shape(megabytes * 200, megabytes, megabytes * 4, megabytes * 850_000)
    path = TOOLS[tool](folder / "large.jsonl", shape)
    for name, change, arguments in _steps(path, work):
        change()
        ran = run(work / "archive.db", *arguments)
        yield Figure(
            "memory", f"{tool}, {megabytes:,} MB: {name}", ran.peak, "MB", LIMIT,
            note=f" {ran.cpu:.0f} s of processor time, {ran.seconds:.0f} s",
        )  # fmt: skip


def _steps(path: Path, work: Path) -> Iterator[tuple[str, Callable[[], object], tuple[str, ...]]]:
    """Yield name, preparation and command of each step."""
    take = ("import", str(path))
    yield "first import", lambda: None, take
    yield "touched, unchanged", lambda: os.utime(path), take
    yield "grown", lambda: grow(path), take
    yield "rewritten: one text near the beginning", lambda: rewrite(path, 0.01), take
    yield "rewritten: one text near the end", lambda: rewrite(path, 0.99), take
    copy = work / "copy" / path.parent.parent.name / path.name
    yield "truncated copy elsewhere", lambda: truncate(path, copy), ("import", str(copy))
    yield "truncated in place", lambda: truncate(path, path), take
    yield "check", lambda: None, ("check",)
    yield "check --repair", lambda: None, ("check", "--repair")
    session = json.loads(run(work / "archive.db", "--json", "sessions").output)["sessions"][0]["id"]
    for format in ("pi", "markdown", "json"):
        out = work / f"out.{format}"
        yield f"export to {format}", lambda: None, ("export", session, "--format", format, "-o", str(out))


def run(archive: Path, *arguments: str) -> Ran:
    """Run a command of the command line in a process of its own. Raises AssertionError when it fails."""
    command = [sys.executable, "-c", _CHILD, "--store", str(archive), *arguments]
    start = perf_counter()
    ran = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(ROOT / "app")}, capture_output=True, text=True, check=True
    )
    output, _, last = ran.stdout.rstrip().rpartition("\n")
    found = json.loads(last)
    assert found["code"] == 0, (arguments, output, ran.stderr)
    return Ran(found["peak"], found["cpu"], perf_counter() - start, output)


def rewrite(path: Path, at: float) -> None:
    """Add some letters to a text of the line at this part of the file; every id stays the same."""
    new = path.with_suffix(".new")
    with path.open("rb") as old, new.open("wb") as file:
        size = int(path.stat().st_size * at)
        while size > 0:
            size -= file.write(old.read(min(1 << 20, size)))
        file.write(old.readline())
        line = old.readline()
        place = line.index(b':"', max(line.rfind(mark) for mark in (b'"text":"', b'"thinking":"'))) + 2
        file.write(line[:place] + b"changed " + line[place:])
        shutil.copyfileobj(old, file, 1 << 20)
    os.replace(new, path)


def grow(path: Path, lines: int = 2000) -> None:
    """Append lines like the last one, each the child of the line before it."""
    last = json.loads(tail(path))
    id, parent = ("uuid", "parentUuid") if "uuid" in last else ("id", "parentId")
    with path.open("a", encoding="utf-8", newline="\n") as file:
        for at in range(lines):
            last |= {id: f"grown-{at}", parent: last[id]}
            file.write(json.dumps(last, ensure_ascii=False, separators=(",", ":")) + "\n")


def tail(path: Path) -> bytes:
    """Return the last line of a file."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 20)))
        return file.read().splitlines()[-1]


def truncate(path: Path, to: Path) -> None:
    """Write the first 60 % of a file, to the end of a line, in place or elsewhere."""
    if to != path:
        shutil.copyfile(path, to)
    with to.open("r+b") as file:
        file.seek(int(path.stat().st_size * 0.6))
        file.readline()
        file.truncate()
