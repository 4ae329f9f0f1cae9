"""A silent turn before a compaction: when it comes, what it may do, and that it is no message."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.catalogue import Catalogue, Model
from stemmata.domain.chat.run import Consent, ConsentAsked, Phase, RunChanged, Stored, Streamed, ToolOutcome
from stemmata.domain.chat.silence import MEMORY_FLUSH
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.chat.tool_servers import KeptConsent
from stemmata.domain.entries.blocks import Text, ToolCall, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import KnownError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.settings.settings import ChatSettings, CompactionSettings
from stemmata.services.chat.memory_flush import FILE, ROUNDS, prompt_for, system_prompt_for
from stemmata.services.chat.run_store import RunPosition
from stemmata.services.ports.archive import ArchiveWriter
from stemmata.store.writer import Writer
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, consenting, said
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Ticking

WINDOW = 100_000
TRIGGER = 80_000
SOFT = CompactionSettings().memory_soft_threshold
QUIET = "NO_REPLY"


@pytest.fixture
def memory(chat: ScriptedBench, bench: Bench) -> ScriptedBench:
    """A model with a memory, a window that is known, and the setting on."""
    settings = bench.services.contexts.settings._replace(memory_place="stemmata", keep_recent_tokens=10)
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
    clock = chat.services.clock
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


@pytest.mark.parametrize("why", ["off", "small", "no memory", "not yet", "tiny window", "unknown window"])
def test_it_does_not_come(memory: ScriptedBench, why: str) -> None:
    contexts = memory.services.contexts
    if why == "off":
        contexts.settings = contexts.settings._replace(memory_place="off")
    elif why == "small":
        contexts.settings = contexts.settings._replace(enabled=False)
    elif why == "no memory":
        memory.tools.answers.clear()
    elif why == "unknown window":
        contexts.adopt(Catalogue({}))
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

    monkeypatch.setattr(memory.runs.parts.store, "step_back", refuse)
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
    store = memory.runs.parts.store
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

    monkeypatch.setattr("stemmata.services.chat.memory_flush.MemoryFlush._due_in", refuse)
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


def text_of_flush(chat: ScriptedBench, session: int) -> str:
    return next(plain_text(body.blocks) for row, body in chat.path(session) if row.name == MEMORY_FLUSH)


def adopt(chat: ScriptedBench, **settings: Any) -> None:
    contexts = chat.services.contexts
    contexts.settings = contexts.settings._replace(**settings)


def in_folder(chat: ScriptedBench, folder: Path) -> int:
    """A session in this folder, whose notes are stored there."""
    adopt(chat, memory_place="workspace")
    info = SessionInfo(source="stemmata", source_id="here", cwd=str(folder), created_at=1)
    return chat.archive.write(lambda writer: writer.create_session(info)).result()


def test_the_soft_threshold_is_a_setting(memory: ScriptedBench) -> None:
    adopt(memory, memory_soft_threshold=30_000)
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - 30_000), said(Text(QUIET)))
    assert kinds(memory, session)[-2:] == ["memory_flush", "assistant·"]
    other = memory.session("other")
    memory.talk(other, "a", full(TRIGGER - 30_002))
    assert kinds(memory, other) == ["user", "assistant"]


def test_a_session_that_is_compacted_by_hand_has_none(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.services.sessions.set_manual_compaction(session, on=True).result()
    memory.talk(session, "a", full(TRIGGER - SOFT))
    assert kinds(memory, session) == ["user", "assistant"]


def test_prompt_and_system_prompt_are_settings(memory: ScriptedBench) -> None:
    adopt(memory, memory_prompt="Write down {file} now.", memory_system_prompt="You keep a diary.")
    memory.services.adopt_chat(ChatSettings(system_prompt="You are kind."))
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), said(Text(QUIET)))
    day = today(memory)
    assert text_of_flush(memory, session) == f"Write down {day} now. Then answer NO_REPLY and nothing else."
    first, silent = (request["system"][0]["text"] for request in memory.provider.requests)
    assert first == "You are kind."
    assert silent == "You are kind.\n\nYou keep a diary. Then answer NO_REPLY and nothing else."


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("Store it.", "Store it. Write it with the tool memory, by append, to the file d.md. Then answer NO_REPLY"),
        ("Store it in d.md, {curly} say NO_REPLY", "Store it in d.md, {curly} say NO_REPLY"),
        ("  ", "This conversation is about to be compacted."),
    ],
)
def test_an_own_prompt_is_completed(own: str, told: str) -> None:
    assert prompt_for(own, "d.md").startswith(told)
    assert FILE not in prompt_for(own, "d.md")


def test_without_an_own_system_prompt_there_is_none() -> None:
    assert system_prompt_for(" ", "d.md") == ""
    assert system_prompt_for("Write {file}, then NO_REPLY.", "d.md") == "Write d.md, then NO_REPLY."


def failing(call: ToolCall, ask: object) -> ToolOutcome:
    return ToolOutcome((Text("The file cannot be used: No space left on device."),), failed=True)


def test_a_note_that_cannot_be_written_is_tried_again(memory: ScriptedBench) -> None:
    memory.tools.answers["memory"] = failing
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), noted(today(memory)), said(Text(QUIET)))
    assert kinds(memory, session) == ["user", "assistant"]
    state = memory.runs.state(session)
    assert (state.phase, state.problem) == (Phase.IDLE, "")
    memory.tools.answers["memory"] = partial(consenting, outcome=ToolOutcome((Text("written"),)))
    memory.talk(session, "b", full(TRIGGER - SOFT), noted(today(memory)), said(Text(QUIET)))
    assert kinds(memory, session)[4:] == ["memory_flush", "assistant·", "toolResult", "assistant·"]


def test_a_note_that_was_written_after_all_counts(memory: ScriptedBench) -> None:
    written = ToolOutcome((Text("written"),))
    failed = ToolOutcome((Text("The file cannot be used."),), failed=True)
    outcomes = iter([failed, written])
    memory.tools.answers["memory"] = lambda _call, _ask: next(outcomes)
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), *(noted(today(memory)) for _ in "12"), said(Text(QUIET)))
    assert kinds(memory, session).count("memory_flush") == 1


def test_arguments_that_are_no_json_write_nothing(memory: ScriptedBench) -> None:
    session = memory.session()
    memory.talk(session, "a", full(TRIGGER - SOFT), said(ToolCall("c1", "memory", '{"file')), said(Text(QUIET)))
    assert kinds(memory, session)[-1] == "assistant·"


@pytest.mark.parametrize(("consent", "is_told"), [(Consent.ONCE, "written"), (Consent.REFUSED, "refused")])
def test_in_a_workspace_consent_is_asked(
    memory: ScriptedBench, tmp_path: Path, consent: Consent, is_told: str
) -> None:
    session = in_folder(memory, tmp_path)
    memory.provider.scripts += [full(TRIGGER - SOFT), noted(today(memory)), said(Text(QUIET))]
    memory.send(session, "a")
    memory.wait(lambda: any(isinstance(event, ConsentAsked) for event in memory.events))
    [question] = [event.question for event in memory.events if isinstance(event, ConsentAsked)]
    assert memory.runs.state(session).phase is Phase.ASKING
    memory.runs.answer(question, consent)
    memory.wait(lambda: not memory.runs.state(session).is_busy)
    assert memory.path(session)[4][1].blocks == (Text(is_told),)
    assert kinds(memory, session)[-1] == "assistant·"  # a refusal is an answer: the user is not asked again at once


def test_a_workspace_that_must_not_be_written_has_none(memory: ScriptedBench, tmp_path: Path) -> None:
    for at, folder in enumerate((tmp_path / "absent", tmp_path / "file", tmp_path / "linked", tmp_path / "never")):
        if folder.name == "file":
            folder.write_text("")
        elif folder.name == "linked":
            folder.mkdir()
            (folder / "memory").symlink_to(tmp_path)
        elif folder.name == "never":
            folder.mkdir()
            flush = memory.runs._flush
            assert flush is not None
            flush._consents._unkept.append(KeptConsent("Stemmata", "memory", str(folder / "memory"), may=False))
        adopt(memory, memory_place="workspace")
        info = SessionInfo(source="stemmata", source_id=str(at), cwd=str(folder), created_at=1)
        session = memory.archive.write(partial(Writer.create_session, info=info)).result()
        memory.talk(session, "a", full(TRIGGER - SOFT))
        assert kinds(memory, session) == ["user", "assistant"], folder


def test_of_two_windows_only_one_begins_it(memory: ScriptedBench) -> None:
    session = memory.session()
    adopt(memory, memory_place="off")
    memory.talk(session, "a", full(TRIGGER - SOFT))
    adopt(memory, memory_place="stemmata")
    flush = memory.runs._flush
    assert flush is not None

    async def both() -> list[object]:
        return list(await asyncio.gather(flush.next(session), flush.next(session)))

    begun = memory.services.chat_ports.loop.run(both()).result(PATIENCE)
    assert len([run for run in begun if run is not None]) == 1
    assert kinds(memory, session).count("memory_flush") == 1
