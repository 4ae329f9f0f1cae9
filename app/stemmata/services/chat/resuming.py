"""Resuming an old session: in full when its context fits the budget, otherwise from a summary in a new session.

A session is old when its last message is imported, or older than a day, or when it is finalised. A session that was
resumed before and has no new messages since is not summarised again: it continues where it was resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from stemmata.domain.compaction.forecast import saves_nothing
from stemmata.domain.entries.entry import Flag, Kind
from stemmata.domain.entries.figures import Figure
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.lineage import Lineage
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.domain.text.phrases import Phrase
from stemmata.services.chat.run_store import is_conversation
from stemmata.services.compaction.compaction import Compactions
from stemmata.services.compaction.request import AUTOMATIC, Compaction, CompactionRequest
from stemmata.services.context.contexts import Contexts, ContextView
from stemmata.services.futures import run_in_thread
from stemmata.services.ports.archive import Archive, ArchiveReader, Clock

LATELY = 24 * 3600 * 10**9  # ns; a session that was used within this time goes on without a question
FAR_BACK = 200  # entries that are searched for a part of the conversation
TRIGGER = "resume"


@dataclass(frozen=True, slots=True)
class Resumed:
    """The session to continue in. `notice` explains it; "" for a session that is not old.

    `compaction` is the first entry of the new session; None when the session continues in full.
    """

    session: int
    notice: str
    compaction: Compaction | None = None


@dataclass(frozen=True, slots=True)
class ResumeChoice:
    """The two ways to continue an old session, with the size of the next context of each.

    `share` is the part of the window that the whole session fills, in percent; None for a model of unknown window.
    `fits` says whether the budget allows the whole session.
    """

    session: int
    whole: Figure
    from_summary: Figure
    share: int | None
    fits: bool


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
        """Resume a session in full or from a summary, as the token budget decides, also if it was used recently."""
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
            if self._archive.read(lambda reader: _continued_here(reader, session, since)).result():
                return Resumed(session, "")
            return self._resume(session)

        return run_in_thread(found)

    def choice(self, session: int) -> Future[ResumeChoice | None]:
        """Return the choice for an old session; None when it is not old, and when a summary would save nothing."""
        return self._archive.read(lambda reader: self._choice(reader, session))

    def from_summary(self, session: int) -> Future[Resumed]:
        """Continue in a new session that begins with a summary, also when the whole session fits.

        Fails with NothingToDoError when nothing can be summarised.
        """

        def work() -> Resumed:
            leaf, _view = self._archive.read(lambda reader: self._leaf_and_context(reader, session)).result()
            if leaf is None:
                raise NothingToDoError("The session is empty.")
            told = Phrase("Resumed from a summary in a new session. The old session is unchanged.")
            return self._later(session) or self._summarised(session, leaf, told)

        return run_in_thread(work)

    def _choice(self, reader: ArchiveReader, session: int) -> ResumeChoice | None:
        row = reader.session(session)
        is_old = row.finalised is not None or not _continued_here(reader, session, self._clock.now() - LATELY)
        if row.leaf is None or not is_old:
            return None
        leaf, view = self._leaf_and_context(reader, session)
        session_tree = SessionTree(row, reader.tree(session))
        later = _continued_in(reader, session) or _resumed_in(reader, session)
        if later is None:
            try:
                after = self._compactions.preview(session_tree, session_tree.tree.get(leaf)).after
            except NothingToDoError:
                return None
        else:
            after = self._leaf_and_context(reader, later.key)[1].breakdown
        if later is None and saves_nothing(view.breakdown, after):
            return None
        share, fits = self._share(view)
        return ResumeChoice(session, view.breakdown.total, after.total, share, fits)

    def _share(self, view: ContextView) -> tuple[int | None, bool]:
        """Return the share of the window that a context fills, in percent, and whether the budget allows it."""
        total, window = view.breakdown.total.value or 0, view.budget.window
        if window is None:
            return None, True
        return round(100 * total / window), total * 100 <= window * self._contexts.settings.resume_token_budget

    def _resume(self, session: int) -> Resumed:
        leaf, view = self._archive.read(lambda reader: self._leaf_and_context(reader, session)).result()
        percent = self._contexts.settings.resume_token_budget
        share, fits = self._share(view)
        if share is None:
            return Resumed(session, Phrase("Resumed in full: the model’s window is unknown."))
        if leaf is None or fits:
            notice = Phrase(
                "Resumed in full: the session fills {0}% of the window; the limit is {1}%.", share, percent
            )
            return Resumed(session, notice)
        told = Phrase(
            "Resumed from a summary in a new session: the whole session would fill {0}% of the "
            "window; the limit is {1}%.",
            share,
            percent,
        )
        try:
            return self._later(session) or self._summarised(session, leaf, told)
        except NothingToDoError as error:
            notice = Phrase("Resumed in full, although the session fills {0}% of the window: {1}", share, str(error))
            return Resumed(session, notice)

    def _later(self, session: int) -> Resumed | None:
        """Return the session in which this one was resumed before; None when there is none."""
        later = self._archive.read(lambda reader: _resumed_in(reader, session)).result()
        if later is None:
            return None
        return Resumed(
            later.key, Phrase("Resumed in session {0}, where this session was continued before.", later.id)
        )

    def _summarised(self, session: int, leaf: int, told: str) -> Resumed:
        request = self._written(CompactionRequest(session=session, leaf=leaf, trigger=TRIGGER))
        done = self._compactions.run_in_new_session(request).result()
        assert done.session is not None
        return Resumed(done.session, told, done)

    def _leaf_and_context(self, reader: ArchiveReader, session: int) -> tuple[int | None, ContextView]:
        session_tree = SessionTree(reader.session(session), reader.tree(session))
        leaf = session_tree.session.leaf
        return leaf, self._contexts.seen(session_tree, session_tree.tree.get(leaf))


def _continued_here(reader: ArchiveReader, session: int, since: int) -> bool:
    """Whether the last message was sent in Stemmata since a time, or the session has no messages."""
    leaf = reader.session(session).leaf
    if leaf is None:
        return True
    keys = reader.tail(leaf, FAR_BACK)
    rows = reader.rows(keys)
    last = next((rows[key] for key in reversed(keys) if is_conversation(rows[key])), None)
    return last is not None and bool(last.flags & Flag.OWN) and last.time >= since


def _continued_in(reader: ArchiveReader, session: int) -> Session | None:
    """Return the last session of the chain that automatic compactions made; None when there is no chain."""
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
