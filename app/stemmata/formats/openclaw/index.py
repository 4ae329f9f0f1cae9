"""OpenClaw's `sessions.json`: which conversation a transcript beside it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.errors import KnownError
from stemmata.formats.openclaw.json5 import parse_tolerantly
from stemmata.formats.shared.json_lines import BadLineError
from stemmata.formats.shared.source_file import identity, open_source, reading
from stemmata.formats.shared.values import mapping, text

NAME = "sessions.json"
_LIMIT = 64 << 20
_LEGACY = {"provider": "channel", "lastProvider": "lastChannel", "room": "groupChannel"}
_KEPT = (
    "label", "displayName", "subject", "spawnedBy", "updatedAt", "chatType", "channel", "groupId", "groupChannel",
    "space", "origin", "deliveryContext", "lastChannel", "lastTo", "lastAccountId", "lastThreadId",
    "providerOverride", "modelOverride", "modelProvider", "model", "thinkingLevel",
    "inputTokens", "outputTokens", "totalTokens", "contextTokens", "compactionCount",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the index says of one transcript. All empty when it says nothing."""

    title: str = ""
    parent: str = ""  # session id of the one that spawned it
    facts: dict[str, Any] | None = None


class Conversations:
    """Reads each folder's index once while it stays as it is; folders come one after the other."""

    def __init__(self) -> None:
        self._read: tuple[Path, int, int] | None = None
        self._index: dict[str, Any] = {}

    def of(self, transcript: Path, session: str) -> Conversation:
        """Looked up by session id, else by file name. A missing or broken index is an empty one, as there."""
        index = self._index_at(transcript.parent / NAME)
        for key, entry in index.items():
            found = mapping(entry)
            if found.get("sessionId") == session or _file_name(found.get("sessionFile")) == transcript.name:
                return _conversation(key, found, index)
        return Conversation()

    def _index_at(self, path: Path) -> dict[str, Any]:
        try:
            size, mtime, _ = identity(path)
            if (path, size, mtime) != self._read:
                self._index = _parsed(path, size)
                self._read = (path, size, mtime)
        except (KnownError, BadLineError):
            return {}
        return self._index


def _conversation(key: str, entry: dict[str, Any], index: dict[str, Any]) -> Conversation:
    current = {_LEGACY.get(name, name): value for name, value in entry.items()} | entry
    facts = {"sessionKey": key} | {name: current[name] for name in _KEPT if current.get(name) is not None}
    names = (text(current.get(name)).strip() for name in ("displayName", "label", "subject"))
    spawner = mapping(index.get(text(current.get("spawnedBy"))))
    return Conversation(next(filter(None, names), ""), text(spawner.get("sessionId")), facts)


def _parsed(path: Path, size: int) -> dict[str, Any]:
    if size > _LIMIT or path.is_symlink():
        return {}
    with open_source(path) as file, reading(path):
        return mapping(parse_tolerantly(file.read(size)))


def _file_name(value: Any) -> str:
    return text(value).replace("\\", "/").rpartition("/")[2]
