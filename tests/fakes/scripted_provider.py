"""A provider that says what a test wrote down, and a bench to chat with it: no SDK, no socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition
from typing import Any, TypeAlias

from stemmata.domain.blocks import Block, Text, ToolCall
from stemmata.domain.connections import Connection, OfferedModel
from stemmata.domain.entries import Usage
from stemmata.domain.requests import ToolDefinition
from stemmata.domain.runs import Consent, Outgoing, Phase, Question, RunEvent, Stored, Streamed, ToolOutcome
from stemmata.domain.session import Session
from stemmata.domain.sessions import Body, EntryRow, SessionInfo
from stemmata.domain.streaming import Began, BlockBegan, BlockDone, BlockKind, Ended, Grew, StopReason, StreamEvent
from stemmata.services.chatting import ChatWorld, NoTools, runs_of
from stemmata.services.provider_ports import Ask, Provider
from stemmata.services.runs import Runs
from stemmata.services.services import Services
from stemmata.store.archive import SqliteArchive
from stemmata.system.loop import IoLoop

PATIENCE = 10.0  # seconds a test waits for what must happen


class Gate:
    """Where a script waits until the test opens it."""

    def __init__(self) -> None:
        self.reached: Future[None] = Future()
        self._open: Future[None] = Future()

    def open(self) -> None:
        self._open.set_result(None)

    async def passed(self) -> None:
        if not self.reached.done():
            self.reached.set_result(None)
        await asyncio.shield(asyncio.wrap_future(self._open))


Step: TypeAlias = StreamEvent | Gate | Exception


def said(*blocks: Block | Gate, reason: StopReason | None = None, usage: Usage | None = None) -> list[Step]:
    """A whole reply. A gate between two blocks makes the stream wait there."""
    steps: list[Step] = [Began("msg", "m")]
    calls = any(isinstance(block, ToolCall) for block in blocks)
    for index, block in enumerate(found for found in blocks):
        steps += [block] if isinstance(block, Gate) else block_events(index, block)
    default = StopReason.TOOL_USE if calls else StopReason.END_TURN
    return [*steps, Ended(reason or default, usage or Usage(input=10, output=5))]


def block_events(index: int, block: Block) -> list[Step]:
    if isinstance(block, Text):
        half = len(block.text) // 2
        pieces = [Grew(index, piece) for piece in (block.text[:half], block.text[half:]) if piece]
        return [BlockBegan(index, BlockKind.TEXT), *pieces, BlockDone(index, block)]
    if isinstance(block, ToolCall):
        began = BlockBegan(index, BlockKind.TOOL_CALL, block.name)
        return [began, Grew(index, block.arguments), BlockDone(index, block)]
    return [BlockBegan(index, BlockKind.THINKING), BlockDone(index, block)]


class ScriptedProvider:
    """Implements `provider_ports.Provider` and `Connected`. One script a request, in order."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.scripts: list[Iterable[Step]] = []
        self.requests: list[Mapping[str, Any]] = []
        self.hung_up = 0

    def stream(self, payload: Mapping[str, Any]) -> AsyncIterator[StreamEvent]:
        self.requests.append(payload)
        return self._told(self.scripts.pop(0) if self.scripts else said(Text("and so on")))

    async def _told(self, script: Iterable[Step]) -> AsyncIterator[StreamEvent]:
        ended = False
        try:
            for step in script:
                if isinstance(step, Gate):
                    await step.passed()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
            ended = True
        finally:
            self.hung_up += not ended

    async def count(self, _payload: Mapping[str, Any]) -> int | None:
        return None

    async def models(self) -> Sequence[OfferedModel]:
        return ()

    async def close(self) -> None:
        """Nothing is open."""

    async def provider_for(self, _name: str) -> tuple[Provider, Connection]:
        return self, self.connection


@dataclass
class Tools:
    """Implements `provider_ports.Toolbox`: `answers` by the tool's name."""

    answers: dict[str, Callable[[ToolCall, Ask], Any]] = field(default_factory=dict)

    def definitions(self, _session: Session) -> tuple[ToolDefinition, ...]:
        return tuple(ToolDefinition(name) for name in self.answers)

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        if call.name not in self.answers:
            return await NoTools().call(session, call, ask)
        answer = self.answers[call.name](call, ask)
        found: ToolOutcome = await answer if asyncio.iscoroutine(answer) else answer
        return found


class ChatBench:
    """Runs over a real archive, with every event they told."""

    def __init__(self, services: Services, archive: SqliteArchive, provider: ScriptedProvider, tools: Tools) -> None:
        self.services, self.archive, self.provider, self.tools = services, archive, provider, tools
        self.loop = IoLoop()
        services._make_world = lambda _services: ChatWorld(
            self.loop, None, tools, "1:bench", lambda owner: owner == "1:bench"  # type: ignore[arg-type]  # not used
        )  # fmt: skip
        self.runs: Runs = runs_of(services, archive, services._clock, provider)
        services.__dict__["runs"] = self.runs
        self.events: list[RunEvent] = []
        self._told = Condition()
        self.runs.watch(self._hear)

    def _hear(self, event: RunEvent) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify_all()

    def wait(self, holds: Callable[[], bool]) -> None:
        """Until a condition holds that some event brings about."""
        with self._told:
            assert self._told.wait_for(holds, PATIENCE), self.events[-5:]

    def wait_phase(self, session: int, phase: Phase) -> None:
        self.wait(lambda: self.runs.state(session).phase is phase)

    def session(self, name: str = "chat") -> int:
        info = SessionInfo(source="stemmata", source_id=name, created_at=1)
        return self.archive.write(lambda writer: writer.create_session(info)).result()

    def send(self, session: int, text: str, **more: Any) -> int | None:
        return self.runs.send(session, Outgoing(blocks=(Text(text),)), **more).result(PATIENCE)

    def talk(self, session: int, text: str, *script: Iterable[Step]) -> list[tuple[EntryRow, Body]]:
        """Send, wait for the end, and give back the path."""
        self.provider.scripts += script
        self.send(session, text)
        self.wait(lambda: not self.runs.state(session).is_busy)
        return self.path(session)

    def path(self, session: int) -> list[tuple[EntryRow, Body]]:
        skeleton = self.services.sessions.open(session).result()
        keys = [skeleton.tree.key(at) for at in skeleton.tree.path(skeleton.tree.get(skeleton.session.leaf))]
        rows = self.services.entries.rows(keys).result()
        bodies = self.services.entries.bodies(keys).result()
        return [(rows[key], bodies[key]) for key in keys]

    def told(self, session: int) -> list[str]:
        """The path as "role: text"."""
        return [f"{row.role.text or row.kind.text}: {_shown(body.blocks)}" for row, body in self.path(session)]

    def shown(self) -> str:
        """All the text that was streamed to watchers."""
        streamed = [event.event for event in self.events if isinstance(event, Streamed)]
        return "".join(event.text for event in streamed if isinstance(event, Grew))

    def stored(self) -> list[int]:
        return [event.entry for event in self.events if isinstance(event, Stored)]


def _shown(blocks: Iterable[Block]) -> str:
    parts = []
    for block in blocks:
        parts.append(block.text if isinstance(block, Text) else type(block).__name__)
    return " | ".join(parts)


async def consenting(call: ToolCall, ask: Ask, outcome: ToolOutcome) -> ToolOutcome:
    """A tool that asks first."""
    question = Question(session=0, run=0, call=call.id, tool=call.name, origin="test", arguments=call.arguments)
    consent = await ask(question)
    return outcome if consent is Consent.ONCE else ToolOutcome((Text(consent.value),), failed=True)
