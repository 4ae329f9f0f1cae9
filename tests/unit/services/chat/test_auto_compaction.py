"""Compaction by itself where a model writes: it takes a while, and chatting goes on."""

from __future__ import annotations

import json
from typing import Any

from stemmata.domain.chat.run import Phase
from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.compaction.summary.sections import Section
from stemmata.domain.entries.blocks import Text, plain_text
from stemmata.domain.entries.entry import Kind, Usage
from stemmata.domain.errors import NotFoundError
from stemmata.services.compaction.compaction import CompactionRequest
from tests.fakes.scripted_provider import Gate, ScriptedBench, said
from tests.fakes.waiting import PATIENCE

SUMMARY = "\n\n".join(f"## {section.value}\n\nWhat matters of it." for section in Section)
SUMMARY = SUMMARY.replace("## Progress\n\nWhat", "## Progress\n\n### Done\n\nWhat")
LONG = "A long story about nothing much. " * 20


def due(chat: ScriptedBench) -> int:
    """A session whose next reply makes a compaction due."""
    session = chat.session()
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(enabled=False, summariser="model")
    for at in range(3):
        chat.talk(session, f"question {at}", said(Text(LONG), usage=Usage(input=50, output=100)))
    chat.runs._loop.run(chat.runs._stop_all()).result(PATIENCE)
    chat.services.contexts.settings = settings._replace(summariser="model")
    return session


def compactions(chat: ScriptedBench, session: int) -> list[dict[str, Any]]:
    found = [body for row, body in chat.path(session) if row.kind is Kind.COMPACTION]
    return [json.loads(body.details) | {"text": plain_text(body.blocks)} for body in found]


def settled(chat: ScriptedBench) -> None:
    chat.runs._loop.run(chat.runs._stop_all()).result(PATIENCE)


def test_what_is_said_while_the_model_writes_stays_behind_the_cut(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    chat.provider.scripts += [said(Text("Now."), usage=Usage(input=450, output=5)), [gate, *said(Text(SUMMARY))]]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    assert chat.runs.state(session).phase is Phase.IDLE
    chat.services.contexts.settings = chat.services.contexts.settings._replace(enabled=False)
    chat.talk(session, "meanwhile", said(Text("I am here."), usage=Usage(input=460, output=5)))
    gate.open()
    settled(chat)
    [found] = compactions(chat, session)
    assert (found["trigger"], found["summariser"]) == ("threshold", "local/m")
    assert "What matters of it." in found["text"]
    assert chat.path(session)[-1][0].kind is Kind.COMPACTION
    chat.talk(session, "and then?")
    sent = json.dumps(chat.provider.requests[-1])
    assert "meanwhile" in sent
    assert "question 0" not in sent


def test_who_has_left_for_another_branch_is_not_followed(chat: ScriptedBench) -> None:
    session, gate = due(chat), Gate()
    away = chat.path(session)[0][0].key
    chat.provider.scripts += [said(Text("Now."), usage=Usage(input=450, output=5)), [gate, *said(Text(SUMMARY))]]
    chat.send(session, "one more")
    gate.reached.result(PATIENCE)
    chat.services.branching.move_leaf(session, away).result()
    gate.open()
    settled(chat)
    tree = chat.services.sessions.open(session).result().tree
    assert not list(tree.of_kind(Kind.COMPACTION))


def test_a_model_that_fails_leaves_the_session_as_it_was(chat: ScriptedBench) -> None:
    session = due(chat)
    broken = [ProviderError("Busy.", Fault.REQUEST)]
    chat.talk(session, "one more", said(Text("Now."), usage=Usage(input=450, output=5)), broken)
    settled(chat)
    assert compactions(chat, session) == []
    assert chat.runs.state(session).phase is Phase.IDLE
    assert chat.told(session)[-1] == "custom: Busy. It is tried again after the next reply."


def test_a_model_that_fails_is_asked_ever_more_rarely_and_then_no_more(chat: ScriptedBench) -> None:
    session = due(chat)
    asked = []
    for at in range(32):
        before = len(chat.provider.requests)
        broken = [ProviderError("Busy.", Fault.REQUEST)]
        chat.provider.scripts = [said(Text("Now."), usage=Usage(input=450, output=5)), broken]
        chat.say(session, "more")
        settled(chat)
        asked += [at] if len(chat.provider.requests) - before == 2 else []
    assert asked == [0, 1, 3, 7, 15]
    notes = [told for told in chat.told(session) if told.startswith("custom: ")]
    assert notes[1:] == [
        "custom: Busy. It is tried again after 2 replies.",
        "custom: Busy. It is tried again after 4 replies.",
        "custom: Busy. It is tried again after 8 replies.",
        "custom: Busy. The session is not compacted by itself any more; /compact does it by hand.",
    ]
    compact = chat.services.compaction
    leaf = chat.path(session)[-1][0].key
    compact.run(CompactionRequest(session=session, leaf=leaf, text="## Goal\n\nShort.")).result()
    chat.provider.scripts = [said(Text("Now."), usage=Usage(input=450, output=5)), said(Text(SUMMARY))]
    before = len(chat.provider.requests)
    chat.say(session, "more")
    settled(chat)
    assert len(chat.provider.requests) - before == 2


def test_what_the_person_notes_is_no_failure(chat: ScriptedBench) -> None:
    session = due(chat)
    reply = said(Text("Now."), usage=Usage(input=450, output=5))
    for at in range(3):
        chat.provider.scripts = [reply, [ProviderError("Busy.", Fault.REQUEST)]]
        chat.say(session, "more")
        settled(chat)
        chat.runs.note(session, f"note {at}").result()
    assert [told for told in chat.told(session) if told.startswith("custom: ")] == [
        "custom: Busy. It is tried again after the next reply.",
        "custom: note 0",
        "custom: Busy. It is tried again after 2 replies.",
        "custom: note 1",
        "custom: note 2",
    ]


def test_a_summary_that_brings_nothing_is_not_stored_and_told(chat: ScriptedBench) -> None:
    session = due(chat)
    long = SUMMARY.replace("What matters of it.", "What matters of it. " * 100)
    reply = said(Text("Now."), usage=Usage(input=450, output=5))
    chat.talk(session, "one more", reply, said(Text(long)), said(Text(long)))
    settled(chat)
    assert compactions(chat, session) == []
    assert "longer than what it summarises" in chat.told(session)[-1]


def test_a_refused_request_is_compacted_by_the_model(chat: ScriptedBench) -> None:
    session = due(chat)
    too_long = ProviderError("Too long.", Fault.OVERFLOW, limit=1000)
    chat.talk(session, "one more", [too_long], said(Text(SUMMARY)), said(Text("Now.")))
    settled(chat)
    [found] = compactions(chat, session)
    assert (found["trigger"], found["summariser"]) == ("overflow", "local/m")
    assert chat.told(session)[-1] == "assistant: Now."


def test_what_cannot_be_read_behind_a_reply_leaves_the_reply_as_it_is(chat: ScriptedBench) -> None:
    async def fails(session: int) -> bool:
        raise NotFoundError("The session is gone.")

    chat.runs._parts.auto_compaction.when_due = fails  # type: ignore[method-assign] # of this one bench
    session = chat.session()
    chat.talk(session, "Hello", said(Text("Hi.")))
    settled(chat)
    assert chat.told(session) == ["user: Hello", "assistant: Hi."]
