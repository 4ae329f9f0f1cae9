"""Transcripts of Cursor that repeat a session of the editor's database."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.formats.cursor_cli.editor_sessions import EditorSessions
from stemmata.formats.registry import standard_formats
from tests.fakes.cursor import Store
from tests.fakes.cursor_cli import lines, talk


def transcript(home: Path, id: str = "s") -> Path:
    path = home / ".cursor" / "projects" / "w-tea" / "agent-transcripts" / id / f"{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*talk()))
    return path


def database(home: Path, user: str = ".config/Cursor/User") -> Store:
    path = home / user / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    return Store(path)


@pytest.mark.parametrize(
    "user", [".config/Cursor/User", "Library/Application Support/Cursor/User", "AppData/Roaming/Cursor/User"]
)
def test_a_session_of_both_appears_once(tmp_path: Path, user: str) -> None:
    repeated, own = transcript(tmp_path), transcript(tmp_path, "t")
    store = database(tmp_path, user)
    store.composer("s", "a")
    store.user("s", "a", "Which tea?")
    store.composer("t")  # without messages
    formats = standard_formats(tmp_path, {})
    assert [(found.source, found.files) for found in formats.discover()] == [
        ("cursor-cli", (str(own),)), ("cursor", (str(store.path),)),
    ]  # fmt: skip
    assert formats.session_file(repeated) == store.path
    assert formats.session_file(own) == own
    assert formats.expand(repeated.parent)[0] == [store.path]
    assert formats.expand(repeated)[0] == [repeated]  # by itself
    store.user("t", "b", "Which cake?")
    store.close()
    assert formats.session_file(own) == store.path


def test_a_transcript_without_a_database_or_in_another_place(tmp_path: Path) -> None:
    own = transcript(tmp_path)
    look = EditorSessions()
    assert look.database_with(own) is None
    assert look.database_with(tmp_path / "agent-transcripts" / "s.jsonl") is None
    assert look.database_with(tmp_path / "a" / "b" / "c" / "d" / "agent-transcripts" / "s.jsonl") is None
    assert look.database_with(tmp_path / "s.jsonl") is None


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\1" * 100])
def test_a_database_that_is_none(tmp_path: Path, content: bytes) -> None:
    own = transcript(tmp_path)
    path = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert EditorSessions().database_with(own) is None
