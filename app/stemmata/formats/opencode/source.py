"""The sources of sessions: the rows of the database, or the files of older versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from stemmata.formats.opencode.message import OpencodeMessage
from stemmata.formats.opencode.removed import Removed
from stemmata.formats.shared.values import instant


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session. `row` is its number, `facts` its columns."""

    row: int
    facts: dict[str, Any] = field(hash=False)

    @property
    def id(self) -> str:
        """The session's id."""
        return name_of(self.facts["id"], self.row)

    @property
    def created(self) -> int:
        """When it began, in ns; 0 when unknown."""
        return instant(self.facts.get("time_created"))


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message without its content. `removed`: the program has deleted it, and its content comes from the events."""

    row: int
    id: str
    created: int  # ns
    stamp: Any = None  # the time as the row contains it
    path: Path = Path()  # file of the message, in versions that store messages as files
    removed: Removed | None = field(default=None, hash=False)


class Source(Protocol):
    """Answers queries about the stored sessions. A session's `row` is its number among the sessions of one source."""

    def messages(self, session: SessionRow) -> list[MessageRow]:
        """Return the messages of a session in order, also those that the program has deleted."""
        ...

    def message(self, row: MessageRow) -> OpencodeMessage:
        """Return a message with its parts. Data that cannot be had counts as lost."""
        ...

    def data_of(self, row: MessageRow) -> OpencodeMessage:
        """Return a message without its parts."""
        ...

    def updated(self, rows: Sequence[MessageRow]) -> int:
        """Return when one of these messages or their parts was written last, in ns; 0 when unknown."""
        ...

    def may_have_copied(self, one: MessageRow) -> frozenset[int]:
        """Return the numbers of the sessions that may have the message of which this one is a copy."""
        ...

    def call_of(self, parent: SessionRow, child: SessionRow) -> Iterator[Any]:
        """Yield the data of the parent's parts that name the child."""
        ...


def name_of(id: Any, row: int) -> str:
    """Return the text of an id; ids that are missing or no text get a name that is unique in the table."""
    if isinstance(id, str) and id:
        return id
    return f"bytes {id.hex()}" if isinstance(id, bytes) and id else f"row {row}"
