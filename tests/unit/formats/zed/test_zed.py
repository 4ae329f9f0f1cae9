"""Threads of Zed: messages of all versions, edits, tools, subagents, damage, the sample."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.details import changed_in_source
from stemmata.domain.sources.reading import Unchanged
from stemmata.formats.registry import standard_formats
from stemmata.formats.zed import threads
from stemmata.formats.zed.format import ZED
from stemmata.formats.zed.reader import Zed
from stemmata.services.importing.importing import Importing
from stemmata.services.notices import Notices
from stemmata.store.archive import SqliteArchive
from stemmata.system.processes import SystemClock
from tests.fakes import zed as fake
from tests.fakes.zed import OLDER, Store, agent, call, lost, older, result, stamp, user
from tests.growth.growth import dump
from tests.unit.formats.database_sessions import Found, read_sessions

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "threads.db")
    yield made
    made.close()


def read(store: Store, thread: str = "t") -> Found:
    return read_sessions(Zed(), store.path).sessions[thread]


def entries(store: Store) -> list[Entry]:
    return list(read(store).entries.values())


def test_a_thread(store: Store) -> None:
    store.thread(
        "t", user("Which?"), agent("Sencha."), model={"provider": "p", "model": "m"}, profile="write", imported=False,
        request_token_usage={"Which?": {"input_tokens": 9, "output_tokens": 2, "cache_read_input_tokens": 3}},
        row={"folder_paths": "/w/tea\n/w/b", "created_at": stamp(0)},
    )  # fmt: skip
    one = read(store)
    first, second = one.entries.values()
    assert one.said() == ["Which?", "Sencha."]
    assert (first.role, first.parent, second.role, second.parent) == (Role.USER, None, Role.ASSISTANT, first.id)
    assert (second.provider, second.model, second.usage, second.flags) == ("p", "m", Usage(9, 2, 3), Flag.ENDS_TURN)
    info = one.begin.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("zed", "t", "Tea", "/w/tea")
    assert changed_in_source(info.details) == info.created_at + 1_000_000_000
    assert json.loads(info.details)["profile"] == "write"
    assert one.end.leaf == second.id
    record = first.record
    assert record is not None
    assert json.loads(one.raw[record.offset : record.offset + record.size]) == user("Which?")


def test_tools_thoughts_and_pictures(store: Store) -> None:
    picture = {"source": PIXEL, "size": None}
    content = [
        "one",
        {"Text": "two"},
        {"type": "text", "text": "three"},
        {"Image": picture},
        picture,
        {"Image": 5},
        "",
    ]
    store.thread(
        "t", user("Look", "", {"Image": picture}, {"Image": {}}, {"Odd": 1}, {"Text": ""}),
        agent(
            {"Thinking": {"text": "Hm.", "signature": "s"}}, {"RedactedThinking": "r"}, {"Odd": 1}, call("c", x=1),
            {"ToolUse": {"id": "d", "name": "read", "raw_input": "{", "input": None}},
            results=result("c", *content) | result("d", is_error=True, content="No", tool_name=None),
        ),
    )  # fmt: skip
    prompt, asked, first, second = entries(store)
    assert [type(block) for block in prompt.blocks] == [Image, UnknownBlock, UnknownBlock, Text]
    assert asked.blocks == (
        Thinking("Hm.", "s"), Thinking("", "r", redacted=True), UnknownBlock("Odd", '{"Odd":1}'),
        ToolCall("c", "read", '{"x":1}'), ToolCall("d", "read", "{"),
    )  # fmt: skip
    assert not asked.flags & Flag.ENDS_TURN
    assert [block.text for block in first.blocks if isinstance(block, Text)] == ["one", "two", "three"]
    assert [type(block) for block in first.blocks[3:]] == [Image, Image, UnknownBlock]
    assert (first.tool, first.call, second.blocks, second.flags) == ("read", "c", (Text("No"),), Flag.FAILED)
    assert len(read(store).blobs) == 3


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ({"File": {"abs_path": "/w/a.py"}}, "a.py"),
        ({"Selection": {"line_range": {"start": 1}, "abs_path": "b.py"}}, "b.py"),
        ({"Fetch": {"url": "https://x.org/docs/"}}, "docs"), ({}, "mention"), ({"Odd": {"deep": {"n": 5}}}, "5"),
    ],
)  # fmt: skip
def test_what_a_prompt_mentions_is_an_attachment(store: Store, uri: Any, name: str) -> None:
    store.thread("t", user("Look", "", {"Mention": {"uri": uri, "content": "print()"}}, {"Mention": {"uri": uri}}))
    [prompt] = entries(store)
    assert prompt.blocks[0] == Text(f"{name}:\n\nprint()")
    assert isinstance(prompt.blocks[1], UnknownBlock)


def test_messages_before_version_3(store: Store) -> None:
    segments = [
        {"type": "thinking", "text": "Hm.", "signature": "s"}, {"type": "RedactedThinking", "data": "r"}, {"odd": 1},
    ]  # fmt: skip
    uses = [{"id": "c", "name": "read", "input": {"x": 1}}]
    told = [{"tool_use_id": "c", "is_error": True, "content": "tea"}]
    store.thread(
        "t", older(1, "system", "Help."), {"id": 2, "role": "user", "text": "Which?"},
        older(3, "assistant", "", segments=segments, tool_uses=uses), older(4, "user", "And?", tool_results=told),
        {"id": 5, "role": "user", "context": "Only context."}, older(6, "assistant", "Sencha."),
        older(7, "robot", "?"),
        packed=False, version=None, request_token_usage=[{}, {}, {}, {}, {}, {"input_tokens": 7}],
    )  # fmt: skip
    system, which, asked, told_, also, only, last, unknown = entries(store)
    assert (system.role, system.flags) == (Role.SYSTEM, Flag.HIDDEN)
    assert which.blocks == (Text("Which?"),)
    assert asked.blocks == (
        Thinking("Hm.", "s"), Thinking("", "r", redacted=True), UnknownBlock("segment", '{"odd":1}'),
        ToolCall("c", "read", '{"x":1}'),
    )  # fmt: skip
    assert (told_.role, told_.call, told_.flags) == (Role.TOOL_RESULT, "c", Flag.FAILED)
    assert (also.blocks, only.blocks) == ((Text("And?"),), (Text("Only context."),))
    assert (last.usage, unknown.kind, unknown.name) == (Usage(7), Kind.UNKNOWN, "zed:robot")


def test_the_tokens_of_a_turn_belong_to_its_last_reply(store: Store) -> None:
    usages = {"a": {"input_tokens": 9}}
    store.thread(
        "t", user("a"), agent(call("c")), agent("Done."), user("b"), agent("Yes."), request_token_usage=usages
    )
    assert [entry.usage for entry in entries(store)] == [None, None, Usage(9), None, None]
    store.thread("t", older(1, "assistant", "Hi"), request_token_usage=[])
    assert entries(store)[0].usage is None


def test_other_messages_are_kept(store: Store) -> None:
    store.thread("t", "Resume", {"Compaction": {"summary": "S"}}, 7, user("x"))
    found = entries(store)
    assert [(entry.kind, entry.name) for entry in found[:3]] == [
        (Kind.CUSTOM, "zed:resume"), (Kind.UNKNOWN, "zed:Compaction"), (Kind.UNKNOWN, "zed:message"),
    ]  # fmt: skip
    assert found[1].details == '{"Compaction":{"summary":"S"}}'
    record = found[3].record
    assert record is not None
    assert b'"User"' in read(store).raw[record.offset : record.offset + record.size]


def test_an_edited_thread_branches_where_its_texts_differ(store: Store, tmp_path: Path) -> None:
    archive = SqliteArchive(tmp_path / "archive.db")
    importing = Importing(archive, standard_formats(tmp_path, {}), Notices(), SystemClock())
    try:
        store.thread("t", older(1, "user", "a"), older(2, "assistant", "A"), older(3, "user", "b"), packed=False)
        importing.import_paths([store.path]).result()
        converted = (user("a"), agent("A"))
        store.thread("t", *converted, user("c"), agent("C"), at=2)
        importing.import_paths([store.path]).result()
        [session] = dump(archive, tmp_path / "archive.db").values()
    finally:
        archive.close()
    texts = {id: entry["entries.preview"] for id, entry in session["tree"].items()}
    above = {texts[id]: texts.get(entry["parent"]) for id, entry in session["tree"].items()}
    assert above == {"a": None, "A": "a", "b": "A", "c": "A", "C": "c"}
    assert (texts[session["leaf"]], session["branches"]) == ("C", 2)


def test_subagents(store: Store) -> None:
    store.thread("t", user("a"))
    store.thread("u", user("b"), row={"parent_id": "t"}, at=2)
    store.thread("v", user("c"), row={"parent_id": "u"}, at=3)
    store.thread("w", user("d"), subagent_context={"parent_thread_id": "gone"}, at=4)
    store.thread("x", user("e"), row={"parent_id": "x"}, at=5)
    found = read_sessions(Zed(), store.path).sessions
    assert {id: one.begin.info.parent_source_id for id, one in found.items()} == {
        "t": "", "t/u": "t", "t/v": "t/u", "gone/w": "gone", "x": "",
    }  # fmt: skip


def test_a_damaged_thread_costs_one_thread(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for at, (id, row) in enumerate(
        {
            "a": {"data": b"no frame"}, "b": {"data_type": "json"}, "c": {"data_type": "lz4"},
            "d": {"data": 5, "data_type": "json"},
        }.items()
    ):  # fmt: skip
        store.thread(id, user("x"), at=at, row=row)
    store.thread("e", at=9, messages=None)
    found = read_sessions(Zed(), store.path)
    assert list(found.sessions) == ["e"]
    assert [one.where for one in found.unused] == ["thread a", "thread b", "thread c", "thread d"]
    assert found.sessions["e"].end.leaf is None
    monkeypatch.setattr(threads, "_LARGEST", 10)
    [*_, last] = read_sessions(Zed(), store.path).unused
    assert last.reason == "is too large when it is unpacked"
    assert zstandard.compress(b"")


def test_only_changed_threads_are_read_again(store: Store) -> None:
    store.thread("t", user("a"))
    store.thread("u", user("b"))
    first = read_sessions(Zed(), store.path)
    again = read_sessions(Zed(), store.path, first.checkpoint)
    assert (again.sessions, again.last) == ({}, Unchanged(2, again.checkpoint, frozenset("tu")))
    store.thread("u", user("b"), agent("B"), at=2)
    assert list(read_sessions(Zed(), store.path, first.checkpoint).sessions) == ["u"]


def test_an_older_table(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "threads.db", OLDER)) as store:
        store.thread("t", user("a"), packed=False)
        assert read(store).begin.info.created_at == 0
        assert standard_formats(tmp_path, {}).identify(store.path) == ZED.name


@pytest.mark.parametrize(
    ("place", "environment"),
    [
        (".local/share/zed", {}), ("Library/Application Support/Zed", {}), ("AppData/Local/Zed", {}),
        ("x/zed", {"XDG_DATA_HOME": "{}/x"}), ("f/zed", {"FLATPAK_XDG_DATA_HOME": "{}/f", "XDG_DATA_HOME": "{}/x"}),
        ("l/Zed", {"LOCALAPPDATA": "{}/l"}),
    ],
)  # fmt: skip
def test_its_folders(tmp_path: Path, place: str, environment: dict[str, str]) -> None:
    moved = {name: value.format(tmp_path) for name, value in environment.items()}
    folder = tmp_path / place / "threads"
    folder.mkdir(parents=True)
    (folder / "threads.db").write_bytes(fake.packed())
    [found] = standard_formats(tmp_path, moved).discover()
    assert (found.source, found.name, found.folder) == ("zed", "Zed", str(folder))


def test_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    path.write_bytes(fake.packed())
    found = read_sessions(Zed(), path)
    assert {id: len(one.entries) for id, one in found.sessions.items()} == {"t": 5, "o": 3, "t/s": 1}
    assert lost(Zed().read(path, None)) == []


def test_the_sample(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((samples / "zed" / "zed.sql").read_text())
    found = read_sessions(Zed(), path)
    assert {id: len(one.entries) for id, one in found.sessions.items()} == {
        "registry-zed-legacy": 2, "registry-zed-modern": 3,
    }  # fmt: skip
    assert lost(Zed().read(path, None)) == []
