"""What an import stores of valid files of every format, as one number for each, which no faster import may change.

`python -m tests.faults.archive_contents` writes the numbers anew, after a change of what is to be stored.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import zstandard

from stemmata.bootstrap.core import open_core
from stemmata.formats.shared.database import MAGIC
from stemmata.system.settings.settings import load
from tests.benchmarks.corpus import Shape, write_claude_code_session, write_codex_session, write_session
from tests.fuzz.seeds import Files, seeds

EXPECTED = Path(__file__).parents[1] / "data" / "archive_contents.json"
_LARGE = Shape(700, 20, 60, 400_000, forks=3)  # is read on a thread, in several groups
_TABLES = ("blob_uses", "blobs", "bodies", "entries", "records", "sessions", "shares", "usage", "versions")
_NOT_COMPARED = {"sessions": {"id"}, "entries": {"label"}}  # is random; is a number for the name that is compared
_PACKED = b"\x28\xb5\x2f\xfd"  # how Zstandard's data begins
_OF_FILES = ("records",)  # of a packed file they depend on the library that packs
_LABELS = "SELECT entries.key, names.text FROM entries JOIN names ON names.id = label ORDER BY entries.key"


def sources() -> Iterator[tuple[str, Files]]:
    """Yield the name and the files of each source."""
    for seed in seeds():
        if seed.name != "aider":  # its ids are made from the path, which is another with each import
            yield seed.name, seed.files
    with tempfile.TemporaryDirectory() as folder:
        for write in (write_session, write_claude_code_session, write_codex_session):
            path = write(Path(folder) / f"{write.__name__}.jsonl", _LARGE)
            yield write.__name__, {path.name: path.read_bytes()}


def contents_of(files: Files) -> str:
    """Import the files into a new archive and return a number of all that it holds then."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, data in files.items():
            path = folder / "source" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (1_767_225_600, 1_767_225_600))
        core = open_core(folder / "archive.db", load(folder / "none.toml"))
        core.services.importing.import_paths([folder / "source"]).result()
        core.close()
        is_packed = any(data.startswith((MAGIC, _PACKED)) for data in files.values())
        with closing(sqlite3.connect(folder / "archive.db")) as connection:
            lines = "\n".join(_lines(connection, _OF_FILES if is_packed else ()))
        return sha256(lines.replace(str(folder), "").encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _lines(connection: sqlite3.Connection, left_out: tuple[str, ...]) -> Iterator[str]:
    """Yield every row of the archive: of the tables, and each word of the full-text indexes with its place."""
    for table in _TABLES:
        if table not in left_out:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            kept = ", ".join(f'"{name}"' for name in names if name not in _NOT_COMPARED.get(table, ()))
            yield from sorted(map(_line, connection.execute(f"SELECT {kept} FROM {table}")))
    yield from map(_line, connection.execute(_LABELS))
    for index in ("entries_fts", "cjk_fts"):
        connection.execute(f"CREATE VIRTUAL TABLE temp.words_of_{index} USING fts5vocab (main, {index}, instance)")
        yield from map(_line, connection.execute(f"SELECT * FROM words_of_{index}"))
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 0)")


def _line(row: tuple[object, ...]) -> str:
    values = [_plain(value) if isinstance(value, bytes) else value for value in row]
    return json.dumps(values)


def _plain(data: bytes) -> str:
    return (zstandard.decompress(data) if data.startswith(_PACKED) else data).hex()


def expected() -> dict[str, str]:
    """Return the numbers as they were written."""
    found: dict[str, str] = json.loads(EXPECTED.read_text(encoding="utf-8"))
    return found


def main() -> int:
    numbers = {name: contents_of(files) for name, files in sources()}
    EXPECTED.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
