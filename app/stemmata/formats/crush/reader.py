"""Recognise the databases in which Crush keeps the sessions of a project, and read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from stemmata.domain.errors import KnownError
from stemmata.formats.crush.sessions import NEEDED, SOURCE, CrushSessions
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.database_format import DatabaseFormat, DatabaseSessions
from stemmata.formats.shared.format import SessionFolder
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, mapping, parse

_LIST = "projects.json"
_LARGEST = 16 << 20  # bytes of the list of projects


class Crush(DatabaseFormat):
    """The reader of Crush's sessions."""

    name = SOURCE
    needed: ClassVar[Mapping[str, frozenset[str]]] = NEEDED
    files: ClassVar[re.Pattern[str]] = re.compile(r"crush\.db")

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of the databases, which Crush lists on Linux, macOS and Windows."""
        named, data = environment.get("CRUSH_GLOBAL_DATA", ""), environment.get("XDG_DATA_HOME", "")
        local = environment.get("LOCALAPPDATA", "")
        places = [Path(named)] if named else [
            (Path(data) if data else home / ".local" / "share") / "crush",
            (Path(local) if local else home / "AppData" / "Local") / "crush",
        ]  # fmt: skip
        found = dict.fromkeys(folder for place in places for folder in _listed(place / _LIST))
        return tuple(SessionFolder(folder, deep=False) for folder in found)

    def sessions(self, database: SourceDatabase) -> DatabaseSessions:
        """Return the sessions of a database."""
        return CrushSessions(database, self.now())


def _listed(path: Path) -> Iterator[Path]:
    """Yield the folders of the databases in a list of projects; nothing for one that is missing or damaged."""
    try:
        with open_source(path) as file, known_read_errors(path):
            found: Any = parse(file.read(_LARGEST))
    except (KnownError, BadLineError):
        return
    listed = mapping(found).get("projects", found)
    for one in listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ():
        project, folder = mapping(one).get("path"), mapping(one).get("data_dir") or ".crush"
        if isinstance(project, str) and isinstance(folder, str) and Path(project).is_absolute():
            yield Path(project, folder)
