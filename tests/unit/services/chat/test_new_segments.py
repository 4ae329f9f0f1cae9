"""Automatic compaction with the strategy of new sessions: where the conversation, its queue and new messages go."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from stemmata.domain.chat.run import Phase, RunEvent, SessionContinued
from stemmata.domain.compaction.summary.sections import Section
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Kind, Usage
from stemmata.domain.errors import ConflictError
from stemmata.domain.sessions.session import Session
from stemmata.services.compaction.request import AUTOMATIC, CompactionRequest
from tests.fakes.scripted_provider import Gate, ScriptedBench, Step, said
from tests.fakes.waiting import PATIENCE

SUMMARY = "\n\n".join(f"## {section.value}\n\nWhat matters of it." for section in Section)
SUMMARY = SUMMARY.replace("## Progress\n\nWhat", "## Progress\n\n### Done\n\nWhat")
LONG = "A long story about nothing much. " * 20
FULL = Usage(input=450, output=5)


@pytest.fixture
def due(chat: ScriptedBench) -> int:
    """A session whose next reply makes a compaction due."""
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(enabled=False)
    for at in range(3):
        chat.talk(session, f"question {at}", said(Text(LONG), usage=Usage(input=50, output=100)))
    chat.runs.settled().result(PATIENCE)
    chat.services.contexts.settings = settings._replace(strategy="new-session")
    return session


def by_model(chat: ScriptedBench) -> None:
    chat.services.contexts.settings = chat.services.contexts.settings._replace(summariser="model")


def full(text: str = "Now.") -> list[Step]:
    return said(Text(text), usage=FULL)


def segments(chat: ScriptedBench, first: int) -> list[Session]:
    """The sessions that continue each other, from the first on."""
    by_parent = {session.parent: session for session in chat.services.sessions.all().result()}
    out = [chat.services.sessions.get(first).result()]
    while out[-1].key in by_parent:
        out.append(by_parent[out[-1].key])
    return out


def queued(chat: ScriptedBench, session: int) -> list[str]:
    return [plain_text(message.blocks) for message in chat.runs.queued(session).result()]


def settled(chat: ScriptedBench, session: int) -> None:
    chat.runs.settled().result(PATIENCE)
    chat.wait(lambda: not chat.runs.state(session).is_busy)


def test_the_conversation_goes_on_in_a_new_session(chat: ScriptedBench, due: int) -> None:
    came: list[RunEvent] = []
    chat.runs.watch(came.append)
    chat.talk(due, "one more", full())
    settled(chat, due)
    old, new = segments(chat, due)
    assert (old.state, new.state) == ("finalised", "open")
    assert not [row for row, _body in chat.path(due) if row.kind is Kind.COMPACTION], "the old session is unchanged"
    [event] = [event for event in came if isinstance(event, SessionContinued)]
    assert (event.session, event.to) == (due, new.key)
    assert "🧹 Auto-compaction complete" in event.text
    resumed = chat.services.resuming.go_on(due).result(PATIENCE)
    assert (resumed.session, resumed.compaction) == (new.key, None)
    assert resumed.notice == f"Continued in session {new.id}, which begins with a summary of this one."
    assert chat.told(new.key)[-1] == f"custom: {event.text}"
    chat.talk(new.key, "and then?")
    sent = json.dumps(chat.provider.requests[-1])
    assert ("one more" in sent, LONG * 3 in sent) == (True, False)


def test_without_notices_there_is_no_note(chat: ScriptedBench, due: int) -> None:
    chat.services.contexts.settings = chat.services.contexts.settings._replace(notify=False)
    chat.talk(due, "one more", full())
    settled(chat, due)
    _old, new = segments(chat, due)
    assert not [told for told in chat.told(new.key) if told.startswith("custom: ")]


def test_a_message_meanwhile_goes_to_the_new_session(chat: ScriptedBench, due: int) -> None:
    by_model(chat)
    gate = Gate()
    chat.provider.scripts = [full(), [gate, *said(Text(SUMMARY))], said(Text("Welcome."))]
    chat.send(due, "one more")
    gate.reached.result(PATIENCE)
    assert chat.send(due, "meanwhile") is None
    assert queued(chat, due) == ["meanwhile"]
    gate.open()
    settled(chat, due)
    _old, new = segments(chat, due)
    settled(chat, new.key)
    assert (queued(chat, due), queued(chat, new.key)) == ([], [])
    assert [told for told in chat.told(new.key) if not told.startswith("custom")][-2:] == [
        "user: meanwhile", "assistant: Welcome.",
    ]  # fmt: skip
    assert "user: meanwhile" not in chat.told(due)


def test_the_queue_goes_along(chat: ScriptedBench, due: int) -> None:
    chat.runs.count_down(1_000)  # a queued message does not wait for the countdown
    gate = Gate()
    chat.provider.scripts = [said(Text("Now"), gate, Text("."), usage=FULL), said(Text("One.")), said(Text("Two."))]
    chat.send(due, "one more")
    gate.reached.result(PATIENCE)
    chat.send(due, "first")
    chat.send(due, "second")
    gate.open()
    chat.wait(lambda: len(segments(chat, due)) == 2)
    new = segments(chat, due)[1]
    chat.wait(lambda: "assistant: Two." in chat.told(new.key))
    settled(chat, new.key)
    assert [told for told in chat.told(new.key) if told in ("user: first", "user: second")] == [
        "user: first", "user: second",
    ]  # fmt: skip
    assert chat.runs.state(due).phase is Phase.IDLE


def test_a_message_ends_the_countdown(chat: ScriptedBench, due: int) -> None:
    chat.runs.count_down(1_000)
    chat.talk(due, "one more", full())
    chat.wait(lambda: chat.runs.parts.auto_compaction.countdown._asked != {})
    chat.send(due, "meanwhile")
    settled(chat, due)
    new = segments(chat, due)[1]
    settled(chat, new.key)
    assert "user: meanwhile" in chat.told(new.key)


def test_what_fails_leaves_the_queue_where_it_is_and_sends_it(chat: ScriptedBench, due: int) -> None:
    by_model(chat)
    gate = Gate()
    chat.provider.scripts = [full(), [gate, *said(Text("No summary."))], said(Text("Still none.")), full("Here.")]
    chat.send(due, "one more")
    gate.reached.result(PATIENCE)
    chat.send(due, "meanwhile")
    gate.open()
    settled(chat, due)
    chat.wait(lambda: "assistant: Here." in chat.told(due))
    settled(chat, due)
    assert len(segments(chat, due)) == 1
    assert queued(chat, due) == []


def test_a_run_that_needs_room_stays_in_its_session(chat: ScriptedBench, due: int) -> None:
    chat.talk(due, "word " * 400, said(Text("Done."), usage=Usage(input=100, output=5)))
    settled(chat, due)
    assert [row.kind for row, _body in chat.path(due)].count(Kind.COMPACTION) == 1
    assert len(segments(chat, due)) == 1


def test_a_reply_that_has_begun_keeps_the_session(chat: ScriptedBench, due: int) -> None:
    chat.services.contexts.settings = chat.services.contexts.settings._replace(enabled=False)
    gate = Gate()
    chat.provider.scripts = [said(Text("A long"), gate, Text("story."))]
    chat.send(due, "one more")
    gate.reached.result(PATIENCE)
    chat.send(due, "waiting")
    leaf = chat.services.sessions.get(due).result().leaf
    assert leaf is not None
    asked = CompactionRequest(session=due, leaf=leaf, trigger=AUTOMATIC)
    with pytest.raises(ConflictError):
        chat.services.compaction.run_in_new_session(asked).result()
    by_hand = replace(asked, trigger="manual")
    assert chat.services.compaction.run_in_new_session(by_hand).result().session is not None
    assert queued(chat, due) == ["waiting"], "the run sends it"
    gate.open()
    settled(chat, due)
