"""Conversations: a key leads from session to session, and what the clock resets can be taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.domain.chat.conversations import ResetReason
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.changes import Change
from stemmata.domain.entries.session_facts import conversation_key
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat.commands import CommandAnswer
from tests.fakes.scripted_provider import ScriptedBench
from tests.fakes.scripted_provider import said as reply
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records, Ticking

DAY = 24 * 3600 * 1_000_000_000
KEY = "agent:main:telegram:group:1"


def answer(chat: ScriptedBench, session: int, text: str) -> CommandAnswer:
    return chat.services.commands.run(session, text).result(PATIENCE)


def clock(bench: Bench) -> Ticking:
    found = bench.services._clock
    assert isinstance(found, Ticking)
    return found


def current(bench: Bench, key: str = KEY) -> int | None:
    found = bench.archive.read(lambda reader: reader.current_session(key)).result()
    return None if found is None else found[0]


def gateway(bench: Bench, talk: Records, id: str = "s", updated: object = 5, key: str = KEY) -> int:
    """A session that a gateway's index names."""
    folder = bench.folder / "gateway"
    folder.mkdir(exist_ok=True)
    index = {key: {"sessionId": id, "updatedAt": updated, "chatType": "group"}}
    (folder / "sessions.json").write_text(json.dumps(index), encoding="utf-8")
    lines = talk(id, ("1", None, "user", "Hello"), ("2", "1", "assistant", "Hi"))
    return bench.imported(lines, f"gateway/{id}.jsonl").session.key


def test_an_import_fills_the_index(bench: Bench, talk: Records) -> None:
    first = gateway(bench, talk)
    assert current(bench) == first
    second = gateway(bench, talk, "t", 6)
    assert current(bench) == second
    gateway(bench, talk, "u", 6)  # not later
    assert current(bench) == second
    assert current(bench, "agent:main:main") is None
    bench.services.sessions.delete([second]).result()
    assert current(bench) is None


@pytest.mark.parametrize("updated", ["5", -1, 10**20])
def test_an_odd_time_in_the_index_is_that_of_the_session(bench: Bench, talk: Records, updated: object) -> None:
    session = gateway(bench, talk, updated=updated)
    made = bench.services.sessions.get(session).result().created_at
    assert bench.archive.read(lambda reader: reader.current_session(KEY)).result() == (session, made)


def test_a_reset_begins_a_session_and_can_be_taken_back(chat: ScriptedBench, bench: Bench) -> None:
    old = chat.session()
    chat.talk(old, "Hello", reply(Text("Hi")))
    chat.services.runs.pick_level(old, "high").result(PATIENCE)
    before = chat.services.sessions.get(old).result()
    told = answer(chat, old, "/reset")
    assert told.session is not None
    made = chat.services.sessions.get(told.session).result()
    key = f"agent:main:{before.id}"
    assert told.text == (
        f"Continued in the new session {made.id} of the conversation {key}. /reset back there returns here."
    )
    assert (made.parent, made.model, conversation_key(made.details)) == (old, "local/m", key)
    assert conversation_key(chat.services.sessions.get(old).result().details) == key
    assert current(bench, key) == made.key
    assert any(change.session == made.key and change.what is Change.SESSIONS for change in bench.published)
    tree = chat.services.sessions.open(made.key).result()
    assert chat.services.contexts.at(tree, tree.tree.get(made.leaf)).projection.level == "high"
    back = answer(chat, made.key, "/reset back")
    assert (back.session, back.text) == (old, f"Returned to session {before.id}.")
    assert current(bench, key) == old
    assert f"- Conversation: {key}" in answer(chat, old, "/status").text
    assert f"- Archive: {bench.archive.place}" in answer(chat, old, "/status").text


def test_a_named_imported_session_keeps_its_name_and_key(bench: Bench, talk: Records) -> None:
    old = gateway(bench, talk)
    bench.services.sessions.rename(old, "Family").result()
    made = bench.services.conversations.reset(old).result()
    assert (made.title, conversation_key(made.details), current(bench)) == ("Family", KEY, made.key)


def test_what_cannot_be_reset_says_so(chat: ScriptedBench, bench: Bench) -> None:
    session = chat.session()
    with pytest.raises(NothingToDoError, match="nothing to reset"):
        answer(chat, session, "/reset")
    with pytest.raises(NothingToDoError, match="No reset began"):
        answer(chat, session, "/reset back")


def test_a_session_without_model_and_level_has_no_picks(bench: Bench, talk: Records) -> None:
    old = bench.imported(talk("s", ("1", None, "user", "Hello"))).session.key
    assert bench.services.conversations.reset(old).result().leaf is None


def test_the_clock_resets_current_sessions_with_a_key(bench: Bench, talk: Records) -> None:
    session, services = gateway(bench, talk), bench.services
    due = services.conversations.due
    clock(bench).time = services.sessions.get(session).result().updated_at + 3 * DAY
    assert due(session).result() is None  # off
    services.adopt_chat(ChatSettings(reset_hour=4))
    assert due(session).result() is ResetReason.DAILY
    services.adopt_chat(ChatSettings(reset_idle_minutes=10))
    assert due(session).result() is ResetReason.IDLE
    chat = bench.imported(talk("plain", ("1", None, "user", "Hello")), "plain.jsonl").session.key
    assert due(chat).result() is None  # an ordinary chat
    made = services.conversations.reset(session).result().key
    assert due(session).result() is None  # no longer current
    assert due(made).result() is None
    services.conversations.back(made).result()
    assert due(session).result() is ResetReason.IDLE
    assert Path(bench.archive.place).name == "archive.db"
