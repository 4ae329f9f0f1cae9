"""Recognise the databases in which Hermes keeps its sessions, and read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from stemmata.formats.hermes.sessions import NEEDED, SOURCE, HermesSessions
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseFormat, DatabaseSessions
from stemmata.formats.shared.format import SessionFolder


class Hermes(DatabaseFormat):
    """The reader of Hermes' sessions."""

    name = SOURCE
    needed: ClassVar[Mapping[str, frozenset[str]]] = NEEDED
    files: ClassVar[re.Pattern[str]] = re.compile(r"state\.db")

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return Hermes' folder on Linux, macOS and Windows, and the folders of its profiles."""
        named, local = environment.get("HERMES_HOME", ""), environment.get("LOCALAPPDATA", "")
        roots = [Path(named)] if named else [
            home / ".hermes", (Path(local) if local else home / "AppData" / "Local") / "hermes",
        ]  # fmt: skip
        profiles = [profile for root in roots for profile in sorted((root / "profiles").glob("*"))]
        return tuple(SessionFolder(folder, deep=False) for folder in (*roots, *profiles))

    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the sessions of a database."""
        return HermesSessions(database)
