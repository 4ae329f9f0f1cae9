"""What the commands say of entries and sessions that tools removed, and of those that they will delete soon."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from tests.fakes.librecode import Store
from tests.unit.cli.conftest import Run


def database(folder: Path) -> Store:
    store = Store(folder / "librecode.db")
    store.session("s", name="Tea")
    store.said("a", None, "user", "Which tea?", at=1)
    store.said("b", "a", "assistant", "Sencha.", at=2)
    store.session("t", 5, name="Other")
    store.said("k", None, "user", "Look.", session_id="t", at=6)
    return store


def test_removed_entries_and_deleted_sessions_are_told(run: Run, tmp_path: Path) -> None:
    store = database(tmp_path)
    run("import", store.path)
    store.connection.execute("DELETE FROM session_entries WHERE id = 'b'")
    store.connection.execute("DELETE FROM sessions WHERE id = 't'")
    store.close()
    told = run("import", store.path).out
    assert "1 entry removed by the tool, kept here" in told
    assert "Other: deleted by its tool, safe here" in told
    day = time.strftime("%Y-%m-%d", time.gmtime())
    assert f"assistant (removed by librecode on {day}): Sencha." in run("tree", "s").out
    [kept, removed] = json.loads(run("tree", "s", "--json").out)["entries"]
    assert (kept["removed"], removed["removed"]["by"]) == (None, "librecode")
    assert f"removed by librecode on {day}" in run("show", "s", "--leaf", "b").out
    [kept, removed] = json.loads(run("show", "s", "--all", "--json").out)["entries"]
    assert (kept["removed"], removed["removed"]["by"]) == (None, "librecode")
    assert "Other (deleted by its tool, safe here)" in run("sessions").out
    listed = json.loads(run("sessions", "--json").out)["sessions"]
    assert {one["source_id"]: one["deleted_by_tool"] for one in listed} == {"s": False, "t": True}
    assert "deleted by its tool, safe here" in run("status", "t").out


def test_sessions_that_will_be_deleted_are_told(run: Run) -> None:
    path = Path.home() / ".claude" / "projects" / "p" / "5e55.jsonl"
    path.parent.mkdir(parents=True)
    record = {
        "type": "user", "uuid": "u", "parentUuid": None, "sessionId": "5e55", "cwd": "/w",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Hello"},
    }  # fmt: skip
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    before = time.time() - 28 * 86_400
    os.utime(path, (before, before))
    for command in ("import", "status"):
        assert "1 session is not in the archive and may be deleted from " in run(command).out
        [found] = json.loads(run(command, "--json").out)["endangered"]
        assert (found["source"], found["days"], found["files"]) == ("claude-code", 30, [str(path)])
    os.utime(path, (1, 1))
    assert f"may be deleted now. Import them: stemmata import {path.parents[1]}" in run("status").out
    run("import", path)
    assert "may be deleted" not in run("status").out
