"""The histories: steps with their changes, and which of them can be undone and redone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from stemmata.domain.sessions.steps import (
    COMING_AND_GOING,
    LIST,
    SESSIONS,
    Fact,
    History,
    Step,
    StepChange,
    key_of,
    key_text,
)
from stemmata.store.core.models import StepChangeTable, StepScopeTable, StepTable
from stemmata.store.core.rows import insert_row, update_row
from stemmata.store.core.stored_text import restored, stored

NAME_LENGTH = 80  # characters of a name that are kept
GROWING = frozenset({"send", "reply"})  # a step of a run: its entries continue the step
_AUTOMATIC = frozenset({"append", "back"})  # reasons of moves that a run makes
_UNRECORDED = frozenset({"import", "fork", "undo", "redo"})  # moves that a history makes, or that begin a session

_FIND = """
    SELECT steps.key, what, name, count, writer, undone, (
        SELECT after FROM step_changes WHERE step = steps.key AND fact = 'leaf' ORDER BY key LIMIT 1)
    FROM step_scopes JOIN steps ON steps.key = step WHERE scope = ?{0} AND """
_NEXT_UNDO = f"{_FIND} undone = 0 ORDER BY step DESC LIMIT 1"
# older archives gave every undone step the number 1; among these, the first step comes first
_NEXT_REDO = f"{_FIND} undone > 0 ORDER BY undone DESC, step LIMIT 1"
_OF_SESSIONS = f" AND what IN {COMING_AND_GOING!r}"
_SESSIONS = """
    SELECT session FROM step_changes WHERE step = ?1
    UNION SELECT parent FROM step_changes JOIN sessions ON sessions.key = session
        WHERE step = ?1 AND fact = 'created' AND parent IS NOT NULL"""
_DONE = "SELECT count FROM steps WHERE key = ? AND undone = 0"
_SET_UNDONE = "UPDATE steps SET undone = 1 + (SELECT max(undone) FROM steps) WHERE key = ?"
_CHANGES = "SELECT session, fact, before, after, entry FROM step_changes WHERE step = ? ORDER BY key"
_LAST_LEAF = """
    SELECT key, before, after, (SELECT count(*) FROM step_changes AS other WHERE other.step = found.step)
    FROM step_changes AS found WHERE step = ? AND session = ? AND fact = 'leaf' ORDER BY key DESC LIMIT 1"""
_DROP_UNDONE = """
    DELETE FROM steps WHERE undone > 0 AND key IN (SELECT step FROM step_scopes WHERE scope = ?)"""


class StepRepository:
    """Reads the histories. `writer` is the random number of this opening of the archive."""

    def __init__(self, connection: sqlite3.Connection, writer: int) -> None:
        self._connection, self._writer = connection, writer

    def history(self, scope: int) -> History:
        """Return the newest done step, and the step that was undone last, in this or in another history."""
        return History(self._one(_NEXT_UNDO, scope), self._one(_NEXT_REDO, scope))

    def changes(self, step: int) -> list[StepChange]:
        """Return the changes of a step in their order; none for an unknown step."""
        rows = self._connection.execute(_CHANGES, (step,)).fetchall()
        return [
            StepChange(session, Fact(fact), restored(before), restored(after), entry)
            for session, fact, before, after, entry in rows
        ]

    def _one(self, query: str, scope: int) -> Step | None:
        found = query.format(_OF_SESSIONS if scope == SESSIONS else "")
        row = self._connection.execute(found, (LIST if scope == SESSIONS else scope,)).fetchone()
        if row is None:
            return None
        key, what, name, count, writer, undone, leaf = row
        is_external = writer not in (0, self._writer)
        sessions = self._connection.execute(_SESSIONS, (key,)).fetchall() if scope == SESSIONS else ()
        return Step(
            key, what, restored(name), count, key_of(leaf or ""), is_external, undone,
            frozenset(session for (session,) in sessions),
        )  # fmt: skip


class StepWriter(StepRepository):
    """Records the changes of one write job. They belong to one step once `begin` was called."""

    def __init__(self, connection: sqlite3.Connection, writer: int) -> None:
        super().__init__(connection, writer)
        self._begun: tuple[str, str, int] | None = None  # a step that has no change yet
        self._open: int | None = None

    def begin(self, what: str, name: str, count: int, join: int | None) -> None:
        """Begin a step of the history; the changes noted from here on belong to it.

        `join` is the key of an earlier step that is continued instead, and whose count grows by `count`, unless it
        was undone meanwhile. A new step is stored with its first change.
        """
        self._begun, self._open = (what, name, count), None
        if join is not None:
            known = self._connection.execute(_DONE, (join,)).fetchone()
            if known is not None:
                update_row(self._connection, StepTable, join, {"count": known[0] + count})
                self._begun, self._open = None, join

    def note(self, change: StepChange, also: Iterable[int] = ()) -> int:
        """Add a change to the step that was begun, and return the step. `also` are further scopes.

        Undone steps in the scopes of the change can no longer be redone.
        """
        if self._open is None:
            assert self._begun is not None, "a change belongs to a step"
            self._open = self._made(*self._begun)
        self._add(self._open, change, also)
        return self._open

    def moved(self, session: int, before: int | None, after: int | None, reason: str) -> None:
        """Record a move of a leaf: in the step that was begun, in the step of the run, else in a new step."""
        if reason in _UNRECORDED:
            return
        change = StepChange(session, Fact.LEAF, key_text(before), key_text(after))
        if self._open is not None and self._extended(self._open, change):
            return
        if self._open is not None or self._begun is not None:
            self.note(change)
            return
        if reason in _AUTOMATIC:
            last = self._one(_NEXT_UNDO, session)
            if last is not None and last.what in GROWING and self._extended(last.key, change):
                return
            reason = "reply"
        self._add(self._made(reason, "", 1), change, ())

    def set_undone(self, step: int, *, undone: bool) -> None:
        """Mark a step as done again, or as the step that was undone last."""
        if undone:
            self._connection.execute(_SET_UNDONE, (step,))
        else:
            update_row(self._connection, StepTable, step, {"undone": 0})

    def drop(self, step: int) -> None:
        """Remove a step from all histories. Its changes stay."""
        self._connection.execute("DELETE FROM steps WHERE key = ?", (step,))

    def _made(self, what: str, name: str, count: int) -> int:
        row = {
            "what": what, "name": stored(name[:NAME_LENGTH]), "count": count, "undone": 0, "writer": self._writer,
        }  # fmt: skip
        return insert_row(self._connection, StepTable, row)

    def _add(self, step: int, change: StepChange, also: Iterable[int]) -> None:
        row = {
            "step": step, "session": change.session, "fact": change.fact.value, "entry": change.entry,
            "before": stored(change.before), "after": stored(change.after),
        }  # fmt: skip
        insert_row(self._connection, StepChangeTable, row)
        for scope in dict.fromkeys((*change.scopes, *also)):
            self._connection.execute(_DROP_UNDONE, (scope,))
            insert_row(self._connection, StepScopeTable, {"scope": scope, "step": step}, or_ignore=True)

    def _extended(self, step: int, change: StepChange) -> bool:
        """Continue the last move of this leaf in a step, if it ended where this one begins."""
        row = self._connection.execute(_LAST_LEAF, (step, change.session)).fetchone()
        if row is None or row[2] != change.before:
            return False
        key, before, _, changes = row
        if before == change.after and changes == 1 and step != self._open:
            self.drop(step)  # a turn that was taken back changed nothing
        else:
            update_row(self._connection, StepChangeTable, key, {"after": change.after})
        return True


def forget_session(connection: sqlite3.Connection, session: int) -> None:
    """Remove a deleted session from the histories, with the steps that changed nothing else."""
    connection.execute("DELETE FROM step_scopes WHERE scope = ?", (session,))
    connection.execute("DELETE FROM step_changes WHERE session = ?", (session,))
    connection.execute("DELETE FROM steps WHERE key NOT IN (SELECT step FROM step_changes)")


def withdraw_entry(connection: sqlite3.Connection, session: int, entry: int, above: int | None) -> None:
    """Change moves of a leaf to a removed entry into moves to the entry above it."""
    for column in ("before", "after"):
        connection.execute(
            f"UPDATE step_changes SET {column} = ? WHERE session = ? AND fact = 'leaf' AND {column} = ?",
            (key_text(above), session, str(entry)),
        )
