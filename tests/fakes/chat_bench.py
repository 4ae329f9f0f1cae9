"""Runs over a real archive, with every event they told: what tests of chatting stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Condition
from typing import Any

from stemmata.domain.chat.run import OutgoingMessage, Phase, RunEvent, Stored, Streamed
from stemmata.domain.chat.streaming import BlockGrew
from stemmata.domain.entries.blocks import Block, Text
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.sessions.session import SessionInfo
from stemmata.services.services import Services
from stemmata.store.archive import SqliteArchive
from tests.fakes.waiting import PATIENCE


class ChatBench:
    """Services for chatting in tests. `told` and `path` read the archive."""

    def __init__(self, services: Services, archive: SqliteArchive) -> None:
        self.services, self.archive, self.runs = services, archive, services.runs
        self.events: list[RunEvent] = []
        self._told = Condition()
        self.runs.watch(self._hear)

    def _hear(self, event: RunEvent) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify_all()

    def wait(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds, which some event brings about."""
        with self._told:
            assert self._told.wait_for(holds, PATIENCE), self.events[-5:]

    def wait_phase(self, session: int, phase: Phase) -> None:
        self.wait(lambda: self.runs.state(session).phase is phase)

    def session(self, name: str = "chat") -> int:
        info = SessionInfo(source="stemmata", source_id=name, created_at=1)
        return self.archive.write(lambda writer: writer.create_session(info)).result()

    def send(self, session: int, text: str, **more: Any) -> int | None:
        return self.runs.send(session, OutgoingMessage(blocks=(Text(text),)), **more).result(PATIENCE)

    def say(self, session: int, text: str) -> None:
        """Send, and wait for the end."""
        self.send(session, text)
        self.wait(lambda: not self.runs.state(session).is_busy)

    def path(self, session: int) -> list[tuple[EntryRow, Body]]:
        session_tree = self.services.sessions.open(session).result()
        keys = [
            session_tree.tree.key(at)
            for at in session_tree.tree.path(session_tree.tree.get(session_tree.session.leaf))
        ]
        rows = self.services.entries.rows(keys).result()
        bodies = self.services.entries.bodies(keys).result()
        return [(rows[key], bodies[key]) for key in keys]

    def told(self, session: int) -> list[str]:
        """The path as "role: text"."""
        return [f"{row.role.text or row.kind.text}: {_shown(body.blocks)}" for row, body in self.path(session)]

    def shown(self) -> str:
        """All the text that was streamed to watchers."""
        streamed = [event.event for event in self.events if isinstance(event, Streamed)]
        return "".join(event.text for event in streamed if isinstance(event, BlockGrew))

    def stored(self) -> list[int]:
        return [event.entry for event in self.events if isinstance(event, Stored)]


def _shown(blocks: Iterable[Block]) -> str:
    return " | ".join(block.text if isinstance(block, Text) else type(block).__name__ for block in blocks)
