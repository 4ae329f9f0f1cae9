"""The state of a database with many sessions in a checkpoint, so that unchanged sessions are not read again."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.entries.source_facts import Checkpoint, Unchanged
from stemmata.domain.text.json_text import compact_json
from stemmata.formats.shared.values import BadLineError, mapping, parse_object, text


class Reading:
    """The result of a reading, which the checkpoint keeps for the next reading.

    `beside` is a fingerprint of the files that belong to the database, `due` the time (ns) at which a message that
    was held back counts as abandoned, `prints` the fingerprint of each session; "" for one that has something held
    back.
    """

    def __init__(self, beside: str, due: int, prints: dict[str, str]) -> None:
        self.beside, self.due, self.prints = beside, due, prints

    def end(self, path: Path, before: Reading) -> Unchanged:
        """Return the last event of this reading: the unchanged sessions and the new checkpoint.

        `before` is the previous reading of the same database.
        """
        unchanged = sum(before.prints.get(id) == found for id, found in self.prints.items() if found)
        state = compact_json({"beside": self.beside, "due": self.due, "sessions": self.prints})
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
        return cls(text(found.get("beside")), due if isinstance(due, int) else 0, prints)
