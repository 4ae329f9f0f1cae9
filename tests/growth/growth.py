"""The law of growth: however often a growing file is read, the archive is as if it had been read once, whole."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from stemmata.formats.claude_code.format import CLAUDE_CODE
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.codex.format import CODEX
from stemmata.formats.copilot_cli.format import COPILOT_CLI
from stemmata.formats.cursor_cli.format import CURSOR_CLI
from stemmata.formats.droid.format import DROID
from stemmata.formats.gemini.format import GEMINI
from stemmata.formats.goose.format import GOOSE
from stemmata.formats.kiro.format import KIRO
from stemmata.formats.openclaw.format import OPENCLAW
from stemmata.formats.opencode.format import OPENCODE
from stemmata.formats.opencode.reader import Opencode
from stemmata.formats.pi.format import PI
from stemmata.formats.qwen.format import QWEN
from stemmata.formats.registry import FormatRegistry
from stemmata.formats.shared.format import Format
from stemmata.formats.vibe.format import VIBE
from stemmata.formats.vscode_chat.format import VSCODE_CHAT
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.store.archive import SqliteArchive
from stemmata.store.reader import Reader
from stemmata.system.processes import SystemClock
from tests.fakes.opencode import ms, store
from tests.growth.made import OpencodeStep, play
from tests.indexes import index_differences

Files = Mapping[str, bytes]  # by path inside a folder
Cut = Mapping[str, int]  # bytes of each that are there
_SESSION = (
    "source", "source_id", "title", "prompt", "cwd", "parent_source_id", "created_at", "updated_at", "entries",
    "branches", "compactions", "context_tokens", "context_kind", "model", "cost", "details",
)  # fmt: skip
_ENTRY = (
    "entries.id", "entries.kind", "entries.role", "entries.time", "entries.flags", "entries.text",
    "entries.thinking", "entries.calls", "entries.images", "entries.reported", "entries.provider", "entries.model",
    "entries.tool", "entries.call", "entries.name", "entries.preview", "names.text", "bodies.body", "usage.input",
    "usage.output", "usage.cache_read", "usage.cache_write", "usage.total", "usage.cost",
)  # fmt: skip


def read_in_pieces(folder: Path, files: Files, cuts: Sequence[Cut], *, worth: int = 1) -> dict[str, Any]:
    """What the archive holds after the files were read once for each cut, and once more when they were whole.

    `worth`: bytes of a Claude Code file before the place where a reading may begin anew.
    """
    folder.mkdir()
    archive = SqliteArchive(folder / "archive.db")
    claude_code = replace(CLAUDE_CODE, reader=lambda: ClaudeCode(worth))
    formats = FormatRegistry(
        (
            DROID, OPENCLAW, PI, claude_code, CODEX, COPILOT_CLI, VSCODE_CHAT, CURSOR_CLI, VIBE, KIRO, GEMINI, GOOSE,
            QWEN,
        ),
        folder, {},
    )  # fmt: skip
    importing = Importing(archive, formats, Notices(), SystemClock())
    source = folder / "source"
    source.mkdir()
    try:
        for cut in (*cuts, {name: len(data) for name, data in files.items()}):
            _grow(source, files, cut)
            importing.import_paths([source]).result()
        return dump(archive, folder / "archive.db")
    finally:
        archive.close()


def grow(files: Files, cuts: Sequence[Cut], *, worth: int = 1) -> list[str]:
    """Where reading in pieces differs from one reading."""
    with TemporaryDirectory() as folder:
        expected = read_in_pieces(Path(folder, "whole"), files, [])
        assert expected
        return differences(read_in_pieces(Path(folder, "pieces"), files, cuts, worth=worth), expected)


def play_in_pieces(folder: Path, steps: Sequence[OpencodeStep], readings: Collection[int]) -> dict[str, Any]:
    """What the archive holds of opencode's database that was read after some of the steps, and at the end."""
    folder.mkdir()
    archive = SqliteArchive(folder / "archive.db")
    seconds = [0]
    opencode = replace(OPENCODE, reader=lambda: Opencode(lambda: ms(seconds[0]) * 1_000_000))
    importing = Importing(archive, FormatRegistry((opencode,), folder, {}), Notices(), SystemClock())
    path = folder / "opencode.db"
    try:
        with store(path, log=True) as made:
            for number, step in enumerate(steps):
                seconds[0] = number * 10 + 5
                play(made, number, step)
                if number in readings:
                    assert importing.import_paths([path]).result().skipped_files == ()
            seconds[0] = 100_000
            importing.import_paths([path]).result()
        return dump(archive, folder / "archive.db")
    finally:
        archive.close()


def play_and_compare(steps: Sequence[OpencodeStep], readings: Collection[int]) -> list[str]:
    """Where several readings of opencode's database differ from one reading."""
    with TemporaryDirectory() as folder:
        expected = play_in_pieces(Path(folder, "whole"), steps, ())
        assert expected
        return differences(play_in_pieces(Path(folder, "pieces"), steps, readings), expected)


def grow_by_row(format: Format, name: str, data: bytes, table: str) -> list[str]:
    """Where reading a database after each further row of a table differs from one reading."""
    versions = []
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        with closing(sqlite3.connect(path)) as connection:
            rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]
        for row in rows:
            path.write_bytes(data)
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                connection.execute(f"DELETE FROM {table} WHERE rowid > ?", (row,))
            versions.append(path.read_bytes())
    return grow_by_version(format, name, [*versions, data])


def grow_by_version(format: Format, name: str, versions: Sequence[bytes]) -> list[str]:
    """Where reading each version of a file differs from reading only the last."""
    with TemporaryDirectory() as folder:
        whole = _by_version(Path(folder, "whole"), format, name, versions[-1:])
        assert whole
        return differences(_by_version(Path(folder, "pieces"), format, name, versions), whole)


def _by_version(folder: Path, format: Format, name: str, versions: Sequence[bytes]) -> dict[str, Any]:
    path = folder / "source" / name
    path.parent.mkdir(parents=True)
    archive = SqliteArchive(folder / "archive.db")
    importing = Importing(archive, FormatRegistry((format,), folder, {}), Notices(), SystemClock())
    try:
        for data in versions:
            path.write_bytes(data)
            assert importing.import_paths([path]).result().skipped_files == ()
        return dump(archive, folder / "archive.db")
    finally:
        archive.close()


def jsonl(records: Sequence[Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def renamed(data: bytes) -> bytes:
    """The same with other ids: those of two files are never the same."""
    return re.sub(rb'"n(-?\d+)"', rb'"g\1"', data)


def _grow(source: Path, files: Files, cut: Cut) -> None:
    for name, data in files.items():
        path, size = source / name, cut.get(name, 0)
        if not size:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(data[file.tell() : size])


def dump(archive: SqliteArchive, path: Path) -> dict[str, Any]:
    """All that the archive says, without its own numbers. Raises AssertionError when it is not sound."""
    problems = archive.read(lambda reader: reader.check()).result()
    assert problems == [], problems
    assert index_differences(path) == []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        sessions = connection.execute(
            f"SELECT sessions.key, {', '.join(f'sessions.{name}' for name in _SESSION)}, other.id, entries.id"
            " FROM sessions LEFT JOIN sessions AS other ON other.key = sessions.parent"
            " LEFT JOIN entries ON entries.key = sessions.leaf"
        ).fetchall()
        return {session[2]: _session(archive, connection, session) for session in sessions}


def _session(archive: SqliteArchive, connection: sqlite3.Connection, row: tuple[Any, ...]) -> dict[str, Any]:
    key, *facts = row
    told = dict(zip((*_SESSION, "parent", "leaf"), facts, strict=True))
    told["details"] = json.loads(told["details"] or "{}")
    told["raw"] = archive.read(lambda reader: b"".join(reader.raw(key))).result()
    query = f"""
        SELECT entries.key, above.id, target.id, entries.target IS NULL, {", ".join(_ENTRY)}
        FROM entries JOIN bodies ON bodies.key = entries.key JOIN names ON names.id = entries.label
        LEFT JOIN usage ON usage.key = entries.key LEFT JOIN entries AS above ON above.key = entries.parent
        LEFT JOIN entries AS target ON target.key = entries.target WHERE entries.session = ?"""
    names = ("parent", "target", "no target", *_ENTRY)
    entries = {}
    for entry, *values in connection.execute(query, (key,)).fetchall():
        said = dict(zip(names, values, strict=True))
        said["record"] = archive.read(partial(Reader.record, entry=entry)).result()
        entries[said["entries.id"]] = said
    told["tree"] = entries
    return told


def differences(found: Mapping[str, Any], expected: Mapping[str, Any], where: str = "") -> list[str]:
    """Return at most 20 differences in words."""
    out: list[str] = []
    for key in [*expected, *(key for key in found if key not in expected)]:
        one, other = found.get(key, "nothing"), expected.get(key, "nothing")
        if isinstance(one, dict) and isinstance(other, dict):
            out += differences(one, other, f"{where}{key}/")
        elif one != other:
            out.append(f"{where}{key}: {str(one)[:200]} instead of {str(other)[:200]}")
    return out[:20]


def cuts_at(files: Files, random: Random, count: int) -> list[dict[str, int]]:
    """So many stages of growth, at any byte, each file by itself."""
    stages: dict[str, list[int]] = {
        name: sorted(random.randint(0, len(data)) for _ in range(count)) for name, data in files.items()
    }
    return [{name: sizes[at] for name, sizes in stages.items()} for at in range(count)]


def cuts_by_line(files: Files) -> Iterable[dict[str, int]]:
    """One line more of every file at each stage, the longest file setting the number of stages."""
    ends = {name: _ends(data) for name, data in files.items()}
    for at in range(max(map(len, ends.values()))):
        yield {name: sizes[min(at, len(sizes) - 1)] for name, sizes in ends.items()}


def _ends(data: bytes) -> list[int]:
    out, at = [], 0
    for line in data.splitlines(keepends=True):
        at += len(line)
        out.append(at)
    return out or [0]
