"""Unpack a ZIP archive of a tool's folder into a temporary folder, which is read like the tool's own.

Databases, and files that belong together, can be read only as files on the disk, so they are unpacked. The archive is
untrusted: nothing is written outside the temporary folder, and no more than the limits.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stemmata.domain.errors import CancelledError, UnreadableSourceError
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.export_file import CHUNK, FREE, GROWTH
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.zip_archive import DAMAGE, METHODS, MOST_FILES, open_zip

_PREFIX = "stemmata-unpacked-"
_LARGEST = 16 << 30  # unpacked bytes
_SPARE = 1 << 30  # bytes of the disk that are left free
_LONGEST = 200  # characters of a file's name, and of a folder's
_DEEPEST = 40  # folders
_OLD = 24 * 3600  # seconds after which a folder that a killed process left is removed


@dataclass(frozen=True, slots=True)
class PackedFolder:
    """The temporary folder. `left_out` are files of the archive that were not unpacked, with the reason."""

    path: Path
    left_out: tuple[tuple[str, str], ...]

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)


def unpack(path: Path, cancelled: Callable[[], bool] = lambda: False) -> PackedFolder:
    """Unpack an archive. Raises UnreadableSourceError or CancelledError, and then leaves nothing behind.

    An archive whose end is missing is refused: a session of several files would lose some of them, and their messages
    would be taken for removed ones.
    """
    _remove_old()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        with open_source(path) as file, known_read_errors(path):
            archive, cut = open_zip(file)
            if cut:
                raise UnreadableSourceError(
                    Phrase(
                        "The end of {0} is missing, for instance because its download was interrupted. Nothing was "
                        "imported from it, since its sessions may lack files. Get the archive again.",
                        path,
                    )
                )
            with archive:
                return PackedFolder(folder, tuple(_Unpacking(path, folder, cancelled).all(archive)))
    except (*DAMAGE, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UnreadableSourceError(Phrase("{0} cannot be unpacked: {1}.", path, error)) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _remove_old() -> None:
    """Remove folders that processes left when they were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.stat().st_mtime < time.time() - _OLD:
                shutil.rmtree(folder, ignore_errors=True)


class _Unpacking:
    def __init__(self, path: Path, folder: Path, cancelled: Callable[[], bool]) -> None:
        self._path, self._folder, self._cancelled = path, folder, cancelled
        free = shutil.disk_usage(folder).free - _SPARE
        self._left = min(max(FREE, GROWTH * path.stat().st_size), _LARGEST, max(free, 0))

    def all(self, archive: zipfile.ZipFile) -> list[tuple[str, str]]:
        """Unpack the safe files; return the name of each other file and the reason why it is left out."""
        members = archive.infolist()
        if len(members) > MOST_FILES:
            raise UnreadableSourceError(
                Phrase("{0} has more than {1} files. Unpack it and import the folder.", self._path, MOST_FILES)
            )
        out: list[tuple[str, str]] = []
        for member in members:
            self._go_on()
            reason = "" if member.filename.endswith("/") else self._one(archive, member)
            if reason:
                out.append((member.filename, reason))
        return out

    def _go_on(self) -> None:
        if self._cancelled():
            raise CancelledError("The import was cancelled while an archive was unpacked.")

    def _one(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
        """Unpack a file; return the reason if it is left out."""
        parts = member.filename.split("/")
        if not all(map(_is_plain, parts)) or len(parts) > _DEEPEST:
            return Phrase("Its name is not valid, or leads out of the archive.")
        if stat.S_ISLNK(member.external_attr >> 16):
            return Phrase("It is a link.")
        if member.flag_bits & 1 or member.compress_type not in METHODS:
            return Phrase("It is encrypted or packed in an unknown way.")
        target = self._folder.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as packed, target.open("xb") as file:
                while chunk := packed.read(CHUNK):
                    self._go_on()
                    self._left -= len(chunk)
                    if self._left < 0:
                        raise UnreadableSourceError(
                            Phrase(
                                "{0} is too large when it is unpacked: for sessions, or for the free space.",
                                self._path,
                            )
                        )
                    file.write(chunk)
        except (FileExistsError, NotADirectoryError):
            return Phrase("Another file has its name.")
        except DAMAGE as error:
            target.unlink(missing_ok=True)
            return Phrase("It is damaged: {0}.", error)
        with suppress(ValueError, OverflowError, OSError):  # a date that no clock shows
            at = time.mktime((*member.date_time, 0, 0, -1))
            os.utime(target, (at, at))
        return ""


def _is_plain(name: str) -> bool:
    """Return whether a part of a path is the name of a file or folder on every system."""
    return name not in ("", ".", "..") and len(name) <= _LONGEST and not set(name) & set("\0\\:")
