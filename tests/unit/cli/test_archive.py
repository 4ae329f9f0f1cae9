"""`import --follow`, as a process of its own: what comes is printed, SIGINT ends it, SIGKILL loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stemmata.bootstrap.core import Core, open_core
from stemmata.store.reader import Reader
from stemmata.system.settings.settings import load
from tests.fakes.claude_code import Line, reply, user
from tests.fakes.waiting import PATIENCE, until
from tests.unit.cli.conftest import Run

APP = Path(__file__).parents[3] / "app"
CODE = "import sys; from stemmata.bootstrap.commands import command_line; sys.exit(command_line(sys.argv[1:]))"
Start = Callable[..., "Followed"]


class Followed:
    """The process, and the lines it printed."""

    def __init__(self, store: Path, arguments: Sequence[object]) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-c", CODE, "--store", str(store), "import", "--follow", *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": str(APP)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def told(self) -> str:
        assert self.child.stderr is not None
        return self.child.stderr.readline()

    def printed(self) -> str:
        assert self.child.stdout is not None
        return self.child.stdout.readline()

    def end(self, number: int) -> int:
        self.child.send_signal(number)
        self.child.communicate(timeout=PATIENCE)
        return self.child.returncode


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "archive" / "a.db"


@pytest.fixture
def follow(store: Path) -> Iterator[Start]:
    made: list[Followed] = []

    def start(*arguments: object) -> Followed:
        made.append(Followed(store, arguments))
        return made[-1]

    yield start
    for followed in made:
        if followed.child.returncode is None:
            followed.end(signal.SIGKILL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "projects"
    path.mkdir()
    return path


def append(path: Path, *lines: Line) -> None:
    with path.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


def opened(store: Path) -> Core:
    return open_core(store, load(store.with_name("none.toml")))


def test_what_comes_is_printed_until_it_is_interrupted(follow: Start, folder: Path) -> None:
    path = folder / "s.jsonl"
    append(path, user("u1", None, 0, "Build it"))
    followed = follow(folder)
    assert followed.told() == f"Following {folder}. Press Ctrl+C to stop.\n"
    assert followed.printed().endswith("Build it: 1 new of 1 entry\n")
    append(path, reply("a1", "u1", 1), user("u2", "a1", 2))
    assert followed.printed().endswith("Build it: 2 new of 3 entries\n")
    assert followed.end(signal.SIGINT) == 0


def test_json_is_a_document_a_line(follow: Start, folder: Path) -> None:
    append(folder / "s.jsonl", user("u1", None, 0))
    followed = follow(folder, "--json", "--quiet")
    document: Any = json.loads(followed.printed())
    assert (document["source"], document["source_id"], document["new_entries"]) == ("claude-code", "s", 1)
    assert followed.end(signal.SIGINT) == 0


def test_two_processes_follow_one_folder(follow: Start, folder: Path, store: Path) -> None:
    append(folder / "s.jsonl", user("u0", None, 0))
    both = [follow(folder, "--quiet") for _ in range(2)]
    core = opened(store)

    def has_come(entries: int) -> bool:
        return [session.entries for session in core.services.sessions.all().result()] == [entries]

    try:
        for at in range(1, 6):
            append(folder / "s.jsonl", user(f"u{at}", f"u{at - 1}", at))
            until(partial(has_come, at + 1))
    finally:
        core.close()
    assert [followed.end(signal.SIGINT) for followed in both] == [0, 0]
    core = opened(store)
    try:
        assert core.services.sessions.check().result() == []
        [session] = core.services.sessions.all().result()
        assert core.services.entries.ids(session.key).result() == [f"u{at}" for at in range(6)]
    finally:
        core.close()


def source(session: int, reader: Reader) -> bytes:
    return b"".join(reader.raw(session))


@pytest.mark.slow
def test_killed_while_it_follows(follow: Start, folder: Path, store: Path) -> None:
    path, written = folder / "s.jsonl", 0
    for _round in range(4):
        followed = follow(folder, "--quiet")
        for at in range(20):
            append(path, user(f"u{written}", f"u{written - 1}" if written else None, written, "x" * 3000))
            written += 1
            if at == 5:
                followed.printed()  # it is at work
        followed.end(signal.SIGKILL)
        core = opened(store)
        try:
            assert core.services.sessions.check().result() == []
            before = [session.entries for session in core.services.sessions.all().result()]
            assert before
            assert before[0] <= written
            core.services.importing.import_paths([folder]).result()
            assert [session.entries for session in core.services.sessions.all().result()] == [written]
            [session] = core.services.sessions.all().result()
            assert core.store.read(partial(source, session.key)).result() == path.read_bytes()
        finally:
            core.close()


def test_wrong_usage(run: Run, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("import", "--follow", "--format", "pi", tmp_path).code == 2
    ran = run("import", "--follow", session)
    assert (ran.code, "Only folders can be followed" in ran.err) == (1, True)
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    ran = run("import", "--follow")
    assert (ran.code, "Name the folders to follow" in ran.err) == (1, True)


def test_sessions_are_listed_by_conversation(run: Run, tmp_path: Path) -> None:
    folder, key = tmp_path / "agents", "agent:main:telegram:group:1"
    folder.mkdir()
    header = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w"}
    (folder / "s1.jsonl").write_text(json.dumps(header) + "\n", encoding="utf-8")
    (folder / "sessions.json").write_text(json.dumps({key: {"sessionId": "s1"}}), encoding="utf-8")
    assert run("import", folder).code == 0
    for options in ([], ["--key", "TELEGRAM"], ["--kind", "group"]):
        [listed] = run("sessions", "--json", *options).json["sessions"]
        assert listed["conversation"] == {"key": key, "kind": "group"}
    for options in (["--key", "slack"], ["--kind", "direct"]):
        assert run("sessions", "--json", *options).json == {"sessions": []}
    assert run("status", "latest", "--json").json["conversation"] == {"key": key, "kind": "group"}
    assert ["Conversation", key] in [line.split() for line in run("status", "latest").out.splitlines()]
    path = run("status", "--json").json["path"]
    assert Path(path).is_file()
    assert f"File: {path}" in run("status").out
