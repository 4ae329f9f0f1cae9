"""Recognise Zed's database of threads and read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseFormat, DatabaseSessions
from stemmata.formats.shared.format import SessionFolder
from stemmata.formats.zed.threads import NEEDED, ZedThreads


class Zed(DatabaseFormat):
    """The reader of the threads of Zed's agent."""

    name = "zed"
    needed: ClassVar[Mapping[str, frozenset[str]]] = NEEDED
    files: ClassVar[re.Pattern[str]] = re.compile(r"threads\.db")

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the database on Linux, macOS and Windows."""
        data = environment.get("FLATPAK_XDG_DATA_HOME", "") or environment.get("XDG_DATA_HOME", "")
        local = environment.get("LOCALAPPDATA", "")
        places = (
            (Path(data) if data else home / ".local" / "share") / "zed",
            home / "Library" / "Application Support" / "Zed",
            (Path(local) if local else home / "AppData" / "Local") / "Zed",
        )
        return tuple(SessionFolder(place / "threads", deep=False) for place in places)

    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the threads of a database."""
        return ZedThreads(database)
