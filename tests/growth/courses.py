"""The life of a source in random steps: it grows, is cut, replaced, rewritten, locked, and read in between.

However it was read, and whatever happened to it meanwhile: once it is whole again, the archive is as after one
reading.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from stemmata.domain.sources.report import ImportReport
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared.database import MAGIC
from stemmata.formats.shared.source_file import session_files
from stemmata.formats.shared.zip_archive import ZIP
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.store.archive import SqliteArchive
from stemmata.system.processes import SystemClock
from tests.growth.growth import Files, differences, dump

State = dict[str, bytes]
Step = Callable[["Life"], None]


class Life:
    """A folder with the files of a source, and an archive that imports them. The first file is the session's own."""

    def __init__(self, folder: Path, files: Files, random: Random) -> None:
        self.files = {name: _evenly(data) for name, data in files.items()}
        self.main = next(iter(files))
        self.random = random
        self.source = folder / "source"
        self._path = folder / "archive.db"
        self._archive = SqliteArchive(self._path)
        self._importing = Importing(self._archive, standard_formats(folder, {}), Notices(), SystemClock())
        self._time = 1_800_000_000_000_000_000  # ns, of the last write

    def close(self) -> None:
        self._archive.close()

    def write(self, name: str, data: bytes) -> Path:
        """Write a file anew, as an editor does: beside the old one, which it replaces."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.new")
        beside.write_bytes(data)
        beside.replace(path)
        self.touch(path)
        return path

    def touch(self, path: Path) -> None:
        self._time += 2_000_000_000
        os.utime(path, ns=(self._time, self._time))

    def take(self, *paths: Path) -> ImportReport:
        return self._importing.import_paths(paths or [self.source]).result()

    def is_session(self, path: Path) -> bool:
        """Return whether a search for sessions finds the file; the others belong to one."""
        return path in session_files(self.source)

    def make_whole(self) -> None:
        for name, data in self.files.items():
            self.write(name, data)
        self.take()

    def dump(self) -> dict[str, Any]:
        return dump(self._archive, self._path)


def steps() -> dict[str, Step]:
    return {
        "twice": lambda life: None,
        "file by file": _file_by_file,
        "half of it": _half,
        "cut": lambda life: _take_other(life, _cut(life.random, life.files[life.main])),
        "emptied": lambda life: _take_other(life, b""),
        "zeros at its end": _zeros,
        "replaced": lambda life: _take_other(life, _other(life)),
        "removed": _removed,
        "locked": _locked,
        "being written": _being_written,
    }


def differences_of_course(files: Files, random: Random, names: list[str]) -> list[str]:
    """Return where the archive differs from one reading, after any of the steps with these names."""
    with TemporaryDirectory() as folder:
        place = Path(folder, "life")  # the same for both: some sessions are named by their path
        place.mkdir()
        whole = Life(place, files, random)
        with closing(whole):
            whole.make_whole()
            expected = whole.dump()
        is_document = whole.files[whole.main].startswith(b"{") and b"\n" not in whole.files[whole.main]
        shutil.rmtree(place)
        place.mkdir()
        life = Life(place, files, random)
        with closing(life):
            for name in names:
                steps()[name](life)
                life.make_whole()
                found = life.dump()
                told = differences({id: found.get(id, "nothing") for id in expected}, expected)
                told = [line for line in told if not is_document or "/record: " not in line]  # that of all of it
                if told:
                    return [f"after {name}: {line}" for line in told]
    return []


def random_course(random: Random, count: int) -> list[str]:
    names = list(steps())
    return [random.choice(names) for _ in range(count)]


# -- steps ----------------------------------------------------------------------------------------------------


def _file_by_file(life: Life) -> None:
    """Import the files one by one, in any order; those beside a session may come before it."""
    names = list(life.files)
    life.random.shuffle(names)
    for name in names:
        path = life.write(name, life.files[name])
        if life.is_session(path):
            life.take(path)


def _half(life: Life) -> None:
    for name, data in life.files.items():
        life.write(name, half_of(data))
    life.take()


def _take_other(life: Life, data: bytes) -> None:
    life.write(life.main, data)
    life.take()


def _cut(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data))]


def _other(life: Life) -> bytes:
    """Return what is not the source: a text, or a session of a tool that uses no files of this kind."""
    pi = b'{"type":"session","version":3,"id":"other","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}\n'
    return life.random.choice((b"Not a session.\n", pi, b"\xff\xfe\0\0", b"SQLite format 3\0" + bytes(84)))


def _zeros(life: Life) -> None:
    """Import lines the last of which has turned into zeros, as after a power failure."""
    data = life.files[life.main]
    if data.count(b"\n") > 1 and data.startswith(b"{"):
        _take_other(life, data[:-20] + bytes(10))


def _removed(life: Life) -> None:
    path = life.source / life.main
    if path.exists():
        path.unlink()
        with suppress(FileNotFoundError):
            Path(f"{path}-wal").unlink()
    life.source.mkdir(exist_ok=True)
    life.take()


def _locked(life: Life) -> None:
    """Import a database that its program has locked, and then the half that it has written."""
    if not life.files[life.main].startswith(MAGIC):
        return
    path = life.write(life.main, _without_log(half_of(life.files[life.main])))
    with _open(path) as connection, _no_patience():
        connection.execute("BEGIN EXCLUSIVE")
        report = life.take(path)
        assert [one.is_transient for one in report.skipped_files] == [True], report
        connection.execute("COMMIT")
    life.take(path)


def _being_written(life: Life) -> None:
    """Import a file whose last line is incomplete; a database whose write-ahead log has the newest rows."""
    data = life.files[life.main]
    if not data.startswith(MAGIC):
        _take_other(life, data[: max(len(data) - 3, 0)])
        return
    path = life.write(life.main, data)
    with _open(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        table = _largest(connection)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f'DELETE FROM "{table}"')
        life.take(path)  # what is not committed does not count
        connection.execute("ROLLBACK")
        connection.execute("CREATE TABLE later (x)")
        life.take(path)
        connection.execute("PRAGMA journal_mode = DELETE")


# -- parts of sources -----------------------------------------------------------------------------------------


def _evenly(data: bytes) -> bytes:
    """Return a document as `half_of` writes it, so that equal parts have equal bytes."""
    try:
        return json.dumps(json.loads(data), ensure_ascii=False).encode()
    except ValueError:
        return data


def half_of(data: bytes) -> bytes:
    """Return a source as it was before its last half was written: half of the lines, of a list, or of the rows."""
    if data.startswith(MAGIC):
        return _half_of_rows(data)
    if data.startswith((ZIP, b"\x28\xb5\x2f\xfd")):
        return data
    try:
        document = json.loads(data)
    except ValueError:
        lines = data.splitlines(keepends=True)
        return b"".join(lines[: (len(lines) + 1) // 2])
    found = max(_lists(document), key=len, default=[])
    del found[(len(found) + 1) // 2 :]
    return json.dumps(document, ensure_ascii=False).encode()


def _lists(document: Any) -> Iterator[list[Any]]:
    """Yield the lists of objects in a document: at its top, or in an object at its top."""
    values = document.values() if isinstance(document, Mapping) else ()
    for value in (document, *values):
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            yield value


def _half_of_rows(data: bytes) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        path.write_bytes(_without_log(data))
        with _open(path) as connection:
            table = _largest(connection)
            listed = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}" ORDER BY rowid')]
            last = listed[(len(listed) - 1) // 2] if listed else 0
            connection.execute(f'DELETE FROM "{table}" WHERE rowid > ?', (last,))
        return path.read_bytes()


def _without_log(data: bytes) -> bytes:
    """Return a database that keeps no write-ahead log, so that it can be locked, and copied as one file."""
    return data[:18] + b"\1\1" + data[20:]


def _largest(connection: sqlite3.Connection) -> str:
    """Return the table of messages whose later rows appear later; of an unknown tool the table with most rows.

    llm's older requests and opencode's messages: half of the parts of a reply would be another reply.
    """
    listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    names = [name for (name,) in listed if not name.startswith("sqlite_") and "_fts" not in name]
    counts = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
    known = [name for name in ("responses", "message") if name in counts]
    return known[0] if known else str(max(counts, key=lambda name: counts[name]))


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        yield connection


@contextmanager
def _no_patience() -> Iterator[None]:
    from stemmata.formats.shared import database

    before = database._WAIT
    database._WAIT = 0
    try:
        yield
    finally:
        database._WAIT = before
