"""Open the export of a service: a JSON file, or a ZIP archive with such files. Nothing is unpacked to disk."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.zip_archive import DAMAGE, METHODS, ZIP, open_zip

CHUNK = 1 << 18
SNIFF = 1 << 20  # bytes of each document in which its keys are looked for
GROWTH = 300  # times that unpacked documents may be larger than their archive; text rarely exceeds 20
FREE = 64 << 20  # unpacked bytes that are read in any case
# with the numbers that browsers add to downloads
_DOCUMENT = re.compile(r"conversations([-_ ]?\(?\d+\)?)?\.json", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExportDocument:
    """A JSON file of an export, in a ZIP archive or by itself. `name` is its name without folders."""

    name: str
    path: Path
    member: zipfile.ZipInfo | None = None
    archive: zipfile.ZipFile | None = None


class ExportFile:
    """An open export. `documents` may hold conversations; `others` are the names of the files beside them.

    `are_renamed`: no document of an archive has the usual name, so `documents` are all of its JSON files. `cut` says
    why the end of an archive is missing, "" for a whole one.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile | None, cut: str = "") -> None:
        self.path = path
        self.cut = cut
        self.documents: list[ExportDocument] = []
        self.others: list[str] = []
        self.are_renamed = False
        self._left = FREE
        if archive is None:
            self.documents.append(ExportDocument(path.name, path))
            return
        self._left = max(FREE, GROWTH * path.stat().st_size)
        renamed: list[ExportDocument] = []
        for member in archive.infolist():
            name = PurePosixPath(member.filename).name
            if _DOCUMENT.fullmatch(name):
                self.documents.append(ExportDocument(name, path, member, archive))
            elif name and not member.filename.endswith("/"):
                self.others.append(name)
                renamed += [ExportDocument(name, path, member, archive)] if name.lower().endswith(".json") else []
        if not self.documents:
            self.are_renamed, self.documents = True, renamed

    def chunks(self, document: ExportDocument) -> Generator[bytes]:
        """Yield the bytes of a document. Raises UnreadableSourceError when they are damaged or grow out of bounds."""
        if document.archive is None:
            with open_source(document.path) as file, known_read_errors(document.path):
                yield from iter(lambda: file.read(CHUNK), b"")
            return
        assert document.member is not None
        damaged = UnreadableSourceError(
            Phrase("{0} is damaged, encrypted or packed in an unknown way.", document.name)
        )
        if document.member.compress_type not in METHODS:
            raise damaged
        try:
            with document.archive.open(document.member) as packed:
                yield from self._unpacked(packed)
        except DAMAGE as error:
            raise damaged from error

    def _unpacked(self, packed: IO[bytes]) -> Iterator[bytes]:
        while chunk := packed.read(CHUNK):
            self._left -= len(chunk)
            if self._left < 0:
                raise UnreadableSourceError(
                    Phrase(
                        "{0} is far larger than a chat export when it is unpacked. Stemmata stopped reading it.",
                        self.path,
                    )
                )
            yield chunk


@contextmanager
def open_export(path: Path) -> Iterator[ExportFile]:
    """Open an export for reading. Raises NotFoundError and UnreadableSourceError."""
    with open_source(path) as file, known_read_errors(path):
        if file.read(len(ZIP)) != ZIP:
            yield ExportFile(path, None)
            return
        file.seek(0)
        try:
            archive, cut = open_zip(file)
        except DAMAGE as error:
            raise UnreadableSourceError(Phrase("{0} is a damaged ZIP archive.", path)) from error
        with archive:
            yield ExportFile(path, archive, cut)


def head_of(export: ExportFile, document: ExportDocument) -> bytes:
    """Return the first bytes of a document, in which its keys are looked for; fewer when it is damaged."""
    parts: list[bytes] = []
    try:
        for chunk in export.chunks(document):
            parts.append(chunk)
            if len(parts) * CHUNK >= SNIFF:
                break
    except UnreadableSourceError:
        pass
    return b"".join(parts)
