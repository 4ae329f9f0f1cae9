"""What happens at the same moment: sending, stopping and storing while another step is on its way."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.domain.chat.streaming import BlockGrew, BlockKind, BlockStarted, Fault, ProviderError, ReplyStarted
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import KnownError, NotFoundError
from stemmata.services.chat import runs as runs_module
from stemmata.store.writer import Writer
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, said
from tests.fakes.waiting import PATIENCE

FULL = KnownError("The disk is full.")


def slowed(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, fault: Exception | None = None) -> Gate:
    """Make a step of the runs wait at a gate before it runs or fails with `fault`; return the gate."""
    gate, step = Gate(), getattr(owner, name)

    async def slow(*args: Any, **more: Any) -> Any:
        await gate.passed()
        if fault is not None:
            raise fault
        return await step(*args, **more)

    monkeypatch.setattr(owner, name, slow)
    return gate


def test_what_is_queued_as_the_run_ends_is_sent(chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate, *said(Text("one"))])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    adding = slowed(monkeypatch, chat.runs._queue, "add")
    sent = chat.runs.send(session, outgoing("b"))
    adding.reached.result(PATIENCE)
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    adding.open()
    assert sent.result(PATIENCE) is None
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[-2:] == ["user: b", "assistant: and so on"]


def test_what_is_queued_while_it_shows_that_nothing_else_is_due_is_sent(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chat.session()
    deciding = slowed(monkeypatch, chat.runs._flush, "next")
    chat.send(session, "a")
    deciding.reached.result(PATIENCE)
    assert chat.runs.send(session, outgoing("b")).result(PATIENCE) is None
    deciding.open()
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[-2:] == ["user: b", "assistant: and so on"]


def outgoing(text: str) -> Any:
    from stemmata.domain.chat.run import OutgoingMessage

    return OutgoingMessage(blocks=(Text(text),))


def test_stopping_between_two_runs_stops_the_second(chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch) -> None:
    session, gate = chat.session(), Gate()
    taking = slowed(monkeypatch, chat.runs.parts.store, "begin_queued")
    chat.provider.scripts.append([gate, *said(Text("one"))])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.send(session, "b")
    gate.open()
    taking.reached.result(PATIENCE)
    stopped = chat.runs.stop(session)
    taking.open()
    stopped.result(PATIENCE)
    assert chat.told(session) == ["user: a", "assistant: one", "user: b"]
    assert len(chat.provider.requests) == 1


def test_stopping_before_the_message_is_stored_stops_behind_it(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chat.session()
    beginning = slowed(monkeypatch, chat.runs.parts.store, "begin")
    sent = chat.runs.send(session, outgoing("a"))
    beginning.reached.result(PATIENCE)
    stopped = chat.runs.stop(session)
    beginning.open()
    stopped.result(PATIENCE)
    assert sent.result(PATIENCE) is not None
    assert chat.told(session) == ["user: a"]
    assert chat.provider.requests == []


def test_a_queue_that_cannot_be_read_is_told(chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch) -> None:
    session = chat.session()
    slowed(monkeypatch, chat.runs.parts.store, "begin_queued", fault=FULL).open()
    chat.say(session, "a")
    assert (chat.runs.state(session).phase, chat.runs.state(session).problem) == (Phase.FAILED, "The disk is full.")
    with pytest.raises(KnownError, match="full"):
        chat.runs.send_now(session).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE


def test_two_who_send_now_send_once(chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.send(session, "b")
    chat.runs.stop(session).result(PATIENCE)
    taking = slowed(monkeypatch, chat.runs.parts.store, "begin_queued")
    first = chat.runs.send_now(session)
    taking.reached.result(PATIENCE)
    chat.runs.loop.run(chat.runs._serve_queue(session)).result(PATIENCE)
    taking.open()
    first.result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[1:] == ["user: b", "assistant: and so on"]


def test_a_part_that_cannot_be_kept_stops_the_run(chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_writer: Writer, _run: int, _partial: object) -> None:
        raise FULL

    monkeypatch.setattr(Writer, "save_partial", full)
    session, gate = chat.session(), Gate()
    chat.talk(session, "a", [*said(Text("whole"))[:-1], gate])
    state = chat.runs.state(session)
    assert (state.phase, state.problem, state.offers) == (
        Phase.INTERRUPTED, "The disk is full.", ("continue", "retry"),
    )  # fmt: skip
    assert chat.told(session) == ["user: a", "assistant: whole"]


def test_mistakes_of_ours_in_the_archive_are_logged(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wrong(*_args: object) -> None:
        raise ZeroDivisionError

    session = chat.session()
    with caplog.at_level(logging.ERROR), monkeypatch.context() as patched:
        patched.setattr(Writer, "save_partial", wrong)
        patched.setattr(Writer, "end_run", wrong)
        chat.talk(session, "a", said(Text("b")))
        chat.archive.read(lambda reader: reader.totals()).result()
    assert "A part of a reply could not be kept" in caplog.text
    assert "A run could not be ended" in caplog.text
    assert chat.told(session) == ["user: a", "assistant: b"]


def test_a_run_that_does_not_end_does_not_keep_the_window_open(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    appending = slowed(monkeypatch, chat.runs.parts.store, "append")
    session = chat.session()
    chat.provider.scripts.append(said(Text("b")))
    chat.send(session, "a")
    appending.reached.result(PATIENCE)
    with caplog.at_level(logging.WARNING), monkeypatch.context() as patched:
        patched.setattr(runs_module, "PATIENCE", 0.01)  # not for the fixture's own closing, after the test
        chat.runs.close()
    assert "did not end" in caplog.text
    appending.open()
    chat.wait_phase(session, Phase.IDLE)


def test_a_reply_that_breaks_behind_a_call_answers_it(chat: ScriptedBench) -> None:
    session = chat.session()
    call: list[Step] = [ReplyStarted(), BlockStarted(0, BlockKind.TOOL_CALL, "look"), BlockGrew(0, '{"a"')]
    chat.talk(session, "a", [*call, ProviderError("Gone.", Fault.STALL, begun=True)])
    result, body = chat.path(session)[-1]
    assert (result.role, result.flags & Flag.FAILED) == (Role.TOOL_RESULT, Flag.FAILED)
    assert body.blocks == (Text("Not run: the reply broke off."),)
    chat.runs.retry(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: a", "assistant: and so on"]


def test_what_does_not_fit_and_cannot_be_shortened_is_sent(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "x" * 3000, said(Text("Fine.")))
    assert chat.runs.state(session).phase is Phase.IDLE
    assert len(chat.provider.requests) == 1


def test_an_empty_context_has_no_room_to_make(chat: ScriptedBench) -> None:
    auto_compaction, session = chat.runs.parts.auto_compaction, chat.session()
    assert chat.runs.loop.run(auto_compaction.make_room(session, None, "overflow", 1000)).result(PATIENCE) is None
    assert chat.runs.loop.run(auto_compaction.when_due(session)).result(PATIENCE) is None


def test_nothing_to_retry_and_nobody_to_answer_again(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.runs.note(session, "only a note").result()
    chat.runs.retry(session).result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    with pytest.raises(NotFoundError, match="Entry 999 does not exist"):
        chat.runs.regenerate(session, 999).result(PATIENCE)


def test_calls_above_a_note_are_answered_by_the_recovery(chat: ScriptedBench) -> None:
    session = chat.session()
    entry = Entry(id="a", role=Role.ASSISTANT, time=1, blocks=(ToolCall("c1", "look"),))

    def job(writer: Writer) -> None:
        [key] = writer.append(session, [entry])
        writer.move_leaf(session, key, "append", time=1)
        writer.follow_run(writer.begin_run(session, "2:gone", time=1), key)

    chat.archive.write(job).result()
    chat.runs.note(session, "meanwhile").result()
    assert chat.services.recover().result() == 1
    assert [row.kind for row, _ in chat.path(session)] == [Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.MESSAGE]
    assert chat.path(session)[-1][0].call == "c1"


def test_a_note_alone_has_no_calls(chat: ScriptedBench) -> None:
    session = chat.session()
    key = chat.runs.note(session, "only a note").result()

    def job(writer: Writer) -> None:
        writer.follow_run(writer.begin_run(session, "2:gone", time=1), key)

    chat.archive.write(job).result()
    assert chat.services.recover().result() == 1
    assert len(chat.path(session)) == 1


def test_a_digest_that_saves_nothing_is_not_kept(chat: ScriptedBench) -> None:
    session = chat.session()
    for at in range(6):
        chat.talk(session, f"short question {at}", said(Text(f"short answer {at}"), usage=Usage(input=5, output=5)))
    chat.talk(session, "x", [ProviderError("Too long.", Fault.OVERFLOW, limit=40)])
    assert chat.runs.state(session).phase is Phase.FAILED
    assert not list(chat.services.sessions.open(session).result().tree.of_kind(Kind.COMPACTION))


def test_a_run_that_cannot_be_ended_on_a_full_disk_is_mended_later(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object) -> None:
        raise FULL

    session = chat.session()
    with monkeypatch.context() as patched:
        patched.setattr(Writer, "end_run", full)
        chat.talk(session, "a", said(Text("b")))
        chat.archive.read(lambda reader: reader.totals()).result()
    assert len(chat.archive.read(lambda reader: reader.open_runs()).result()) == 1


def test_steering_before_the_message_is_stored_changes_nothing(
    chat: ScriptedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chat.session()
    beginning = slowed(monkeypatch, chat.runs.parts.store, "begin")
    sent = chat.runs.send(session, outgoing("a"))
    beginning.reached.result(PATIENCE)
    chat.runs.send_now(session).result(PATIENCE)
    beginning.open()
    sent.result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: a", "assistant: and so on"]


def test_a_tool_that_is_not_there_is_a_failed_result(chat: ScriptedBench) -> None:
    session = chat.session()
    path = chat.talk(session, "a", said(ToolCall("c1", "teleport")))
    assert path[2][1].blocks == (Text("There is no tool called “teleport”."),)
