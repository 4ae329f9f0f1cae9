"""Messages that opencode has deleted, read from its table of events, which still contains them. A prompt after a
revert deletes the messages that the revert hid. An event contains the whole message or part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text

_OF_SESSION = "FROM session s JOIN event e ON e.aggregate_id = s.id WHERE s.rowid = ?"
_REMOVED, _MESSAGE, _PART, _PART_REMOVED = (
    f"message.{name}." for name in ("removed", "updated", "part.updated", "part.removed")
)
_ENDS = (_REMOVED, f"{_REMOVED[:-1]}/")  # a type of deletion is between them: "/" is the character after "."


@dataclass(slots=True)
class Removed:
    """A deleted message in its last state. `began` and `ended` are the numbers of its first and last event."""

    began: int = 0
    ended: int = 0
    info: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)

    @property
    def created(self) -> int:
        """When it was written, in ns; 0 when unknown."""
        return instant(mapping(self.info.get("time")).get("created"))


def sessions_with_removed(database: SourceDatabase) -> frozenset[int]:
    """Return the numbers of the sessions that have events of deletions."""
    query = (
        "SELECT DISTINCT s.rowid FROM event e JOIN session s ON s.id = e.aggregate_id"
        " WHERE e.type >= ? AND e.type < ?"
    )
    return frozenset(row for (row,) in database.rows(query, *_ENDS))


def removed_from(database: SourceDatabase, session: int) -> dict[str, Removed]:
    """Return the messages of a session (its row's number) that have an event of their deletion, by their ids.

    Some may be there again.
    """
    query = f"SELECT e.seq, e.type, e.data {_OF_SESSION} AND e.type >= ? AND e.type < ?"
    found: dict[str, Removed] = {}
    for seq, _, data in _events(database.rows(query, session, *_ENDS)):
        one = found.setdefault(text(data.get("messageID")), Removed())
        one.ended = max(one.ended, seq)
    if found:
        _fill(found, _events(database.rows(f"SELECT e.seq, e.type, e.data {_OF_SESSION} ORDER BY e.seq", session)))
    return {id: one for id, one in found.items() if one.info}


def _fill(found: dict[str, Removed], events: Iterator[tuple[int, str, dict[str, Any]]]) -> None:
    """Add the content that the events give for these messages."""
    for seq, type, data in events:
        if type.startswith(_MESSAGE):
            info = mapping(data.get("info"))
            one = found.get(text(info.get("id")))
            if one is not None:
                one.began = one.began or seq
                one.info = info
        elif type.startswith(_PART):
            part = mapping(data.get("part"))
            one = found.get(text(part.get("messageID")))
            if one is not None:
                one.parts[text(part.get("id"))] = part
        elif type.startswith(_PART_REMOVED):
            one = found.get(text(data.get("messageID")))
            if one is not None:
                one.parts.pop(text(data.get("partID")), None)


def _events(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield number, type and data of events; those that cannot be read are passed over."""
    for seq, type, data in rows:
        try:
            found = parse_object(data.encode("utf-8", "replace") if isinstance(data, str) else b"")
        except BadLineError:
            continue
        if isinstance(seq, int) and isinstance(type, str):
            yield seq, type, found
