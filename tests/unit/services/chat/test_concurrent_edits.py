"""Two processes that chat in one session: both keep their branch, and both say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stemmata.domain.chat.run import OutgoingMessage, Phase
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.services.chat.run_states import branched_notice
from stemmata.services.chat.run_store import AttachPoint, ConcurrentEdits, beside_of
from stemmata.services.ports.archive import ArchiveWriter
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Reply, Say
from tests.fakes.waiting import PATIENCE

SLOW = Reply(blocks=(Say("One word after another, slowly. " * 4),), delay=0.02)


@pytest.fixture
def one(server: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, server.url) as chat:
        yield chat


@pytest.fixture
def two(one: ChatApp, server: AnthropicServer, tmp_path: Path) -> Iterator[ChatApp]:
    """Open the same archive twice, as two processes with different names."""
    with chat_app(tmp_path, server.url) as chat:
        chat_ports = chat.services.chat_ports
        chat.services.close()
        chat.services.__dict__["chat_ports"] = replace(
            chat_ports, loop=type(chat_ports.loop)(), owner="other:1", is_alive=lambda _owner: True
        )
        yield ChatApp(chat.core)


def leaf(chat: ChatApp, session: int) -> int | None:
    return chat.services.sessions.get(session).result().leaf


def send(chat: ChatApp, session: int, text: str, seen: int | None) -> int:
    key = chat.runs.send(session, OutgoingMessage(blocks=(Text(text),)), seen=seen).result(PATIENCE)
    assert key is not None
    return key


def until_idle(chat: ChatApp, session: int) -> None:
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)


def test_what_was_written_meanwhile_is_not_what_one_answers(one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    one.say(session, "Hello")
    seen = leaf(one, session)
    two.say(session, "From the other")
    theirs = leaf(two, session)
    send(one, session, "Mine", seen)
    until_idle(one, session)
    assert one.told(session)[2:] == ["user: Mine", "assistant: You said: Mine"]
    assert one.told(session)[:2] == ["user: Hello", "assistant: You said: Hello"]
    assert one.runs.state(session).beside == theirs
    tree = one.services.sessions.open(session).result().tree
    assert seen is not None
    assert len(list(tree.children(tree.index(seen)))) == 2


def test_a_reply_under_way_keeps_its_branch(server: AnthropicServer, one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    one.say(session, "Hello")
    start = leaf(one, session)
    server.script(SLOW, SLOW)
    prompt = one.send(session, "Tell me more")
    one.wait_phase(session, Phase.STREAMING)
    assert leaf(two, session) == prompt
    mine = send(two, session, "Me too", prompt)  # the prompt is seen there, its answer is not
    two.wait_phase(session, Phase.STREAMING)
    assert two.runs.state(session).beside == prompt
    assert one.runs.beside(session, prompt).result(PATIENCE) == mine
    until_idle(one, session)
    until_idle(two, session)
    beside = one.runs.state(session).beside
    assert beside is not None
    tree = one.services.sessions.open(session).result().tree
    assert prompt is not None
    assert start is not None
    assert [tree.key(at) for at in tree.children(tree.index(start))] == [prompt, mine]
    assert len(list(tree.children(tree.index(prompt)))) == len(list(tree.children(tree.index(mine)))) == 1
    assert two.told(session)[-2] == "user: Me too"


def test_what_waits_is_sent_behind_the_own_reply(server: AnthropicServer, one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    server.script(SLOW)
    prompt = one.send(session, "Tell me more")
    one.wait_phase(session, Phase.STREAMING)
    assert one.send(session, "And then") is None
    send(two, session, "Me too", prompt)
    until_idle(two, session)
    until_idle(one, session)
    one.wait(lambda: one.runs.queued(session).result() == ())
    until_idle(one, session)
    assert [text.split()[0] for text in one.told(session)] == ["user:", "assistant:", "user:", "assistant:"]
    assert one.told(session)[2:] == ["user: And then", "assistant: You said: And then"]


def test_notes_of_others_and_own_moves_are_no_branch(one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    one.say(session, "Hello")
    seen = leaf(one, session)
    two.runs.note(session, "a note").result(PATIENCE)
    send(one, session, "Mine", seen)
    until_idle(one, session)
    assert one.runs.state(session).beside is None
    speakers = [text.partition(":")[0] for text in one.told(session)]
    assert speakers == ["user", "assistant", "custom", "user", "assistant"]
    old = one.path(session)[1][0].key
    send(one, session, "The tree was not read anew", old)
    until_idle(one, session)
    assert one.runs.state(session).beside is None
    assert len(one.told(session)) == 7


def test_both_begin_a_session(one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    two.say(session, "First")
    send(one, session, "Also first", None)
    until_idle(one, session)
    assert one.told(session) == ["user: Also first", "assistant: You said: Also first"]
    assert one.archive.read(lambda reader: beside_of(reader, session, None)).result() is None


def test_beside_a_turn_with_tools_and_one_without_a_prompt(one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    rows = [("1", None, Role.USER), ("2", "1", Role.ASSISTANT), ("3", "2", Role.USER), ("4", "3", Role.ASSISTANT)]
    entries = [Entry(id=id, parent=parent, role=role, kind=Kind.MESSAGE, time=1) for id, parent, role in rows]

    def fill(writer: ArchiveWriter) -> list[int]:
        keys = writer.append(session, entries)
        writer.move_leaf(session, keys[-1], "append", time=1)
        writer.follow_run(writer.begin_run(session, "other:1", time=1), keys[-1])
        return keys

    keys = one.archive.write(fill).result()
    neighbours = ConcurrentEdits("me:1", lambda owner: owner == "other:1")
    standing = one.archive.read(lambda reader: neighbours.standing(reader, session)).result()
    assert standing == AttachPoint(keys[1], keys[3])  # above the prompt that is being answered
    gone = ConcurrentEdits("me:1", lambda _owner: False)
    assert one.archive.read(lambda reader: gone.standing(reader, session)).result() == AttachPoint(keys[3])
    alone = one.session("alone")

    def without(writer: ArchiveWriter) -> int:
        [key] = writer.append(alone, [replace(entries[1], id="5", parent=None)])
        writer.move_leaf(alone, key, "append", time=1)
        writer.follow_run(writer.begin_run(alone, "other:1", time=1), key)
        return key

    key = one.archive.write(without).result()
    assert one.archive.read(lambda reader: neighbours.standing(reader, alone)).result() == AttachPoint(None, key)
    assert str(branched_notice()).startswith("Another window continued this session. Your message began a new branch")


def test_who_left_a_run_is_not_sent_beside_what_was_said_before(one: ChatApp, two: ChatApp) -> None:
    session = one.session()
    two.say(session, "Another time")
    first = one.path(session)[0][0].key
    one.say(session, "Now")
    stood = leaf(one, session)
    assert stood is not None
    one.services.branching.move_leaf(session, first).result(PATIENCE)

    def job(writer: ArchiveWriter) -> int | None:
        parent = writer.rows([stood])[stood].id
        (tip,) = writer.append(session, [Entry(id="tip00001", kind=Kind.MESSAGE, role=Role.ASSISTANT, parent=parent)])
        return beside_of(writer, session, tip)  # the leaf never stood at the tip

    assert one.core.store.write(job).result(PATIENCE) is None
