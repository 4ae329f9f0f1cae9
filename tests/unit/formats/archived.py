"""An archive that imports a file: its sessions, their trees, and what the model sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stemmata.domain.context.projection import context_at
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.report import ImportReport
from stemmata.formats.registry import standard_formats
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.store.archive import SqliteArchive
from stemmata.store.reader import Reader
from stemmata.system.processes import SystemClock


class Archived:
    """An open archive in a folder."""

    def __init__(self, folder: Path) -> None:
        self.archive = SqliteArchive(folder / "archive.db")
        self._importing = Importing(self.archive, standard_formats(folder, {}), Notices(), SystemClock())

    def take(self, *paths: Path) -> ImportReport:
        """Import files; none may be left out."""
        report = self._importing.import_paths(list(paths)).result()
        assert report.skipped_files == ()
        return report

    def sessions(self) -> dict[str, Session]:
        """The sessions by their ids in the source."""
        return {one.source_id: one for one in self.archive.read(lambda reader: reader.sessions()).result()}

    def sent(self, session: str, at: str = "") -> list[str]:
        """The texts that the model sees at the leaf, or at the entry that begins with `at`."""
        found = self.sessions()[session]

        def job(reader: Reader) -> list[str]:
            tree = reader.tree(found.key)
            previews = reader.previews(found.key)
            entry = next((n for n, said in enumerate(previews) if at and said.startswith(at)), tree.get(found.leaf))
            return [previews[message.entry] for message in context_at(tree, entry).messages]

        return self.archive.read(job).result()

    def above(self, session: str) -> dict[str, str | None]:
        """The text of each entry, and that of its parent."""
        found = self.sessions()[session]

        def job(reader: Reader) -> dict[str, str | None]:
            tree, previews = reader.tree(found.key), reader.previews(found.key)
            return {said: previews[up] if (up := tree.parents[n]) >= 0 else None for n, said in enumerate(previews)}

        return self.archive.read(job).result()


@contextmanager
def archived(folder: Path) -> Iterator[Archived]:
    """Open an archive."""
    made = Archived(folder)
    try:
        yield made
    finally:
        made.archive.close()
