"""Conversations: a key leads from session to session, and what the clock resets can be taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.domain.chat.conversations import ResetReason
from stemmata.domain.entries.blocks import Text
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.changes import Change
from stemmata.domain.sessions.details import conversation_key
from stemmata.domain.sessions.lineage import Lineage, Relation
from stemmata.domain.settings.settings import ChatSettings
from stemmata.services.chat.commands import CommandAnswer
from stemmata.services.compaction.request import CompactionRequest
from stemmata.services.ports.archive import ArchiveWriter
from tests.fakes.scripted_provider import ScriptedBench
from tests.fakes.scripted_provider import said as reply
from tests.fakes.waiting import PATIENCE
from tests.unit.services.conftest import Bench, Records, Ticking

DAY = 24 * 3600 * 1_000_000_000
KEY = "agent:main:telegram:group:1"


def answer(chat: ScriptedBench, session: int, text: str) -> CommandAnswer:
    return chat.services.commands.run(session, text).result(PATIENCE)


def clock(bench: Bench) -> Ticking:
    found = bench.services.clock
    assert isinstance(found, Ticking)
    return found


def current(bench: Bench, key: str = KEY) -> int | None:
    found = bench.archive.read(lambda reader: reader.current_session(key)).result()
    return None if found is None else found[0]


def gateway(
    bench: Bench,
    talk: Records,
    id: str = "s",
    updated: object = 5,
    key: str = KEY,
    more: dict[str, object] | None = None,
) -> int:
    """A session that a gateway's index names."""
    folder = bench.folder / "gateway"
    folder.mkdir(exist_ok=True)
    index = {key: {"sessionId": id, "updatedAt": updated, "chatType": "group"} | (more or {})}
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
        f"Continued in the new session {made.id} of the conversation {key}. "
        "In that session, /reset back returns to this one."
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


def test_status_tells_what_a_gateway_says(chat: ScriptedBench, bench: Bench, talk: Records) -> None:
    facts = {"verboseLevel": "full", "reasoningLevel": "stream", "elevatedLevel": "off", "sendPolicy": "deny"}
    session = gateway(bench, talk, more=facts | {"compactionCount": 3})
    told = answer(chat, session, "/status").text
    for line in (
        "- Verbosity: full", f"- Conversation: {KEY}", "- Reasoning in the gateway: stream",
        "- Elevated rights in the gateway: off", "- Sending in the gateway: deny", "- Compactions in the gateway: 3",
    ):  # fmt: skip
        assert line in told
    assert f"- Source file: {bench.services.sessions.get(session).result().path}" in told


def test_a_gateways_own_rules_reset_its_conversations_when_that_is_chosen(
    chat: ScriptedBench, bench: Bench, talk: Records
) -> None:
    session, services = gateway(bench, talk), bench.services
    keep_policy(bench, session, {"hour": 4, "idleMinutes": 30})
    told = answer(chat, session, "/status").text
    assert "- Reset in the gateway: daily at 4:00" in told
    assert "- Reset in the gateway: after 30 minutes without messages" in told
    due, last = services.conversations.due, services.sessions.get(session).result().updated_at
    clock(bench).time = last + 40 * 60 * 1_000_000_000
    assert due(session).result() is None
    services.adopt_chat(ChatSettings(reset_as_gateway=True))
    assert due(session).result() is not None
    services.adopt_chat(ChatSettings(reset_as_gateway=True, reset_idle_minutes=50))
    assert due(session).result() is not None  # the rule of its gateway comes first
    plain = gateway(bench, talk, "t", key="agent:main:main")
    clock(bench).time = services.sessions.get(plain).result().updated_at + 55 * 60 * 1_000_000_000
    assert due(plain).result() is ResetReason.IDLE  # nothing is known of its gateway
    keep_policy(bench, plain, {})
    assert due(plain).result() is None


def keep_policy(bench: Bench, session: int, policy: dict[str, int]) -> None:
    """Store the gateway's reset rules for the session."""

    def job(writer: ArchiveWriter) -> None:
        details = json.loads(writer.session(session).details)
        details["conversation"]["reset"] = policy
        writer.update_session(session, details=json.dumps(details))

    bench.archive.write(job).result()


def test_a_named_imported_session_keeps_its_name_and_key(bench: Bench, talk: Records) -> None:
    old = gateway(bench, talk)
    bench.services.sessions.rename(old, "Family").result()
    made = bench.services.conversations.reset(old).result()
    assert (made.title, conversation_key(made.details), current(bench)) == ("Family", KEY, made.key)


def test_what_cannot_be_reset_says_so(chat: ScriptedBench, bench: Bench) -> None:
    session = chat.session()
    with pytest.raises(NothingToDoError, match="nothing to reset"):
        answer(chat, session, "/reset")
    with pytest.raises(NothingToDoError, match="did not begin with a reset"):
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


def compacted(bench: Bench, session: int) -> int:
    """The session in which a compaction of this one goes on."""
    leaf = bench.services.sessions.get(session).result().leaf
    assert leaf is not None
    request = CompactionRequest(session=session, leaf=leaf, trigger="threshold")
    made = bench.services.compaction.run_in_new_session(request).result().session
    assert made is not None
    return made


def long_conversation(bench: Bench, talk: Records) -> int:
    folder = bench.folder / "gateway"
    folder.mkdir()
    index = {KEY: {"sessionId": "s", "updatedAt": 5}}
    (folder / "sessions.json").write_text(json.dumps(index), encoding="utf-8")
    turns = [
        (str(at), str(at - 1) if at else None, "assistant" if at % 2 else "user", "word " * 900) for at in range(60)
    ]
    return bench.imported(talk("s", *turns), "gateway/s.jsonl").session.key


def test_the_key_follows_an_automatic_new_session(bench: Bench, talk: Records) -> None:
    old = long_conversation(bench, talk)
    made = compacted(bench, old)
    assert conversation_key(bench.services.sessions.get(made).result().details) == KEY
    assert current(bench) == made
    bench.services.sessions.delete([made]).result()
    assert current(bench) is None
    again = compacted(bench, old)  # the key led nowhere
    assert current(bench) == again


def test_the_key_stays_where_it_was_moved(bench: Bench, talk: Records) -> None:
    old = long_conversation(bench, talk)
    reset = bench.services.conversations.reset(old).result().key
    made = compacted(bench, old)
    assert conversation_key(bench.services.sessions.get(made).result().details) == KEY
    assert current(bench) == reset


def test_a_reset_is_no_fork(bench: Bench, talk: Records) -> None:
    old = gateway(bench, talk)
    made = bench.services.conversations.reset(old).result()
    lineage = Lineage(bench.services.sessions.all().result())
    assert lineage.relation(made) is Relation.RESET
