"""Runs: what is sent is stored first, what comes is streamed and stored, whatever becomes of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stemmata.domain.chat.run import OutgoingMessage, Phase
from stemmata.domain.chat.streaming import (
    BlockDone,
    BlockGrew,
    BlockKind,
    BlockStarted,
    Fault,
    ProviderError,
    ReplyStarted,
)
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Flag, Usage
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, said
from tests.fakes.waiting import PATIENCE


def details(body: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body.details)
    return found


def test_a_message_is_stored_sent_and_answered(chat: ScriptedBench) -> None:
    session = chat.session()
    path = chat.talk(session, "Hello", said(Text("Hi there"), usage=Usage(input=12, output=3)))
    assert chat.told(session) == ["user: Hello", "assistant: Hi there"]
    reply, body = path[-1]
    assert (reply.provider, reply.model, reply.flags) == ("local", "m", Flag.ENDS_TURN | Flag.OWN)
    assert reply.usage is not None
    assert reply.usage.sent == 12
    assert {"message", "stop", "duration_ms", "ttft_ms"} <= details(body).keys()
    [request] = chat.provider.requests
    assert [turn["role"] for turn in request["messages"]] == ["user"]
    assert chat.shown() == "Hi there"
    assert chat.stored()[-1] == reply.key


def test_the_message_is_stored_before_anything_is_sent(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts.append([gate, *said(Text("late"))])
    key = chat.send(session, "first")
    assert key is not None
    gate.reached.result(PATIENCE)
    assert chat.told(session) == ["user: first"]
    assert chat.runs.state(session).phase is Phase.WAITING
    gate.open()
    chat.wait_phase(session, Phase.IDLE)


def test_stopping_keeps_what_had_come(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    begun: list[Step] = [ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "half of it"), gate]
    chat.provider.scripts.append(begun)
    chat.send(session, "Tell me")
    gate.reached.result(PATIENCE)
    chat.runs.stop(session).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE
    assert chat.told(session) == ["user: Tell me", "assistant: half of it"]
    assert chat.path(session)[-1][0].flags & Flag.ABORTED
    assert chat.provider.hung_up == 1


def test_stopping_what_does_not_run_does_no_harm(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.runs.stop(session).result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE


def test_what_is_sent_meanwhile_waits_and_goes_in_order(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts += [[gate, *said(Text("one"))], said(Text("two")), said(Text("three"))]
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    assert chat.send(session, "b") is None
    assert chat.send(session, "c") is None
    assert [queued.blocks for queued in chat.runs.queued(session).result()] == [(Text("b"),), (Text("c"),)]
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == [
        "user: a", "assistant: one", "user: b", "assistant: two", "user: c", "assistant: three",
    ]  # fmt: skip
    assert chat.runs.queued(session).result() == ()


def test_after_a_stop_what_waits_goes_on_waiting(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    chat.provider.scripts += [[gate]]
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.send(session, "b")
    chat.runs.stop(session).result(PATIENCE)
    assert len(chat.runs.queued(session).result()) == 1
    assert chat.told(session) == ["user: a"]
    chat.runs.send_now(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session)[1:] == ["user: b", "assistant: and so on"]


def test_sending_now_stops_at_the_next_block(chat: ScriptedBench) -> None:
    session, gate = chat.session(), Gate()
    script: list[Step] = [
        ReplyStarted(),
        BlockStarted(0, BlockKind.TEXT),
        BlockGrew(0, "first"),
        gate,
        BlockDone(0, Text("first block")),
    ]
    chat.provider.scripts += [[*script, BlockStarted(1, BlockKind.TEXT), BlockGrew(1, "never")], said(Text("done"))]
    chat.send(session, "a")
    gate.reached.result(PATIENCE)
    chat.send(session, "b")
    chat.send(session, "c")
    [first, second] = chat.runs.queued(session).result()
    chat.runs.drop_queued(session, first.key).result()
    chat.runs.send_now(session, second.key).result(PATIENCE)
    gate.open()
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: a", "assistant: first block", "user: c", "assistant: done"]
    row, body = chat.path(session)[1]
    assert not row.flags & Flag.ABORTED
    assert row.flags & Flag.UNFINISHED
    assert details(body)["steered"] is True


def test_a_reply_that_breaks_is_kept_and_offered_again(chat: ScriptedBench) -> None:
    session = chat.session()
    broken: list[Step] = [
        ReplyStarted(), BlockStarted(0, BlockKind.TEXT), BlockGrew(0, "It was a"),
        BlockDone(0, Text("It was a"), partial=True),
        ProviderError("The line went dead.", Fault.CONNECTION, begun=True),
    ]  # fmt: skip
    chat.talk(session, "Tell me", broken)
    state = chat.runs.state(session)
    assert (state.phase, state.problem) == (Phase.INTERRUPTED, "The line went dead.")
    assert state.offers == ("continue", "retry")
    assert chat.path(session)[-1][0].flags & Flag.FAILED
    chat.provider.scripts.append(said(Text(" dark night.")))
    chat.runs.go_on(session).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: Tell me", "assistant: It was a dark night."]
    chat.runs.regenerate(session, chat.path(session)[-1][0].key).result(PATIENCE)
    chat.wait_phase(session, Phase.IDLE)
    tree = chat.services.sessions.open(session).result().tree
    assert len(list(tree.children(0))) == 3


def test_a_message_can_be_sent_from_any_entry(chat: ScriptedBench) -> None:
    session = chat.session()
    chat.talk(session, "a")
    first = chat.path(session)[0][0]
    chat.send(session, "A", under=first.parent)
    chat.wait_phase(session, Phase.IDLE)
    assert chat.told(session) == ["user: A", "assistant: and so on"]


def test_what_cannot_be_stored_is_not_sent(chat: ScriptedBench) -> None:
    with pytest.raises(Exception, match="does not exist"):
        chat.runs.send(99, OutgoingMessage(blocks=(Text("x"),))).result(PATIENCE)
    assert chat.runs.state(99).phase is Phase.IDLE
    assert chat.provider.requests == []
