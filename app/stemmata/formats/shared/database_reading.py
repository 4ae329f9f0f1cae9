"""The state of a database with many sessions in a checkpoint, so that unchanged sessions are not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from stemmata.domain.sources.reading import Checkpoint, Unchanged, UnusedPart
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.database import SourceDatabase
from stemmata.formats.shared.values import BadLineError, count, mapping, parse_object, text

_SMALL = 64 << 20  # bytes of a database whose indexes are examined at each reading, in less than 0.1 s


class Listed(Protocol):
    """Sessions of an open database."""

    def prints(self) -> Mapping[str, str]:
        """Return the fingerprint of each session, by its id."""
        ...


T = TypeVar("T", bound=Listed)


class Reading:
    """The result of a reading, which the checkpoint keeps for the next reading.

    `beside` is a fingerprint of the files that belong to the database, `due` the time (ns) at which a message that
    was held back counts as abandoned, `prints` the fingerprint of each session; "" for one that has something held
    back. `torn` are the tables whose index does not fit them, with the number of rows that only an index has; -1 for
    a table that cannot be read itself.
    """

    def __init__(self, beside: str, due: int, prints: dict[str, str], torn: dict[str, int] | None = None) -> None:
        self.beside, self.due, self.prints = beside, due, prints
        self.torn = {} if torn is None else torn

    def listed(
        self, database: SourceDatabase, before: Reading | None, load: Callable[[], T]
    ) -> tuple[T, dict[str, str]]:
        """Return the sessions that `load` finds, and their fingerprints; torn tables are read without their index.

        The indexes of a large database are examined at the first reading (`before` is None), where they did not fit
        last time, and when a session is missing that was there.
        """
        is_due = before is None or bool(before.torn) or database.size <= _SMALL
        self._examine(database, is_due=is_due)
        sessions = load()
        prints = dict(sessions.prints())
        if before is not None and not is_due and before.prints.keys() - prints.keys():
            self._examine(database, is_due=True)
            sessions = load()
            prints = dict(sessions.prints())
        return sessions, prints

    def lost_rows(self) -> Iterator[UnusedPart]:
        """Yield the tables that lack rows of their index."""
        for table, number in self.torn.items():
            if number < 0:
                yield UnusedPart(
                    table, "an index of this table does not match it, and the table is damaged: rows may be missing"
                )
            elif number:
                yield UnusedPart(f"{table}: {number}", "the table has lost these rows; only an index still has them")

    def _examine(self, database: SourceDatabase, *, is_due: bool) -> None:
        self.torn = (
            {one.name: -1 if one.is_unreadable else one.missing for one in database.copy_torn_tables()}
            if is_due
            else {}
        )

    def end(self, path: Path, before: Reading) -> Unchanged:
        """Return the last event of this reading: the unchanged sessions and the new checkpoint.

        `before` is the previous reading of the same database.
        """
        unchanged = sum(before.prints.get(id) == found for id, found in self.prints.items() if found)
        torn = {"torn": self.torn} if self.torn else {}
        state = compact_json({"beside": self.beside, "due": self.due, "sessions": self.prints, **torn})
        return Unchanged(unchanged, Checkpoint(str(path), 0, 0, 0, 0, "", state), frozenset(self.prints))

    @classmethod
    def of(cls, known: Checkpoint | None) -> Reading:
        """Restore the reading that a checkpoint stores; damaged values count as unknown."""
        try:
            found = parse_object(known.state.encode() if known is not None else b"")
        except BadLineError:
            found = {}
        due = found.get("due")
        prints = {id: text(one) for id, one in mapping(found.get("sessions")).items()}
        torn = {table: count(number) for table, number in mapping(found.get("torn")).items()}
        return cls(text(found.get("beside")), due if isinstance(due, int) else 0, prints, torn)
