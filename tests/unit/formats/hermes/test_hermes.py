"""Sessions of Hermes: messages of every kind, undone turns, compactions, subagents, older tables, growth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.origin import is_agent
from stemmata.formats.hermes.format import HERMES
from stemmata.formats.hermes.reader import Hermes
from stemmata.formats.registry import standard_formats
from tests.fakes.hermes import AT, OLDER, Store, call, fill
from tests.unit.formats.archived import archived
from tests.unit.formats.database_sessions import Found, read_sessions

SECOND = 1_000_000_000
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / ".hermes" / "state.db")
    yield made
    made.close()


def read(store: Store, session: str = "s") -> Found:
    return read_sessions(Hermes(), store.path).sessions[session]


def only(store: Store) -> Entry:
    [entry] = read(store).entries.values()
    return entry


def test_a_session(store: Store, tmp_path: Path) -> None:
    store.session(
        cwd="/w", git_branch="main", billing_provider="openai", input_tokens=90, output_tokens=5, ended_at=AT + 60,
        actual_cost_usd=0.25, title_source="user",
    )  # fmt: skip
    store.said(1, "user", "Which?")
    store.said(2, "assistant", "Sencha.", finish_reason="stop", token_count=5)
    one = read(store)
    first, second = one.entries.values()
    assert (first.id, first.role, first.parent, first.time) == ("1", Role.USER, None, (AT + 1) * SECOND + SECOND // 2)
    assert (second.role, second.parent, second.flags) == (Role.ASSISTANT, "1", Flag.ENDS_TURN)
    assert (second.provider, second.model, second.usage) == ("openai", "m", Usage(output=5))
    assert (one.end.leaf, one.end.leaf_known) == ("2", True)
    info = one.begin.info
    assert (info.source, info.source_id, info.title, info.named, info.cwd) == ("hermes", "s", "Tea", True, "/w")
    details = json.loads(info.details)
    assert {name: details[name] for name in ("cost", "platform", "gitBranch", "input_tokens", "output_tokens")} == {
        "cost": 0.25, "platform": "cli", "gitBranch": "main", "input_tokens": 90, "output_tokens": 5,
    }  # fmt: skip
    record = second.record
    assert record is not None
    assert json.loads(one.raw[record.offset : record.offset + record.size])["content"] == "Sencha."
    assert standard_formats(tmp_path, {}).identify(store.path) == "hermes"


def test_calls_and_results(store: Store) -> None:
    store.session()
    store.said(1, "assistant", "", call("c", q="tea"), finish_reason="tool_calls", reasoning="Hm.")
    store.said(2, "tool", "Sencha", tool_name="look", effect_disposition="none")
    reply, result = read(store).entries.values()
    assert (reply.blocks, reply.flags) == ((Thinking("Hm."), ToolCall("c", "look", '{"q":"tea"}')), Flag.NONE)
    assert (result.role, result.call, result.tool, result.blocks) == (
        Role.TOOL_RESULT,
        "c",
        "look",
        (Text("Sencha"),),
    )
    assert json.loads(result.details) == {"effect_disposition": "none"}


@pytest.mark.parametrize(
    ("calls", "blocks"),
    [
        ('[{"name":"f","arguments":{"a":1}}]', [ToolCall("1#call1", "f", '{"a":1}')]),
        ('[{"call_id":"x","function":{"name":"f","arguments":"no"}}]', [ToolCall("x", "f", '{"input":"no"}')]),
        ('[{"id":"x","function":{"name":"f"}}]', [ToolCall("x", "f", "{}")]),
        ('[{"id":"x"}]', [UnknownBlock("tool_calls", '{"id":"x"}')]),
        ("{", [UnknownBlock("tool_calls", '"{"')]),
        ("", []),
    ],
)
def test_calls_in_odd_forms(store: Store, calls: str, blocks: list[Any]) -> None:
    store.session()
    store.said(1, "assistant", tool_calls=calls)
    assert only(store).blocks == tuple(blocks)


@pytest.mark.parametrize(
    ("more", "blocks"),
    [
        ({"reasoning_content": "Whole.", "reasoning": "Short."}, [Thinking("Whole.")]),
        ({"codex_reasoning_items": '[{"encrypted_content":"x"},{"id":1}]'}, [Thinking("", "x", redacted=True)]),
    ],
)
def test_thinking(store: Store, more: dict[str, str], blocks: list[Any]) -> None:
    store.session()
    store.said(1, "assistant", **more)
    assert only(store).blocks == tuple(blocks)


@pytest.mark.parametrize("sign", ["\0json:", "\1json:"])
def test_a_content_of_parts(store: Store, sign: str) -> None:
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        {"type": "image_url", "image_url": "https://example.org/a.png"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,?"}},
        5,
    ]
    store.session()
    store.said(1, "user", sign + json.dumps(parts))
    one = read(store)
    text, picture, *rest = one.entries["1"].blocks
    assert (text, len(one.blobs)) == (Text("Look"), 1)
    assert isinstance(picture, Image)
    assert [block.type for block in rest if isinstance(block, UnknownBlock)] == ["image_url", "image_url", "part"]


def test_damaged_parts_are_text(store: Store) -> None:
    store.session()
    store.said(1, "user", '\0json:["a')
    assert only(store).blocks == (Text('json:["a'),)


@pytest.mark.parametrize(
    ("role", "kind", "flags"),
    [("user", None, Flag.NONE), ("user", "hidden", Flag.HIDDEN | Flag.INJECTED),
     ("user", "async_delegation_complete", Flag.INJECTED), ("system", None, Flag.HIDDEN)],
)  # fmt: skip
def test_messages_that_no_person_wrote(store: Store, role: str, kind: str | None, flags: Flag) -> None:
    store.session()
    store.said(1, role, "x", display_kind=kind)
    assert only(store).flags == flags


def test_the_result_of_a_subagent_needs_no_mark_of_hermes(store: Store) -> None:
    """The recorded session has such a message without a `display_kind`."""
    store.session()
    store.said(1, "user", "[ASYNC DELEGATION BATCH COMPLETE — deleg_e5]\nAll tasks have finished.")
    assert only(store).flags == Flag.INJECTED


@pytest.mark.parametrize(
    ("reason", "flags"),
    [("stop", Flag.ENDS_TURN), (None, Flag.ENDS_TURN), ("length", Flag.CUT), ("error", Flag.FAILED)],
)
def test_how_a_reply_ended(store: Store, reason: str | None, flags: Flag) -> None:
    store.session()
    store.said(1, "assistant", "x", finish_reason=reason)
    assert only(store).flags == flags


@pytest.mark.parametrize(("role", "name"), [("session_meta", "session_meta"), ("", "message")])
def test_messages_of_an_unknown_role_are_kept(store: Store, role: str, name: str) -> None:
    store.session()
    store.said(1, role, "x")
    entry = only(store)
    assert (entry.kind, entry.name, entry.flags) == (Kind.UNKNOWN, name, Flag.HIDDEN)
    assert json.loads(entry.details)["content"] == "x"


# -- undone turns and compactions --------------------------------------------------------------------------------


def test_undone_turns_are_branches(store: Store) -> None:
    store.session()
    for id, active in ((1, 1), (2, 1), (3, 0), (4, 0), (5, 1), (6, 0), (7, 1)):
        store.said(id, "user", str(id), active=active)
    one = read(store)
    assert one.parents == {"1": None, "2": "1", "3": "2", "4": "3", "5": "2", "6": "5", "7": "5"}
    assert one.end.leaf == "7"


def test_a_turn_that_was_undone_last_is_no_leaf(store: Store) -> None:
    store.session()
    store.said(1, "user", "a")
    store.said(2, "user", "b", active=0)
    assert read(store).end.leaf == "1"


def test_a_compaction_replaces_what_is_before_it(store: Store, tmp_path: Path) -> None:
    fill(store)
    one = read(store)
    assert one.parents == {
        "1": None, "2": "1", "3": "2", "4": "3", "5": "4", "6": "3", "7": "6", "8": "7", "9": "8",
    }  # fmt: skip
    assert (one.entries["7"].kind, one.entries["7"].model) == (Kind.COMPACTION, "m")
    with archived(tmp_path / "archive") as archive:
        archive.take(store.path)
        sent = archive.sent("s")
    assert [said.split(".")[0] for said in sent] == [
        "[CONTEXT COMPACTION] They drink Sencha", "Take Sencha", "Why green?",
    ]  # fmt: skip


@pytest.mark.parametrize("said", ["[CONTEXT COMPACTION — REFERENCE ONLY] x", "\n[CONTEXT SUMMARY]: x"])
def test_a_summary_is_known_by_its_words_in_older_databases(store: Store, said: str) -> None:
    store.session()
    store.said(1, "user", said)
    assert only(store).kind is Kind.COMPACTION


# -- sessions that belong together -------------------------------------------------------------------------------


def related(store: Store, session: str) -> tuple[str, bool]:
    """Return the session that a session names, and whether it is that of a subagent."""
    info = read_sessions(Hermes(), store.path).sessions[session].begin.info
    return info.parent_source_id, json.loads(info.details).get("kind") == "subagent"


def test_sessions_of_subagents_are_below_the_session_that_began_them(store: Store) -> None:
    store.session("s")
    store.session("t", 1, source="subagent", parent_session_id="s")
    store.session("u", 2, parent_session_id="t")
    assert related(store, "s") == ("", False)
    assert related(store, "t") == ("s", True)
    assert related(store, "u") == ("t", True)


@pytest.mark.parametrize(
    ("ended", "config"),
    [("compression", None), ("branched", None), (None, '{"_branched_from":"s"}'), (None, '{"_reset_from":"s"}')],
)
def test_continuations_and_branches_are_no_subagents(store: Store, ended: str | None, config: str | None) -> None:
    store.session("s", end_reason=ended)
    store.session("t", 1, parent_session_id="s", model_config=config)
    assert related(store, "t") == ("s", False)


def test_a_session_is_stored_once_when_its_parent_ends_or_vanishes(store: Store, tmp_path: Path) -> None:
    store.session("s")
    store.session("t", 1, parent_session_id="s")
    for id, session in ((1, "s"), (2, "t")):
        store.said(id, "user", session, session=session)
    with archived(tmp_path / "archive") as archive:
        archive.take(store.path)
        assert is_agent(archive.sessions()["t"])
        store.session("s", end_reason="compression")
        store.said(3, "user", "more", session="t")
        archive.take(store.path)
        assert not is_agent(archive.sessions()["t"])
        store.session("t", 1, parent_session_id=None)
        archive.take(store.path)
        found = archive.sessions()
        assert set(found) == {"s", "t"}
        assert found["t"].parent == found["s"].key


def test_a_subagent_that_outlives_a_compaction(store: Store) -> None:
    store.session("s", end_reason="compression")
    store.session("t", 1, parent_session_id="s", model_config='{"_delegate_from":"s"}')
    assert related(store, "t") == ("s", True)


@pytest.mark.parametrize(("parent", "origin", "is_subagent"), [("gone", "gone", True), ("t", "", False)])
def test_parents_that_are_missing_or_the_session_itself(
    store: Store, parent: str, origin: str, is_subagent: bool
) -> None:
    store.session("t", parent_session_id=parent)
    assert related(store, "t") == (origin, is_subagent)


def test_parents_in_a_circle(store: Store) -> None:
    store.session("a", parent_session_id="b")
    store.session("b", 1, parent_session_id="a")
    store.session("c", 2, parent_session_id="a")
    assert [related(store, id)[0] for id in "abc"] == ["", "", "a"]


# -- databases ---------------------------------------------------------------------------------------------------


def test_an_older_database(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", OLDER)
    store.session()
    store.said(1, "user", "Which?")
    store.said(2, "assistant", "Sencha.")
    one = read(store)
    store.close()
    assert (one.parents, one.end.leaf, one.begin.info.cwd) == ({"1": None, "2": "1"}, "2", "")


def test_only_sessions_that_changed_are_read_again(store: Store) -> None:
    fill(store)
    before = read_sessions(Hermes(), store.path)
    assert not read_sessions(Hermes(), store.path, before.checkpoint).sessions
    store.said(12, "assistant", "It is.")
    after = read_sessions(Hermes(), store.path, before.checkpoint)
    assert set(after.sessions) == {"s"}
    store.said(9, "user", "Why green?", active=0)
    assert set(read_sessions(Hermes(), store.path, after.checkpoint).sessions) == {"s"}


def test_messages_whose_session_is_missing_are_counted(store: Store) -> None:
    store.session()
    store.said(1, "user", "x", session="gone")
    assert [part.where for part in read_sessions(Hermes(), store.path).unused] == ["messages: 1"]


def test_an_undone_turn_becomes_a_branch_and_nothing_is_lost(store: Store, tmp_path: Path) -> None:
    store.session()
    store.said(1, "user", "a")
    store.said(2, "assistant", "b")
    with archived(tmp_path / "archive") as archive:
        archive.take(store.path)
        archive.take(store.path)
        assert archive.above("s") == {"a": None, "b": "a"}
        store.said(2, "assistant", "b", active=0)
        store.said(3, "assistant", "c")
        archive.take(store.path)
        assert archive.above("s") == {"a": None, "b": "a", "c": "a"}


def test_the_command_that_continues_a_session() -> None:
    assert HERMES.resume == ("hermes", "--resume", "{id}")


def test_a_recorded_session_says_the_same_in_a_database(store: Store, samples: Path) -> None:
    lines = (samples / "other" / "hermes_subagent.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    store.session(model=rows[0]["_model"])
    for id, row in enumerate(rows, 1):
        kept = {name: row[name] for name in ("tool_calls", "tool_call_id", "tool_name", "finish_reason") if row[name]}
        store.said(id, row["role"], row["content"], **kept, timestamp=row["_ts"])
    found = list(read(store).entries.values())
    assert [one.role for one in found] == [
        Role.USER, Role.ASSISTANT, Role.TOOL_RESULT, Role.ASSISTANT, Role.USER, Role.ASSISTANT,
    ]  # fmt: skip
    [asked] = found[1].blocks
    assert isinstance(asked, ToolCall)
    assert (asked.id, asked.name, len(json.loads(asked.arguments)["tasks"])) == (found[2].call, "delegate_task", 3)
    assert found[3].blocks == (Text("dispatched"),)
    assert [one.time // SECOND for one in found] == [int(row["_ts"]) for row in rows]
