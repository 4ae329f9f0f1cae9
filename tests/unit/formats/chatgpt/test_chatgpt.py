"""ChatGPT's exports: the whole tree of every conversation, each kind of message, damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sessions.details import changed_in_source
from stemmata.domain.sources.reading import Skipped
from stemmata.formats.chatgpt.message import seconds
from stemmata.formats.chatgpt.reader import ChatGPT
from stemmata.formats.shared import export_format
from tests.unit.formats.exports import Read, sessions_of

EXPORT = Path(__file__).parents[3] / "data" / "chatgpt" / "conversations.json"
AT = 1_767_225_600_000_000_000


@pytest.fixture
def kettle() -> Read:
    return sessions_of(ChatGPT(), EXPORT)[0][0]


def read_one(tmp_path: Path, record: object) -> tuple[list[Read], list[str]]:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    found, unused = sessions_of(ChatGPT(), path)
    return found, [part.reason for part in unused]


def chat(messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation of one path."""
    before: str | None = None
    mapping = {}
    for id, message in messages.items():
        mapping[id] = {"id": id, "parent": before, "message": message}
        before = id
    return {"conversation_id": "c", "mapping": mapping, **more}


def entry_of(tmp_path: Path, message: object) -> Entry:
    [found], _ = read_one(tmp_path, chat({"x": message}))
    return found.entries["x"]


def blocks_of(tmp_path: Path, content: object, role: str = "assistant", **more: Any) -> tuple[Block, ...]:
    return entry_of(tmp_path, {"author": {"role": role}, "content": content, **more}).blocks


# -- the conversations of an export ------------------------------------------------------------------------------


def test_every_conversation_is_a_session_and_the_others_are_named() -> None:
    found, unused = sessions_of(ChatGPT(), EXPORT)
    assert [one.begin.info.title for one in found] == ["A kettle that clicks", "Bread"]
    assert [(part.where, part.reason, part.damaged) for part in unused] == [
        ("conversations.json, conversation 3", "is empty", False),
        ("conversations.json, conversation 4", "has no messages", True),
    ]


def test_the_facts_of_a_conversation(kettle: Read) -> None:
    info = kettle.begin.info
    assert (info.source, info.source_id) == ("chatgpt", "c0ffee00-0000-4000-8000-000000000001")
    assert info.created_at == AT
    assert changed_in_source(info.details) == AT + 900_250_000_000
    assert json.loads(info.details)["default_model_slug"] == "gpt-5"


def test_the_bytes_of_a_session_are_its_part_of_the_file_and_records_lie_in_it(kettle: Read) -> None:
    assert kettle.raw in EXPORT.read_bytes()
    for id, node in json.loads(kettle.raw)["mapping"].items():
        if node["message"] is not None:
            assert json.loads(kettle.record(id)) == node


def test_the_session_of_an_export_can_be_imported_by_itself(tmp_path: Path, kettle: Read) -> None:
    path = tmp_path / "kettle.json"
    path.write_bytes(kettle.raw)
    [again], _ = sessions_of(ChatGPT(), path)
    assert (again.begin, again.entries, again.raw) == (kettle.begin, kettle.entries, kettle.raw)


def test_edits_and_regenerations_are_branches(kettle: Read) -> None:
    children: dict[str | None, list[str]] = {}
    for entry in kettle.entries.values():
        children.setdefault(entry.parent, []).append(entry.id)
    assert children[None] == ["k-sys"]
    assert children["k-ctx"] == ["k-u1", "k-u1b"]
    assert children["k-u1"] == ["k-a1", "k-a2"]
    assert (kettle.end.leaf, kettle.end.leaf_known) == ("k-a4", True)


def test_hidden_messages_are_kept_and_marked(kettle: Read) -> None:
    system, context = kettle.entries["k-sys"], kettle.entries["k-ctx"]
    assert (system.role, system.flags) == (Role.SYSTEM, Flag.HIDDEN | Flag.EXCLUDED)
    assert (context.role, context.name, context.flags) == (Role.SYSTEM, "user_editable_context", Flag.HIDDEN)
    assert context.blocks == (Text("I repair things.\n\nAnswer briefly."),)


def test_pictures_and_files_are_references(kettle: Read) -> None:
    file, picture, said = kettle.entries["k-u2"].blocks
    assert isinstance(file, UnknownBlock)
    assert (file.type, json.loads(file.json)["size"]) == ("attachment manual.pdf", 12345)
    assert picture == Image("image/*", "", 2048, "sediment://file_kettle")
    assert said == Text("Is this the disc? Look it up.")


def test_thoughts_calls_results_and_recaps(kettle: Read) -> None:
    entries = kettle.entries
    assert entries["k-t1"].blocks == (Thinking("Looking\n\nThe picture shows a disc."), Thinking("Searching"))
    assert entries["k-c1"].blocks == (ToolCall("k-c1", "web.search", '{"query":"kettle disc"}'),)
    first, second = entries["k-r1"], entries["k-q1"]
    assert (first.role, first.tool, first.call, first.blocks) == (
        Role.TOOL_RESULT, "web.search", "k-c1", (Text("1 page"),),
    )  # fmt: skip
    assert (second.call, second.blocks) == ("k-c1", (Text("Discs\n\nhttps://example.org/disc\n\nThey snap."),))
    recap = entries["k-p1"]
    assert (recap.kind, recap.name, recap.blocks) == (
        Kind.CUSTOM, "reasoning_recap", (Text("Thought for 4 seconds"),),
    )  # fmt: skip


def test_models_times_and_ends(kettle: Read) -> None:
    last, stopped, asked = kettle.entries["k-a4"], kettle.entries["k-a3"], kettle.entries["k-u1"]
    assert (last.provider, last.model, last.time) == ("openai", "gpt-5", AT + 96_000_000_000)
    assert last.flags == Flag.ENDS_TURN
    assert stopped.flags == Flag.ABORTED
    assert (asked.provider, asked.model) == ("", "")


# -- kinds of content --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ({"content_type": "text", "parts": ["a", "", "b"]}, [Text("a"), Text("b")]),
        ({"content_type": "text", "parts": "odd"}, [Text("odd")]),
        ({"content_type": "text", "parts": {"odd": 1}}, [UnknownBlock("", '{"odd":1}')]),
        ({"content_type": "text", "parts": None}, []),
        ({"content_type": "code", "language": "python", "text": "1"}, [Text("```python\n1\n```")]),
        ({"content_type": "code", "language": "unknown", "text": "1"}, [Text("```\n1\n```")]),
        ({"content_type": "code", "text": ""}, []),
        ({"content_type": "execution_output", "text": "out"}, [Text("out")]),
        ({"content_type": "system_error", "name": "E", "text": "bad"}, [Text("E: bad")]),
        ({"content_type": "thoughts", "parts": ["hm"]}, [Thinking("hm")]),
        ({"content_type": "thoughts", "thoughts": ["odd"]}, [UnknownBlock("", '"odd"')]),
        ({"content_type": "thoughts", "thoughts": {"content": "odd"}}, [Thinking("odd")]),
        ({"content_type": "reasoning_recap", "parts": ["so"]}, [Text("so")]),
        ({"content_type": "sonic_webpage", "title": "T", "text": "x"}, [Text("T\n\nx")]),
        (
            {"content_type": "computer_output", "screenshot": {"asset_pointer": "p", "size_bytes": 3}},
            [Image("image/*", "", 3, "p")],
        ),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "audio_transcription", "text": "said"},
                    {"content_type": "new", "a": 1},
                    5,
                ],
            },
            [Text("said"), UnknownBlock("new", '{"content_type":"new","a":1}'), UnknownBlock("", "5")],
        ),
        ({"content_type": "new_type", "x": 1}, [UnknownBlock("new_type", '{"content_type":"new_type","x":1}')]),
        ("plain", [Text("plain")]),
        (None, []),
        ([1], [UnknownBlock("", "[1]")]),
    ],
)
def test_content_of_every_type(tmp_path: Path, content: object, blocks: list[Block]) -> None:
    assert blocks_of(tmp_path, content) == tuple(blocks)


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ({"content_type": "code", "text": "print(1)"}, '{"code":"print(1)"}'),
        ({"content_type": "text", "parts": ["look ", "up"]}, '{"input":"look up"}'),
        ({"content_type": "text", "parts": ['{"a": 1.0}']}, '{"a":1}'),
        ({"content_type": "text", "parts": ["[1]"]}, '{"input":"[1]"}'),
        ({"content_type": "odd", "x": 1}, '{"content_type":"odd","x":1}'),
    ],
)
def test_arguments_of_a_call(tmp_path: Path, content: object, arguments: str) -> None:
    assert blocks_of(tmp_path, content, recipient="tool") == (ToolCall("x", "tool", arguments),)


def test_a_failed_tool_and_a_result_without_a_call(tmp_path: Path) -> None:
    entry = entry_of(
        tmp_path,
        {"author": {"role": "tool", "name": "python"}, "content": {"content_type": "system_error", "text": "no"}},
    )
    assert (entry.tool, entry.call, entry.flags, entry.blocks) == ("python", "", Flag.FAILED, (Text("no"),))


def test_a_result_without_a_name_is_of_the_tool_above_it_across_nodes_without_messages(tmp_path: Path) -> None:
    call = {
        "author": {"role": "assistant"},
        "recipient": "dalle",
        "content": {"content_type": "text", "parts": ["x"]},
    }
    result = {"author": {"role": "tool"}, "content": {"content_type": "text", "parts": ["done"]}}
    [found], _ = read_one(tmp_path, chat({"a": call, "nothing": None, "b": result}, current_node="nothing"))
    assert (found.entries["b"].tool, found.entries["b"].call, found.entries["b"].parent) == ("dalle", "a", "a")
    assert found.end.leaf == "a"


def test_what_a_message_says_besides_is_in_its_details(tmp_path: Path) -> None:
    entry = entry_of(
        tmp_path,
        {
            "author": {"role": "assistant"}, "content": "a", "channel": "final", "status": "in_progress",
            "recipient": "all", "weight": 1.0, "metadata": {"finish_details": {"type": "max_tokens"}},
        },
    )  # fmt: skip
    assert json.loads(entry.details) == {"channel": "final", "status": "in_progress"}
    assert entry.flags == Flag.CUT


@pytest.mark.parametrize(
    "message", [["odd"], {"author": {"role": "critic"}}, {"author": 5}, {"author": {"role": []}}]
)
def test_a_message_of_an_unknown_kind_is_kept_as_it_is(tmp_path: Path, message: object) -> None:
    entry = entry_of(tmp_path, message)
    assert (entry.kind, entry.flags, json.loads(entry.details)) == (Kind.UNKNOWN, Flag.HIDDEN, message)


# -- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"mapping": {}}, "is empty"),
        ({"id": "c"}, "has no messages"),
        ({"id": "c", "mapping": {}}, "is empty"),
        ({"id": "c", "mapping": {"a": 5}}, "is empty"),
        ([1], "not a JSON object"),
    ],
)
def test_an_element_that_is_no_conversation(tmp_path: Path, record: object, reason: str) -> None:
    assert read_one(tmp_path, record) == ([], [reason])


def test_a_conversation_without_an_id_is_named_by_its_first_message(tmp_path: Path) -> None:
    mapping = {"r": {"message": None}, "a": {"parent": "r", "message": {"author": {"role": "user"}, "content": "x"}}}
    [found], unused = read_one(tmp_path, {"title": "Tea", "mapping": mapping})
    assert (found.begin.info.source_id, list(found.entries), unused) == ("a", ["a"], [])
    assert found.repaired == ["The conversation has no id. It is named by its first message."]


def test_a_conversation_that_is_cut_before_its_first_message_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(EXPORT.read_bytes().split(b'"b-u1": {')[0])
    found, [part] = sessions_of(ChatGPT(), path)
    assert [one.begin.info.title for one in found] == ["A kettle that clicks"]
    assert (part.where, part.reason) == ("conversations.json, conversation 2", "cut off by the end of the file")


def test_without_a_current_node_the_latest_message_is_the_leaf(tmp_path: Path) -> None:
    messages = {id: {"author": {"role": "user"}, "content": id, "create_time": at} for id, at in (("a", 2), ("b", 1))}
    [found], _ = read_one(tmp_path, chat(messages, current_node="gone"))
    assert found.end.leaf == "a"


def test_links_that_lead_nowhere_are_repaired_and_reported(tmp_path: Path) -> None:
    message = {"author": {"role": "user"}, "content": "x"}
    mapping = {
        "a": {"parent": "gone", "message": message, "children": ["b", 5]},
        "b": {"parent": None, "message": message, "children": "odd"},
        "c": {"parent": "c", "message": message},
    }
    [found], _ = read_one(tmp_path, {"id": "c", "mapping": mapping})
    assert {entry.id: (entry.parent, entry.flags) for entry in found.entries.values()} == {
        "a": (None, Flag.REPAIRED), "b": ("a", Flag.NONE), "c": (None, Flag.REPAIRED),
    }  # fmt: skip
    assert found.repaired == [
        "Its parent gone is not in the conversation.",
        "Its chain of parents leads back to itself.",
    ]


def test_messages_that_are_no_objects_are_reported(tmp_path: Path) -> None:
    record = chat({"a": {"author": {"role": "user"}, "content": "x"}})
    record["mapping"] |= {"b": "text", "c": ["text"], "d": None}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    skipped = [event.reason for event in ChatGPT().read(path, None) if isinstance(event, Skipped)]
    assert skipped == ["message b: not a JSON object", "message c: not a JSON object"]


def test_an_id_that_is_no_text_in_the_bytes_has_its_record(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(b'[{"id": "c", "mapping": {"\xff\\ud800": {"message": {"author": {"role": "user"}}}}}]')
    [found], _ = sessions_of(ChatGPT(), path)
    [entry] = found.entries.values()
    assert entry.record is not None


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (1767225600, AT),
        (1767225600.25, AT + 250_000_000),
        ("1767225600.25", AT + 250_000_000),
        ("2026-01-01T00:00:00Z", AT),
        ("soon", 0),
        ("nan", 0),
        (True, 0),
        (1e300, 0),
        (None, 0),
    ],
)
def test_times(value: object, time: int) -> None:
    assert seconds(value) == time


def test_the_samples_are_read_whole(samples: Path) -> None:
    for path in sorted((samples / "chatgpt").glob("*.json")):
        found, _ = sessions_of(ChatGPT(), path)
        assert found
        for one in found:
            nodes = json.loads(one.raw)["mapping"]
            assert one.entries.keys() == {id for id, node in nodes.items() if node["message"]}
            assert not one.repaired


# -- conversations that were branched off ------------------------------------------------------------------------


def branch(id: str, origin: Any) -> dict[str, Any]:
    """A conversation that takes over the first message of another one."""
    taken = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Tea?"]}, "create_time": 1}
    metadata = {"branching_from_conversation_id": origin, "branching_from_conversation_title": "Tea"}
    own = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [id]}, "metadata": metadata}
    return {**chat({"root": None, "m": taken, f"{id}-own": own}), "conversation_id": id}


def order(tmp_path: Path, *records: dict[str, Any]) -> list[tuple[str, str]]:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    found, unused = sessions_of(ChatGPT(), path)
    assert unused == []
    return [(one.begin.info.source_id, one.begin.info.parent_source_id) for one in found]


def test_a_branch_names_its_origin_and_is_read_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origin, other = branch("o", None), branch("x", "")
    assert order(tmp_path, branch("c", "b"), branch("b", "o"), other, origin) == [
        ("x", ""), ("o", ""), ("b", "o"), ("c", "b"),
    ]  # fmt: skip
    assert order(tmp_path, origin, branch("b", "o"), other) == [("o", ""), ("b", "o"), ("x", "")]
    assert order(tmp_path, branch("b", "gone"), other) == [("x", ""), ("b", "gone")]
    assert order(tmp_path, branch("b", "b"), other) == [("b", ""), ("x", "")]
    assert sorted(order(tmp_path, branch("b", "c"), branch("c", "b"))) == [("b", "c"), ("c", "b")]
    monkeypatch.setattr(export_format, "_MOST_WAITING", 0)
    assert order(tmp_path, branch("b", "o"), origin) == [("b", "o"), ("o", "")]
