"""What is made without a model: sessions, notes, and the choice of a model or a thinking level."""

from __future__ import annotations

import json
from concurrent.futures import Future

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.session import Session
from stemmata.domain.entries.session_facts import SessionInfo
from stemmata.domain.text.phrases import Phrase, to_data
from stemmata.services.futures import then
from stemmata.services.notices import Notices
from stemmata.services.ports.archive import Archive, ArchiveWriter, Clock
from stemmata.services.sessions.own_entries import own_entry, put_below


class RunMarks:
    """From any thread, also while a run is under way: what is put below its tip becomes the tip."""

    def __init__(self, archive: Archive, notices: Notices, clock: Clock) -> None:
        self._archive, self._notices, self._clock = archive, notices, clock

    def note(self, session: int, text: str, command: str, **facts: object) -> Future[int]:
        """`facts` are kept with it, beside the text as a phrase."""
        kept = ({"command": command} if command else {}) | facts
        if isinstance(text, Phrase):
            kept["phrase"] = to_data(text)
        details = json.dumps(kept, ensure_ascii=False) if kept else ""
        entry = own_entry(
            self._clock, Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="note", blocks=(Text(text),),
            flags=Flag.EXCLUDED, details=details,
        )  # fmt: skip
        return self._put(session, entry)

    def model(self, session: int, connection: str, model: str) -> Future[int]:
        return self._put(session, own_entry(self._clock, Kind.MODEL_CHANGE, provider=connection, model=model))

    def level(self, session: int, level: str) -> Future[int]:
        return self._put(session, own_entry(self._clock, Kind.THINKING_LEVEL_CHANGE, name=level))

    def session(self, cwd: str, title: str) -> Future[Session]:
        now = self._clock.now()
        name = f"chat-{self._clock.new_id()}{self._clock.new_id()}"
        info = SessionInfo(source="stemmata", source_id=name, title=title, cwd=cwd, created_at=now)

        def publish(made: Session) -> Session:
            self._notices.publish(ChangeSet(Change.SESSIONS, made.key))
            return made

        return then(self._archive.write(lambda writer: writer.session(writer.create_session(info))), publish)

    def _put(self, session: int, entry: Entry) -> Future[int]:
        def job(writer: ArchiveWriter) -> int:
            key = put_below(writer, self._clock, session, entry, writer.session(session).leaf)
            writer.refresh(session)
            return key

        def publish(key: int) -> int:
            self._notices.publish(ChangeSet(Change.ENTRIES | Change.LEAF | Change.SESSIONS, session, (key,)))
            return key

        return then(self._archive.write(job), publish)
