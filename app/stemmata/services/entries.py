"""Reading entries: ids, rows and bodies, in bulk on the db thread."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from stemmata.domain.sessions import Body, EntryRow
from stemmata.services.ports import Archive


class Entries:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def ids(self, session: int) -> Future[list[str]]:
        """Source ids of the session's entries, in the order of its tree."""
        return self._archive.read(lambda reader: reader.ids(session))

    def key(self, session: int, id: str) -> Future[int]:
        """Key of an entry by its source id or a unique prefix of one. Fails with NotFoundError."""
        return self._archive.read(lambda reader: reader.entry_key(session, id))

    def previews(self, session: int) -> Future[list[str]]:
        """One line for each entry, in the order of the session's tree."""
        return self._archive.read(lambda reader: reader.previews(session))

    def rows(self, keys: Sequence[int]) -> Future[dict[int, EntryRow]]:
        return self._archive.read(lambda reader: reader.rows(keys))

    def bodies(self, keys: Sequence[int]) -> Future[dict[int, Body]]:
        return self._archive.read(lambda reader: reader.bodies(keys))

    def record(self, key: int) -> Future[bytes | None]:
        """The source record, byte for byte; None for an entry made here."""
        return self._archive.read(lambda reader: reader.record(key))
