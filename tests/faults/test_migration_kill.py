"""SIGKILL while an old archive is brought forward: it is as it was or a step further, and the next start goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from stemmata.store.archive import SqliteArchive
from stemmata.store.schema.migrations import MIGRATIONS, migrate

APP = Path(__file__).parents[2] / "app"
OLD = 3  # the last format without facets
ENTRIES = 3000
ROUNDS = 8
OPEN = """
import sys
from pathlib import Path
from stemmata.store.archive import SqliteArchive

print("started", flush=True)
SqliteArchive(Path(sys.argv[1])).close()
print("done", flush=True)
"""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("old") / "archive.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        migrate(connection, path, MIGRATIONS[:OLD])
        connection.execute("BEGIN")
        connection.execute(
            "INSERT INTO sessions (id, source, source_id, prompt) VALUES ('1', 'x', 'x', '<bash-input>')"
        )
        for key in range(1, ENTRIES + 1):
            text = f"<bash-input>words {key}</bash-input>" if key % 2 else f"words {key} " * 40
            connection.execute(
                "INSERT INTO entries VALUES"
                " (?1, 1, NULL, 0, 1, 0, 0, 1, 0, 0, 0, -1, NULL, 0, ?1, '', '', '', '', '', ?2, NULL, NULL)",
                (key, text[:200]),
            )
            body = "json_object('b', json_array(json_array('t', ?)), 'd', '')"
            connection.execute(f"INSERT INTO bodies VALUES (?, 1, NULL, {body})", (key, text))
        connection.execute("INSERT INTO entries_fts (rowid, text) SELECT key, text FROM searchable")
        connection.execute("COMMIT")
    return path


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_migration_that_is_killed_is_done_again(old: Path, tmp_path: Path) -> None:
    dice = random.Random(5)
    whole = _took(_copied(old, tmp_path / "whole"))
    for number in range(ROUNDS):
        path = _copied(old, tmp_path / str(number))
        _killed(path, dice.uniform(0, whole))
        assert OLD <= _format(path) <= len(MIGRATIONS)
        archive = SqliteArchive(path)
        try:
            assert archive.read(lambda reader: reader.check()).result() == []
            matches = archive.read(lambda reader: reader.unread_hits("words", session=1, role="user")).result()
            assert (len(matches.found), matches.more) == (1000, True)
            previews = archive.read(lambda reader: reader.previews(1)).result()
            assert previews[:3:2] == ["words 1", "words 3"]
            assert len(previews) == ENTRIES
        finally:
            archive.close()


def _copied(old: Path, folder: Path) -> Path:
    folder.mkdir()
    return Path(shutil.copy(old, folder / "archive.db"))


def _format(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return version


def _took(path: Path) -> float:
    """Return the seconds from the child's start to the end of the migration."""
    with _child(path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        begun = time.monotonic()
        assert child.stdout.readline() == "done\n"
        return time.monotonic() - begun


def _killed(path: Path, after: float) -> None:
    with _child(path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        time.sleep(after)  # the moment is what is drawn
        child.send_signal(signal.SIGKILL)


def _child(path: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(APP)}
    return subprocess.Popen(
        [sys.executable, "-c", OPEN, str(path)], env=environment, stdout=subprocess.PIPE, text=True
    )
