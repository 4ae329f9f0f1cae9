"""Cursor's sessions: messages, tools, messages that are no longer listed, older forms, damage, the sample."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Unchanged
from stemmata.formats.cursor.reader import Cursor
from stemmata.formats.registry import standard_formats
from tests.fakes import cursor as fake
from tests.fakes.cursor import START, Store, tool
from tests.unit.formats.database_sessions import Found, read_sessions

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "state.vscdb")
    yield made
    made.close()


def read(store: Store, session: str = "s", now: int = 0) -> Found:
    return read_sessions(Cursor(lambda: now), store.path).sessions[session]


def test_a_session(store: Store) -> None:
    workspace = {"uri": {"fsPath": "/w/tea"}}
    store.composer("s", "a", "b", unifiedMode="agent", workspaceIdentifier=workspace)
    store.user("s", "a", "Which?", 1)
    store.reply("s", "b", "Sencha.", 2, thinking={"text": "Hm.", "signature": "x"}, tokenCount={"inputTokens": 9})
    one = read(store)
    first, second = one.entries.values()
    assert (first.id, first.role, first.blocks, first.time) == (
        "a", Role.USER, (Text("Which?"),), (START + 1000) * 1_000_000,
    )  # fmt: skip
    assert (second.parent, second.blocks) == ("a", (Thinking("Hm.", "x"), Text("Sencha.")))
    assert (second.model, second.usage, second.flags) == ("m", Usage(input=9), Flag.ENDS_TURN)
    info = one.begin.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("cursor", "s", "Tea", "/w/tea")
    assert (info.created_at, json.loads(info.details)["unifiedMode"]) == (START * 1_000_000, "agent")
    assert (one.end.leaf, one.end.leaf_known) == ("b", True)
    assert json.loads(one.raw.splitlines()[1])["text"] == "Which?"


@pytest.mark.parametrize(
    ("made", "arguments", "said", "flags"),
    [
        (tool(), '{"path":"a.py"}', "tea", Flag.NONE),
        (tool(rawArgs="no JSON", params='{"x":1}', result='{"contents":"tea"}'), '{"x":1}', "tea", Flag.NONE),
        (tool(rawArgs="", result={"output": "tea", "n": 1}), "{}", "tea", Flag.NONE),
        (tool(rawArgs={"y": 2}, result='{"n":1}'), '{"y":2}', '{"n":1}', Flag.NONE),
        (tool("x", None, "error", error='{"clientVisibleErrorMessage":"No"}'), '{"path":"a.py"}', "No", Flag.FAILED),
        (tool(status="cancelled", result=None, error={}), '{"path":"a.py"}', "", Flag.ABORTED),
    ],
)  # fmt: skip
def test_tools(store: Store, made: Any, arguments: str, said: str, flags: Flag) -> None:
    store.composer("s", "a")
    store.reply("s", "a", "", toolFormerData=made)
    asked, result = read(store).entries.values()
    assert asked.blocks == (ToolCall("c", made["name"], arguments),)
    assert not asked.flags & Flag.ENDS_TURN
    assert (result.role, result.parent, result.call, result.flags) == (Role.TOOL_RESULT, "a", "c", flags)
    assert result.blocks == ((Text(said),) if said else ())


def test_other_contents(store: Store) -> None:
    store.composer("s", "a", "b", "c", "d")
    pictures = [{"data": PIXEL}, {"data": 5}]
    store.user("s", "a", "", 1, images=pictures, context={"selections": [{"text": "x"}]}, workspaceProjectDir="/w")
    store.reply("s", "b", "", 2, thinking="Hm.", toolFormerData={"additionalData": {}})
    store.bubble("s", "c", type=7, text="?")
    store.reply("s", "d", "", 4, toolFormerData=tool(status="loading", toolCallId=""))
    one = read(store)
    a, b, c, d = one.entries.values()
    assert [type(block) for block in a.blocks] == [UnknownBlock, Image, UnknownBlock]
    assert (b.blocks, c.kind, c.blocks) == ((Thinking("Hm."),), Kind.UNKNOWN, (Text("?"),))
    assert d.blocks == (ToolCall("d/call", "read_file", '{"path":"a.py"}'),)
    assert (len(one.blobs), one.begin.info.cwd) == (1, "/w")


def test_messages_that_are_no_longer_listed_are_a_branch(store: Store) -> None:
    store.composer("s", "a", "b", "e")
    for at, id in enumerate("abcde"):
        (store.user if id in "ace" else store.reply)("s", id, id, at)
    store.bubble("s", "timeless", type=1, text="x")
    one = read(store)
    assert one.parents == {"a": None, "b": "a", "e": "b", "c": "b", "d": "c", "timeless": None}
    assert one.end.leaf == "e"


def test_what_is_being_written_is_held_back(store: Store) -> None:
    store.composer("s", "a", "b", "c", status="generating", at=1)
    store.user("s", "a", "a", 1)
    store.reply("s", "b", "b", 2, toolFormerData=tool(status="running"))
    store.reply("s", "c", "c", 3)
    now = (START + 1000) * 1_000_000
    assert list(read(store, now=now).entries) == ["a"]
    first = read_sessions(Cursor(lambda: now), store.path)
    store.reply("s", "b", "b", 2, toolFormerData=tool())
    again = read_sessions(Cursor(lambda: now), store.path, first.checkpoint)
    assert list(again.sessions["s"].entries) == ["a", "b", "b#2"]
    assert list(read(store, now=now + 600 * 10**9).entries) == ["a", "b", "b#2", "c"]
    store.composer("s", "a", status="generating", at=1)
    assert "a" in read(store, now=now).entries
    store.composer("s", status="generating", at=1)
    assert read(store, now=now).end.leaf is None


def test_older_forms(store: Store) -> None:
    first = {"type": 1, "bubbleId": "a", "text": "a", "timingInfo": {"clientStartTime": START}}
    store.put("composerData:s", {"conversation": [first, {"type": 2, "text": "b"}]})
    store.put(
        "composerData:t",
        {"fullConversationHeadersOnly": [{"bubbleId": "a"}], "conversationMap": {"a": {"type": 1, "text": "a"}}},
    )
    one = read(store)
    assert one.parents == {"a": None, "2": "a"}
    assert one.entries["a"].time == START * 1_000_000
    assert list(read(store, "t").entries) == ["a"]


def test_damage(store: Store) -> None:
    store.composer("s", "a", "b", "c", "gone", "a")
    store.user("s", "a", "a")
    store.put("bubbleId:s:b", None)
    store.put("bubbleId:s:c", b"[1]")
    store.put("composerData:bad", b"\xff")
    store.put("composerData:null", None)
    store.composer("empty")
    store.composer("self", "a", subagentInfo={"parentComposerId": "self"})
    found = read_sessions(Cursor(), store.path)
    assert list(found.sessions) == ["s", "self"]
    assert found.sessions["s"].skipped == [
        "message b: has no content", "message c: is damaged", "message gone: is missing",
    ]  # fmt: skip
    assert found.sessions["self"].begin.info.parent_source_id == ""
    assert [(one.where, one.reason) for one in found.unused] == [("session bad", "is damaged")]


def test_a_fork_names_its_origin(store: Store) -> None:
    for id, origin in (("s", ""), ("fork", "s"), ("self", "self")):
        store.composer(id, "a", forkedFromComposerId=origin)
        store.user(id, "a", "a")
    store.composer("agent", "a", forkedFromComposerId="s", subagentInfo={"parentComposerId": "fork"})
    store.user("agent", "a", "a")
    infos = [one.begin.info for one in read_sessions(Cursor(), store.path).sessions.values()]
    assert {one.source_id: one.parent_source_id for one in infos} == {
        "s": "", "fork": "s", "self": "", "fork/agent": "fork",
    }  # fmt: skip


def test_messages_of_a_session_that_is_not_there(store: Store) -> None:
    """Cursor deletes a session's own value first, and the value may be damaged."""
    store.composer("s", "a")
    store.user("s", "a", "a")
    store.put("composerData:t", b"\xff")
    for id, session in (("b", "t"), ("c", "gone")):
        store.reply(session, f"{id}2", "Sencha.", 2)
        store.user(session, id, "Which?", 1)
    first = read_sessions(Cursor(), store.path)
    assert {id: one.parents for id, one in first.sessions.items()} == {
        "s": {"a": None}, "t": {"b": None, "b2": "b"}, "gone": {"c": None, "c2": "c"},
    }  # fmt: skip
    assert [(one.where, one.reason) for one in first.unused] == [("session t", "is damaged")]
    assert first.sessions["gone"].end.leaf == "c2"
    assert isinstance(first.last, Unchanged)
    assert first.last.ids == {"s", "t"}  # the session is not there any more


def test_a_key_that_is_no_text_ends_the_search(store: Store) -> None:
    store.user("a", "x", "a")
    store.connection.execute("INSERT INTO cursorDiskKV VALUES (CAST(? AS TEXT), NULL)", (b"bubbleId:\xff:a",))
    assert list(read_sessions(Cursor(), store.path).sessions) == ["a"]


def test_only_changed_sessions_are_read_again(store: Store) -> None:
    store.composer("s", "a")
    store.user("s", "a", "a")
    store.composer("t", "b")
    store.user("t", "b", "b")
    first = read_sessions(Cursor(), store.path)
    again = read_sessions(Cursor(), store.path, first.checkpoint)
    assert (again.sessions, again.last) == ({}, Unchanged(2, again.checkpoint, frozenset("st")))
    store.reply("t", "c", "c")
    assert list(read_sessions(Cursor(), store.path, first.checkpoint).sessions) == ["t"]


def test_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    path.write_bytes(fake.packed())
    formats = standard_formats(tmp_path, {})
    assert formats.identify(path) == "cursor"
    assert formats.session_file(path.with_name("state.vscdb-wal")) == path
    found = read_sessions(Cursor(), path).sessions
    assert {id: len(one.entries) for id, one in found.items()} == {"old": 1, "s": 7, "s/t": 1}
    assert found["s/t"].begin.info.parent_source_id == "s"


@pytest.mark.parametrize("place", [".config", "Library/Application Support", "AppData/Roaming"])
def test_its_folders(tmp_path: Path, place: str) -> None:
    folder = tmp_path / place / "Cursor" / "User" / "globalStorage"
    folder.mkdir(parents=True)
    (folder / "state.vscdb").write_bytes(fake.packed())
    [found] = standard_formats(tmp_path, {}).discover()
    assert (found.source, found.name, found.folder) == ("cursor", "Cursor", str(folder))


def test_the_sample(samples: Path) -> None:
    [one] = read_sessions(Cursor(), samples / "cursor" / "composer-global-state.vscdb").sessions.values()
    assert len(one.entries) == 8
    assert one.skipped == ["message synthetic-null-payload-016: has no content"]
    entries: list[Entry] = list(one.entries.values())
    assert [entry.parent for entry in entries] == [None, *(entry.id for entry in entries[:-1])]
