"""A silent turn before a compaction: when it comes, what it may do, and that it is no message."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.run import Phase, RunChanged, Stored, Streamed, ToolOutcome
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import KnownError
from stemmata.services.chat.memory_flush import ROUNDS, SOFT
from stemmata.services.chat.run_store import RunPosition
from stemmata.services.ports.archive import ArchiveWriter
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, consenting, said
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Ticking

WINDOW = 100_000
TRIGGER = 80_000
QUIET = "NO_REPLY"


@pytest.fixture
def memory(chat: ScriptedBench, bench: Bench) -> ScriptedBench:
    """A model with a memory, a window that is known, and the setting on."""
    settings = bench.services.contexts.settings._replace(memory_flush=True, keep_recent_tokens=10)
    bench.services.contexts.settings = settings
    bench.services.contexts.adopt(Catalogue({"m": Model("m", WINDOW)}))
    chat.tools.answers["memory"] = partial(consenting, outcome=ToolOutcome((Text("written"),)))
    return chat


def full(tokens: int) -> list[Step]:
    return said(Text("An answer."), usage=Usage(input=tokens, output=1))


def noted(file: str) -> list[Step]:
    call = json.dumps({"command": "append", "file": file, "text": "Trees grow."})
    return said(ToolCall("c1", "memory", call))


def today(chat: ScriptedBench) -> str:
    clock = chat.services._clock
    assert isinstance(clock, Ticking)
    return datetime.fromtimestamp(clock.time / 1e9, UTC).astimezone().strftime("%Y-%m-%d.md")


def kinds(chat: ScriptedBench, session: int) -> list[str]:
    return [f"{row.name or row.role.text}{'·' if row.flags & Flag.HIDDEN else ''}" for row, _ in chat.path(session)]


def test_it_writes_to_the_file_of_the_day_and_is_no_message(memory: ScriptedBench) -> None:
    session = memory.session()
    silent = said(Text(QUIET), usage=Usage(input=TRIGGER - SOFT + 10, output=1))
    memory.talk(session, "a", full(TRIGGER - SOFT), noted(today(memory)), silent)
    assert kinds(memory, session) == ["user", "assistant", "memory_flush", "assistant·", "toolResult", "assistant·"]
    path = memory.path(session)
    assert (path[2][0].kind, path[2][0].role) == (Kind.CUSTOM_MESSAGE, Role.CUSTOM)
    assert today(memory) in str(path[2][1].blocks)
    assert path[4][1].blocks == (Text("written"),)
    assert QUIET not in memory.shown()
    runs = {event.run for event in memory.events if isinstance(event, Stored | Streamed)}
    assert len(runs) == 1  # that of the person's message
    remarks = {event.state.remark for event in memory.events if isinstance(event, RunChanged)}
    assert remarks == {"", "Storing notes in memory before a compaction"}
    assert memory.runs.state(session).phase is Phase.IDLE
    memory.talk(session, "b", full(TRIGGER - SOFT + 20))  # once between two compactions
    assert kinds(memory, session)[6:] == ["user", "assistant"]


def test_it_comes_again_after_a_compaction(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), said(Text(QUIET)))
    compact(memory, session)
    memory.talk(session, "b", full(TRIGGER - SOFT), said(Text(QUIET)))
    assert kinds(memory, session).count("memory_flush") == 2


def test_what_the_last_report_had_beside_the_messages_counts_behind_a_compaction(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER // 2))
    compact(memory, session)
    long = said(Text("tree " * (TRIGGER // 2 - SOFT)), usage=Usage())  # which reports nothing
    memory.talk(session, "b", long, said(Text(QUIET)))
    assert kinds(memory, session)[-2:] == ["memory_flush", "assistant·"]


def compact(chat: ScriptedBench, session: int) -> None:
    last = chat.path(session)[-1][0]
    summary = Entry(id="sum", parent=last.id, target=last.id, kind=Kind.COMPACTION, blocks=(Text("Trees."),), time=1)

    def job(writer: ArchiveWriter) -> None:
        writer.move_leaf(session, writer.append(session, [summary])[0], "compact", time=1)

    chat.archive.write(job).result()


@pytest.mark.parametrize("why", ["off", "small", "no memory", "not yet", "tiny window"])
def test_it_does_not_come(memory: ScriptedBench, why: str) -> None:
    contexts = memory.services.contexts
    if why == "off":
        contexts.settings = contexts.settings._replace(memory_flush=False)
    elif why == "small":
        contexts.settings = contexts.settings._replace(enabled=False)
    elif why == "no memory":
        memory.tools.answers.clear()
    elif why == "tiny window":
        contexts.adopt(Catalogue({"m": Model("m", SOFT)}))
    session = memory.session()
    tokens = {"not yet": TRIGGER - SOFT - 2, "tiny window": 3_000}.get(why, TRIGGER - SOFT)
    memory.talk(session, "a", full(tokens))
    assert "memory_flush" not in kinds(memory, session)


def test_it_may_write_nowhere_else_and_ask_for_nothing(memory: ScriptedBench) -> None:
    memory.tools.answers["run"] = partial(consenting, outcome=ToolOutcome((Text("done"),)))
    session = memory.session()
    calls = said(ToolCall("c2", "run", "{}"), ToolCall("c3", "memory", '["no object"]'))
    memory.talk(session, "a", full(TRIGGER - SOFT), noted("plans.md"), calls, said(Text(QUIET)))
    results = [(body.blocks, bool(row.flags & Flag.FAILED)) for row, body in memory.path(session) if row.call]
    assert results[:2] == [((Text("refused"),), True)] * 2
    assert results[2][1]


def test_one_that_fails_leaves_no_trace_and_blocks_nothing(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), [ProviderError("No.", Fault.REQUEST)])
    assert kinds(memory, session) == ["user", "assistant"]
    assert memory.runs.state(session).phase is Phase.IDLE
    assert memory.runs.state(session).problem == ""
    memory.talk(session, "b", full(TRIGGER - SOFT), said(Text("I write nothing.")))  # tried again
    assert kinds(memory, session)[-2:] == ["memory_flush", "assistant·"]  # and whatever it says is no message
    assert "I write nothing." not in memory.shown()


def test_one_that_goes_on_calling_tools_is_ended_and_leaves_no_trace(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), *(noted(today(memory)) for _ in range(ROUNDS)))
    assert memory.provider.scripts == []
    assert kinds(memory, session) == ["user", "assistant"]
    assert memory.runs.state(session).phase is Phase.IDLE


def test_one_whose_trace_cannot_be_taken_away_is_no_failed_reply(
    memory: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_where: object) -> None:
        raise KnownError("The disk is full.")

    monkeypatch.setattr(memory.runs._parts.store, "step_back", refuse)
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), *(noted(today(memory)) for _ in range(ROUNDS)))
    assert kinds(memory, session)[:3] == ["user", "assistant", "memory_flush"]
    state = memory.runs.state(session)
    assert (state.phase, state.problem) == (Phase.IDLE, "")


def test_it_can_be_stopped_and_what_is_said_meanwhile_waits(memory: ScriptedBench) -> None:
    session, gate = memory.session(), Gate()
    memory.provider.scripts += [full(TRIGGER - SOFT), [gate]]
    memory.send(session, "a")
    gate.reached.result(PATIENCE)
    assert memory.runs.state(session).is_busy
    assert memory.send(session, "b") is None
    memory.runs.stop(session).result(PATIENCE)
    assert kinds(memory, session) == ["user", "assistant"]
    memory.provider.scripts += [full(10)]
    memory.runs.send_now(session).result(PATIENCE)
    memory.wait(lambda: not memory.runs.state(session).is_busy)
    assert kinds(memory, session) == ["user", "assistant", "user", "assistant"]


def test_a_session_that_has_moved_on_is_left_alone(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.talk(session, "a", full(10))
    leaf = memory.path(session)[-1][0].key
    store = memory.runs._parts.store
    asks = store.entry(Kind.CUSTOM_MESSAGE, role=Role.CUSTOM, name="memory_flush", blocks=(Text("Write."),))
    loop = memory.services.chat_ports.loop
    assert loop.run(store.begin_entry(session, asks, leaf - 1)).result(PATIENCE) is None
    assert kinds(memory, session) == ["user", "assistant"]
    loop.run(store.step_back(RunPosition(session, 1, leaf - 1), leaf - 1)).result(PATIENCE)
    assert memory.services.sessions.get(session).result().leaf == leaf


def test_a_turn_that_cannot_be_begun_leaves_the_reply_as_it_is(
    memory: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_asked: object) -> None:
        raise KnownError("The disk is full.")

    monkeypatch.setattr("stemmata.services.chat.memory_flush.MemoryFlush._due_below", refuse)
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT))
    state = memory.runs.state(session)
    assert (state.phase, state.problem) == (Phase.IDLE, "")


def test_one_that_cannot_be_taken_back_leaves_it_too(memory: ScriptedBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_asked: object) -> None:
        raise KnownError("The disk is full.")

    monkeypatch.setattr("stemmata.services.chat.run_store.RunStore.step_back", refuse)
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), [ProviderError("No.", Fault.REQUEST)])
    state = memory.runs.state(session)
    assert (state.phase, state.problem) == (Phase.IDLE, "")
