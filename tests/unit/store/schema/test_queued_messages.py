"""Queued messages of Claude Code that an older version stored as messages of unknown speakers become the user's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.search.query import parse
from stemmata.store.archive import SqliteArchive
from stemmata.store.schema.migrations import MIGRATIONS
from tests.unit.store.conftest import Filled

QUEUED = "attachment:queued_command"
TITLE = "Plant the tomatoes beside the fence"


def _note(id: str, name: str, text: str, flags: Flag = Flag.NONE) -> Entry:
    return Entry(
        id=id, kind=Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, time=1, name=name, blocks=(Text(text),), flags=flags
    )


def _in_format_25(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_queued_messages")
        connection.execute(f"PRAGMA user_version = {at}")


def test_queued_messages_become_messages_of_the_user(filled: Filled, path: Path) -> None:
    session, other = filled.session("a", source="claude-code"), filled.session("b", source="claude-code")
    typed, task, file, damaged = filled.append(
        session,
        [
            _note("q", QUEUED, TITLE),
            _note("t", QUEUED, "<task-notification>done</task-notification>", Flag.INJECTED),
            _note("f", "attachment:file", "fence posts", Flag.INJECTED),
            _note("d", QUEUED, "fence colour"),
        ],
    )
    filled.append(other, [Entry(id="x", role=Role.USER, blocks=(Text("Which beds get sun?"),))])
    filled.archive.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE sessions SET prompt = 'as it was'")
        connection.execute("UPDATE bodies SET body = 'damaged' WHERE key = ?", (damaged,))
    _in_format_25(path)
    archive = SqliteArchive(path)
    rows = archive.read(lambda reader: reader.rows([typed, task, file, damaged])).result()
    titles = archive.read(lambda reader: [reader.session(key).title for key in (session, other)]).result()
    query = parse("tomatoes role:user", datetime(2026, 11, 25))
    found = archive.read(lambda reader: [hit.entry for hit in reader.find(query).found]).result()
    added = archive.write(
        lambda writer: writer.append(
            session, [Entry(id="q", role=Role.USER, time=1, name=QUEUED, blocks=(Text(TITLE),))]
        )
    ).result()
    problems = archive.read(lambda reader: reader.check()).result()
    archive.close()
    note = (Kind.CUSTOM_MESSAGE, Role.CUSTOM, Flag.NONE)
    assert [(row.kind, row.role, row.flags) for row in rows.values()] == [
        (Kind.MESSAGE, Role.USER, Flag.NONE),
        (Kind.MESSAGE, Role.USER, Flag.INJECTED),
        (note[0], note[1], Flag.INJECTED),
        note,
    ]
    assert titles == [TITLE, "as it was"]
    assert found == [typed]
    assert added == []
    assert all(str(damaged) in problem for problem in problems), problems


def test_a_fork_shares_a_queued_message_whose_picture_was_not_stored(filled: Filled, path: Path) -> None:
    """Its copy in a fork has the picture. The fork stored this message, and all below it, a second time."""
    origin, fork = filled.session("a", source="claude-code"), filled.session("b", "a", source="claude-code")
    below = Entry(id="u", role=Role.USER, parent="q", blocks=(Text("And then?"),))
    filled.append(origin, [_note("q", QUEUED, TITLE), below])
    filled.archive.close()
    _in_format_25(path)
    archive = SqliteArchive(path)
    whole = (Text(TITLE), Image("image/png", "0" * 64))
    copies = [Entry(id="q", role=Role.USER, time=1, name=QUEUED, blocks=whole), below]
    added = archive.write(lambda writer: [writer.append(session, copies) for session in (origin, fork)]).result()
    archive.close()
    assert added == [[], []]


def test_messages_of_other_tools_stay_as_they_are(filled: Filled, path: Path) -> None:
    """An export to pi has the name that Claude Code gave the message, and pi's reader keeps the kind."""
    [key] = filled.append(filled.session("a", source="pi"), [_note("q", QUEUED, TITLE)])
    filled.archive.close()
    _in_format_25(path)
    archive = SqliteArchive(path)
    row = archive.read(lambda reader: reader.rows([key])[key]).result()
    archive.close()
    assert (row.kind, row.role) == (Kind.CUSTOM_MESSAGE, Role.CUSTOM)
