"""What a run stores: each entry in one transaction, under the run's own tip."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from stemmata.domain.chat.run import HERE, Here, Outgoing, Partial, PartialText
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.changes import Change, ChangeSet
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.entries.session_facts import Session, SessionInfo
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.domain.text.phrases import Phrase, to_data
from stemmata.services.chat.branch_tip import tip_now
from stemmata.services.chat.concurrent_edits import Neighbours, Standing, beside_of
from stemmata.services.chat.interrupt import settled
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


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """A run and where it stands. `tip` is the store key of the entry the next one hangs from.

    `beside` is that of what another process said in the session meanwhile, None for nothing.
    """

    session: int
    run: int
    tip: int | None
    connection: str = ""
    model: str = ""
    beside: int | None = None


class RunStore:
    """On the io loop. `owner` names this process; `is_alive` tells of another whether it still runs."""

    def __init__(
        self,
        archive: Archive,
        notices: Notices,
        clock: Clock,
        owner: str,
        is_alive: Callable[[str], bool] = lambda _owner: True,
    ) -> None:
        self._archive, self._notices, self._clock, self._owner = archive, notices, clock, owner
        self._neighbours = Neighbours(owner, is_alive)

    async def begin(
        self,
        session: int,
        message: Outgoing | None,
        under: int | Here | None = HERE,
        initiator: object = None,
        seen: int | Here | None = HERE,
    ) -> tuple[Place, int | None]:
        """A run that starts with this message, or goes on where it is told; the message's key.

        `seen` is the leaf that the person saw: where another process took it on, the message stays there.
        """

        def job(writer: ArchiveWriter) -> tuple[Place, int | None]:
            standing = self._standing(writer, session, under, seen)
            place, key = self._begun(writer, session, message, standing)
            if message is not None:
                writer.save_draft(session, "", time=self._clock.now())
            return place, key

        begun = await settled(self._archive.write(job))
        self._publish(session, begun[1], initiator)
        return begun

    async def begin_queued(self, session: int, seen: int | Here | None = HERE) -> tuple[Place, int] | None:
        """A run that starts with the first message that waits; None when none does. `seen` as for `begin`."""

        def job(writer: ArchiveWriter) -> tuple[Place, int] | None:
            queued = writer.take_queued(session)
            if queued is None:
                return None
            standing = self._standing(writer, session, HERE, seen)
            place, key = self._begun(writer, session, Outgoing(blocks=queued.blocks), standing)
            assert key is not None
            return place, key

        begun = await settled(self._archive.write(job))
        if begun is not None:
            self._publish(session, begun[1], None)
        return begun

    async def begin_entry(self, session: int, entry: Entry, leaf: int) -> Place | None:
        """A run that starts with an entry which nobody said; None where the session stands elsewhere by now."""

        def job(writer: ArchiveWriter) -> Place | None:
            if writer.session(session).leaf != leaf:
                return None
            run = writer.begin_run(session, self._owner, time=self._clock.now())
            key = put_below(writer, self._clock, session, entry, leaf)
            writer.follow_run(run, key)
            return Place(session, run, key)

        begun = await settled(self._archive.write(job))
        if begun is not None:
            self._publish(session, begun.tip, None)
        return begun

    async def step_back(self, place: Place, leaf: int) -> None:
        """Leave what a run has put below this entry behind, where the session stands there."""

        def job(writer: ArchiveWriter) -> None:
            if writer.session(place.session).leaf == place.tip:
                writer.move_leaf(place.session, leaf, "undo", time=self._clock.now())

        await settled(self._archive.write(job))
        self._publish(place.session, None, None)

    async def append(self, place: Place, entry: Entry, files: Mapping[str, bytes] | None = None) -> tuple[Place, int]:
        """Below the tip, or below what was put there meanwhile. What was kept of the open reply goes.

        `files` are the bytes of its images, by their SHA-256 in hex.
        """

        def job(writer: ArchiveWriter) -> tuple[Place, int]:
            for digest, data in (files or {}).items():
                writer.add_blob(digest, data)
            tip = tip_now(writer, place.session, place.tip)
            beside = beside_of(writer, place.session, tip) if place.beside is None else place.beside
            key = put_below(writer, self._clock, place.session, entry, tip)
            writer.drop_partials(place.run)
            writer.follow_run(place.run, key, place.connection, place.model)
            return replace(place, tip=key, beside=beside), key

        placed, key = await settled(self._archive.write(job))
        self._publish(place.session, key, None)
        return placed, key

    def keep(
        self, place: Place, parts: Sequence[Partial | PartialText], failed: Callable[[KnownError], None]
    ) -> None:
        """Store parts of a reply that streams; `failed` is called on the db thread when that is not possible."""

        def job(writer: ArchiveWriter) -> None:
            for part in parts:
                if isinstance(part, Partial):
                    writer.save_partial(place.run, part)
                else:
                    writer.grow_partial(place.run, part)

        def done(future: Future[None]) -> None:
            error = future.exception()
            if isinstance(error, KnownError):
                failed(error)
            elif error is not None:
                log.error("A part of a reply could not be kept.", exc_info=error)

        self._archive.write(job).add_done_callback(done)

    def end(self, place: Place) -> Future[None]:
        """The run is over; the session's totals are computed anew."""

        def job(writer: ArchiveWriter) -> None:
            try:
                writer.refresh(place.session)
            except NotFoundError:
                return  # deleted meanwhile, with all of its runs
            writer.end_run(place.run)

        future = self._archive.write(job)
        future.add_done_callback(lambda ended: self._ended(place.session, ended))
        return future

    def _ended(self, session: int, future: Future[None]) -> None:
        error = future.exception()
        if error is None:
            self._notices.publish(ChangeSet(Change.SESSIONS, session))
        elif not isinstance(error, KnownError):  # a known one was told with the run; the next start mends the rest
            log.error("A run could not be ended.", exc_info=error)

    # -- inside a job -----------------------------------------------------------------------------------------

    def _standing(
        self, writer: ArchiveWriter, session: int, under: int | Here | None, seen: int | Here | None
    ) -> Standing:
        if isinstance(under, Here):
            return self._neighbours.standing(writer, session, seen)
        return Standing(under)

    def _begun(
        self, writer: ArchiveWriter, session: int, message: Outgoing | None, where: Standing
    ) -> tuple[Place, int | None]:
        standing, tip = writer.session(session).leaf, where.tip
        run = writer.begin_run(session, self._owner, time=self._clock.now())
        key = None
        if message is not None:
            for digest, data in message.files.items():
                writer.add_blob(digest, data)
            if tip != standing:
                writer.move_leaf(session, tip, "edit", time=self._clock.now())
            is_first = tip is None
            key = tip = put_below(writer, self._clock, session, self._prompt(message), tip)
            if is_first:
                writer.refresh(session)  # the list shows the first message as the title
        elif tip != standing:
            writer.move_leaf(session, tip, "edit", time=self._clock.now())
        writer.follow_run(run, tip)
        return Place(session, run, tip, beside=where.beside), key

    def _prompt(self, message: Outgoing) -> Entry:
        return self.entry(Kind.MESSAGE, role=Role.USER, blocks=message.blocks)

    def entry(self, kind: Kind, **facts: Any) -> Entry:
        """As `own_entry`."""
        return own_entry(self._clock, kind, **facts)

    def _publish(self, session: int, key: int | None, initiator: object) -> None:
        keys = () if key is None else (key,)
        what = Change.LEAF if key is None else Change.ENTRIES | Change.LEAF | Change.SESSIONS
        self._notices.publish(ChangeSet(what, session, keys, initiator))


def details_text(details: Mapping[str, Any]) -> str:
    """JSON text of the details of an entry, empty values left out."""
    import json

    kept = {name: value for name, value in details.items() if value not in ("", None)}
    return json.dumps(kept, ensure_ascii=False) if kept else ""
