"""claude.ai's exports: branches where messages name parents, one path where they do not, each kind of content."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.details import changed_in_source
from stemmata.domain.sources.reading import Blob
from stemmata.formats.claude_ai.reader import ClaudeAi
from stemmata.formats.registry import standard_formats
from tests.unit.formats.exports import Read, sessions_of, zipped

EXPORT = Path(__file__).parents[3] / "data" / "claude_ai" / "conversations.json"
AT = 1_769_936_400_000_000_000


@pytest.fixture
def clock() -> Read:
    return sessions_of(ClaudeAi(), EXPORT)[0][0]


def read_one(tmp_path: Path, record: object) -> tuple[list[Read], list[str]]:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    found, unused = sessions_of(ClaudeAi(), path)
    return found, [part.reason for part in unused]


def read_messages(tmp_path: Path, *messages: object, **more: Any) -> Read:
    [found], _ = read_one(tmp_path, {"uuid": "c", "chat_messages": list(messages), **more})
    return found


def said(tmp_path: Path, *content: object, sender: str = "assistant", **more: Any) -> list[Entry]:
    message = {"uuid": "m", "sender": sender, "content": list(content), **more}
    return list(read_messages(tmp_path, message).entries.values())


# -- the conversations of an export ------------------------------------------------------------------------------


def test_every_conversation_is_a_session_and_the_others_are_named() -> None:
    found, unused = sessions_of(ClaudeAi(), EXPORT)
    assert [one.begin.info.title for one in found] == ["A clock that stops", "A name"]
    assert [(part.where, part.reason, part.damaged) for part in unused] == [
        ("conversations.json, conversation 3", "is empty", False),
        ("conversations.json, conversation 4", "has no messages", True),
    ]


def test_the_facts_of_a_conversation(clock: Read) -> None:
    info = clock.begin.info
    assert (info.source, info.source_id) == ("claude-ai", "c10c0000-0000-4000-8000-000000000001")
    assert info.created_at == AT
    assert changed_in_source(info.details) == AT + 600_000_000_000
    assert json.loads(info.details)["summary"] == "About a clock."


def test_the_bytes_of_a_session_are_its_part_of_the_file_and_records_lie_in_it(clock: Read) -> None:
    assert clock.raw in EXPORT.read_bytes()
    for message in json.loads(clock.raw)["chat_messages"]:
        assert json.loads(clock.record(message["uuid"])) == message
    assert clock.record("c-a2#2") == clock.record("c-a2")


def test_edits_and_retries_are_branches(clock: Read) -> None:
    children: dict[str | None, list[str]] = {}
    for entry in clock.entries.values():
        children.setdefault(entry.parent, []).append(entry.id)
    assert children == {
        None: ["c-u1"], "c-u1": ["c-a1", "c-a2"], "c-a2": ["c-a2#2"], "c-a2#2": ["c-a2#3"],
        "c-a2#3": ["c-u2", "c-u2b"], "c-u2": ["c-a3"], "c-u2b": ["c-a4"],
    }  # fmt: skip
    assert (clock.end.leaf, clock.end.leaf_known) == ("c-a4", True)


def test_a_reply_with_a_tool_is_three_entries(clock: Read) -> None:
    first, result, last = (clock.entries[id] for id in ("c-a2", "c-a2#2", "c-a2#3"))
    call = ToolCall("c-a2#call1", "web_search", '{"query":"clock oil"}')
    assert first.blocks == (Thinking("Cold thickens oil."), Text("Let me look."), call)
    assert (first.role, first.flags) == (Role.ASSISTANT, Flag.NONE)
    assert (result.role, result.tool, result.call) == (Role.TOOL_RESULT, "web_search", "c-a2#call1")
    assert result.blocks == (Text("Oil\n\nhttps://example.org/oil\n\nThin oil is better."),)
    assert (last.blocks, last.flags) == ((Text("Use thin oil."),), Flag.ENDS_TURN)
    assert {first.time, result.time, last.time} == {AT + 60_000_000_000}


def test_attached_texts_are_text_and_files_are_references(clock: Read) -> None:
    attached, file, asked = clock.entries["c-u1"].blocks
    assert attached == Text("notes.txt:\n\nIt is cold.")
    assert file == UnknownBlock("file clock.jpg", '{"file_name":"clock.jpg"}')
    assert asked == Text("Why does my clock stop?")


def test_without_parents_the_order_is_the_path() -> None:
    old = sessions_of(ClaudeAi(), EXPORT)[0][1]
    assert [(entry.id, entry.parent, entry.blocks) for entry in old.entries.values()] == [
        ("o-u1", None, (Text("A name for a cat?"),)), ("o-a1", "o-u1", (Text("Biscuit."),)),
    ]  # fmt: skip
    assert old.end.leaf == "o-a1"


def test_messages_whose_ids_are_taken_are_all_kept(tmp_path: Path) -> None:
    messages = [{"uuid": id, "sender": "human", "text": str(at)} for at, id in enumerate(("a+3", "a", "a"))]
    found = read_messages(tmp_path, *messages)
    assert {id: (entry.parent, entry.blocks) for id, entry in found.entries.items()} == {
        "a+3": (None, (Text("0"),)), "a": ("a+3", (Text("1"),)), "a+3~2": ("a", (Text("2"),)),
    }  # fmt: skip


def test_the_leaf_of_the_web_interface_is_the_leaf(tmp_path: Path) -> None:
    rows = (("a", ""), ("b", "a"), ("c", "a"))
    messages = [{"uuid": id, "sender": "human", "text": id, "parent_message_uuid": parent} for id, parent in rows]
    assert read_messages(tmp_path, *messages, current_leaf_message_uuid="b").end.leaf == "b"
    assert read_messages(tmp_path, *messages, current_leaf_message_uuid="gone").end.leaf == "c"


def test_without_a_leaf_the_latest_message_is_the_leaf(tmp_path: Path) -> None:
    rows = (("a", "", 1), ("b", "a", 3), ("c", "a", 2))
    messages = [
        {"uuid": id, "sender": "human", "parent_message_uuid": parent, "created_at": f"2026-01-0{day}T00:00:00Z"}
        for id, parent, day in rows
    ]
    assert read_messages(tmp_path, *messages).end.leaf == "b"


# -- kinds of content --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "blocks"),
    [
        ({"type": "text", "text": ""}, []),
        ({"type": "text", "text": 5}, [UnknownBlock("text", '{"type":"text","text":5}')]),
        ({"type": "thinking", "summaries": [{"summary": "a"}, "b"]}, [Thinking("a\n\n")]),
        ({"type": "thinking", "thinking": ""}, [Thinking("")]),
        ({"type": "voice_note", "title": "T", "text": "x"}, [Text("T\n\nx")]),
        ({"type": "token_budget"}, []),
        ({"type": "tool_use", "id": "t", "name": "n"}, [ToolCall("t", "n", "{}")]),
        ({"type": "new", "a": 1}, [UnknownBlock("new", '{"type":"new","a":1}')]),
        (5, [UnknownBlock("", "5")]),
    ],
)
def test_content_of_every_type(tmp_path: Path, item: object, blocks: list[Block]) -> None:
    [entry] = said(tmp_path, item)
    assert entry.blocks == tuple(blocks)


PIXEL = base64.b64encode(b"picture").decode()


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        (None, []),
        ("out", [Text("out")]),
        ("", []),
        ([{"type": "text", "text": "out"}, {"type": "text"}], [Text("out"), UnknownBlock("text", '{"type":"text"}')]),
        ([{"type": "image", "file_uuid": "f"}], [UnknownBlock("image", '{"type":"image","file_uuid":"f"}')]),
        ([5], [UnknownBlock("", "5")]),
    ],
)
def test_results_of_every_type(tmp_path: Path, content: object, blocks: list[Block]) -> None:
    [entry] = said(tmp_path, {"type": "tool_result", "content": content, "is_error": True})
    assert (entry.blocks, entry.flags, entry.call) == (tuple(blocks), Flag.FAILED, "")


def test_a_picture_in_a_result_is_stored(tmp_path: Path) -> None:
    item = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    message = {"uuid": "m", "sender": "assistant", "content": [{"type": "tool_result", "content": [item]}]}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"uuid": "c", "chat_messages": [message]}]), encoding="utf-8")
    events = list(ClaudeAi().read(path, None))
    [at] = [at for at, event in enumerate(events) if isinstance(event, Blob)]
    blob, entry = events[at], events[at + 1]
    assert isinstance(blob, Blob)
    assert isinstance(entry, Entry)
    assert entry.blocks == (Image("image/png", blob.digest, 7),)


def test_results_find_their_calls_by_id_then_by_tool_then_in_order(tmp_path: Path) -> None:
    calls = [{"type": "tool_use", "name": name} for name in ("a", "b", "c")]
    results: list[dict[str, Any]] = [
        {"type": "tool_result", "name": "b"},
        {"type": "tool_result"},
        {"type": "tool_result", "tool_use_id": "m#call3"},
        {"type": "tool_result", "tool_use_id": "x", "name": "y"},
    ]
    entries = said(tmp_path, *calls, *results)
    assert [(entry.call, entry.tool) for entry in entries[1:]] == [
        ("m#call2", "b"), ("m#call1", "a"), ("m#call3", "c"), ("x", "y"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "flags"),
    [("end_turn", Flag.ENDS_TURN), ("max_tokens", Flag.CUT), ("user_canceled", Flag.ABORTED), (None, Flag.ENDS_TURN)],
)
def test_how_a_reply_ended(tmp_path: Path, reason: str | None, flags: Flag) -> None:
    [entry] = said(tmp_path, {"type": "text", "text": "x"}, stop_reason=reason)
    assert entry.flags == flags


@pytest.mark.parametrize(
    ("content", "plain", "blocks"),
    [
        ([{"type": "text", "text": ""}], "plain", [Text("plain")]),
        ([{"type": "text", "text": "said"}], "plain", [Text("said")]),
        ([{"type": "thinking", "thinking": "hm"}], "plain", [Thinking("hm")]),
        ("odd", "plain", [Text("plain"), Text("odd")]),
        ("plain", "plain", [Text("plain")]),
        ({"type": "odd"}, "", [UnknownBlock("odd", '{"type":"odd"}')]),
        ([], "", []),
    ],
)
def test_the_plain_text_counts_where_the_content_says_nothing(
    tmp_path: Path, content: object, plain: str, blocks: list[Block]
) -> None:
    message = {"uuid": "m", "sender": "human", "content": content, "text": plain}
    assert read_messages(tmp_path, message).entries["m"].blocks == tuple(blocks)


def test_attachments_without_text_and_files_of_the_web_interface(tmp_path: Path) -> None:
    [entry] = said(
        tmp_path,
        sender="human",
        attachments=[{"file_name": "a\nb.pdf"}, {"extracted_content": "x"}, 5],
        files=[{"file_name": "old"}],
        files_v2=[{"file_name": "new.png", "file_kind": "image"}],
    )
    assert entry.blocks == (
        UnknownBlock("attachment a b.pdf", '{"file_name":"a\\nb.pdf"}'),
        Text("attachment:\n\nx"),
        UnknownBlock("attachment", "5"),
        UnknownBlock("file new.png", '{"file_name":"new.png","file_kind":"image"}'),
    )


# -- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"chat_messages": [1]}, "has no id"),
        ({"uuid": "c", "chat_messages": {}}, "has no messages"),
        ({"uuid": "c", "chat_messages": []}, "is empty"),
    ],
)
def test_an_element_that_is_no_conversation(tmp_path: Path, record: object, reason: str) -> None:
    assert read_one(tmp_path, record) == ([], [reason])


def test_messages_of_an_unknown_kind_are_kept_as_they_are(tmp_path: Path) -> None:
    found = read_messages(tmp_path, 5, {"uuid": "m", "sender": "system"}, {"uuid": "m", "sender": "human"})
    first, second, third = found.entries.values()
    assert (first.id, first.kind, first.flags, first.details, first.record) == (
        "+1", Kind.UNKNOWN, Flag.HIDDEN, "5", None,
    )  # fmt: skip
    assert (second.id, second.parent, json.loads(second.details)["sender"]) == ("m", "+1", "system")
    assert (third.id, third.parent, third.role) == ("m+3", "m", Role.USER)
    assert json.loads(found.record("m+3")) == {"uuid": "m", "sender": "human"}


def test_a_parent_that_is_missing_is_repaired_and_reported(tmp_path: Path) -> None:
    result = {"type": "tool_result", "content": "x"}
    message = {"uuid": "m", "sender": "assistant", "parent_message_uuid": "gone", "content": [result, result]}
    found = read_messages(tmp_path, message)
    assert [(entry.parent, entry.flags) for entry in found.entries.values()] == [
        (None, Flag.REPAIRED), ("m", Flag.NONE),
    ]  # fmt: skip
    assert found.repaired == ["Its parent gone is not in the conversation."]


# -- files of an export ------------------------------------------------------------------------------------------


def test_a_batch_with_its_other_files(tmp_path: Path) -> None:
    files = {"conversations.json": EXPORT.read_bytes(), "projects.json": b"[]", "users.json": b"[]"}
    path = zipped(tmp_path / "data-2026-02-01-batch-0000.dms", files)
    formats = standard_formats(tmp_path / "home", {})
    assert formats.identify(path) == "claude-ai"
    assert formats.expand(tmp_path)[0] == [path]
    _, unused = sessions_of(ClaudeAi(), path)
    assert [(part.where, part.damaged) for part in unused[2:]] == [("projects.json", False), ("users.json", False)]


def test_the_other_files_by_themselves_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "projects.json"
    path.write_bytes(b"[]")
    with pytest.raises(UnreadableSourceError, match=r"contains no sessions, but the user's projects, .* claude\.ai"):
        standard_formats(tmp_path, {}).identify(path)


def test_a_folder_of_exports_is_its_conversations(tmp_path: Path) -> None:
    conversations = ("a/conversations-001.json", "conversations.json", "my letters.json")
    for name in (*conversations, "projects.json", "other.json", "letters.zip"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(EXPORT.read_bytes() if name in conversations else b"[]")
    found = standard_formats(tmp_path, {}).expand(tmp_path)[0]
    assert sorted(str(path.relative_to(tmp_path)) for path in found) == list(conversations)


def test_the_samples_are_read_whole(samples: Path) -> None:
    for path in sorted((samples / "claude-ai").glob("*.json")):
        found, _ = sessions_of(ClaudeAi(), path)
        assert found
        for one in found:
            ids = [message["uuid"] for message in json.loads(one.raw)["chat_messages"]]
            assert {id.partition("#")[0] for id in one.entries} == set(ids)
            assert not one.repaired


def test_messages_of_an_earlier_list_are_kept(tmp_path: Path) -> None:
    """JSON readers take the last value of a key that is repeated."""
    first, second = ({"uuid": id, "sender": "human", "text": id * 9} for id in "ab")
    lists = [json.dumps([first, second]), json.dumps([second]), "[]"]
    path = tmp_path / "conversations.json"
    for number, last in enumerate(lists[1:]):
        path.write_text(f'[{{"uuid": "c", "chat_messages": {lists[0]}, "chat_messages": {last}}}]', encoding="utf-8")
        [found], unused = sessions_of(ClaudeAi(), path)
        assert list(found.entries) == ["a", "b"]
        what = ["1 message is", "2 messages are"][number]
        assert found.repaired == [
            f"The conversation has several lists of messages. {what} only in an earlier one, and kept."
        ]
        assert json.loads(found.record("a")) == first
        assert unused == []


def test_a_message_of_an_earlier_list_whose_keys_have_another_order_is_the_same(tmp_path: Path) -> None:
    first, last = '[{"uuid": "a", "text": "one"}]', '[{"text": "one", "uuid": "a"}]'
    path = tmp_path / "conversations.json"
    path.write_text(f'[{{"uuid": "c", "chat_messages": {first}, "chat_messages": {last}}}]', encoding="utf-8")
    [found], _unused = sessions_of(ClaudeAi(), path)
    assert list(found.entries) == ["a"]
    assert not found.repaired


def test_messages_of_two_lists_are_not_compared_in_pairs(tmp_path: Path) -> None:
    first, last = ([{"uuid": f"{name}{number}", "text": "a"} for number in range(20_000)] for name in "el")
    one_list = seconds_for(tmp_path, f'"chat_messages":{json.dumps(first + last)}')
    two_lists = seconds_for(tmp_path, f'"chat_messages":{json.dumps(first)},"chat_messages":{json.dumps(last)}')
    assert two_lists < 4 * one_list


def seconds_for(tmp_path: Path, lists: str) -> float:
    """Return the processor time for reading a conversation of 40,000 messages."""
    path = tmp_path / "conversations.json"
    path.write_text(f'[{{"uuid":"c","name":"x",{lists}}}]', encoding="utf-8")
    begun = time.process_time()
    [found], _ = sessions_of(ClaudeAi(), path)
    assert len(found.entries) == 40_000
    return time.process_time() - begun
