"""Undo and redo of steps. A step that no longer applies is refused; nothing is ever overwritten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.compaction.branch_summary import composer_text
from stemmata.domain.errors import ConflictError, NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.details import conversation_key, with_named_here
from stemmata.domain.sessions.steps import (
    LIST,
    LISTED,
    Fact,
    History,
    Step,
    StepChange,
    continued_session,
    key_of,
    key_text,
    tags_value,
    title_value,
)
from stemmata.domain.text.phrases import Phrase
from stemmata.services.futures import caught, then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import MARKS, mark_entry

OFF_MARKS = {Fact.PIN, Fact.DELETED}  # marks that are removed by the name `off`
_AWAY = {Fact.ARCHIVED, Fact.TRASHED}
_FLAGS = {Fact.STARRED: "starred", Fact.ARCHIVED: "archived", Fact.TRASHED: "trashed"}
_CONFLICTS = {
    Fact.LEAF: Phrase("The leaf has moved since."),
    Fact.LABEL: Phrase("The label has changed since."),
    Fact.PIN: Phrase("The pin has changed since."),
    Fact.DELETED: Phrase("The branch has been deleted or restored since."),
    Fact.TITLE: Phrase("The session has been renamed since."),
    Fact.TAGS: Phrase("The tags have changed since."),
    Fact.CREATED: Phrase("The new session has been continued or deleted since."),
}
_OTHER = Phrase("The session has changed since.")
_TRASHED = Phrase("The session that was continued is in the trash.")
_GONE = Phrase("An entry or a session that this step needs no longer exists.")


@dataclass(frozen=True, slots=True)
class Undone:
    """The effect of an undo or a redo: the step, and the history after it.

    `leaf` is the leaf of the session `session` when `moved`. `text` is the text that the step had put into the
    composer, "" for none. `made` are the sessions that the step had created, which were removed from the list or came
    back to it; `origin` is the session that the first of them came from. `back` are the sessions that left the trash
    or were unarchived, `gone` the sessions that were moved to the trash or archived.
    """

    step: Step
    history: History
    session: int
    leaf: int | None = None
    moved: bool = False
    text: str = ""
    made: tuple[int, ...] = ()
    origin: int | None = None
    back: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()


class Histories:
    """The histories of the sessions and of their list; a scope is the key of a session, LIST or SESSIONS."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock) -> None:
        self._archive, self._notices, self._clock = archive, notices, clock

    def of(self, scope: int) -> Future[History]:
        """Return the next steps to undo and to redo."""
        return self._archive.read(lambda reader: reader.history(scope))

    def several(self, scopes: Sequence[int]) -> Future[dict[int, History]]:
        """Return the histories by scope."""
        return self._archive.read(lambda reader: {scope: reader.history(scope) for scope in scopes})

    def undo(self, scope: int, seen: int | None = None, *, only: bool = False) -> Future[Undone]:
        """Undo the last step. Fails with NothingToDoError, and with ConflictError when it no longer applies.

        `seen` is the step that the menu shows: when another process made a later step, or with `only` anyone, this
        fails. A step that no longer applies, or that needs something that is gone, is removed from the history, so
        that the steps before it can be undone.
        """
        return self._step(scope, seen, only=only, forward=False)

    def redo(self, scope: int, seen: int | None = None, *, only: bool = False) -> Future[Undone]:
        """Redo the step that was undone last; fails as `undo` does."""
        return self._step(scope, seen, only=only, forward=True)

    def _step(self, scope: int, seen: int | None, *, only: bool, forward: bool) -> Future[Undone]:
        unfit: list[int] = []  # the step that needs something that is gone

        def job(writer: ArchiveWriter) -> tuple[Undone, Change, Sequence[int]] | ConflictError:
            history = writer.history(scope)
            step = history.next_redo if forward else history.next_undo
            if step is None:
                raise NothingToDoError(Phrase("Nothing to redo.") if forward else Phrase("Nothing to undo."))
            if seen is not None and step.key != seen and (only or step.is_external):
                raise ConflictError(
                    "Something else was done meanwhile. Nothing was changed. The Edit menu names the next step."
                )
            unfit[:] = [step.key]
            changes = writer.step_changes(step.key)
            application = _Application(writer, self._clock, forward=forward)
            problem = next(filter(None, map(application.problem, changes)), None)
            if problem is not None:
                writer.drop_step(step.key)
                return _refused(problem, forward=forward)
            for change in changes if forward else reversed(changes):
                application.apply(change)
            writer.set_undone(step.key, undone=not forward)
            return (
                _undone(writer, scope, step, changes, forward=forward),
                _kinds_of_change(changes),
                application.touched,
            )

        def pass_over() -> Future[tuple[Undone, Change, Sequence[int]] | ConflictError]:
            # in a job of its own: the first one was rolled back, so that the step is not applied in part
            def drop(writer: ArchiveWriter) -> ConflictError:
                writer.drop_step(unfit[0])
                return _refused(_GONE, forward=forward)

            return self._archive.write(drop)

        def publish(done: tuple[Undone, Change, Sequence[int]] | ConflictError) -> Undone:
            if isinstance(done, ConflictError):
                of = scope if scope > LIST else None
                self._notices.publish(ChangeSet(Change.MARKS, of))  # menus name the step before
                raise done
            undone, what, touched = done
            for session in touched if Change.ENTRIES in what or Change.LEAF in what else ():
                self._notices.publish(ChangeSet(what, session))
            if what == Change.SESSIONS or len(touched) > 1:
                self._notices.publish(ChangeSet(Change.SESSIONS))
            return undone

        return then(caught(self._archive.write(job), NotFoundError, pass_over), publish)


class _Application:
    """Applies the changes of one step inside a write job, all backward or all `forward`."""

    def __init__(self, writer: ArchiveWriter, clock: Clock, *, forward: bool) -> None:
        self._writer, self._clock, self._forward = writer, clock, forward
        self.touched: list[int] = []

    def problem(self, change: StepChange) -> Phrase | None:
        """Return why a change no longer applies; None when it does."""
        now = self._present_value(change)
        if now is None or now != (change.before if self._forward else change.after):
            return _CONFLICTS.get(change.fact, _OTHER)
        if change.fact is Fact.CREATED and not self._forward:
            last = self._writer.history(change.session).next_undo
            if last is not None and last.what != "note":
                return _CONFLICTS[Fact.CREATED]
            origin = self._continued(change)
            if origin is not None and self._writer.session(origin).trashed:
                return _TRASHED
        return None

    def apply(self, change: StepChange) -> None:
        """Give the fact of a step the value that it had before the step (undo) or after it (redo)."""
        writer, session = self._writer, change.session
        value = change.after if self._forward else change.before
        if session not in self.touched:
            self.touched.append(session)
        if change.fact is Fact.LEAF:
            writer.move_leaf(session, key_of(value), "redo" if self._forward else "undo", time=self._clock.now())
        elif change.fact in MARKS:
            assert change.entry is not None
            name = ("" if value else "off") if change.fact in OFF_MARKS else value
            id = writer.rows([change.entry])[change.entry].id
            mark_entry(writer, self._clock, session, id, MARKS[change.fact], name)
        elif change.fact is Fact.TITLE:
            details = with_named_here(writer.session(session).details, on=value[:1] == "1")
            writer.update_session(session, title=value[1:], details=details)
        elif change.fact is Fact.TAGS:
            writer.update_session(session, tags=json.loads(value))
        elif change.fact is Fact.CREATED:
            self._create(change)
        elif change.fact in _FLAGS:
            writer.update_session(session, **{_FLAGS[change.fact]: bool(value)})
        if change.fact is Fact.LEAF or change.fact in MARKS:
            writer.refresh(session)

    def _create(self, change: StepChange) -> None:
        """Return a new session to the list, or move it to the trash and give queue and conversation to its origin."""
        writer, made = self._writer, change.session
        writer.update_session(made, trashed=not self._forward)
        origin = self._continued(change)
        key = conversation_key(writer.session(made).details)
        if origin is None:
            return
        to, since = (made, origin) if self._forward else (origin, made)
        current = writer.current_session(key) if key else None
        if current is not None and current[0] == since:
            writer.make_current(key, to, time=self._clock.now())
        writer.hand_over_queue(since, to)

    def _continued(self, change: StepChange) -> int | None:
        return continued_session(change.after, self._writer.session(change.session).parent)

    def _present_value(self, change: StepChange) -> str | None:
        """Return the present value of the fact; None when the entry is gone. A deleted session has no steps."""
        session = self._writer.session(change.session)
        if change.fact is Fact.LEAF:
            return key_text(session.leaf)
        if change.fact in MARKS:
            return mark_now(self._writer, change.session, change.entry, change.fact)
        if change.fact is Fact.TITLE:
            return title_value(session)
        if change.fact is Fact.TAGS:
            return tags_value(session.tags)
        if change.fact in _FLAGS:
            return "1" if getattr(session, _FLAGS[change.fact]) else ""
        if change.fact is Fact.CREATED:
            return "" if session.trashed else change.after
        return change.before if self._forward else change.after


def mark_now(reader: ArchiveReader, session: int, entry: int | None, fact: Fact) -> str | None:
    """Return the label, pin or trash mark of an entry as a step's value; None when the session has no such entry."""
    tree = reader.tree(session)
    at = tree.get(entry)
    if at is None:
        return None
    if fact is Fact.LABEL:
        return tree.labels.get(at, "")
    return "1" if at in (tree.pins if fact is Fact.PIN else tree.trash) else ""


def _undone(writer: ArchiveWriter, scope: int, step: Step, changes: Sequence[StepChange], *, forward: bool) -> Undone:
    own = scope if scope > LIST else changes[0].session
    moved = any(change.fact is Fact.LEAF and change.session == own for change in changes)
    prompt = next((change.entry for change in changes if change.fact is Fact.PROMPT), None)
    body = None if prompt is None else writer.bodies([prompt]).get(prompt)
    made = tuple(change.session for change in changes if change.fact is Fact.CREATED)
    put_away = [change for change in changes if change.fact in _AWAY]
    gone = tuple(change.session for change in put_away if bool(change.after) == forward)
    return Undone(
        step=step,
        history=writer.history(scope),
        session=own,
        leaf=writer.session(own).leaf if moved else None,
        moved=moved,
        text="" if body is None else composer_text(body.blocks),
        made=made,
        origin=writer.session(made[0]).parent if made else None,
        back=tuple(change.session for change in put_away if change.session not in gone),
        gone=gone,
    )


def _kinds_of_change(changes: Sequence[StepChange]) -> Change:
    what = Change.NONE
    for change in changes:
        what |= Change.SESSIONS if change.fact in LISTED else Change.NONE
        what |= Change.LEAF | Change.SESSIONS if change.fact is Fact.LEAF else Change.NONE
        what |= Change.MARKS | Change.ENTRIES | Change.SESSIONS if change.fact in MARKS else Change.NONE
    return what


def _refused(problem: Phrase, *, forward: bool) -> ConflictError:
    if forward:
        return ConflictError(Phrase("This can no longer be redone. {0} Nothing was changed.", problem))
    return ConflictError(
        Phrase(
            "This can no longer be undone. {0} Nothing was changed; the next undo goes to the step before.", problem
        )
    )
