"""Exports: write a session in another tool's format, completely or not at all."""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from stemmata.domain.entries.entry import ANNOTATION_KINDS
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.entries.tree import Tree
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.sessions.session import Session
from stemmata.domain.sources.export import LeftOut
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader
from stemmata.services.ports.sources import Formats

T = TypeVar("T")
log = logging.getLogger(__name__)
_PART = re.compile(r"\.stemmata-[0-9a-f]{16}\.part")  # the name of an export that is being written
_ABANDONED = 3600  # seconds without a write after which an export counts as abandoned


@dataclass(frozen=True)
class ExportPart:
    """The part of a session to export.

    With `end` it is the path from the first entry to the entry with this store key. Without it, it is the usual part
    of the format: all branches, or the active one; with `is_whole` all branches in any format.
    """

    end: int | None = None
    is_whole: bool = False


USUAL_PART = ExportPart()


class ExportReader(Protocol):
    """The methods that the writers of formats use, each as described in `ArchiveReader`."""

    def session(self, key: int, /) -> Session: ...
    def tree(self, session: int, /) -> Tree: ...
    def rows(self, keys: Sequence[int], /) -> dict[int, EntryRow]: ...
    def bodies(self, keys: Sequence[int], /) -> dict[int, Body]: ...
    def raw(self, session: int, /) -> Iterator[bytes]: ...
    def records(self, entries: Sequence[int], /) -> dict[int, bytes]: ...
    def blob(self, digest: str, /) -> bytes | None: ...


class ReaderInJobs:
    """Reads the archive from another thread, each time in a short job, so that other reads come in between."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def session(self, key: int, /) -> Session:
        """As described in `ArchiveReader`; so are the other methods."""
        return self._archive.read(lambda reader: reader.session(key)).result()

    def tree(self, session: int, /) -> Tree:
        return self._archive.read(lambda reader: reader.tree(session)).result()

    def rows(self, keys: Sequence[int], /) -> dict[int, EntryRow]:
        return self._archive.read(lambda reader: reader.rows(keys)).result()

    def bodies(self, keys: Sequence[int], /) -> dict[int, Body]:
        return self._archive.read(lambda reader: reader.bodies(keys)).result()

    def raw(self, session: int, /) -> Iterator[bytes]:
        return iter(self._archive.read(lambda reader: list(reader.raw(session))).result())

    def records(self, entries: Sequence[int], /) -> dict[int, bytes]:
        return self._archive.read(lambda reader: reader.records(entries)).result()

    def blob(self, digest: str, /) -> bytes | None:
        return self._archive.read(lambda reader: reader.blob(digest)).result()


@dataclass(frozen=True)
class ArchivedSession:
    """A session as the writer of a format reads it. With a reader of a read job, it is valid only inside that job."""

    reader: ExportReader
    session: Session
    tree: Tree
    is_whole: bool = False

    @property
    def parent(self) -> Session | None:
        """The session that this one was forked from or spawned by; None without one, or when it was deleted."""
        if self.session.parent is None:
            return None
        with suppress(NotFoundError):
            return self.reader.session(self.session.parent)
        return None

    @property
    def leaf(self) -> int | None:
        """Index of the leaf in the tree; None at the start."""
        return self.tree.get(self.session.leaf)

    def raw(self) -> Iterator[bytes]:
        """Yield the source bytes of the session's file."""
        return self.reader.raw(self.session.key)

    def rows(self, entries: Sequence[int]) -> list[EntryRow]:
        """Return the rows of entries, given as indices of the tree."""
        keys = [self.tree.key(entry) for entry in entries]
        return _whole(self.reader.rows(keys), keys)

    def bodies(self, entries: Sequence[int]) -> list[Body]:
        """Return the bodies of entries, given as indices of the tree."""
        keys = [self.tree.key(entry) for entry in entries]
        return _whole(self.reader.bodies(keys), keys)

    def records(self, entries: Sequence[int]) -> list[bytes | None]:
        """Return the source records of entries; None for an entry created in Stemmata."""
        keys = [self.tree.key(entry) for entry in entries]
        found = self.reader.records(keys)
        return [found.get(key) for key in keys]

    def blob(self, digest: str) -> bytes | None:
        """Return the bytes of an attachment by SHA-256 in hex; None when they are missing."""
        return self.reader.blob(digest)


@dataclass(frozen=True)
class ArchivedPath(ArchivedSession):
    """The path from the first entry to an entry, presented as a session that ends at this entry."""

    end: int = 0  # store key of the last entry

    @property
    def leaf(self) -> int | None:
        """Index of the last entry in the tree of the path."""
        return self.tree.get(self.end)

    def raw(self) -> Iterator[bytes]:
        """Yield nothing: the source file has other branches as well."""
        yield from ()


class Exporting:
    """Exports sessions."""

    def __init__(self, archive: Archive, formats: Formats) -> None:
        self._archive = archive
        self._formats = formats

    @property
    def names(self) -> Sequence[str]:
        """The names of the formats that can be written."""
        return self._formats.export_names()

    def ending(self, format: str) -> str:
        """The file ending of a document in this format, without the dot."""
        return self._formats.ending(format)

    def left_out(self, session: int, part: ExportPart = USUAL_PART) -> Future[dict[str, LeftOut]]:
        """Return what an export of a session, or of a part of it, lacks in each format."""

        def job(reader: ArchiveReader) -> dict[str, LeftOut]:
            source = archived_part(reader, session, part)
            return {name: self._formats.left_out(name, source) for name in self.names}

        return self._archive.read(job)

    def to_bytes(self, session: int, format: str, part: ExportPart = USUAL_PART) -> Future[bytes]:
        """Return a session, or a part of it, in a format. Fails with KnownError."""

        def job(reader: ArchiveReader) -> bytes:
            return b"".join(self._formats.export(format, archived_part(reader, session, part)))

        return self._archive.read(job)

    def to_file(self, session: int, format: str, path: Path, part: ExportPart = USUAL_PART) -> Future[int]:
        """Write a session, or a part of it, to a file and return the number of bytes.

        An old file is replaced only by a complete new one. The work is done on a separate thread, since it may take
        seconds; reads of the window run in between.
        """
        reader = ReaderInJobs(self._archive)
        return run_in_thread(
            lambda: write_whole(path, self._formats.export(format, archived_part(reader, session, part)))
        )

    def blob_to_file(self, digest: str, path: Path) -> Future[int]:
        """Write a stored image or attachment, named by its SHA-256, to a file and return the number of bytes."""

        def job(reader: ArchiveReader) -> int:
            content = reader.blob(digest)
            if content is None:
                raise NotFoundError(Phrase("This image is not in the archive."))
            return write_whole(path, [content])

        return self._archive.read(job)


def write_whole(path: Path, parts: Iterable[bytes]) -> int:
    """Write a file completely or not at all; returns the number of bytes. Raises KnownError.

    Only a regular file is replaced, and it keeps its mode; a new file gets the umask's mode. A link, a pipe or a
    device is never replaced. Unfinished files of killed exports in the same folder are removed.
    """
    mode = _mode_of(path)
    temporary = path.with_name(f".stemmata-{os.urandom(8).hex()}.part")
    try:
        with open(temporary, "xb") as file:
            _remove_abandoned(path.parent, os.fstat(file.fileno()).st_mtime)
            size = sum(file.write(part) for part in parts)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except FileNotFoundError as error:
        raise KnownError(
            Phrase("The folder {0} does not exist. Nothing was written: create it, or choose another.", path.parent)
        ) from error
    except OSError as error:
        raise KnownError(
            Phrase("Could not write {0}: {1}. Nothing was changed.", path, error.strerror or error)
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return size


def _remove_abandoned(folder: Path, now: float) -> None:
    """Remove the unfinished files of exports that were killed. A file that was written to recently may still grow.

    `now` is the time by the clock of the folder's file system, which may be another computer's.
    """
    try:
        with os.scandir(folder) as found:
            for one in found:
                is_part = _PART.fullmatch(one.name) and one.is_file(follow_symlinks=False)
                if is_part and one.stat(follow_symlinks=False).st_mtime < now - _ABANDONED:
                    os.unlink(one.path)
    except OSError as error:  # the export is written all the same, and the next one tries again
        log.info("unfinished exports in %s were not removed: %s", folder, error)


def _mode_of(path: Path) -> int | None:
    """Return the mode of the file to replace; None when there is no file.

    Raises KnownError for anything but a file.
    """
    try:
        found = path.lstat()
    except OSError:  # missing, or in an unreadable folder, which the write reports
        return None
    if stat.S_ISLNK(found.st_mode):
        raise KnownError(
            Phrase("{0} is a symbolic link. Nothing was written: name the file that it points to.", path)
        )
    if stat.S_ISDIR(found.st_mode):
        raise KnownError(Phrase("{0} is a folder. Nothing was written: name a file in it.", path))
    if not stat.S_ISREG(found.st_mode):
        raise KnownError(Phrase("{0} is a pipe or a device. Nothing was written: name a file.", path))
    if not os.access(path, os.W_OK):
        raise KnownError(Phrase("No permission to write to {0}. Nothing was written: choose another file.", path))
    return stat.S_IMODE(found.st_mode)


def _whole(found: Mapping[int, T], keys: Sequence[int]) -> list[T]:
    """Return the answers for all keys. Raises NotFoundError."""
    if len(found) < len(keys):
        raise NotFoundError(Phrase("The session was deleted while it was exported. Nothing was written."))
    return [found[key] for key in keys]


def archived_part(reader: ExportReader, session: int, part: ExportPart) -> ArchivedSession:
    """Return a session, or a part of it, as the writers of formats read it."""
    found, tree = reader.session(session), reader.tree(session)
    if part.end is None:
        return ArchivedSession(reader, found, tree, part.is_whole)
    path = set(tree.path(tree.index(part.end)))
    marks = (mark for kind in ANNOTATION_KINDS for mark in tree.of_kind(kind))
    path |= {mark for mark in marks if tree.parents[mark] in path and tree.columns.target[mark] in path}
    return ArchivedPath(reader, found, tree.part(sorted(path)), end=part.end)
