"""Recognise opencode's database and read its sessions, those that have changed since the last reading."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stemmata.domain.entries.session_facts import SessionInfo, with_changed_in_source
from stemmata.domain.entries.source_facts import Begin, Checkpoint, ReadEvent, Unchanged, UnusedPart
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.formats.opencode.forks import Forks, Origin
from stemmata.formats.opencode.history import History
from stemmata.formats.opencode.rows import Rows, SessionRow, is_opencode
from stemmata.formats.shared.database import LOG, MAGIC, TooLargeError, log_state, open_database
from stemmata.formats.shared.format import Folder, SingleFileFormat
from stemmata.formats.shared.values import BadLineError, instant, mapping, parse_object, text

_ENDING = ".db"
_UNNAMED = re.compile(r"(New session - |Child session - )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_FACTS = {"project_id": "project", "version": "version", "slug": "slug", "agent": "agent", "share_url": "share"}


class Opencode(SingleFileFormat):
    """The reader of opencode's sessions. `now` returns the time, in ns since the epoch."""

    name = "opencode"

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self._now = now

    def sniff(self, head: bytes, path: Path) -> bool:
        """Return whether the file is a database with opencode's tables. Raises KnownError when it is locked."""
        if not head.startswith(MAGIC):
            return False
        try:
            with open_database(path) as database:
                return is_opencode(database)
        except (UnreadableSourceError, TooLargeError):
            return False

    def folders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Folder]:
        """Return the folder of the database, which is the same on all systems."""
        named, data = environment.get("OPENCODE_DB", ""), environment.get("XDG_DATA_HOME", "")
        standard = (Path(data) if data else home / ".local" / "share") / "opencode"
        other = standard / named
        folders = [standard, other.parent] if named and named != ":memory:" else [standard]
        return tuple(Folder(folder, deep=False) for folder in dict.fromkeys(folders))

    def main_file(self, path: Path) -> Path | None:
        """Return the database of a write-ahead log."""
        return path.with_name(path.name.removesuffix(LOG)) if path.name.endswith(_ENDING + LOG) else None

    def is_companion(self, path: Path) -> bool:
        """Return whether the file is the write-ahead log of a database."""
        return path.name.endswith(_ENDING + LOG)

    def companions_changed(self, path: Path, known: Checkpoint) -> bool:
        """Return whether the write-ahead log changed, or a reply that was held back counts as abandoned now."""
        if path.suffix != _ENDING or not known.state:
            return False
        state = _State.of(known)
        return state.log != log_state(path) or 0 < state.due <= self._now()

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[ReadEvent]:
        """Yield the sessions that have changed since the checkpoint, those that began first before the others."""
        before = _State.of(since)
        state = _State(log_state(path), 0, {})
        try:
            with open_database(path) as database:
                rows = Rows(database)
                yield from self._sessions(rows, before, state)
                if since is None:
                    yield from (UnusedPart(f"{number} rows", what) for number, what in rows.strays() if number)
        except TooLargeError as error:
            raise UnreadableSourceError(Phrase("{0} has a row that is too large.", path)) from error
        unchanged = sum(before.prints.get(id) == found for id, found in state.prints.items() if found)
        yield Unchanged(unchanged, Checkpoint(str(path), 0, 0, 0, 0, "", state.json))

    def _sessions(self, rows: Rows, before: _State, state: _State) -> Iterator[ReadEvent]:
        sessions = rows.sessions()
        by_id = {session.id: session for session in reversed(sessions)}
        forks = Forks(rows, sessions)
        prints = rows.fingerprints(sessions)
        for session in sessions:
            if by_id[session.id] is not session:
                yield UnusedPart(f"session {session.id}", "has the id of another session")
                continue
            state.prints[session.id] = prints[session.id]
            if before.prints.get(session.id) == prints[session.id]:
                continue
            origin = forks.origin(session)
            history = History(rows, session, origin.ids if origin is not None else {}, self._now())
            yield Begin(_info(rows, session, by_id, origin))
            yield from history
            if history.due:
                state.prints[session.id] = ""
                state.due = min(state.due or history.due, history.due)


class _State:
    """What a checkpoint remembers.

    `log` is the state of the write-ahead log, `due` the time (ns) at which something that was held back counts as
    abandoned, `prints` the fingerprint of each session; "" for one that has something held back.
    """

    def __init__(self, log: str, due: int, prints: dict[str, str]) -> None:
        self.log, self.due, self.prints = log, due, prints

    @property
    def json(self) -> str:
        return compact_json({"log": self.log, "due": self.due, "sessions": self.prints})

    @classmethod
    def of(cls, known: Checkpoint | None) -> _State:
        """Restore it; what is damaged counts as unknown."""
        try:
            found = parse_object(known.state.encode() if known is not None else b"")
        except BadLineError:
            found = {}
        due = found.get("due")
        prints = {id: text(one) for id, one in mapping(found.get("sessions")).items()}
        return cls(text(found.get("log")), due if isinstance(due, int) else 0, prints)


def _info(rows: Rows, session: SessionRow, by_id: Mapping[str, SessionRow], origin: Origin | None) -> SessionInfo:
    facts = session.facts
    title = text(facts.get("title"))
    details: dict[str, Any] = {name: facts[key] for key, name in _FACTS.items() if isinstance(facts.get(key), str)}
    if facts.get("time_archived"):
        details["archived"] = True
    above = _above(session, by_id)
    parent = by_id.get(above[-1]) if above else None
    if parent is not None and (call := _call(rows, parent, session)):
        details["toolCall"] = call
    parent_id = "/".join(dict.fromkeys((above[0], above[-1]))) if above else ""
    if origin is not None and not above:
        parent_id = _source_id(origin.session, by_id)
    return SessionInfo(
        source=Opencode.name,
        source_id=_source_id(session, by_id),
        title="" if _UNNAMED.fullmatch(title) else title,
        cwd=text(facts.get("directory")),
        created_at=session.created,
        parent_source_id=parent_id,
        details=with_changed_in_source(compact_json(details) if details else "", instant(facts.get("time_updated"))),
    )


def _source_id(session: SessionRow, by_id: Mapping[str, SessionRow]) -> str:
    """Return the id of a session; that of a subagent begins with the session of the user."""
    above = _above(session, by_id)
    return f"{above[0]}/{session.id}" if above else session.id


def _above(session: SessionRow, by_id: Mapping[str, SessionRow]) -> list[str]:
    """Return the ids of the sessions above a subagent, that of the user first."""
    above: list[str] = []
    at: SessionRow | None = session
    while at is not None:
        parent = text(at.facts.get("parent_id"))
        if not parent or parent in above or parent == session.id:
            break
        above.append(parent)
        at = by_id.get(parent)
    return above[::-1]


def _call(rows: Rows, parent: SessionRow, child: SessionRow) -> str:
    """Return the id of the tool call that began a subagent; "" when it is unknown."""
    for data in rows.call_of(parent, child):
        try:
            part = parse_object(data.encode("utf-8", "replace") if isinstance(data, str) else b"")
        except BadLineError:
            continue
        if mapping(mapping(part.get("state")).get("metadata")).get("sessionId") == child.id:
            return text(part.get("callID"))
    return ""
