"""Titles that a person gave in a tool, from the file to the list."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.sessions.details import is_named_by_a_person, is_named_here
from stemmata.domain.sessions.titles import title_for_list
from tests.unit.services.conftest import Bench
from tests.unit.services.importing.test_importing import write

LONG = "Investigate why the importer drops the very last line of files without a newline"
CUT = "Investigate why the importer drops the very last line of…"
PROMPT: dict[str, object] = {
    "type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "2026-01-01T00:00:00.000Z",
    "message": {"role": "user", "content": "Hello tomatoes"},
}  # fmt: skip


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
