"""Reading entries: ids, rows and bodies, in bulk on the db thread."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future

from stemmata.domain.entries.session_facts import Body, EntryRow
from stemmata.services.ports.archive import Archive, ArchiveReader

PAGE = 64  # bodies in memory at once


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

    def blob(self, digest: str) -> Future[bytes | None]:
        """The bytes of a picture or a file; None where the archive does not have them."""
        return self._archive.read(lambda reader: reader.blob(digest))

    def occurrences(self, keys: Sequence[int], text: str, *, named: Collection[int] = ()) -> Future[dict[int, int]]:
        """How often the text stands in each of these entries, by key; those without it are left out.

        Of entries in `named` the name is looked through as well: the command that was run.
        """
        from stemmata.domain.search.finding import occurrences

        needle = text.lower()

        def job(reader: ArchiveReader) -> dict[int, int]:
            found: dict[int, int] = {}
            for start in range(0, len(keys), PAGE):
                page = keys[start : start + PAGE]
                found.update((key, occurrences(body, needle)) for key, body in reader.bodies(page).items())
                for key, row in reader.rows([key for key in page if key in named]).items():
                    found[key] = found.get(key, 0) + row.name.lower().count(needle)
            return {key: count for key, count in found.items() if count}

        return self._archive.read(job)

    def record(self, key: int) -> Future[bytes | None]:
        """The source record, byte for byte; None for an entry made here."""
        return self._archive.read(lambda reader: reader.record(key))
