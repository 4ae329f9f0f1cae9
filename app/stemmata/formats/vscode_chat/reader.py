"""Recognise the sessions of VS Code's chat (`User/workspaceStorage/<workspace>/chatSessions`) and read them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from stemmata.domain.entries.entry import Entry, Record
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw, ReadEvent, Skipped, SourceShape
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.damaged_document import id_by_name, read_document
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.lines import LARGEST_DOCUMENT, Line, SourceLines, object_in
from stemmata.formats.shared.source_file import known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, first_records, instant, parse_object, text
from stemmata.formats.shared.vscode_folders import VSCODE, user_folders
from stemmata.formats.vscode_chat.log import REQUESTS, LoggedDocument, is_change
from stemmata.formats.vscode_chat.turns import ChatRequests

_FOLDERS = ("chatSessions", "emptyWindowChatSessions")
_STORAGE = "workspaceStorage"
_TRANSCRIPTS = "transcripts"  # folder of Copilot's transcripts, beside the folder of the sessions
_DOCUMENT = re.compile(rb'"(requesterUsername|responderUsername|initialLocation)"\s*:')
_LOG = re.compile(rb'\A\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:\s*\{')
_FACTS = ("initialLocation", "responderUsername", "isImported")
_LARGEST_WORKSPACE = 1 << 16  # bytes of the file that names a session's folder
_PATIENCE = 600 * 1_000_000_000  # ns without a change, after which a reply that is not over counts as abandoned


class VscodeChat(SingleFileFormat):
    """The reader of VS Code's chat sessions. `now` returns the time, in ns since the epoch."""

    name = "vscode-chat"
    shape = SourceShape.DOCUMENT

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self._now = now

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether one of the first records is a change of a session, or the file begins like a session."""
        if any(map(is_change, first_records(head))) or _LOG.match(head) is not None:
            return True
        return head.lstrip()[:1] == b"{" and b'"requests"' in head and _DOCUMENT.search(head) is not None

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folders of VS Code, VSCodium and Positron: those of workspaces, and of windows without one."""
        users = user_folders(VSCODE, home, environment)
        return tuple(
            folder
            for user in users
            for folder in (
                SessionFolder(user / _STORAGE),
                SessionFolder(user / "globalStorage" / "emptyWindowChatSessions", deep=False),
            )
        )

    def is_companion(self, path: Path) -> bool:
        """Return whether the file is in a workspace's folder, but is not a session of the chat."""
        return _STORAGE in path.parts[:-2] and path.parent.name not in _FOLDERS

    def main_file(self, path: Path) -> Path | None:
        """Return the session of the chat that a transcript of Copilot repeats, if it is there."""
        if path.parent.name != _TRANSCRIPTS or _STORAGE not in path.parts[:-2]:
            return None
        found = (
            path.parent.parent.parent / "chatSessions" / f"{path.stem}{ending}" for ending in (".jsonl", ".json")
        )
        return next((file for file in found if file.is_file()), None)

    def companions_changed(self, _path: Path, known: Checkpoint) -> bool:
        """Return whether a reply that was held back counts as abandoned now."""
        due = _due(known)
        return 0 < due <= self._now()

    def read(self, path: Path, _since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading; a file that has grown is read again, for any change may concern any part.

        The document is held in memory.
        """
        lines, chunks = SourceLines(path, largest=LARGEST_DOCUMENT), list[Raw]()
        document, turns = LoggedDocument(), ChatRequests()
        found: list[Entry | Skipped] = []
        is_log = False
        for part in lines:
            if isinstance(part, Raw):
                chunks.append(part)
            elif reason := _take(document, part):
                found.append(Skipped(part.number, reason))
            else:
                is_log = True
                found += turns.settle(document.requests, (part.record,), document.changed)
        if not is_log:
            found = list(_whole_document(document, turns, b"".join(chunk.data for chunk in chunks), path))
        if not isinstance(document.fields.get(REQUESTS, []), list):
            found.append(Skipped(0, "its requests are not a list"))
        checkpoint = lines.checkpoint({})
        due = checkpoint.mtime + _PATIENCE if turns.is_waiting else 0
        if 0 < due <= self._now():
            found += turns.close()
            due = 0
        yield Begin(_info(document, path))
        yield from chunks
        yield from found
        checkpoint = lines.checkpoint({"due": due} if due else {})
        yield End(turns.leaf, leaf_known=True, title=document.title, checkpoint=checkpoint)


def _due(known: Checkpoint) -> int:
    try:
        due = parse_object(known.state.encode()).get("due")
    except BadLineError:
        return 0
    return due if isinstance(due, int) else 0


def _take(document: LoggedDocument, line: Line) -> str:
    """Apply a line to the document; return why it cannot be applied, "" when it was."""
    try:
        return document.take(object_in(line))
    except BadLineError as error:
        return str(error)


def _whole_document(
    document: LoggedDocument, turns: ChatRequests, data: bytes, path: Path
) -> Iterator[Entry | Skipped]:
    """Yield the entries of a file that is the document itself, as older versions of VS Code wrote it."""
    found = read_document(data, REQUESTS, path)
    id = text(found.fields.get("sessionId")) or id_by_name(path, is_damaged=bool(found.skipped))
    document.take({"kind": 0, "v": found.fields | {"sessionId": id}})
    yield from found.skipped
    places = dict(enumerate(found.records))
    records = [places.get(at, Record(0, len(data))) for at in range(len(document.requests))]
    yield from turns.settle(document.requests, records or [Record(0, len(data))], None)


def _info(document: LoggedDocument, path: Path) -> SessionInfo:
    facts = document.fields
    details = {key: facts[key] for key in _FACTS if facts.get(key)}
    return SessionInfo(
        source=VscodeChat.name,
        source_id=text(facts.get("sessionId")) or path.stem,
        title=document.title,
        cwd=_workspace(path),
        created_at=instant(facts.get("creationDate")),
        details=compact_json(details) if details else "",
    )


def _workspace(path: Path) -> str:
    """Return the folder of a session's workspace, which `workspace.json` names; "" without that file."""
    try:
        with open_source(path.parent.parent / "workspace.json") as file, known_read_errors(path):
            found = parse_object(file.read(_LARGEST_WORKSPACE))
    except (KnownError, BadLineError):
        return ""
    return _path_of(text(found.get("folder") or found.get("workspace") or found.get("configuration")))


def _path_of(address: str) -> str:
    """Return the path of a file's address, and any other address as it is."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    if parts.scheme != "file":
        return address
    found = unquote(parts.path)
    return found[1:] if re.match(r"/[A-Za-z]:", found) else found
