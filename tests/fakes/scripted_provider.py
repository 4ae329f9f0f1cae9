"""A provider that says what a test wrote down: no SDK, no socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypeAlias

from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.run import Consent, Question, ToolOutcome
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    ReplyEnded,
    ReplyStarted,
    StopReason,
    StreamEvent,
)
from stemmata.domain.entries.blocks import Block, Text, ToolCall
from stemmata.domain.entries.entry import Usage
from stemmata.domain.entries.entry_rows import Body, EntryRow
from stemmata.domain.requests.request import ToolDefinition
from stemmata.domain.sessions.session import Session
from stemmata.services.ports.providers import Ask, Provider
from stemmata.services.services import ChatPorts, Services
from stemmata.store.archive import SqliteArchive
from stemmata.system.loop import IoLoop
from tests.fakes.chat_bench import ChatBench


class Gate:
    """A point where a script waits until the test opens it."""

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
    steps: list[Step] = [ReplyStarted("msg", "m")]
    calls = any(isinstance(block, ToolCall) for block in blocks)
    for index, block in enumerate(blocks):
        steps += [block] if isinstance(block, Gate) else block_events(index, block)
    default = StopReason.TOOL_USE if calls else StopReason.END_TURN
    return [*steps, ReplyEnded(reason or default, usage or Usage(input=10, output=5))]


def block_events(index: int, block: Block) -> list[Step]:
    if isinstance(block, Text):
        half = len(block.text) // 2
        pieces = [BlockGrew(index, piece) for piece in (block.text[:half], block.text[half:]) if piece]
        return [BlockStarted(index, BlockKind.TEXT), *pieces, BlockDone(index, block)]
    if isinstance(block, ToolCall):
        began = BlockStarted(index, BlockKind.TOOL_CALL, block.name)
        return [began, BlockGrew(index, block.arguments), BlockDone(index, block)]
    return [BlockStarted(index, BlockKind.THINKING), BlockDone(index, block)]


class ScriptedProvider:
    """Implements `ports.providers.Provider` and `RunConnections`. Each request gets the next script."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.scripts: list[Iterable[Step]] = []
        self.requests: list[Mapping[str, Any]] = []
        self.limits: list[tuple[str, str, int | None]] = []
        self.hung_up = 0

    def stream(self, payload: Mapping[str, Any]) -> AsyncGenerator[StreamEvent]:
        self.requests.append(payload)
        return self._told(self.scripts.pop(0) if self.scripts else said(Text("and so on")))

    async def _told(self, script: Iterable[Step]) -> AsyncGenerator[StreamEvent]:
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

    async def embed(self, _model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[1.0] for _text in texts]

    async def close(self) -> None:
        """Do nothing, since nothing is open."""

    async def learn_limit(self, name: str, model: str, limit: int | None) -> None:
        self.limits.append((name, model, limit))

    async def provider_for(self, _name: str) -> tuple[Provider, Connection]:
        return self, self.connection


@dataclass
class Tools:
    """Implements `provider_ports.Toolbox`. `answers` are by the tool's name."""

    answers: dict[str, Callable[[ToolCall, Ask], Any]] = field(default_factory=dict)

    def definitions(self, _session: Session) -> tuple[ToolDefinition, ...]:
        return tuple(ToolDefinition(name) for name in self.answers)

    async def call(self, session: Session, call: ToolCall, ask: Ask) -> ToolOutcome:
        if call.name not in self.answers:
            return ToolOutcome((Text(f"There is no tool called “{call.name}”."),), failed=True)
        answer = self.answers[call.name](call, ask)
        found: ToolOutcome = await answer if asyncio.iscoroutine(answer) else answer
        return found


class ScriptedBench(ChatBench):
    """The bench over a provider with scripted replies."""

    def __init__(self, services: Services, archive: SqliteArchive, provider: ScriptedProvider, tools: Tools) -> None:
        self.provider, self.tools = provider, tools
        none: Any = SimpleNamespace(file=SimpleNamespace(connections=tuple))
        chat_ports = ChatPorts(IoLoop(), none, tools, "1:bench", lambda owner: owner == "1:bench")
        services._make_chat_ports = lambda _services: chat_ports
        services.__dict__["runs"] = services.runs_over(provider)
        super().__init__(services, archive)

    def talk(self, session: int, text: str, *script: Iterable[Step]) -> list[tuple[EntryRow, Body]]:
        """Send, wait for the end, and give back the path."""
        self.provider.scripts += script
        self.say(session, text)
        return self.path(session)


async def consenting(call: ToolCall, ask: Ask, outcome: ToolOutcome) -> ToolOutcome:
    """A tool that asks first."""
    question = Question(session=0, run=0, call=call.id, tool=call.name, origin="test", arguments=call.arguments)
    consent = await ask(question)
    return outcome if consent is Consent.ONCE else ToolOutcome((Text(consent.value),), failed=True)
