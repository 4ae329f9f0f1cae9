"""Resuming an old session: whole when its context fits the budget, else from a summary in a new session.

A session is old when its last message is imported, or older than a day. A session that was resumed before and has no
new messages since is not summarised again: it continues in the session where it was resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.entries.entry import Flag, Kind
from stemmata.domain.entries.lineage import Lineage
from stemmata.domain.entries.session_facts import Session, SessionTree
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.run_store import is_conversation
from stemmata.services.compaction.compaction import AUTOMATIC, Compaction, CompactionRequest, Compactions
from stemmata.services.context.contexts import Contexts, ContextView
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader, Clock

LATELY = 24 * 3600 * 10**9  # ns
FAR_BACK = 200  # entries that are searched for a part of the conversation
TRIGGER = "resume"


@dataclass(frozen=True, slots=True)
class Resumed:
    """The session to continue in. `notice` explains it; "" for a session that is not old.

    `compaction` is the first entry of the new session; None when the session continues whole.
    """

    session: int
    notice: str
    compaction: Compaction | None = None


class Resuming:
    """Resumes sessions. `written` adds a model's summary to a request when the settings want one; it may block."""

    def __init__(
        self,
        archive: Archive,
        contexts: Contexts,
        compactions: Compactions,
        written: Callable[[CompactionRequest], CompactionRequest],
        clock: Clock,
    ) -> None:
        self._archive, self._contexts = archive, contexts
        self._compactions, self._written, self._clock = compactions, written, clock

    def resume(self, session: int) -> Future[Resumed]:
        """Decide by the token budget, ignoring how recently the session was used."""
        return run_in_thread(lambda: self._resume(session))

    def go_on(self, session: int, *, follows: bool = True) -> Future[Resumed]:
        """Resume an old session; any other session continues unchanged.

        A session that an automatic compaction continued in a new one, and that has no messages since, goes on there
        when `follows` is true.
        """

        def found() -> Resumed:
            continued = self._archive.read(lambda reader: _continued_in(reader, session))
            later = continued.result() if follows else None
            if later is not None:
                notice = Phrase("Continued in session {0}, which begins with a summary of this one.", later.id)
                return Resumed(later.key, notice)
            since = self._clock.now() - LATELY
            if self._archive.read(lambda reader: _went_on(reader, session, since)).result():
                return Resumed(session, "")
            return self._resume(session)

        return run_in_thread(found)

    def _resume(self, session: int) -> Resumed:
        leaf, view = self._archive.read(lambda reader: self._look(reader, session)).result()
        percent = self._contexts.settings.resume_token_budget
        total, window = view.breakdown.total.value or 0, view.budget.window
        if window is None:
            return Resumed(session, Phrase("Resumed whole: the model’s window is unknown."))
        share = round(100 * total / window)
        if leaf is None or total * 100 <= window * percent:
            notice = Phrase("Resumed whole: the session fills {0}% of the window; the limit is {1}%.", share, percent)
            return Resumed(session, notice)
        later = self._archive.read(lambda reader: _resumed_in(reader, session)).result()
        if later is not None:
            return Resumed(
                later.key, Phrase("Resumed in session {0}, where this session was continued before.", later.id)
            )
        try:
            request = self._written(CompactionRequest(session=session, leaf=leaf, trigger=TRIGGER))
            done = self._compactions.run_in_new_session(request).result()
        except NothingToDoError as error:
            notice = Phrase("Resumed whole, though it fills {0}% of the window: {1}", share, str(error))
            return Resumed(session, notice)
        assert done.session is not None
        notice = Phrase(
            "Resumed from a summary in a new session: the whole session would fill {0}% of the "
            "window; the limit is {1}%.",
            share,
            percent,
        )
        return Resumed(done.session, notice, done)

    def _look(self, reader: ArchiveReader, session: int) -> tuple[int | None, ContextView]:
        session_tree = SessionTree(reader.session(session), reader.tree(session))
        leaf = session_tree.session.leaf
        return leaf, self._contexts.seen(session_tree, session_tree.tree.get(leaf))


def _went_on(reader: ArchiveReader, session: int, since: int) -> bool:
    """Whether the last message was sent in Stemmata since a time, or the session has no messages."""
    leaf = reader.session(session).leaf
    if leaf is None:
        return True
    keys = reader.tail(leaf, FAR_BACK)
    rows = reader.rows(keys)
    last = next((rows[key] for key in reversed(keys) if is_conversation(rows[key])), None)
    return last is not None and bool(last.flags & Flag.OWN) and last.time >= since


def _continued_in(reader: ArchiveReader, session: int) -> Session | None:
    """Return the last session of the chain that automatic compactions made; None when this one goes on itself."""
    if reader.session(session).finalised is None:
        return None
    lineage, found = Lineage(reader.sessions()), None
    at: Session | None = reader.session(session)
    while at is not None and at.finalised is not None:
        at = lineage.continued_as(at)
        if at is None or _begins_with(reader, at.key)[0] != AUTOMATIC:
            break
        found = at
    return found


def _resumed_in(reader: ArchiveReader, session: int) -> Session | None:
    """Return the session in which this one was last resumed; None when its leaf has moved since."""
    origin = reader.session(session)
    later = [found for found in reader.sessions() if found.parent == session and found.source == "stemmata"]
    last = next(reader.leaf_moves(session), None)
    for found in sorted(later, key=lambda found: found.created_at, reverse=True):
        if last is not None and last.time > found.created_at:
            return None
        if _begins_with(reader, found.key) == (TRIGGER, origin.id):
            return found
    return None


def _begins_with(reader: ArchiveReader, session: int) -> tuple[str, str]:
    """Return the trigger of the summary that a session begins with, and the summarised session."""
    tree = reader.tree(session)
    if not len(tree) or tree.kind(0) is not Kind.COMPACTION:
        return "", ""
    key = tree.key(0)
    details = json.loads(reader.bodies([key])[key].details or "{}")
    return str(details.get("trigger", "")), str(details.get("continues", ""))
