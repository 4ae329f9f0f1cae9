"""Sessions that are left: their summary is stored with them, their state says so, and they go on as before."""

from __future__ import annotations

import json

import pytest

from stemmata.domain.chat.streaming import Fault, ProviderError
from stemmata.domain.compaction.summary.sections import Section
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Usage
from stemmata.domain.errors import ConflictError, KnownError
from stemmata.domain.sessions.session import Session, SessionTree
from stemmata.store.writer import Writer
from tests.fakes.scripted_provider import Gate, ScriptedBench, said
from tests.fakes.waiting import PATIENCE
from tests.unit.services.compacting import request
from tests.unit.services.conftest import Bench

SUMMARY = "\n\n".join(f"## {section.value}\n\nWhat matters of it." for section in Section)
SUMMARY = SUMMARY.replace("## Progress\n\nWhat", "## Progress\n\n### Done\n\nWhat")


def new(chat: ScriptedBench, session: int) -> None:
    """Type /new, and wait until the work in the background has ended."""
    chat.services.commands.run(session, "/new").result(PATIENCE)
    chat.runs.settled().result(PATIENCE)


def found(chat: ScriptedBench, session: int) -> tuple[Session, str]:
    session_then = chat.services.sessions.get(session).result()
    return session_then, chat.archive.read(lambda reader: reader.summary(session)).result()


@pytest.fixture
def spoken(chat: ScriptedBench) -> int:
    session = chat.session()
    chat.talk(session, "Please plant the apple tree", said(Text("It is planted."), usage=Usage(input=50, output=5)))
    return session


def test_the_session_that_is_left_gets_its_summary(chat: ScriptedBench, spoken: int) -> None:
    assert found(chat, spoken)[0].state == "open"
    new(chat, spoken)
    session, summary = found(chat, spoken)
    assert session.state == "finalised"
    assert "Please plant the apple tree" in summary
    assert chat.told(spoken)[:2] == ["user: Please plant the apple tree", "assistant: It is planted."]


def test_the_summary_is_found_by_meaning(chat: ScriptedBench, spoken: int) -> None:
    new(chat, spoken)
    batch = chat.archive.read(lambda reader: reader.unembedded("model", 10)).result()
    [title] = [text for text in batch.texts if text.session == spoken and text.entry is None]
    assert "apple tree" in title.text


def test_the_next_message_opens_it_again(chat: ScriptedBench, spoken: int) -> None:
    new(chat, spoken)
    summary = found(chat, spoken)[1]
    chat.talk(spoken, "And a pear tree", said(Text("Also planted."), usage=Usage(input=60, output=5)))
    assert "apple tree" in json.dumps(chat.provider.requests[-1]), "the whole session is sent, as before"
    assert found(chat, spoken) == (chat.services.sessions.get(spoken).result(), summary)
    assert found(chat, spoken)[0].state == "open"
    new(chat, spoken)
    session, summary = found(chat, spoken)
    assert (session.state, "pear tree" in summary) == ("finalised", True)


def test_new_waits_for_no_summary(chat: ScriptedBench, spoken: int) -> None:
    settings = chat.services.contexts.settings
    chat.services.contexts.settings = settings._replace(summariser="model")
    gate = Gate()
    chat.provider.scripts = [[gate, *said(Text(SUMMARY))]]
    told = chat.services.commands.run(spoken, "/new").result(PATIENCE)
    assert told.session is not None
    gate.reached.result(PATIENCE)
    assert found(chat, spoken)[0].state == "open"
    gate.open()
    chat.runs.settled().result(PATIENCE)
    assert found(chat, spoken)[0].state == "finalised"
    assert "What matters of it." in found(chat, spoken)[1]


def test_a_message_meanwhile_leaves_it_open(chat: ScriptedBench, spoken: int) -> None:
    chat.services.contexts.settings = chat.services.contexts.settings._replace(summariser="model")
    gate = Gate()
    chat.provider.scripts = [[gate, *said(Text(SUMMARY))]]
    chat.services.commands.run(spoken, "/new").result(PATIENCE)
    gate.reached.result(PATIENCE)
    chat.talk(spoken, "One more thing", said(Text("Yes?")))
    gate.open()
    chat.runs.settled().result(PATIENCE)
    assert found(chat, spoken)[0].state == "open"


def test_a_model_that_fails_says_so(chat: ScriptedBench, spoken: int) -> None:
    chat.services.contexts.settings = chat.services.contexts.settings._replace(summariser="model")
    chat.provider.scripts = [[ProviderError("Busy.", Fault.REQUEST)]]
    new(chat, spoken)
    session, summary = found(chat, spoken)
    assert (session.state, summary) == ("open", "")
    assert "custom: The session was not finalised, because its summary could not be written: Busy." in chat.told(
        spoken
    )


def test_a_running_reply_is_awaited(chat: ScriptedBench, spoken: int) -> None:
    gate = Gate()
    chat.provider.scripts = [said(Text("A long"), gate, Text("story of a cherry"))]
    chat.send(spoken, "Tell me")
    gate.reached.result(PATIENCE)
    chat.services.commands.run(spoken, "/new").result(PATIENCE)
    assert found(chat, spoken)[0].state == "open"
    gate.open()
    chat.runs.settled().result(PATIENCE)
    session, summary = found(chat, spoken)
    assert (session.state, "Tell me" in summary) == ("finalised", True)


def test_what_a_compaction_summarised_is_not_summarised_again(chat: ScriptedBench, spoken: int) -> None:
    leaf = chat.services.sessions.get(spoken).result().leaf
    assert leaf is not None
    whole = request(chat.services.sessions.open(spoken).result(), whole=True, text="Trees. " * 2, most_kept=None)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("stemmata.services.compaction.compaction.saves_nothing", lambda *_sizes: False)
        chat.services.compaction.run(whole).result()
    new(chat, spoken)
    assert found(chat, spoken)[1] == "Trees. Trees. "


def test_what_holds_nothing_is_not_finalised(chat: ScriptedBench, spoken: int) -> None:
    empty = chat.session("noted")
    chat.runs.note(empty, "Only a note.").result()
    chat.runs.finalise(empty).result(PATIENCE)
    bare = chat.session("bare")
    chat.runs.finalise(bare).result(PATIENCE)
    chat.runs.settled().result(PATIENCE)
    assert [found(chat, key)[0].state for key in (empty, bare)] == ["open", "open"]
    new(chat, spoken)
    requests = len(chat.provider.requests)
    new(chat, spoken)
    assert len(chat.provider.requests) == requests


def test_a_session_that_was_deleted_is_left_alone(chat: ScriptedBench, spoken: int) -> None:
    chat.services.sessions.delete([spoken]).result()
    chat.runs.finalise(spoken).result(PATIENCE)
    chat.runs.settled().result(PATIENCE)
    with pytest.raises(KnownError):
        chat.archive.read(lambda reader: reader.summary(spoken)).result()


def test_a_compaction_into_a_new_session_finalises_the_old_one(bench: Bench, long: SessionTree) -> None:
    key = long.session.key
    bench.archive.write(lambda writer: writer.enqueue(key, [Text("later")], time=7)).result()
    done = bench.services.compaction.run_in_new_session(request(long)).result()
    assert done.session is not None
    into = done.session
    summary = bench.archive.read(lambda reader: reader.summary(key)).result()
    assert (bench.reopened(long).session.state, summary) == ("finalised", done.summary.text)
    assert bench.services.sessions.get(into).result().state == "open"
    queues = bench.archive.read(lambda reader: [len(reader.queued(session)) for session in (key, into)]).result()
    assert queues == [0, 1]


@pytest.mark.parametrize("step", ["update_session", "append", "refresh", "hand_over_queue"])
def test_a_compaction_that_breaks_off_at_any_step_changes_nothing(
    bench: Bench, long: SessionTree, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = bench.reopened(long).session, bench.services.sessions.all().result()

    def broken(*_given: object, **_facts: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Writer, step, broken)
    with pytest.raises(RuntimeError):
        bench.services.compaction.run_in_new_session(request(long)).result()
    assert (bench.reopened(long).session, bench.services.sessions.all().result()) == before


def test_a_session_that_went_on_is_not_compacted_into_a_new_one(bench: Bench, long: SessionTree) -> None:
    asked = request(long)
    bench.services.branching.move_leaf(long.session.key, long.tree.key(3)).result()
    with pytest.raises(ConflictError, match="Nothing was compacted"):
        bench.services.compaction.run_in_new_session(asked).result()
    assert len(bench.services.sessions.all().result()) == 1
