"""The header of a pi session file: its first parsable record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.json_text import compact
from stemmata.domain.sessions import SessionInfo
from stemmata.formats.json_lines import BadLineError, parse_object
from stemmata.formats.lines import Line, SourceLines
from stemmata.formats.values import instant, text

NEWEST = 3
_FILE_NAME = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z_(.+)")  # <time>_<session id>
_OWN_FIELDS = frozenset({"type", "id", "timestamp", "cwd"})


@dataclass(frozen=True, slots=True)
class Header:
    """`number` is its line, from 1; lines before it are unreadable."""

    number: int
    id: str
    version: float
    fields: dict[str, Any]

    @classmethod
    def of(cls, record: dict[str, Any], number: int) -> Header:
        """`record` must be a header."""
        return cls(number, record["id"], _version(record.get("version")), record)

    def info(self, source: str) -> SessionInfo:
        """`branchedFrom` is version 1's word for `parentSession`; the other fields of the header become details."""
        extras = {key: value for key, value in self.fields.items() if key not in _OWN_FIELDS}
        parent = self.fields.get("parentSession") or self.fields.get("branchedFrom")
        return SessionInfo(
            source=source,
            source_id=self.id,
            cwd=text(self.fields.get("cwd")),
            created_at=instant(self.fields.get("timestamp")),
            parent_source_id=session_id_of(parent) if isinstance(parent, str) else "",
            details=compact(extras) if extras else "",
        )


def header_of(path: Path) -> Header:
    """Raises UnreadableSourceError when the file does not begin with a header: it is then left alone."""
    for item in SourceLines(path):
        if not isinstance(item, Line):
            continue
        try:
            record = parse_object(item.data)
        except BadLineError:
            continue
        if not is_header(record):
            break
        return Header.of(record, item.number)
    raise UnreadableSourceError(headerless(path))


def headerless(path: Path) -> str:
    return f"{path} has no session header on its first line, so nothing of it was imported."


def is_header(record: Any) -> bool:
    return isinstance(record, dict) and record.get("type") == "session" and bool(_is_id(record.get("id")))


def session_id_of(path: str) -> str:
    """The id in a session file's path, of this system or another: `<time>_<id>.jsonl`, else the bare name."""
    name = re.split(r"[/\\]", path)[-1].removesuffix(".jsonl")
    match = _FILE_NAME.fullmatch(name)
    return match[1] if match else name


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _version(value: Any) -> float:
    """Absent means 1; anything that is no number is taken for the newest."""
    if value is None:
        return 1
    return value if isinstance(value, int | float) and not isinstance(value, bool) else NEWEST
