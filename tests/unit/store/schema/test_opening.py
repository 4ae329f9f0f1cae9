"""Opening: new files, old ones, foreign ones; the schema and its steps."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from peewee import CompositeKey, Model

from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.archive import SqliteArchive
from stemmata.store.core.database import PAGE, known_errors
from stemmata.store.core.models import TABLES
from stemmata.store.reader import Reader
from stemmata.store.schema import migrations
from stemmata.store.schema.migrations import MIGRATIONS, Migration, _step, back_up, backups_of, migrate
from tests.fakes.waiting import PATIENCE


def opened(path: Path) -> list[str]:
    archive = SqliteArchive(path)
    try:
        return [session.source_id for session in archive.read(lambda reader: reader.sessions()).result()]
    finally:
        archive.close()


def fill(path: Path) -> None:
    archive = SqliteArchive(path)
    archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="kept"))).result()
    archive.close()


def test_an_archive_stays(path: Path) -> None:
    fill(path)
    assert opened(path) == ["kept"]


@pytest.mark.parametrize("size", [0, 4096])
def test_an_older_archive_keeps_the_size_of_its_pages(path: Path, size: int) -> None:
    if size:
        path.parent.mkdir()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {size}")
            migrate(connection, path)
    fill(path)
    assert opened(path) == ["kept"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (size or PAGE,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_files_are_for_their_owner_only(path: Path) -> None:
    before = os.umask(0)
    try:
        archive = SqliteArchive(path)
        archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="x"))).result()
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        archive.close()
    finally:
        os.umask(before)
    assert modes == {"archive.db": 0o600, "archive.db-wal": 0o600, "archive.db-shm": 0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_file_open_to_others_is_closed_to_them(path: Path) -> None:
    fill(path)
    path.chmod(0o644)
    fill(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_the_mode_of_somebody_elses_file_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    path.chmod(0o664)
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    assert opened(path) == ["kept"]
    assert path.stat().st_mode & 0o777 == 0o664


@pytest.fixture
def locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive that may only be read. To root everything may be written, so the system's answer is stood in for."""
    fill(path)
    path.chmod(0o644)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    return path


@pytest.mark.parametrize("beside", [False, True], ids=["files beside it can be made", "they cannot"])
def test_a_read_only_archive_can_be_read(locked: Path, beside: bool) -> None:
    if beside:
        for ending in ("-wal", "-shm"):
            locked.with_name(locked.name + ending).mkdir()
    before = locked.read_bytes(), locked.stat().st_mode
    archive = SqliteArchive(locked)
    try:
        assert archive.is_read_only
        [session] = archive.read(lambda reader: reader.sessions()).result()
        assert session.source_id == "kept"
        assert archive.read(lambda reader: reader.check()).result() == []
        assert not archive.changed_elsewhere().result()
        with pytest.raises(KnownError, match="The archive is read-only"):
            archive.write(lambda writer: writer.create_session(SessionInfo(source="pi", source_id="x"))).result()
    finally:
        archive.close()
    assert (locked.read_bytes(), locked.stat().st_mode) == before


def test_a_read_only_file_that_is_damaged_is_told_of(locked: Path) -> None:
    locked.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(KnownError):
        opened(locked)


def test_a_read_only_file_that_cannot_be_read_at_all_is_told_of(
    locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sqlite3.connect

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        raise sqlite3_error(sqlite3.SQLITE_PERM)

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(KnownError, match="has no permission to open"):
        SqliteArchive(locked)
    monkeypatch.setattr(sqlite3, "connect", real)


def sqlite3_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("access permission denied")
    error.sqlite_errorcode = code
    return error


def test_odd_names_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "a?b#c%20 é.db"
    fill(path)
    assert opened(path) == ["kept"]


def test_a_folder_that_cannot_be_made_is_told_of(path: Path) -> None:
    path.parent.write_text("a file in its place")
    with pytest.raises(KnownError, match=r"The archive cannot be opened: .*Nothing was changed"):
        opened(path)
    assert path.parent.read_text() == "a file in its place"


def test_a_folder_in_place_of_the_archive_is_left_alone(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(KnownError, match="its path names a folder"):
        opened(path)
    assert list(path.iterdir()) == []


def test_an_empty_file_becomes_an_archive(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert opened(path) == []


@pytest.mark.parametrize("content", [b"not a database, only text" * 500, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_file_that_is_no_database_is_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(KnownError, match="left as it"):
        opened(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    content = path.read_bytes()
    with pytest.raises(KnownError, match="another program"):
        opened(path)
    assert path.read_bytes() == content


def test_an_archive_of_a_newer_program_is_left_alone(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(KnownError, match="newer version"):
        opened(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT source_id FROM sessions").fetchall() == [("kept",)]


def test_an_archive_that_a_newer_program_upgrades_while_it_is_open_is_only_read(path: Path) -> None:
    fill(path)
    with closing(SqliteArchive(path)) as archive:
        archive.write(lambda writer: writer.update_session(1, starred=True)).result()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        for _ in range(2):
            with pytest.raises(KnownError, match="newer version of Stemmata has upgraded"):
                archive.write(lambda writer: writer.update_session(1, starred=False)).result()
        assert archive.read(lambda reader: reader.session(1)).result().starred


# -- steps -----------------------------------------------------------------------------------------------------------


def test_the_index_of_an_older_archive_is_made_anew(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, MIGRATIONS[:3])
        connection.execute("INSERT INTO sessions (id, source, source_id) VALUES ('1', 'pi', 'kept')")
        connection.execute(
            "INSERT INTO entries VALUES"
            " (7, 1, NULL, 0, 3, 0, 0, 1, 0, 0, 0, -1, NULL, 0, 'e', '', '', 'bash', '', '', '', NULL, NULL)"
        )
        connection.execute("""INSERT INTO bodies VALUES (7, 1, NULL, '{"b":[["t","some words"]],"d":""}')""")
        connection.execute("INSERT INTO entries_fts (rowid, text) SELECT key, text FROM searchable")
    archive = SqliteArchive(path)
    try:
        for narrowed in ({}, {"session": 1}, {"role": "toolResult"}, {"tool": "bash"}):
            matches = archive.read(partial(Reader.unread_hits, query="words", **narrowed)).result()
            assert [match.entry for match in matches.found] == [7]
        assert archive.read(lambda reader: reader.check()).result() == []
    finally:
        archive.close()


def test_previews_and_titles_of_an_older_archive_are_told_anew(path: Path) -> None:
    raw = [
        "<command-name>/clear</command-name>",
        "Caveat: The messages below were …",
        "<b>bold</b> words",
        "<b>lost</b>",
    ]
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, MIGRATIONS[:4])
        connection.execute("INSERT INTO sessions (id, source, source_id, prompt) VALUES ('1', 'x', 'x', ?)", raw[:1])
        for key, text in enumerate(raw, 1):
            connection.execute(
                "INSERT INTO entries VALUES"
                " (?1, 1, NULL, 0, 1, 0, 0, 1, 0, 0, 0, -1, NULL, 0, ?1, '', '', '', '', '', ?2, NULL, NULL)",
                (key, text),
            )
            connection.execute("INSERT INTO bodies VALUES (?, 1, NULL, json_object('b', json_array("
                               "json_array('t', ?)), 'd', ''))", (key, text))  # fmt: skip
        connection.execute("DELETE FROM bodies WHERE key = 4")
    archive = SqliteArchive(path)
    try:
        previews, sessions = archive.read(lambda reader: (reader.previews(1), reader.sessions())).result()
    finally:
        archive.close()
    assert previews == ["/clear", "", "<b>bold</b> words", "<b>lost</b>"]
    assert sessions[0].title == "bold words"


NOTE = "<ide_opened_file>The user opened a.py.</ide_opened_file>"


@pytest.mark.parametrize(
    ("said", "preview", "title"),
    [
        (f"{NOTE}Mend the parser", "Mend the parser", "Mend the parser"),
        (NOTE, "", ""),
        ("<new-diagnostics>one error</new-diagnostics>\nAnd now?", "And now?", "And now?"),
        ("<b>bold</b> words", "<b>bold</b> words", "bold words"),
    ],
)
def test_tags_that_format_8_kept_in_previews_and_titles_are_removed(
    path: Path, said: str, preview: str, title: str
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, MIGRATIONS[:8])
        connection.execute("INSERT INTO sessions (id, source, source_id, prompt) VALUES ('1', 'x', 'x', ?)", (said,))
        connection.execute(
            "INSERT INTO entries VALUES (1, 1, NULL, 0, 1, 0, 0, 1, 0, 0, 0, -1, NULL, 0, 'e', '', '', '', '', '', ?,"
            " NULL, NULL, NULL, NULL, NULL)",
            (said,),
        )
        connection.execute("INSERT INTO bodies VALUES (1, 1, NULL, json_object('b', json_array("
                           "json_array('t', ?)), 'd', ''))", (said,))  # fmt: skip
    archive = SqliteArchive(path)
    try:
        previews, sessions = archive.read(lambda reader: (reader.previews(1), reader.sessions())).result()
    finally:
        archive.close()
    assert (previews, sessions[0].title) == ([preview], title)


def test_only_an_archive_that_takes_long_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()

    def slow(*args: Any) -> None:
        go_on.wait(PATIENCE)
        migrate(*args)

    monkeypatch.setattr("stemmata.store.archive.migrate", slow)
    archive = SqliteArchive(path, wait=False)
    try:
        assert archive.is_upgrading(0.1)
        go_on.set()
        archive.wait()
        assert not archive.is_upgrading(0.1)
    finally:
        go_on.set()
        archive.close()
    again = SqliteArchive(path, wait=False)
    assert not again.is_upgrading(20)
    again.close()


def _add_note(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE notes (text TEXT)")


def _do_nothing(connection: sqlite3.Connection) -> None:
    pass


def _fail(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (text TEXT)")
    raise ZeroDivisionError


def stepped(path: Path, *steps: Migration) -> int:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, [*MIGRATIONS, *steps])
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return version


def test_an_upgrade_of_several_steps_begins_with_one_copy(path: Path) -> None:
    fill(path)
    first = len(MIGRATIONS)
    assert stepped(path, _add_note, _do_nothing) == first + 2
    copy = path.with_name(f"archive.db.format-{first}.bak")
    assert backups_of(path) == [copy]
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (first,)
    assert opened(copy) == ["kept"]
    copy.unlink()
    assert stepped(path, _add_note, _do_nothing) == first + 2
    assert backups_of(path) == []  # it has the newest format


def test_a_copy_that_fails_leaves_no_files(path: Path) -> None:
    """On a full disk SQLite leaves the journal of the copy."""
    fill(path)
    path.with_name("copy.bak.part-journal").touch()
    with closing(sqlite3.connect(path)) as connection:
        pass
    with pytest.raises(sqlite3.ProgrammingError):  # the connection is closed
        back_up(connection, path.with_name("copy.bak"))
    assert not list(path.parent.glob("copy.bak*"))


def test_no_other_program_upgrades_an_archive_while_it_is_copied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    first = len(MIGRATIONS)
    refused = list[str]()

    def copied(connection: sqlite3.Connection, target: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
            try:
                _step(other, _add_note, first, lambda _share: None)
            except sqlite3.OperationalError as error:
                refused.append(str(error))
        back_up(connection, target)

    monkeypatch.setattr(migrations, "back_up", copied)
    assert stepped(path, _add_note) == first + 1
    with closing(sqlite3.connect(path.with_name(f"archive.db.format-{first}.bak"))) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (first,)
    assert refused == ["database is locked"]


class _Late(sqlite3.Connection):
    """A connection of a program that begins to upgrade just after another one has done so."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            (_, _, place) = super().execute("PRAGMA database_list").fetchone()
            with closing(sqlite3.connect(place, isolation_level=None)) as other:
                if other.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),):
                    _step(other, _add_note, len(MIGRATIONS), lambda _share: None)
        return super().execute(sql, *values)


class _Newer(sqlite3.Connection):
    """A connection of a program that begins to upgrade just after a newer one has done so."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            super().execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        return super().execute(sql, *values)


def test_an_archive_that_another_program_has_just_upgraded_is_not_copied(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None, factory=_Late)) as connection:
        migrate(connection, path, [*MIGRATIONS, _add_note])
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
    assert not list(path.parent.glob("*.bak"))


def test_an_archive_that_a_newer_program_has_just_upgraded_is_refused(path: Path) -> None:
    fill(path)
    newest = len(MIGRATIONS)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {newest - 1}")
    with closing(sqlite3.connect(path, isolation_level=None, factory=_Newer)) as connection:
        with pytest.raises(KnownError, match="newer version"):
            migrate(connection, path)
        assert connection.execute("PRAGMA user_version").fetchone() == (newest + 1,)
    assert not list(path.parent.glob("*.bak"))


def test_an_archive_of_the_first_format_is_brought_forward(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, MIGRATIONS[:1])
        connection.execute("INSERT INTO sessions (id, source, source_id) VALUES ('1', 'pi', 'kept')")
    fill(path)
    assert opened(path) == ["kept"]
    assert opened(path.with_name("archive.db.format-1.bak")) == ["kept"]


def test_first_lines_of_prompts_become_titles(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, MIGRATIONS[:12])
        insert = "INSERT INTO sessions (id, source, source_id, prompt) VALUES (?, 'pi', ?, ?)"
        connection.execute(insert, ("1", "a", "OK, read @src/app/main.py in full. I feel like the"))
        connection.execute(insert, ("2", "b", ""))
        migrate(connection, path)
        titles = connection.execute("SELECT prompt FROM sessions ORDER BY id").fetchall()
    assert titles == [("read main.py in full",), ("",)]


def test_a_step_that_fails_changes_nothing(path: Path) -> None:
    fill(path)
    with pytest.raises(ZeroDivisionError):
        stepped(path, _add_note, _fail)
    assert stepped(path, _add_note) == len(MIGRATIONS) + 1
    with closing(sqlite3.connect(path)) as connection:
        assert not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").fetchall()


def _fill_disk(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (text TEXT)")
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    for _ in range(100):
        connection.execute("INSERT INTO half (text) VALUES (?)", ("x" * PAGE,))


def test_a_full_disk_is_told_of_while_a_step_runs(path: Path) -> None:
    fill(path)
    with pytest.raises(KnownError, match="disk is full"), known_errors(path):
        stepped(path, _fill_disk)
    assert stepped(path, _add_note) == len(MIGRATIONS) + 1
    with closing(sqlite3.connect(path)) as connection:
        assert not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").fetchall()


def test_two_programs_that_open_a_new_archive_make_it_once(path: Path) -> None:
    path.parent.mkdir()

    with closing(sqlite3.connect(path, isolation_level=None)) as late:
        late.execute("PRAGMA journal_mode = wal")
        with closing(sqlite3.connect(path, isolation_level=None)) as early:
            migrate(early, path, [_add_note])
        _step(late, _add_note, 0, lambda _share: None)  # it had seen version 0 before
        assert late.execute("PRAGMA user_version").fetchone()[0] == 1


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model._meta.table_name)
def test_models_and_schema_agree(path: Path, model: type[Model]) -> None:
    fill(path)
    meta = model._meta
    with closing(sqlite3.connect(path)) as connection:
        columns = connection.execute(f"SELECT name, type, pk FROM pragma_table_info('{meta.table_name}')").fetchall()
    key = meta.primary_key
    assert key
    keys = key.field_names if isinstance(key, CompositeKey) else [key.name]
    kinds = {"AUTO": "INTEGER", "INT": "INTEGER"}
    expected = [
        (name, kinds.get(field.field_type, field.field_type), name in keys) for name, field in meta.fields.items()
    ]
    assert [(name, kind, bool(at)) for name, kind, at in columns] == expected


def test_every_table_has_a_model(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            " AND name NOT LIKE 'entries_fts%' AND name NOT LIKE 'cjk_fts%'"
        ).fetchall()
    assert {name for (name,) in names} == {model._meta.table_name for model in TABLES}


def test_moves_of_leaves_become_steps(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, MIGRATIONS[:13])
        connection.execute("INSERT INTO sessions (id, source, source_id) VALUES ('s', 'stemmata', 's')")
        entry = "INSERT INTO entries VALUES (?, 1, NULL, 0, ?, 0, 0, 0, 0, 0, 0, -1, NULL, 0, ?" + ", ''" * 6
        for key in range(1, 8):
            connection.execute(f"{entry}, NULL, NULL, NULL, NULL, NULL, -1, -1)", (key, int(key == 2), str(key)))
        moves = (
            (None, 1, "import"), (1, 2, "append"), (2, 3, "append"), (3, 4, "append"), (4, 1, "continue"),
            (1, 5, "append"), (5, 1, "undo"), (1, 5, "redo"), (5, None, "prune"), (None, 6, "append"),
            (6, None, "undo"), (None, 5, "undo"),
        )  # fmt: skip
        for before, after, reason in moves:
            move = "INSERT INTO leaf_moves (session, before, after, time, reason, writer) VALUES (1, ?, ?, 0, ?, 0)"
            connection.execute(move, (before, after, reason))
        migrate(connection, path, MIGRATIONS)
        query = """
            SELECT what, undone, before, after, scope FROM steps JOIN step_changes ON step_changes.step = steps.key
            JOIN step_scopes ON step_scopes.step = steps.key ORDER BY steps.key"""
        assert connection.execute(query).fetchall() == [
            ("send", 0, "1", "4", 1), ("continue", 0, "4", "1", 1), ("reply", 0, "1", "5", 1),
            ("prune", 1, "5", "", 1), ("reply", 1, "", "6", 1),
        ]  # fmt: skip
