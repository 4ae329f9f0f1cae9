"""Conversations: a key leads from session to session, each begun by a reset of the previous session."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime

from stemmata.domain.chat.conversations import MAIN, ResetPolicy, ResetReason, kept_policy, main_key, reset_due
from stemmata.domain.context.projection import context_at
from stemmata.domain.entries.entry import Kind
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.changes import Change, ChangeSet
from stemmata.domain.sessions.details import (
    choices_of,
    conversation_key,
    reset_origin,
    with_conversation_key,
    with_reset_origin,
)
from stemmata.domain.sessions.session import Session, SessionInfo
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveReader, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import own_entry, put_below

OFF = "off"  # the thinking level of a session that names none


class Conversations:
    """Resets conversations. `chat` returns the current settings."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock, chat: Callable[[], ChatSettings]) -> None:
        self._archive, self._notices, self._clock, self._chat = archive, notices, clock, chat

    def due(self, session: int) -> Future[ResetReason | None]:
        """Return why the next message in a session begins a new one; None when it does not.

        Only the current session of a conversation with a key is reset by the clock.
        """
        return self._archive.read(lambda reader: self._due(reader, session))

    def reset(self, session: int) -> Future[Session]:
        """Begin a new session for the session's conversation and return it. The old one stays in the list.

        The new session keeps the model, the thinking level and the choices about compaction. An ordinary chat becomes
        a conversation with a key. Fails with NothingToDoError when the session is empty.
        """

        def job(writer: ArchiveWriter) -> Session:
            old = writer.session(session)
            if old.leaf is None:
                raise NothingToDoError("The session is empty, so there is nothing to reset.")
            now = self._clock.now()
            key = conversation_key(old.details)
            if not key:
                key = main_key(MAIN, old.id)
                writer.update_session(session, details=with_conversation_key(old.details, key))
            info = SessionInfo(
                source="stemmata",
                source_id=f"chat-{self._clock.new_id()}{self._clock.new_id()}",
                title=old.title if old.named else "",
                cwd=old.cwd,
                created_at=now,
                details=with_conversation_key(with_reset_origin(choices_of(old.details), old.id), key),
            )
            made = writer.create_session(info)
            writer.update_session(made, parent=session)
            writer.make_current(key, made, time=now)
            self._keep_picks(writer, old, made)
            return writer.refresh(made)

        return self._published(self._archive.write(job))

    def back(self, session: int) -> Future[Session]:
        """Return to the session before: make it the current one of the conversation, and return it.

        Fails with NothingToDoError for a session that no reset began, and with NotFoundError when the other one is
        gone.
        """

        def job(writer: ArchiveWriter) -> Session:
            found = writer.session(session)
            key, before = conversation_key(found.details), reset_origin(found.details)
            if not key or not before:
                raise NothingToDoError("This session did not begin with a reset, so it has no previous session.")
            old = writer.find_session(before)
            writer.make_current(key, old.key, time=self._clock.now())
            return old

        return self._published(self._archive.write(job))

    def _due(self, reader: ArchiveReader, session: int) -> ResetReason | None:
        chat, found = self._chat(), reader.session(session)
        key = conversation_key(found.details)
        policy = ResetPolicy(chat.reset_hour, chat.reset_idle_minutes)
        if chat.reset_as_gateway:
            policy = kept_policy(found.details) or policy
        if not key or found.leaf is None or policy == ResetPolicy():
            return None
        current = reader.current_session(key)
        if current is not None and current[0] != session:
            return None
        last, now = _local(found.updated_at), _local(self._clock.now())
        return reset_due(policy.hour, policy.idle_minutes, last, now)

    def _keep_picks(self, writer: ArchiveWriter, old: Session, made: int) -> None:
        """Pick the model and thinking level of the old session, so that no other server gets the next message."""
        tree = writer.tree(old.key)
        projection = context_at(tree, tree.get(old.leaf))
        provider, _, model = projection.model.partition("/")
        tip: int | None = None
        if provider:
            tip = put_below(
                writer,
                self._clock,
                made,
                own_entry(self._clock, Kind.MODEL_CHANGE, provider=provider, model=model),
                tip,
                "fork",
            )
        if projection.level != OFF:
            put_below(
                writer,
                self._clock,
                made,
                own_entry(self._clock, Kind.THINKING_LEVEL_CHANGE, name=projection.level),
                tip,
                "fork",
            )

    def _published(self, future: Future[Session]) -> Future[Session]:
        def publish(made: Session) -> Session:
            self._notices.publish(ChangeSet(Change.SESSIONS, made.key))
            return made

        return then(future, publish)


def _local(time: int) -> datetime:
    """Return a time (ns since the epoch) in the user's time zone."""
    return datetime.fromtimestamp(time / 1e9, UTC).astimezone()
