"""SIGKILL at random moments of importing and compacting: what was acknowledged is there, and nothing half-done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stemmata.bootstrap.core import Core, open_core
from stemmata.system.settings.settings import load

APP = Path(__file__).parents[2] / "app"
ROUNDS = 8
ENTRIES = 1500

IMPORT = """
import sys
from stemmata.bootstrap.commands import command_line
print("started", flush=True)
sys.exit(command_line(["--store", sys.argv[1], "--quiet", "import", sys.argv[2]]))
"""

COMPACT = """
import sys
from pathlib import Path
from stemmata.bootstrap.core import open_core
from stemmata.services.compaction.request import CompactionRequest
from stemmata.system.settings.settings import load
core = open_core(Path(sys.argv[1]), load(Path(sys.argv[1] + ".toml")))
[session] = core.services.sessions.all().result()
core.services.branching.move_leaf(session.key, session.leaf).result()  # loads what writing needs
print("started", flush=True)
while True:
    done = core.services.compaction.run(CompactionRequest(session=session.key, leaf=session.leaf)).result()
    print(done.entry, flush=True)
    core.services.branching.move_leaf(session.key, session.leaf).result()
"""


def start(code: str, *arguments: Path) -> subprocess.Popen[str]:
    """A child process, once it says that it has started."""
    environment = os.environ | {"PYTHONPATH": str(APP)}
    child = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    return child


def kill(child: subprocess.Popen[str], after: float) -> list[str]:
    """Kill a process after a number of seconds; return the lines it had printed."""
    time.sleep(after)
    child.send_signal(signal.SIGKILL)
    out, _ = child.communicate()
    return out.splitlines()


def opened(store: Path) -> Core:
    return open_core(store, load(store.with_name("none.toml")))


def session_file(path: Path, name: str, entries: int) -> Path:
    lines = [{"type": "session", "version": 3, "id": name, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}]
    for at in range(entries):
        role = "assistant" if at % 2 else "user"
        message = {"role": role, "content": [{"type": "text", "text": f"Entry {at}. " * 30}], "timestamp": at}
        parent = f"{at - 1:06}" if at else None
        lines.append(
            {"type": "message", "id": f"{at:06}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z",
             "message": message}
        )  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_killed_while_importing(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for at in range(4):
        session_file(folder / f"{at}.jsonl", f"s{at}", ENTRIES)
    seen = set()
    for round_ in range(ROUNDS):
        store = tmp_path / f"archive-{round_}" / "a.db"
        kill(start(IMPORT, store, folder), random.uniform(0, 0.8))
        core = opened(store)
        try:
            assert core.services.sessions.check().result() == []
            whole = core.services.sessions.all().result()
            seen.add(len(whole))
            assert {session.entries for session in whole} <= {ENTRIES}
            core.services.importing.import_paths([folder]).result()
            assert [session.entries for session in core.services.sessions.all().result()] == [ENTRIES] * 4
            assert core.services.sessions.check().result() == []
        finally:
            core.close()


@pytest.mark.slow
def test_killed_while_compacting(tmp_path: Path) -> None:
    store = tmp_path / "archive" / "a.db"
    core = opened(store)
    core.services.importing.import_paths([session_file(tmp_path / "s.jsonl", "s", ENTRIES)]).result()
    core.close()
    acknowledged: list[str] = []
    for _ in range(ROUNDS):
        child = start(COMPACT, store)
        assert child.stdout is not None
        acknowledged.append(child.stdout.readline())
        acknowledged += kill(child, random.uniform(0, 0.4))
        core = opened(store)
        try:
            assert core.services.sessions.check().result() == []
            [session] = core.services.sessions.all().result()
            tree = core.services.sessions.open(session.key).result().tree
            keys = {tree.key(entry) for entry in range(len(tree))}
            assert {int(key) for key in acknowledged} <= keys
            assert tree.get(session.leaf) is not None
            core.services.branching.move_leaf(session.key, tree.key(ENTRIES - 1)).result()
        finally:
            core.close()
