"""All formats together: find sessions on this machine, identify a file's format, read and write."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from stemmata.domain.errors import KnownError, NotFoundError, UnreadableSourceError
from stemmata.domain.requests.hand_off import Extent, HandOffDocument
from stemmata.domain.sources.export import ExportSource, LeftOut
from stemmata.domain.sources.reading import Checkpoint, ReadEvent, SourceShape
from stemmata.domain.sources.session_files import CleanUp, Discovered
from stemmata.domain.text.phrases import Phrase, template
from stemmata.formats.ai_studio.format import AI_STUDIO
from stemmata.formats.aider.format import AIDER
from stemmata.formats.amp.format import AMP
from stemmata.formats.chatgpt.format import CHATGPT
from stemmata.formats.claude_ai.format import CLAUDE_AI
from stemmata.formats.claude_code.format import CLAUDE_CODE
from stemmata.formats.cline.format import CLINE, KILO_CODE, ROO_CODE
from stemmata.formats.codex.format import CODEX
from stemmata.formats.continue_dev.format import CONTINUE
from stemmata.formats.copilot_cli.format import COPILOT_CLI
from stemmata.formats.crush.format import CRUSH
from stemmata.formats.cursor.format import CURSOR
from stemmata.formats.cursor_cli.format import CURSOR_CLI
from stemmata.formats.droid.format import DROID
from stemmata.formats.gemini.format import GEMINI
from stemmata.formats.goose.format import GOOSE
from stemmata.formats.grok.format import GROK
from stemmata.formats.hermes.format import HERMES
from stemmata.formats.html.format import HTML
from stemmata.formats.json.format import JSON
from stemmata.formats.json.reader import is_own_export
from stemmata.formats.kiro.format import KIRO
from stemmata.formats.librechat.format import LIBRECHAT
from stemmata.formats.librecode.format import LIBRECODE
from stemmata.formats.llm.format import LLM
from stemmata.formats.markdown.format import MARKDOWN
from stemmata.formats.open_webui.format import OPEN_WEBUI
from stemmata.formats.openclaw.format import OPENCLAW
from stemmata.formats.opencode.format import OPENCODE
from stemmata.formats.pi.format import PI
from stemmata.formats.qwen.format import QWEN
from stemmata.formats.shared.database import LOG, MAGIC, TooLargeError, open_database, writes_of
from stemmata.formats.shared.export_format import ExportFormat
from stemmata.formats.shared.file_digest import has_digest_of
from stemmata.formats.shared.format import (
    AppendedFormat,
    Format,
    SessionFolder,
    SessionReader,
    SessionWriter,
    SingleFileFormat,
)
from stemmata.formats.shared.packed_folder import PackedFolder, unpack
from stemmata.formats.shared.source_file import (
    AI_STUDIO_FOLDER,
    identity,
    is_database_name,
    is_live_document_name,
    is_regular_file,
    is_session_name,
    known_read_errors,
    open_source,
    other_files,
    session_files,
)
from stemmata.formats.shared.values import BOM
from stemmata.formats.shared.zip_archive import ZIP
from stemmata.formats.vibe.format import VIBE
from stemmata.formats.vscode_chat.format import VSCODE_CHAT
from stemmata.formats.windsurf.format import WINDSURF
from stemmata.formats.zed.format import ZED

_SNIFF = 64 << 10  # bytes examined; more only when the first line is longer
_SNIFF_LIMIT = 8 << 20
_OTHERS = 1_000  # files of a folder with unusual names that are looked at
_GLANCE = 4 << 10  # bytes of such a file that are looked at: all of them together take a second or two
_LOOK = 1 << 20  # bytes that are looked at when these begin like a conversation of an export
_SQL = re.compile(rb"^CREATE TABLE\b", re.MULTILINE | re.IGNORECASE)
_REJECTED_SIGNATURES = {
    b"\x1f\x8b": template("{0} is compressed (gzip). Unpack it and import the unpacked file."),
    b"\x28\xb5\x2f\xfd": template("{0} is compressed (Zstandard). Unpack it and import the unpacked file."),
    ZIP: template(
        "{0} is a ZIP archive, but no chat export can be read in it. Unpack it and import the unpacked files."
    ),
    b"<!doctype html>": template(
        "{0} is a web page, such as an export as HTML. Import the file that it was made from."
    ),
    b"\xff\xfe": template(
        "{0} is encoded as UTF-16; session files are UTF-8. Save it as UTF-8 and import the new file."
    ),
    b"\xfe\xff": template(
        "{0} is encoded as UTF-16; session files are UTF-8. Save it as UTF-8 and import the new file."
    ),
}


class FormatRegistry:
    """Implements `services.ports.sources.Formats`, whose methods have the documentation.

    The readers are asked in the order of `formats`, so the most specific format comes first.
    """

    def __init__(self, formats: Sequence[Format], home: Path, environment: Mapping[str, str]) -> None:
        self._formats = {format.name: format for format in formats}
        self._readers = {format.name: format.reader() for format in formats if format.reader is not None}
        self._writers = {format.name: format.writer() for format in formats if format.writer is not None}
        self._carriers = {format.name: format.carrier() for format in formats if format.carrier is not None}
        self._home = home
        self._environment = environment
        self._exports = [reader for reader in self._readers.values() if isinstance(reader, ExportFormat)]
        self._with_main = self._with_own("main_file")
        self._with_parts = self._with_own("is_companion")

    def _with_own(self, method: str) -> list[SessionReader]:
        """Return the readers that override a method of SingleFileFormat, whose answer is the same for every file."""
        general = getattr(SingleFileFormat, method)
        return [reader for reader in self._readers.values() if getattr(type(reader), method) is not general]

    def discover(self) -> list[Discovered]:
        """Return the session folders of other tools on this machine that contain session files."""
        return [found for name in self._readers for found in self._found(name)]

    def _found(self, name: str) -> Iterator[Discovered]:
        """Yield the folders of one tool that contain session files."""
        for folder in self._readers[name].folders(self._home, self._environment):
            files = self._files_in(folder)
            if files:
                names, size, title = tuple(map(str, files)), sum(map(_size, files)), self._formats[name].title
                yield Discovered(name, title, str(folder.path), names, size, is_of_project=bool(folder.only))

    def clean_ups(self) -> list[CleanUp]:
        """Return the clean-ups of the tools on this machine, with the session files that they may delete."""
        out = []
        for format in self._formats.values():
            if format.clean_up is not None:
                days, folder = format.clean_up(self._home, self._environment)
                found = (one for one in self._found(format.name) if one.folder == str(folder))
                out += [CleanUp(format.name, format.title, days, one.folder, one.files) for one in found]
        return out

    def _files_in(self, folder: SessionFolder) -> list[Path]:
        if folder.only:
            return [path for path in (folder.path / folder.only,) if is_regular_file(path)]
        return [path for path in session_files(folder.path, deep=folder.deep) if not self._is_part(path)]

    def expand(self, path: Path, format: str = "") -> tuple[list[Path], int]:
        """Return the session files that an import of this path covers: the file itself, or the files of a folder.

        Returns also the number of files under other names that were not looked at. All those in the folder of Google
        AI Studio are looked at, since it names its files by their titles.
        """
        if format:
            self._reader(format)
        with known_read_errors(path):
            path.stat()
            if not path.is_dir():
                return [path], 0
        named = session_files(path)
        files = [file for file in named if not self._is_part(file)]
        others = list(other_files(path))
        unseen = frozenset([file for file in others if file.parent.name != AI_STUDIO_FOLDER][_OTHERS:])
        files += [file for file in others if file not in unseen and self._is_recognised(file)]
        # a folder that contains only parts of sessions, such as transcripts of subagents, is imported as these
        # sessions
        files = files or list(dict.fromkeys(self._main_file(file) or file for file in named))
        if not files:
            few = template("{0} contains no session files.")
            many = template("{0} contains no session files among the {1} files that Stemmata looked at.")
            raise UnreadableSourceError(Phrase(many if unseen else few, path, _OTHERS))
        return sorted(files), len(unseen)

    def _is_recognised(self, file: Path) -> bool:
        """Return whether the beginning of a file looks like a session; False for a file that cannot be read.

        Long instructions may precede the messages of a conversation, so its format looks at more of the file.
        """
        try:
            with open_source(file) as source, known_read_errors(file):
                head = source.read(_GLANCE)
                begun = [reader for reader in self._exports if reader.start.match(head.lstrip())]
                more = head + source.read(_LOOK - _GLANCE) if begun else head
            if self._is_part(file) or self._main_file(file) is not None:
                return False
            return bool(self._sniffed(head, file)) or any(reader.sniff(more, file) for reader in begun)
        except KnownError:
            return False

    def _main_file(self, path: Path) -> Path | None:
        """Return the session file that a file belongs to; None for a session file itself."""
        return next((main for reader in self._with_main if (main := reader.main_file(path)) is not None), None)

    def identify(self, path: Path) -> str:
        """Return the format name of a file. Raises UnreadableSourceError for a file in no supported format."""
        head = _head_of(path, whole=False)
        name = self._sniffed(head, path)
        if not name and len(head) >= _SNIFF:  # only the beginning may be damaged
            more = _head_of(path, whole=True)
            name = self._sniffed(more, path) if len(more) > len(head) else ""
            head = more
        if not name:
            raise UnreadableSourceError(self._rejection_reason(head, path))
        return name

    def unpacked(self, path: Path, cancelled: Callable[[], bool]) -> PackedFolder | None:
        """Unpack a ZIP archive that is no export; return None for any other path."""
        if not path.is_file():
            return None
        head = _head_of(path, whole=False)
        exports = [reader for reader in self._readers.values() if reader.shape is SourceShape.EXPORT]
        is_export = any(reader.sniff(head, path) for reader in exports)  # others would look at the packed files
        return unpack(path, cancelled) if head.startswith(ZIP) and not is_export else None

    def _sniffed(self, head: bytes, path: Path) -> str:
        if is_own_export(head):
            return JSON.name
        return next((reader.name for reader in self._readers.values() if reader.sniff(head, path)), "")

    def _rejection_reason(self, head: bytes, path: Path) -> Phrase:
        """Return why a file that starts with `head` is not a session, as a sentence about the file."""
        if not head.strip():
            return Phrase("{0} is empty.", path)
        for signature, reason in _REJECTED_SIGNATURES.items():
            if head.startswith(signature):
                return Phrase(reason, path)
        if head.startswith(MAGIC):
            if _has_readable_tables(path):
                return Phrase("{0} is the database of a program whose sessions Stemmata does not read.", path)
            return Phrase("{0} is a damaged database.", path)
        if b"\0" in head:
            return Phrase("{0} is a binary file, not a session.", path)
        if _SQL.search(head):
            return Phrase("{0} is the dump of a database. Load it into a database and import that.", path)
        for format in self._formats.values():
            if path.name in format.others:
                held = format.others[path.name]
                return Phrase("{0} contains no sessions, but {1}, in an export of {2}.", path, held, format.title)
        titles = ", ".join(self._formats[name].title for name in self._readers)
        return Phrase("{0} is not a session file of a supported tool. Supported: {1}.", path, titles)

    def read(self, path: Path, format: str, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading of the file, from the checkpoint on if it still applies."""
        yield from self._reader(format or self.identify(path)).read(path, since)

    def read_start(self, path: Path, format: str, size: int) -> Iterator[ReadEvent] | None:
        """Return the events of the first bytes of the file; None for a format that is not read in parts."""
        reader = self._reader(format or self.identify(path))
        return reader.read_start(path, size) if isinstance(reader, AppendedFormat) else None

    def is_unchanged(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the file and its companions are as they were at the checkpoint."""
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return False
        if found.st_size != known.size or (found.st_mtime_ns != known.mtime and not has_digest_of(known, path)):
            return False
        reader = self._readers.get(known.source)
        return reader is None or not reader.companions_changed(path, known)

    def session_file(self, path: Path) -> Path | None:
        """Return the session file to import when this path changes; None for a file that is not a transcript."""
        name = path.name.removesuffix(LOG)
        if name != path.name and not is_database_name(name):
            return None
        main = self._main_file(path)
        if main is not None:
            return main
        is_named = is_session_name(name) or is_database_name(name) or is_live_document_name(name)
        return path if is_named and not self._is_part(path) else None

    def head(self, path: Path) -> tuple[int, int, str]:
        """Return size, mtime and first-line hash of the file; see `identity`."""
        return identity(path)

    def writes(self, path: Path) -> int:
        """Return how often a database was written; see `writes_of`."""
        return writes_of(path)

    def shape(self, source: str) -> SourceShape:
        """Return how a tool keeps its sessions."""
        return self._readers[source].shape if source in self._readers else SourceShape.LOG

    def import_names(self) -> Sequence[str]:
        """Return the names of the formats that can be read."""
        return tuple(self._readers)

    def export_names(self) -> Sequence[str]:
        """Return the names of the formats that sessions can be exported to."""
        return tuple(self._writers)

    def ending(self, name: str) -> str:
        """Return the file ending of an export in this format, without the dot."""
        return self._formats[name].ending

    def title(self, name: str) -> str:
        """Return the name of the tool or file format as people know it; the given name for an unknown format."""
        return self._formats[name].title if name in self._formats else name

    def carriers(self) -> Mapping[str, Sequence[Extent]]:
        """Return the tools that sessions can be handed over to, by format name, with the extents that each takes."""
        return {name: carrier.extents for name, carrier in self._carriers.items()}

    def resume_command(self, name: str, id: str, path: str, *, is_subagent: bool = False) -> tuple[str, ...]:
        """Return the command that continues a session in its tool; () when the tool has none or a part is unknown.

        The session of a subagent has a command only if its tool continues such sessions. If its id begins with the
        id of another session, its tool knows it by the last part of the id. An id that would be an option of the
        command is refused.
        """
        format = self._formats.get(name)
        *above, own = id.split("/")
        if format is None or not own or own.startswith("-"):
            return ()
        if (above or is_subagent) and not format.resumes_agents:
            return ()
        if not path and any("{path}" in part for part in format.resume):
            return ()
        return tuple(part.format(id=own, path=path) for part in format.resume)

    def handed_over(self, name: str, document: HandOffDocument) -> tuple[Path, Iterator[bytes]]:
        """Return the path of a new session file of a tool, and the lines of the file.

        Raises NotFoundError for a format without a carrier.
        """
        carrier = self._carriers.get(name)
        if carrier is None:
            known = ", ".join(self._carriers)
            raise NotFoundError(Phrase("Sessions cannot be handed over to {0}. Possible: {1}.", name, known))
        path = carrier.place(document, self._home, self._environment)
        return path, carrier.lines(document)

    def repeated_by(self, source: str) -> str:
        """Return the source whose sessions repeat the sessions of this source with fewer facts; "" for none."""
        return self._formats[source].repeated_by if source in self._formats else ""

    def has_unique_ids(self, source: str) -> bool:
        """Return whether an entry id of this source stands for the same entry in every file."""
        return source in self._formats and self._formats[source].unique_ids

    def export(self, name: str, source: ExportSource) -> Iterator[bytes]:
        """Yield the exported document in chunks. Raises KnownError for an unknown format name."""
        return self._writer(name).export(source)

    def left_out(self, name: str, source: ExportSource) -> LeftOut:
        """Return what an export in this format will lack. Raises KnownError for an unknown format name."""
        return self._writer(name).left_out(source)

    def _writer(self, name: str) -> SessionWriter:
        writer = self._writers.get(name)
        if writer is None:
            raise KnownError(f"Unknown export format: {name}. Supported: {', '.join(self._writers)}.")
        return writer

    def _reader(self, name: str) -> SessionReader:
        reader = self._readers.get(name)
        if reader is None:
            raise NotFoundError(f"Unknown format: {name}. Supported: {', '.join(self._readers)}.")
        return reader

    def _is_part(self, path: Path) -> bool:
        return any(reader.is_companion(path) for reader in self._with_parts)


def _has_readable_tables(path: Path) -> bool:
    """Return whether a database's list of tables can be read. Raises KnownError when it is locked."""
    try:
        with open_database(path) as database:
            list(database.rows("SELECT name, sql FROM sqlite_master"))
    except (UnreadableSourceError, TooLargeError):
        return False
    return True


def is_followed_name(name: str) -> bool:
    """Return whether a session may change with a file of this name, so that followed folders report the file.

    This is a transcript, a database or its write-ahead log, a document, or the facts beside a session.
    """
    own = name.removesuffix(LOG)
    return name.endswith(".json") or is_session_name(own) or is_database_name(own)


def _size(path: Path) -> int:
    """Return the file's size in bytes, and 0 for a file that has disappeared or cannot be accessed."""
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def _head_of(path: Path, *, whole: bool) -> bytes:
    """Return the first 64 KiB of a file, extended to 8 MiB at most until the first line is complete.

    With `whole`, returns the full 8 MiB. A byte order mark is left out.
    """
    parts: list[bytes] = []
    size = 0
    with open_source(path) as file, known_read_errors(path):
        while size < _SNIFF_LIMIT and (chunk := file.read(_SNIFF)):
            parts.append(chunk)
            size += len(chunk)
            if not whole and b"\n" in chunk.lstrip():
                break
    return b"".join(parts).removeprefix(BOM)


# The most specific reader first: OpenClaw's files are pi files, and Qwen Code's lines look like Claude Code's.
FORMATS = (
    DROID,
    OPENCLAW,
    PI,
    QWEN,
    CLAUDE_CODE,
    CODEX,
    COPILOT_CLI,
    VSCODE_CHAT,
    CURSOR_CLI,
    VIBE,
    KIRO,
    WINDSURF,
    GEMINI,
    OPENCODE,
    LLM,
    LIBRECODE,
    ZED,
    CURSOR,
    GOOSE,
    CRUSH,
    HERMES,
    ROO_CODE,
    KILO_CODE,
    CLINE,
    AMP,
    CONTINUE,
    CHATGPT,
    CLAUDE_AI,
    OPEN_WEBUI,
    LIBRECHAT,
    GROK,
    AI_STUDIO,
    AIDER,
    HTML,
    MARKDOWN,
    JSON,
)


def standard_formats(home: Path, environment: Mapping[str, str]) -> FormatRegistry:
    """Return the registry of all formats that Stemmata supports."""
    return FormatRegistry(FORMATS, home, environment)
