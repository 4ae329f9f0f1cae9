"""Titles that a person gave in a tool, from the file to the list."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.sessions.details import is_named_by_a_person, is_named_here
from stemmata.domain.sessions.titles import title_for_list
from stemmata.store.schema.migrations import MIGRATIONS
from stemmata.system.settings.settings import load
from tests.fakes import codex, opencode, qwen
from tests.unit.services.conftest import Bench
from tests.unit.services.importing.test_importing import write

LONG = "Investigate why the importer drops the very last line of files without a newline"
CUT = "Investigate why the importer drops the very last line of…"
PROMPT: dict[str, object] = {
    "type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "2026-01-01T00:00:00.000Z",
    "message": {"role": "user", "content": "Hello tomatoes"},
}  # fmt: skip


def _line(record: dict[str, object]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def shown(bench: Bench, path: Path, *titles: dict[str, object]) -> str:
    write(path, [PROMPT, *titles])
    bench.services.importing.import_paths([path]).result()
    [session] = bench.services.sessions.all().result()
    assert not is_named_here(session.details)
    assert is_named_by_a_person(session.details) == (title_for_list(session.title, session.details) == LONG)
    return title_for_list(session.title, session.details)


def test_a_title_that_a_person_gave_in_the_tool_is_shown_whole(bench: Bench) -> None:
    by_tool: dict[str, object] = {"type": "ai-title", "aiTitle": LONG, "sessionId": "s"}
    by_person: dict[str, object] = {"type": "custom-title", "customTitle": LONG, "sessionId": "s"}
    none: dict[str, object] = {"type": "custom-title", "customTitle": "", "sessionId": "s"}
    path = bench.folder / "s.jsonl"
    assert shown(bench, path, by_tool) == CUT
    assert shown(bench, path, by_tool, by_person) == LONG
    assert shown(bench, path, by_tool, by_person, none) == CUT


def test_a_fork_of_a_session_that_a_person_named_is_shown_whole(bench: Bench) -> None:
    path = bench.folder / "s.jsonl"
    shown(bench, path, {"type": "custom-title", "customTitle": LONG, "sessionId": "s"})
    [session] = bench.services.sessions.all().result()
    assert session.leaf is not None
    fork = bench.services.branching.fork(session.key, session.leaf).result()
    assert title_for_list(fork.title, fork.details) == f"{LONG} (fork)"


PI: list[dict[str, object]] = [
    {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"},
    {"type": "message", "id": "u", "parentId": None, "message": {"role": "user", "content": "Hello"}},
    {"type": "session_info", "id": "n", "parentId": "u", "name": LONG},
]
NAMED = {
    "claude-code": _line(PROMPT) + _line({"type": "custom-title", "customTitle": LONG, "sessionId": "s"}),
    "codex": codex.rollout([*codex.plain(), codex.event("thread_name_updated", thread_name=LONG)]),
    "pi": b"".join(_line(record) for record in PI),
    "qwen": qwen.lines(qwen.said("a", None, "Hello"), qwen.event("custom_title", "b", "a", customTitle=LONG)),
}


@pytest.mark.parametrize("source", NAMED)
def test_a_title_that_an_older_version_imported_is_known_as_a_persons_after_the_next_import(
    tmp_path: Path, source: str
) -> None:
    path = tmp_path / (codex.name(codex.THREAD) if source == "codex" else "s.jsonl")
    path.write_bytes(NAMED[source])
    archive, settings = tmp_path / "archive" / "a.db", load(tmp_path / "none.toml")
    core = open_core(archive, settings)
    [first] = core.services.importing.import_paths([path]).result().sessions
    core.close()
    with closing(sqlite3.connect(archive, isolation_level=None)) as connection:
        connection.execute("UPDATE sessions SET details = replace(details, '\"namedInTool\":true', '\"x\":1')")
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_names_given_in_tools")
        connection.execute(f"PRAGMA user_version = {at}")
    core = open_core(archive, settings)
    before = core.services.sessions.get(first.key).result()
    report = core.services.importing.import_paths([path]).result()
    after = core.services.sessions.get(first.key).result()
    again = core.services.importing.import_paths([path]).result()
    problems = core.services.sessions.check().result()
    core.close()
    assert (before.title, is_named_by_a_person(before.details)) == (LONG, False)
    assert (after.title, is_named_by_a_person(after.details)) == (LONG, True)
    assert [session.new_entries for session in report.sessions] == [0]
    assert (after.entries, after.leaf) == (before.entries, before.leaf)
    assert (again.unchanged, problems) == (1, [])


def test_a_damaged_file_takes_no_title_away(bench: Bench) -> None:
    path, parts = bench.folder / "opencode.db", bench.folder / "storage"
    with opencode.store(path) as made:
        made.session("ses_s", title=LONG)
        made.prompt("ses_s", "msg_1", "Which tea?", at=2)
        made.reply("ses_s", "msg_2", "Sencha.", at=3, above="msg_1")
    file = opencode.unpacked(path, parts)["ses_s"]
    bench.services.importing.import_paths([file]).result()
    file.write_bytes(file.read_bytes()[:-9])
    [read] = bench.services.importing.import_paths([file]).result().sessions
    assert [skipped.reason for skipped in read.skipped] == ["the facts of the session: not valid JSON"]
    [session] = bench.services.sessions.all().result()
    assert session.title == LONG
