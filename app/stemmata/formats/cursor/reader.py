"""Recognise Cursor's database (`User/globalStorage/state.vscdb`) and read its sessions, which it calls composers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from stemmata.formats.cursor.composers import NEEDED, Composers
from stemmata.formats.shared import vscode_folders
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseFormat, DatabaseSessions
from stemmata.formats.shared.format import SessionFolder


class Cursor(DatabaseFormat):
    """The reader of Cursor's sessions."""

    name = "cursor"
    needed: ClassVar[Mapping[str, frozenset[str]]] = NEEDED
    files: ClassVar[re.Pattern[str]] = re.compile(r"state\.vscdb")

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the database on Linux, macOS and Windows."""
        users = vscode_folders.user_folders(vscode_folders.CURSOR, home, environment)
        return tuple(SessionFolder(user / "globalStorage", deep=False) for user in users)

    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the sessions of a database."""
        return Composers(database, self.now())
