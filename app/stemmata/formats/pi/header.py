"""The header of a pi session file: its first parsable record. A missing or damaged header is substituted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.pi.carried import CARRIED, tags_of
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text

NEWEST = 3
_FILE_NAME = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z_(.+)")  # <time>_<session id>
_OWN_FIELDS = frozenset({"type", "id", "timestamp", "cwd"})
_SETTINGS = frozenset({"model_change", "thinking_level_change", "session_info", "custom_message", "branch_summary"})


@dataclass(frozen=True, slots=True)
class PiHeader:
    """The header of a pi file. `number` is its line, from 1, or 0 when the file has no header; `id` may be ""."""

    number: int
    id: str
    version: float
    fields: dict[str, Any]

    @classmethod
    def of(cls, record: dict[str, Any], number: int) -> PiHeader:
        """Return the header in `record`, which `is_header` accepts."""
        id = record.get("id")
        return cls(number, id if isinstance(id, str) else "", _version(record.get("version")), record)

    @classmethod
    def lost(cls, entry: dict[str, Any]) -> PiHeader:
        """Return a substitute for a missing header, with the version of `entry`: entries of version 1 have no ids."""
        return cls(0, "", NEWEST if "id" in entry else 1, {})

    @property
    def damage(self) -> str:
        """The damage in words for the import report; "" for a sound header."""
        if not self.number:
            return "The file has no session header; the file name is used as session id."
        return "" if self.id else "The session header has no id; the file name is used as session id."

    def session_id(self, path: Path) -> str:
        """Return the header's id, else the id in the file name."""
        return self.id or session_id_of(path.name)

    def info(self, source: str, path: Path) -> SessionInfo:
        """Return the session's properties; header fields without a property of their own become details.

        `branchedFrom` is version 1's name for `parentSession`.
        """
        extras = {key: value for key, value in self.fields.items() if key not in _OWN_FIELDS}
        parent = self.fields.get("parentSession") or self.fields.get("branchedFrom")
        carried = mapping(self.fields.get(CARRIED))
        return SessionInfo(
            source=source,
            source_id=self.session_id(path),
            title=text(carried.get("title")),
            cwd=text(self.fields.get("cwd")),
            created_at=instant(self.fields.get("timestamp")),
            parent_source_id=session_id_of(parent) if isinstance(parent, str) else "",
            details=compact_json(extras) if extras else "",
            tags=tags_of(carried.get("tags")),
        )


def header_of(path: Path) -> PiHeader:
    """Return the file's header or a substitute.

    Raises UnreadableSourceError when the file has neither header nor entry.
    """
    found = header_in(_records(path))
    if found is None:
        raise UnreadableSourceError(Phrase("{0} contains no entries of a pi session. Nothing was imported.", path))
    return found


def header_in(records: Iterable[tuple[int, Any]]) -> PiHeader | None:
    """Return the header before all entries, a substitute when an entry comes first, or None when neither occurs.

    `records` are pairs of line number and JSON value.
    """
    for number, record in records:
        if is_header(record):
            return PiHeader.of(record, number)
        if is_entry(record):
            return PiHeader.lost(record)
    return None


def _records(path: Path) -> Iterable[tuple[int, Any]]:
    for item in SourceLines(path):
        if isinstance(item, Line):
            with suppress(BadLineError):  # PiReading reports the line
                yield item.number, parse_object(item.data)


def is_header(record: Any) -> bool:
    """Return whether the record is a session header; a header that lost its id counts too."""
    if not isinstance(record, dict) or record.get("type") != "session":
        return False
    return _is_id(record.get("id")) or ("cwd" in record and "timestamp" in record)


def is_entry(record: Any) -> bool:
    """Return whether the record is certainly an entry of a pi session."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind == "message":
        message = record.get("message")
        return isinstance(message, dict) and "role" in message and "timestamp" in record
    return isinstance(kind, str) and kind in _SETTINGS and "parentId" in record


def session_id_of(path: str) -> str:
    r"""Return the id in a session file's path: from `<time>_<id>.jsonl`, else the file name without suffix.

    The path may use `/` or `\`, because it can come from another operating system.
    """
    name = re.split(r"[/\\]", path)[-1].partition(".jsonl")[0]
    match = _FILE_NAME.fullmatch(name)
    return match[1] if match else name


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _version(value: Any) -> float:
    """Return the version: 1 when it is absent, the newest when it is not a number."""
    if value is None:
        return 1
    return value if isinstance(value, int | float) and not isinstance(value, bool) else NEWEST
