"""Recognise librecode's database and read its sessions, also those that librecode does not list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from stemmata.formats.librecode.sessions import NEEDED, LibrecodeSessions
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseFormat, DatabaseSessions
from stemmata.formats.shared.format import SessionFolder


class Librecode(DatabaseFormat):
    """The reader of librecode's sessions."""

    name = "librecode"
    needed: ClassVar[Mapping[str, frozenset[str]]] = NEEDED
    files: ClassVar[re.Pattern[str]] = re.compile(r"librecode\.db")

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return librecode's folder, which is the same on all systems; the environment can name others."""
        named, database = environment.get("LIBRECODE_HOME", ""), environment.get("LIBRECODE_DATABASE_PATH", "")
        folders = [_path(named, home) if named else home / ".librecode"]
        folders += [_path(database, home).parent] if database else []
        return tuple(SessionFolder(folder, deep=False) for folder in dict.fromkeys(folders))

    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the sessions of a database."""
        return LibrecodeSessions(database)


def _path(name: str, home: Path) -> Path:
    return home / name[2:] if name.startswith("~/") else Path(name)
