"""Recognise and read OpenClaw's sessions: pi files in its own folders, with an index of conversations.

OpenClaw was formerly named Clawdbot and Moltbot.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stemmata.domain.chat.conversations import POLICY, gateway_policy
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Checkpoint, End, ReadEvent
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.pi.header import PiHeader, header_in, header_of
from stemmata.formats.pi.reader import expanded
from stemmata.formats.pi.reading import PiReading
from stemmata.formats.shared.format import SessionFolder, SingleFileFormat
from stemmata.formats.shared.source_file import identity, known_read_errors, open_source
from stemmata.formats.shared.values import BadLineError, first_records, mapping, parse, text

# Unclosed tokens extend to the end, and possessive quantifiers prevent backtracking: the time is linear for any text.
_TOKEN = re.compile(
    r"""
    (?P<string> "(?:[^"\\]|\\.)*+(?:"|\Z) )
  | (?P<single> '(?:[^'\\]|\\.)*+(?:'|\Z) )
  | (?P<comment> //[^\n]*+ | /\*.*?(?:\*/|\Z) )
  | (?P<comma> ,(?=(?>\s++|//[^\n]*+|/\*.*?\*/)*+[}\]]) )
  | (?P<key> (?<![\w$])[A-Za-z_$][\w$]*+(?=\s*+:) )
    """,
    re.VERBOSE | re.DOTALL,
)


def parse_json5(data: bytes) -> Any:
    """Return the value of a JSON or JSON5 text. Raises BadLineError."""
    try:
        return parse(data)
    except BadLineError:
        plain = _TOKEN.sub(_as_json, data.decode("utf-8-sig", "replace"))
        return parse(plain.encode("utf-8", "replace"))


def _as_json(match: re.Match[str]) -> str:
    kind, token = match.lastgroup, match[0]
    if kind == "string":
        return token
    if kind == "single":
        return '"' + token[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    return json.dumps(token) if kind == "key" else " "


NAME = "sessions.json"
SETTINGS = ("openclaw.json", "moltbot.json", "clawdbot.json")
_LIMIT = 64 << 20
_LEGACY = {"provider": "channel", "lastProvider": "lastChannel", "room": "groupChannel"}
_KEPT = (
    "label", "displayName", "subject", "spawnedBy", "updatedAt", "chatType", "channel", "groupId", "groupChannel",
    "space", "origin", "deliveryContext", "lastChannel", "lastTo", "lastAccountId", "lastThreadId",
    "providerOverride", "modelOverride", "modelProvider", "model",
    "thinkingLevel", "verboseLevel", "reasoningLevel", "elevatedLevel", "sendPolicy",
    "memoryFlushAt", "memoryFlushCompactionCount",
    "inputTokens", "outputTokens", "totalTokens", "contextTokens", "compactionCount",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conversation:
    """The index's information about one transcript; all fields are empty when the index does not list it."""

    title: str = ""
    parent: str = ""  # id of the session that spawned this one
    facts: dict[str, Any] | None = None


class ConversationIndex:
    """Look up conversations in the index of each session folder.

    The index of the most recent folder is cached until its file changes; callers go through one folder after the
    other.
    """

    def __init__(self) -> None:
        self._index, self._settings = _CachedFile(), _CachedFile()

    def of(self, transcript: Path, session: str) -> Conversation:
        """Return the conversation of a transcript, found by session id or file name.

        A missing or damaged index counts as empty, as in OpenClaw.
        """
        index = self._index.at(transcript.parent / NAME)
        for key, entry in index.items():
            found = mapping(entry)
            if found.get("sessionId") == session or _file_name(found.get("sessionFile")) == transcript.name:
                return _conversation(key, found, index, self._settings_of(transcript))
        return Conversation()

    def _settings_of(self, transcript: Path) -> dict[str, Any]:
        """Return the section `session` of the gateway's settings, whose file is above `agents/ID/sessions`."""
        state = transcript.absolute().parents[3:4]
        paths = [folder / name for folder in state for name in SETTINGS]
        found = next((path for path in paths if os.path.lexists(path)), None)
        return {} if found is None else mapping(self._settings.at(found).get("session"))


class _CachedFile:
    """The content of the JSON5 file that was read last; empty for a missing or damaged one."""

    def __init__(self) -> None:
        self._read: tuple[Path, int, int] | None = None
        self._content: dict[str, Any] = {}

    def at(self, path: Path) -> dict[str, Any]:
        """Return the content of a file, which is read when it has changed."""
        try:
            size, mtime, _ = identity(path)
            if (path, size, mtime) != self._read:
                self._content = _parsed(path, size)
                self._read = (path, size, mtime)
        except (KnownError, BadLineError):
            return {}
        return self._content


def _conversation(key: str, entry: dict[str, Any], index: dict[str, Any], settings: dict[str, Any]) -> Conversation:
    current = {_LEGACY.get(name, name): value for name, value in entry.items()} | entry
    facts = {"sessionKey": key} | {name: current[name] for name in _KEPT if current.get(name) is not None}
    policy = gateway_policy(settings, key, text(current.get("chatType")), text(current.get("channel")))
    if policy is not None:
        stated = {"hour": policy.hour, "idleMinutes": policy.idle_minutes}
        facts[POLICY] = {name: value for name, value in stated.items() if value is not None}
    names = (text(current.get(name)).strip() for name in ("displayName", "label", "subject"))
    spawner = mapping(index.get(text(current.get("spawnedBy"))))
    return Conversation(next(filter(None, names), ""), text(spawner.get("sessionId")), facts)


def _parsed(path: Path, size: int) -> dict[str, Any]:
    if size > _LIMIT or path.is_symlink():
        return {}
    with open_source(path) as file, known_read_errors(path):
        return mapping(parse_json5(file.read(size)))


def _file_name(value: Any) -> str:
    return text(value).replace("\\", "/").rpartition("/")[2]


_HOMES = (".openclaw", ".clawdbot", ".moltbot")
_FOLDERS = frozenset({*_HOMES, *(name[1:] for name in _HOMES)})
_ASIDE = re.compile(r"(?P<live>.+\.jsonl)\.(?P<when>(?:deleted|reset)\..+)", re.DOTALL)
_TOPIC = re.compile(r"-topic-[^/\\]*?(?=\.jsonl)")
_STAMP = re.compile(r"\[(?:\w{3} )?\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?[^\]\n]{0,20}\] ")
_TITLE_LENGTH = 120


class OpenClaw(SingleFileFormat):
    """The reader of OpenClaw's sessions."""

    name = "openclaw"

    def __init__(self) -> None:
        self._conversations = ConversationIndex()

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is a pi session in a folder of OpenClaw."""
        if header_in(enumerate(first_records(head), 1)) is None:
            return False
        parts = path.absolute().parts
        # the folder above `agents` may have any name, since an environment variable can set it
        is_agents = parts[-4:-3] == ("agents",) and parts[-2] == "sessions"
        return is_agents or not _FOLDERS.isdisjoint(parts) or os.path.isfile(path.parent / NAME)

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[SessionFolder]:
        """Return the session folder of every agent, for current and former folder names."""
        named = [environment.get(name, "") for name in ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")]
        states = [expanded(name, home) for name in named if name] + [home / name for name in _HOMES]
        found = [path for state in dict.fromkeys(states) for path in sorted(state.glob("agents/*/sessions"))]
        return [SessionFolder(path, deep=False) for path in found]

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the events of one reading, from the checkpoint on if it still applies."""
        header = header_of(path)
        yield from _titled(PiReading(path, header, self._info(path, header), since).events())

    def _info(self, path: Path, header: PiHeader) -> SessionInfo:
        info = header.info(self.name, path)
        conversation = self._conversations.of(path, info.source_id)
        extras = {key: header.fields[key] for key in header.fields.keys() - {"type", "id", "timestamp", "cwd"}}
        if conversation.facts:
            extras["conversation"] = conversation.facts
        return replace(
            info,
            source_id=_source_id(path, info.source_id),
            title=conversation.title,
            parent_source_id=info.parent_source_id or conversation.parent,
            details=compact_json(extras) if extras else "",
        )


def _source_id(path: Path, session: str) -> str:
    """Return a unique source id for the file.

    Usually the header's id. The file of a topic shares that id with other files, and so does an archived file whose
    successor exists; both get a suffix.
    """
    topic = _TOPIC.search(path.name)
    if topic is not None and topic[0] not in session:
        session += topic[0]
    aside = _ASIDE.fullmatch(path.name)
    if aside is not None and os.path.exists(path.with_name(aside["live"])):
        return f"{session}.{aside['when']}"
    return session


def _titled(events: Iterator[ReadEvent]) -> Iterator[ReadEvent]:
    """Add a title from the first prompt if it starts with the gateway's time stamp and the session has no title."""
    waiting, title = False, ""
    for event in events:
        if isinstance(event, Begin):
            waiting = not event.offset and not event.info.title
        elif waiting and isinstance(event, Entry) and event.role is Role.USER:
            waiting = False
            prompt = plain_text(event.blocks)
            stamp = _STAMP.match(prompt)
            if stamp is not None:
                title = prompt[stamp.end() :].strip().split("\n", 1)[0][:_TITLE_LENGTH]
        elif isinstance(event, End) and title and not event.title:
            event = replace(event, title=title)
        yield event
