"""The backups beside an archive, and putting one into its place."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.database import APPLICATION_ID

FOLLOWERS = ("-wal", "-shm")  # what SQLite keeps beside a database; it belongs to that file alone


def backups_of(path: Path) -> list[Path]:
    """Backups that lie beside the archive, the newest first."""
    found = [file for file in path.parent.glob(f"{path.name}*.bak") if file.is_file()]
    return sorted(found, key=lambda file: file.stat().st_mtime, reverse=True)


def restore(path: Path, backup: Path) -> Path:
    """Put a copy of the backup in the archive's place. Returns where the archive was moved to; nothing is deleted.

    Raises KnownError when the backup is no sound archive, or when files cannot be moved.
    """
    _examine(backup)
    aside = _free_name(path)
    try:
        copy = path.with_name(f"{path.name}.restoring")
        copy.touch(mode=0o600)
        with closing(sqlite3.connect(backup)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        for end in ("", *FOLLOWERS):
            file = path.with_name(path.name + end)
            if file.exists():
                file.rename(aside.with_name(aside.name + end))
        os.replace(copy, path)
    except (OSError, sqlite3.Error) as error:
        raise KnownError(
            Phrase(
                "The backup could not be put into place: {0}. The backup is untouched; "
                "look into the archive's folder before you try again.\n{1}",
                error,
                path,
            )
        ) from error
    return aside


def _examine(backup: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            owner = connection.execute("PRAGMA application_id").fetchone()[0]
            sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise KnownError(Phrase("The backup cannot be read: {0}. Choose another one.\n{1}", error, backup)) from error
    if owner != APPLICATION_ID or sound != "ok":
        raise KnownError(Phrase("The file is no sound archive of Stemmata. Choose another one.\n{0}", backup))


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return name
