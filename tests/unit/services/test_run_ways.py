"""Ways through a run that are gone less often: breaking, steering, retrying, closing, deleting."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from stemmata.domain.chat.run import OutgoingMessage, Phase, QueueChanged
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    Fault,
    ProviderError,
    ReplyStarted,
)
from stemmata.domain.entries.blocks import Text, Thinking
from stemmata.domain.entries.entry import Role
from stemmata.domain.errors import ConflictError, KnownError
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, said
from tests.fakes.waiting import PATIENCE

TEXT = BlockKind.TEXT
GONE = ProviderError("Gone.", Fault.STALL, begun=True)


def test_a_new_session_is_named_by_its_first_message(chat: ScriptedBench) -> None:
    made = chat.runs.new_session(cwd="/work").result()
    assert (made.source, made.cwd, made.entries) == ("stemmata", "/work", 0)
    gate = Gate()
    chat.provider.scripts.append([gate])
    chat.send(made.key, "How do trees grow?")
    gate.reached.result(PATIENCE)
    assert chat.services.sessions.get(made.key).result().title == "How do trees grow?"
    assert chat.runs.new_session(title="Mine").result().title == "Mine"


def test_attachments_are_stored_with_the_message(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.services.drafts.save(session, "being written").result()
    chat.runs.send(session, OutgoingMessage(blocks=(Text("x"),), files={"ab": b"1"})).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.archive.read(lambda reader: reader.blob("ab")).result() == b"1"
    assert chat.services.drafts.get(session).result() == ""


def test_a_queue_is_told_and_changed(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.runs.send(session, OutgoingMessage(blocks=(Text("b"),), files={"cd": b"2"})).result(PATIENCE)
    chat.send(session, "c")
    first, second = chat.runs.queued(session).result()
    chat.runs.change_queued(session, first.key, (Text("B"),)).result(PATIENCE)
    chat.runs.move_queued(session, second.key, 0).result(PATIENCE)
    told = [event.queued for event in chat.events if isinstance(event, QueueChanged)][-1]
    assert [message.blocks for message in told] == [(Text("c"),), (Text("B"),)]
    chat.runs.drop_queued(session, second.key).result(PATIENCE)
    assert len(chat.runs.queued(session).result()) == 1


def test_one_run_at_a_time(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate])
    key = chat.send(session, "a")
    assert key is not None
    gate.reached.result(PATIENCE)
    for again in (chat.runs.retry(session), chat.runs.go_on(session), chat.runs.regenerate(session, key)):
        with pytest.raises(ConflictError, match="A reply is running"):
            again.result(PATIENCE)


def test_retrying_what_never_came_and_what_broke(chat: ScriptedBench) -> None:
    session = chat.session()
    refused = ProviderError("No.", Fault.REQUEST)
    chat.talk(session, "a", [refused])
    chat.provider.scripts.append([BlockStarted(0, TEXT), BlockGrew(0, "ha"), GONE])
    chat.runs.retry(session).result(PATIENCE)
    chat.wait_phase(session, Phase.INTERRUPTED)
    chat.provider.scripts.append(said(Text("Here.")))
    chat.runs.retry(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: a", "assistant: Here."]
    tree = chat.services.sessions.open(session).result().tree
    assert [tree.role(at) for at in tree.children(0)] == [Role.ASSISTANT, Role.ASSISTANT]


def test_dismissing_a_problem(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "a", [ProviderError("No.", Fault.REQUEST)])
    chat.runs.stop(session).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE


def test_sending_now_with_nothing_that_waits_ends_the_reply(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.runs.send_now(session).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE
    gate = Gate()
    chat.provider.scripts.append([gate])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.runs.send_now(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: a"]


def test_steering_away_from_mere_thoughts_keeps_them_apart(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    thought: list[Step] = [
        ReplyStarted(),
        BlockStarted(0, BlockKind.THINKING),
        gate,
        BlockDone(0, Thinking("hm", "sig")),
    ]
    chat.provider.scripts.append([*thought, BlockStarted(1, TEXT), BlockGrew(1, "never")])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.send(session, "b")
    chat.runs.send_now(session).result(PATIENCE)
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[1:3] == ["assistant: Thinking", "user: b"]
    roles = [message["role"] for message in chat.provider.requests[-1]["messages"]]
    assert roles == ["user"]


def test_what_is_sent_as_it_breaks_is_sent_all_the_same(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([ReplyStarted(), BlockStarted(0, TEXT), gate, GONE])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.send(session, "b")
    chat.runs.send_now(session).result(PATIENCE)
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[-2:] == ["user: b", "assistant: and so on"]


def test_a_stream_that_just_ends_is_cut_short(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "a", [ReplyStarted(), BlockStarted(0, TEXT), BlockGrew(0, "half")])
    state = chat.runs.state(session)
    assert (state.phase, "without a reason" in state.problem) == (Phase.INTERRUPTED, True)


def test_a_mistake_of_ours_ends_the_run(chat: ScriptedBench, caplog: pytest.LogCaptureFixture) -> None:
    session = chat.session()
    with caplog.at_level(logging.ERROR):
        chat.talk(session, "a", [ZeroDivisionError()])
    assert "A run failed" in caplog.text
    state = chat.runs.state(session)
    assert (state.phase, "bug in Stemmata" in state.problem) == (Phase.FAILED, True)
    chat.talk(session, "b")
    assert chat.runs.state(session).phase is Phase.IDLE


def test_two_sessions_run_side_by_side(chat: ScriptedBench) -> None:
    one, two, gate = chat.session("one"), chat.session("two"), Gate()
    chat.provider.scripts.append([gate, *said(Text("late"))])
    chat.send(one, "a")
    gate.reached.result(PATIENCE)
    chat.talk(two, "b", said(Text("early")))
    assert chat.told(two)[-1] == "assistant: early"
    gate.open()
    chat.wait_phase(one, Phase.IDLE)
    assert chat.told(one)[-1] == "assistant: late"


def test_closing_keeps_what_had_come(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([ReplyStarted(), BlockStarted(0, TEXT), BlockGrew(0, "half"), gate])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.services.close()
    assert chat.told(session) == ["user: a", "assistant: half"]


def test_a_session_that_is_deleted_meanwhile_ends_its_run(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate, *said(Text("for nobody"))])
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.services.sessions.delete([session]).result()
    gate.open()
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert chat.runs.state(session).phase is Phase.FAILED


def test_nobody_is_told_any_more(chat: ScriptedBench) -> None:
    heard: list[Any] = []
    unwatch = chat.runs.watch(heard.append)
    unwatch()
    unwatch()
    chat.talk(chat.session(), "a")
    assert heard == []


def test_a_watcher_that_fails_fails_alone(chat: ScriptedBench, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_event: object) -> None:
        raise ZeroDivisionError

    session = chat.session()
    with caplog.at_level(logging.ERROR):
        chat.runs.watch(fail)
        chat.talk(session, "a", said(Text("b")))
        chat.services.close()
    assert "Somebody who watches a run failed" in caplog.text
    assert chat.told(session) == ["user: a", "assistant: b"]


def test_what_cannot_begin_is_told_to_who_asked(chat: ScriptedBench) -> None:
    for again in (chat.runs.retry(77), chat.runs.send_now(77)):
        if again.exception(PATIENCE) is not None:
            assert isinstance(again.exception(), KnownError)
    assert chat.runs.state(77).phase is Phase.IDLE
