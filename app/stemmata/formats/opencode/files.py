"""The files of older versions of opencode: one for each session, message and part, below a folder `storage`.

`session/<project>/<session>.json`, `message/<session>/<message>.json` and `part/<message>/<part>.json`. They are
read through the same methods as the rows of the database.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.formats.opencode.message import OpencodeMessage, message_of
from stemmata.formats.opencode.source import MessageRow, SessionRow
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object

ENDING = ".json"
_LARGEST = 64 << 20  # bytes of a file
_FACTS = {"parentID": "parent_id", "projectID": "project_id", "title": "title", "directory": "directory"}
_FACTS |= {"version": "version", "slug": "slug", "agent": "agent", "revert": "revert"}


class Files:
    """Reads the files that belong to the file of a session."""

    def __init__(self, path: Path) -> None:
        self._sessions = path.parent.parent
        self._storage = self._sessions.parent
        self._folder = path.parent

    def session(self, path: Path, row: int = -1) -> SessionRow:
        """Return the session of a file; a file that cannot be read counts as unknown."""
        try:
            found = parse_object(_data(path))
        except BadLineError:
            found = {}
        times = mapping(found.get("time"))
        facts: dict[str, Any] = {name: found.get(key) for key, name in _FACTS.items()}
        facts |= {"id": path.stem, "share_url": mapping(found.get("share")).get("url")}
        facts |= {f"time_{name}": times.get(name) for name in ("created", "updated", "archived")}
        return SessionRow(row, facts)

    def damage(self, path: Path) -> str:
        """Return why the facts of a session's file cannot be read, "" when they can."""
        try:
            parse_object(_data(path))
        except BadLineError as error:
            return str(error)
        return ""

    @cached_property
    def sessions(self) -> list[SessionRow]:
        """The sessions of the same project, those that began first before the others."""
        found = [self.session(path, row) for row, path in enumerate(_listed(self._folder))]
        return sorted(found, key=lambda session: (session.created, session.id))

    def with_those_above(self, session: SessionRow) -> list[SessionRow]:
        """Return the session, and the sessions above a subagent's."""
        found = {session.id: session}
        at = session
        while isinstance(parent := at.facts.get("parent_id"), str) and parent not in found:
            files = (folder / f"{parent}{ENDING}" for folder in _inside(self._sessions))
            path = next((file for file in files if file.is_file()), None)
            if path is None:
                break
            at = found[parent] = self.session(path)
        return list(found.values())

    def messages(self, session: SessionRow) -> list[MessageRow]:
        """Return the messages of a session in order."""
        files = _listed(self._storage / "message" / session.id)
        rows = (MessageRow(row, path.stem, 0, path=path) for row, path in enumerate(files))
        found = [replace(row, created=_created(self.data_of(row))) for row in rows]
        return sorted(found, key=lambda message: (message.created, message.id))

    def may_have_copied(self, one: MessageRow) -> frozenset[int]:
        """Return the numbers of the sessions that were written when a message was."""
        return frozenset(
            session.row
            for session in self.sessions
            if session.created <= one.created <= instant(session.facts["time_updated"])
        )

    def message(self, row: MessageRow) -> OpencodeMessage:
        """Return a message with its parts. A file that cannot be read counts as lost."""
        parts = ((path.stem, _data(path)) for path in self._parts(row))
        return message_of(row.id, _data(row.path), parts, row.created)

    def data_of(self, row: MessageRow) -> OpencodeMessage:
        """Return a message without its parts."""
        return message_of(row.id, _data(row.path), (), row.created)

    def updated(self, rows: Sequence[MessageRow]) -> int:
        """Return when one of the files of these messages was written last, in ns."""
        return max(_state(path)[1] for row in rows for path in (row.path, *self._parts(row)))

    def call_of(self, parent: SessionRow, child: SessionRow) -> Iterator[bytes]:
        """Yield the parent's parts that name the child."""
        for row in self.messages(parent):
            for path in self._parts(row):
                data = _data(path)
                if data is not None and child.id.encode() in data:
                    yield data

    def _parts(self, row: MessageRow) -> list[Path]:
        return _listed(self._storage / "part" / row.id)


def files_state(path: Path) -> str:
    """Return a fingerprint of the messages and parts of a session's file; "" when there are none."""
    storage = path.parent.parent.parent
    found = hashlib.blake2b(digest_size=8)
    messages = _listed(storage / "message" / path.stem)
    for message in messages:
        for file in (message, *_listed(storage / "part" / message.stem)):
            found.update(f"{file.name}:{_state(file)}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest() if messages else ""


def _created(message: OpencodeMessage) -> int:
    return instant(mapping(message.data.get("time")).get("created"))


def _data(path: Path) -> bytes | None:
    """Return the bytes of a file; None for one that cannot be read or is too large."""
    try:
        with open_source(path) as file, known_read_errors(path):
            size = os.fstat(file.fileno()).st_size
            return b"".join(iter(lambda: file.read(1 << 20), b"")) if size <= _LARGEST else None
    except KnownError:
        return None


def _state(path: Path) -> tuple[int, int]:
    """Return size and time (ns) of a file, zeros for one that has disappeared."""
    try:
        found = path.lstat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _listed(folder: Path) -> list[Path]:
    """Return the JSON files of a folder by name."""
    return [path for path in _inside(folder) if path.suffix == ENDING and path.is_file()]


def _inside(folder: Path) -> list[Path]:
    """Return the content of a folder by name; nothing for a folder that cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
