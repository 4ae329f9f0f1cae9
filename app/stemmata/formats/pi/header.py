"""The header of a pi session file: its first parsable record. One that is lost or damaged is made up for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.entries.session_facts import SessionInfo
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.text.json_text import compact
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.shared.lines import Line, SourceLines
from stemmata.formats.shared.values import BadLineError, instant, parse_object, text

NEWEST = 3
_FILE_NAME = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z_(.+)")  # <time>_<session id>
_OWN_FIELDS = frozenset({"type", "id", "timestamp", "cwd"})
_SETTINGS = frozenset({"model_change", "thinking_level_change", "session_info", "custom_message", "branch_summary"})


@dataclass(frozen=True, slots=True)
class Header:
    """`number` is its line, from 1, or 0 for a file that has none; `id` is "" where it gives none."""

    number: int
    id: str
    version: float
    fields: dict[str, Any]

    @classmethod
    def of(cls, record: dict[str, Any], number: int) -> Header:
        """`record` must be a header."""
        id = record.get("id")
        return cls(number, id if isinstance(id, str) else "", _version(record.get("version")), record)

    @classmethod
    def lost(cls, entry: dict[str, Any]) -> Header:
        """For a file without one, of the version that this entry is of: those of version 1 have no ids."""
        return cls(0, "", NEWEST if "id" in entry else 1, {})

    @property
    def damage(self) -> str:
        """What is wrong with it, in words for the report; "" for a sound one."""
        if not self.number:
            return "The file has no session header: the session is named after the file."
        return "" if self.id else "The session header gives no id: the session is named after the file."

    def session_id(self, path: Path) -> str:
        return self.id or session_id_of(path.name)

    def info(self, source: str, path: Path) -> SessionInfo:
        """`branchedFrom` is version 1's word for `parentSession`; the other fields of the header become details."""
        extras = {key: value for key, value in self.fields.items() if key not in _OWN_FIELDS}
        parent = self.fields.get("parentSession") or self.fields.get("branchedFrom")
        return SessionInfo(
            source=source,
            source_id=self.session_id(path),
            cwd=text(self.fields.get("cwd")),
            created_at=instant(self.fields.get("timestamp")),
            parent_source_id=session_id_of(parent) if isinstance(parent, str) else "",
            details=compact(extras) if extras else "",
        )


def header_of(path: Path) -> Header:
    """Raises UnreadableSourceError when there is neither a header in the file nor an entry of pi."""
    found = header_in(_records(path))
    if found is None:
        raise UnreadableSourceError(
            Phrase("{0} holds no entry of a pi session, so nothing of it was imported.", path)
        )
    return found


def header_in(records: Iterable[tuple[int, Any]]) -> Header | None:
    """The header that stands before all entries, or what stands for a lost one; None where there is no entry either.

    `records` are values and their lines.
    """
    for number, record in records:
        if is_header(record):
            return Header.of(record, number)
        if is_entry(record):
            return Header.lost(record)
    return None


def _records(path: Path) -> Iterable[tuple[int, Any]]:
    for item in SourceLines(path):
        if isinstance(item, Line):
            with suppress(BadLineError):  # reported when the file is read
                yield item.number, parse_object(item.data)


def is_header(record: Any) -> bool:
    """Also one whose id is lost."""
    if not isinstance(record, dict) or record.get("type") != "session":
        return False
    return _is_id(record.get("id")) or ("cwd" in record and "timestamp" in record)


def is_entry(record: Any) -> bool:
    """Whether this can only be an entry of a pi session."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind == "message":
        message = record.get("message")
        return isinstance(message, dict) and "role" in message and "timestamp" in record
    return isinstance(kind, str) and kind in _SETTINGS and "parentId" in record


def session_id_of(path: str) -> str:
    """The id in a session file's path, of this system or another: `<time>_<id>.jsonl`, else the bare name."""
    name = re.split(r"[/\\]", path)[-1].partition(".jsonl")[0]
    match = _FILE_NAME.fullmatch(name)
    return match[1] if match else name


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _version(value: Any) -> float:
    """Absent means 1; anything that is no number is taken for the newest."""
    if value is None:
        return 1
    return value if isinstance(value, int | float) and not isinstance(value, bool) else NEWEST
