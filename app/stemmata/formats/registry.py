"""All formats together: what is on this machine, what a file is, who reads it, who writes it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.domain.entries.session_facts import Checkpoint, Discovered, ReadEvent
from stemmata.domain.errors import KnownError, NotFoundError, UnreadableSourceError
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.json.writer import JsonWriter
from stemmata.formats.markdown.writer import MarkdownWriter
from stemmata.formats.openclaw.reader import OpenClaw
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from stemmata.formats.shared.format import Format, Writer
from stemmata.formats.shared.source_file import identity, is_session_name, open_source, reading, session_files

if TYPE_CHECKING:
    from stemmata.services.ports.archive import ExportSource


_SNIFF = 64 << 10  # bytes looked at; more only when the first line is longer
_SNIFF_LIMIT = 8 << 20
_STARTS = {
    b"\x1f\x8b": "is compressed (gzip). Unpack it and import what comes out.",
    b"\x28\xb5\x2f\xfd": "is compressed (Zstandard). Unpack it and import what comes out.",
    b"PK\x03\x04": "is a ZIP archive. Unpack it and import what comes out.",
    b"\xff\xfe": "is text in UTF-16, sessions are in UTF-8. Save it as UTF-8 and import that.",
    b"\xfe\xff": "is text in UTF-16, sessions are in UTF-8. Save it as UTF-8 and import that.",
}


class FormatRegistry:
    """Implements `services.ports.Formats`. `readers` are asked in order, the most particular first."""

    def __init__(
        self, readers: Sequence[Format], writers: Sequence[Writer], home: Path, environment: Mapping[str, str]
    ) -> None:
        self._readers = {reader.name: reader for reader in readers}
        self._writers = {writer.name: writer for writer in writers}
        self._home = home
        self._environment = environment

    def discover(self) -> list[Discovered]:
        found = []
        for reader in self._readers.values():
            for folder in reader.folders(self._home, self._environment):
                files = [path for path in session_files(folder.path, deep=folder.deep) if not self._is_part(path)]
                if files:
                    names = tuple(map(str, files))
                    found.append(
                        Discovered(reader.name, reader.title, str(folder.path), names, sum(map(_size, files)))
                    )
        return found

    def expand(self, path: Path, format: str = "") -> list[Path]:
        if format:
            self._reader(format)
        with reading(path):
            path.stat()
            if not path.is_dir():
                return [path]
        files = [file for file in session_files(path) if not self._is_part(file)]
        if not files:
            raise UnreadableSourceError(f"{path} holds no session files.")
        return files

    def identify(self, path: Path) -> str:
        head = _head_of(path, whole=False)
        name = self._sniffed(head, path)
        if not name and len(head) >= _SNIFF:  # the damage may be at the beginning alone
            head = _head_of(path, whole=True)
            name = self._sniffed(head, path)
        if not name:
            raise UnreadableSourceError(f"{path} {self._complaint(head)}")
        return name

    def _sniffed(self, head: bytes, path: Path) -> str:
        return next((reader.name for reader in self._readers.values() if reader.sniff(head, path)), "")

    def _complaint(self, head: bytes) -> str:
        """Why a file that begins so is no session of anybody."""
        if not head.strip():
            return "is empty."
        for start, what in _STARTS.items():
            if head.startswith(start):
                return what
        if b"\0" in head:
            return "is a binary file, not a session."
        titles = ", ".join(reader.title for reader in self._readers.values())
        return f"is of no known format (known: {titles})."

    def read(self, path: Path, format: str, since: Checkpoint | None) -> Iterator[ReadEvent]:
        yield from self._reader(format or self.identify(path)).read(path, since)

    def is_unchanged(self, path: Path, known: Checkpoint) -> bool:
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return False
        if (found.st_size, found.st_mtime_ns) != (known.size, known.mtime):
            return False
        return not any(reader.has_grown_aside(path, known) for reader in self._readers.values())

    def session_file(self, path: Path) -> Path | None:
        if not is_session_name(path.name):
            return None
        mains = (reader.main_of(path) for reader in self._readers.values())
        return next((main for main in mains if main is not None), path)

    def head(self, path: Path) -> tuple[int, int, str]:
        return identity(path)

    def export_names(self) -> Sequence[str]:
        return tuple(self._writers)

    def export(self, name: str, source: ExportSource) -> Iterator[bytes]:
        writer = self._writers.get(name)
        if writer is None:
            raise KnownError(f"Cannot export to “{name}”. Known: {', '.join(self._writers)}.")
        return writer.export(source)

    def _reader(self, name: str) -> Format:
        reader = self._readers.get(name)
        if reader is None:
            raise NotFoundError(f"There is no format “{name}”. Known: {', '.join(self._readers)}.")
        return reader

    def _is_part(self, path: Path) -> bool:
        return any(reader.is_part(path) for reader in self._readers.values())


def _size(path: Path) -> int:
    """0 for a file that is gone meanwhile, or may not be looked at."""
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def _head_of(path: Path, *, whole: bool) -> bytes:
    """The first 64 KiB, and more until the first line is whole, at most 8 MiB; all of these if `whole`."""
    parts: list[bytes] = []
    size = 0
    with open_source(path) as file, reading(path):
        while size < _SNIFF_LIMIT and (chunk := file.read(_SNIFF)):
            parts.append(chunk)
            size += len(chunk)
            if not whole and b"\n" in chunk.lstrip():
                break
    return b"".join(parts)


def standard_formats(home: Path, environment: Mapping[str, str]) -> FormatRegistry:
    readers: list[Format] = [OpenClaw(), Pi(), ClaudeCode()]
    writers: list[Writer] = [PiWriter(), MarkdownWriter(), JsonWriter()]
    return FormatRegistry(readers, writers, home, environment)
