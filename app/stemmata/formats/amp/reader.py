"""Recognise the threads of Amp, which it kept in files until 2026 and exports, and read them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from stemmata.domain.entries.blocks import ToolCall
from stemmata.domain.entries.entry import Record
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, Checkpoint, End, Raw, ReadEvent, Skipped, SourceShape
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.amp.messages import entries_of, entry_id, is_message, is_open, time_of
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.json_elements import element_keys, places
from stemmata.formats.shared.lines import LARGEST_DOCUMENT, SourceLines
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text
from stemmata.formats.shared.vscode_folders import RELATIVES, user_folders

ABANDONED = 3600 * 1_000_000_000  # ns without a change, after which an incomplete reply is read, too
_ID = re.compile(rb'"id"\s*:\s*"T-')
_FORKS = ("handoff", "fork")  # relations to another thread that make this one its continuation


class Amp(SingleFileFormat):
    """The reader of Amp's threads. `now` returns the time, in ns since the epoch."""

    name = "amp"
    shape = SourceShape.DOCUMENT

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self._now = now

    def sniff(self, head: bytes, _path: Path) -> bool:
        """Return whether the file begins like a thread."""
        is_object = head.lstrip()[:1] == b"{"
        return is_object and _ID.search(head) is not None and len(element_keys(head, ("id", "messages"))) == 2

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the folder of the threads, which is the same on all systems, and that of the older extension."""
        data = environment.get("XDG_DATA_HOME", "")
        own = (Path(data) if data else home / ".local" / "share") / "amp" / "threads"
        users = user_folders(RELATIVES, home, environment)
        older = [user / "globalStorage" / "sourcegraph.amp" / "threads3" for user in users]
        return tuple(SessionFolder(folder, deep=False) for folder in (own, *older))

    def companions_changed(self, _path: Path, known: Checkpoint) -> bool:
        """Return whether a reply that was held back counts as abandoned now."""
        try:
            due = parse_object(known.state.encode()).get("due")
        except BadLineError:
            return False
        return isinstance(due, int) and 0 < due <= self._now()

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading; the document is held in memory.

        Of a damaged document the messages are read one by one. This is not done for a file that was read before,
        since Amp may be writing it.
        """
        source = SourceLines(path, largest=LARGEST_DOCUMENT)
        chunks = [part for part in source if isinstance(part, Raw)]
        data = b"".join(chunk.data for chunk in chunks)
        reason = ""
        try:
            document = parse_object(data)
            messages = _messages(document, data)
        except BadLineError as error:
            reason = str(error)
            document, messages = _pieces(data)
            if since is not None or not messages:
                raise UnreadableSourceError(Phrase("{0} is damaged: {1}.", path, error)) from error
        yield Begin(_info(document, path))
        yield from chunks
        if reason:
            yield Skipped(0, f"the document is damaged ({reason}); its messages were read one by one")
        if not isinstance(document.get("messages", []), list):
            yield Skipped(0, "its messages are not a list")
        talk = _Talk(messages, instant(document.get("created")))
        written = source.checkpoint({}).mtime
        is_live = talk.settled < len(talk.messages) and written + ABANDONED > self._now()
        yield from talk.events(talk.settled if is_live else len(talk.messages))
        state = {"due": written + ABANDONED if is_live else 0}
        yield End(talk.leaf, leaf_known=True, checkpoint=source.checkpoint(state))


class _Talk:
    """The messages of a thread. `leaf` is valid after the events.

    Each entry is the child of the previous one. The entries of a subagent are a branch below the call that began it.
    """

    def __init__(self, messages: list[tuple[Any, Record]], created: int) -> None:
        self.leaf: str | None = None
        self.messages = messages
        self._created = created

    @property
    def settled(self) -> int:
        """The number of messages before those that Amp still writes, at the end of the thread."""
        for at in reversed(range(len(self.messages))):
            one = mapping(self.messages[at][0])
            if is_message(one) and (one["role"] == "assistant" or is_open(one)):
                return at if is_open(one) else len(self.messages)
        return len(self.messages)

    def events(self, end: int) -> Iterator[ReadEvent]:
        """Yield the entries of the messages before the place `end`."""
        ends: dict[str, str] = {}  # the call that began a subagent → its last entry
        calls: dict[str, str] = {}
        tools: dict[str, str] = {}
        at = self._created
        for number, (one, record) in enumerate(self.messages[:end]):
            found = mapping(one)
            if not is_message(found):
                yield Skipped(number + 1, "not a message of Amp")
                continue
            blobs: list[Blob] = []
            agent = text(found.get("parentToolUseId"))
            above = ends.get(agent, calls.get(agent, self.leaf)) if agent else self.leaf
            at = time_of(found) or at
            entries = list(entries_of(entry_id(above or "", found), found, at, record, tools, blobs))
            yield from blobs
            for entry in entries:
                yield replace(entry, parent=above)
                above = entry.id
                calls |= {block.id: entry.id for block in entry.blocks if isinstance(block, ToolCall)}
            if agent and above is not None:
                ends[agent] = above
            else:
                self.leaf = above


def _messages(document: Mapping[str, Any], data: bytes) -> list[tuple[Any, Record]]:
    """Return the messages of a document with their places."""
    listed = document.get("messages")
    found, objects = places(data, "messages"), 0
    out: list[tuple[Any, Record]] = []
    for one in listed if isinstance(listed, list) else ():
        is_object = isinstance(one, dict)
        place = found.get(objects, (0, len(data))) if is_object else (0, len(data))
        objects += is_object
        out.append((one, Record(*place)))
    return out


def _pieces(data: bytes) -> tuple[dict[str, Any], list[tuple[Any, Record]]]:
    """Return the facts of a damaged document, if they are whole, and its messages; None for a damaged one."""
    messages: list[tuple[Any, Record]] = []
    rest: list[bytes] = []
    end = 0
    for offset, size in places(data, "messages").values():
        messages.append((_parsed(data[offset : offset + size]), Record(offset, size)))
        rest += (data[end:offset], b"0")
        end = offset + size
    return mapping(_parsed(b"".join((*rest, data[end:])))), messages


def _parsed(data: bytes) -> Any:
    try:
        return parse_object(data)
    except BadLineError:
        return None


def _info(document: Mapping[str, Any], path: Path) -> SessionInfo:
    trees = mapping(mapping(document.get("env")).get("initial")).get("trees")
    tree = mapping(trees[0]) if isinstance(trees, list) and trees else {}
    related = document.get("relationships")
    parents = (
        text(one.get("threadID"))
        for one in map(mapping, related if isinstance(related, list) else ())
        if one.get("role") == "parent" and one.get("type") in _FORKS
    )
    repository = mapping(tree.get("repository")).get("url")
    details = {"mode": document.get("agentMode"), "repository": repository}
    kept = {name: value for name, value in details.items() if isinstance(value, str) and value}
    id = text(document.get("id")) or path.stem
    parent = text(document.get("mainThreadID"))
    is_agent = bool(parent) and parent != id
    return SessionInfo(
        source=Amp.name, source_id=f"{parent}/{id}" if is_agent else id, title=text(document.get("title")),
        cwd=_folder(text(tree.get("uri"))), created_at=instant(document.get("created")),
        parent_source_id=parent if is_agent else next(filter(None, parents), ""),
        details=compact_json(kept) if kept else "",
    )  # fmt: skip


def _folder(address: str) -> str:
    """Return the path of a folder's address; "" when the address is not that of a local folder."""
    try:
        found = urlsplit(address)
    except ValueError:
        return ""
    path = unquote(found.path)
    return (path[1:] if re.match(r"/[A-Za-z]:", path) else path) if found.scheme == "file" else ""
