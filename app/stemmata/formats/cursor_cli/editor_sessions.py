"""Which transcripts of Cursor's agent repeat a session that the database of the editor has as well."""

from __future__ import annotations

import os
from pathlib import Path

from stemmata.domain.errors import KnownError
from stemmata.formats.shared.database import LOG, open_database
from stemmata.formats.shared.vscode_folders import CURSOR, user_folders

_TRANSCRIPTS, _PROJECTS = "agent-transcripts", "projects"
_FIRST = "SELECT 1 FROM cursorDiskKV WHERE key >= ? AND key < ? LIMIT 1"


class EditorSessions:
    """Looks up sessions in the editor's databases, and remembers the answers while a database does not change."""

    def __init__(self) -> None:
        self._answers: dict[Path, tuple[str, dict[str, bool]]] = {}  # database → its state, session → is it there

    def database_with(self, transcript: Path) -> Path | None:
        """Return the database of the editor, in its usual place beside the transcripts, that has the session.

        None as well for a file that is no transcript.
        """
        parts = transcript.parts
        at = parts.index(_TRANSCRIPTS) if _TRANSCRIPTS in parts[:-1] else 0
        if at < 4 or parts[at - 2] != _PROJECTS:
            return None
        home = Path(*parts[: at - 3])
        for user in user_folders(CURSOR, home, {}):
            database = user / "globalStorage" / "state.vscdb"
            if self._has(database, transcript.stem):
                return database
        return None

    def _has(self, database: Path, session: str) -> bool:
        state = _state(database)
        if not state:
            return False
        known, answers = self._answers.get(database, ("", {}))
        if known != state:
            answers = {}
            self._answers[database] = state, answers
        if session not in answers:
            answers[session] = _has_messages(database, session)
        return answers[session]


def _state(database: Path) -> str:
    """Return a fingerprint of the database and its log; "" when it is not there."""
    states = []
    for file in (database, database.with_name(database.name + LOG)):
        try:
            found = os.stat(file)
        except OSError:
            continue
        states.append(f"{file.name}:{found.st_size}:{found.st_mtime_ns}")
    return "/".join(states)


def _has_messages(database: Path, session: str) -> bool:
    prefix = f"bubbleId:{session}"
    try:
        with open_database(database) as opened:
            return "key" in opened.columns("cursorDiskKV") and any(opened.rows(_FIRST, f"{prefix}:", f"{prefix};"))
    except KnownError:
        return False
