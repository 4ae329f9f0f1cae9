"""LibreChat's exports: lists and trees of messages, branches, parts of replies, damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Skipped, UnusedPart
from stemmata.formats.librechat.reader import LibreChat
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared.values import BadLineError
from tests.fakes.librechat import NAME, ROOT, call, conversation, export, lost, nested, part, said, tea
from tests.unit.formats.exports import Read, sessions_of

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def put(folder: Path, data: bytes, name: str = NAME) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def one(folder: Path, *messages: object, **more: object) -> Read:
    [found], unused = sessions_of(LibreChat(), put(folder, export(list(messages), **more)))
    assert unused == []
    return found


@pytest.mark.parametrize("tree", [False, True])
def test_all_branches(tmp_path: Path, tree: bool) -> None:
    found = one(tmp_path, *tea(), tree=tree)
    assert {id: entry.parent for id, entry in found.entries.items()} == {
        "a": None,
        "b": "a",
        "b#2": "b",
        "b#3": "b#2",
        "c": "b#3",
        "d": "c",
        "e": "c",
        "f": None,
    }
    info = found.begin.info
    assert (info.source, info.source_id, info.title) == ("librechat", "c", "Tea")
    assert info.created_at == found.entries["a"].time > 0
    assert json.loads(info.details)["options"] == {"model": "gyokuro"}
    assert (found.end.leaf, found.repaired) == ("f", [])
    assert found.raw == (tmp_path / NAME).read_bytes()
    assert not lost(found.raw, LibreChat().read(tmp_path / NAME, None))


def test_a_reply_of_parts(tmp_path: Path) -> None:
    found = one(tmp_path, *tea())
    begun, told, rest, plain = (found.entries[id] for id in ("b", "b#2", "b#3", "d"))
    assert begun.blocks == (Thinking("Hm."), Text("I look."), ToolCall("t", "search", '{"q":"tea"}'))
    assert (told.role, told.call, told.tool, told.blocks) == (Role.TOOL_RESULT, "t", "search", (Text("found"),))
    assert (rest.blocks, rest.provider, rest.model) == ((Text("Sencha."),), "anthropic", "opus")
    assert (rest.usage, rest.flags) == (Usage(output=9), Flag.ENDS_TURN | Flag.UNFINISHED)
    assert (plain.model, plain.usage, found.entries["a"].flags) == ("gyokuro", None, Flag.NONE)
    assert json.loads(found.record("d"))["text"] == "Cheese."


def test_a_tree_that_is_deeper_than_json_may_be(tmp_path: Path) -> None:
    chain = [said(f"m{at}", f"m{at - 1}" if at else ROOT, str(at), user=at % 2 == 0) for at in range(3_000)]
    text = "".join(json.dumps(one)[:-1] + ',"children":[' for one in chain) + "]}" * len(chain)
    whole = json.dumps(conversation([], tree=True))[:-1].replace('"messagesTree": []', f'"messagesTree": [{text}]')
    [found], unused = sessions_of(LibreChat(), put(tmp_path, whole.encode() + b"}"))
    assert (len(found.entries), unused) == (3_000, [])
    assert found.entries["m2999"].parent == "m2998"
    assert found.record("m1").endswith(b'"children":')


@pytest.mark.parametrize(
    ("content", "block"),
    [
        (part("text", "Sencha."), Text("Sencha.")),
        ([part("text", {"odd": 1})], UnknownBlock("text", '{"type":"text","text":{"odd":1}}')),
        ([part("think", {"odd": 1})], UnknownBlock("think", '{"type":"think","think":{"odd":1}}')),
        ([part("think", ""), part("text", "Hm.")], Text("Hm.")),
        ([part("text", ""), part("text", "Hm.")], Text("Hm.")),
    ],
)
def test_content_of_another_form_is_kept(tmp_path: Path, content: object, block: object) -> None:
    assert one(tmp_path, said("a", content=content)).entries["a"].blocks == (block,)


def test_parents_by_nesting_and_by_name(tmp_path: Path) -> None:
    messages = nested([said("a", user=True), said("b", "a")])
    del messages[0]["children"][0]["parentMessageId"]
    document = conversation([], tree=True) | {"messagesTree": messages[0]}  # a single message in place of the list
    [found], _ = sessions_of(LibreChat(), put(tmp_path, json.dumps(document).encode()))
    assert {id: entry.parent for id, entry in found.entries.items()} == {"a": None, "b": "a"}
    lone = one(tmp_path, said("b", "gone"), said("b", "b"), {"text": "x"})
    assert {id: entry.parent for id, entry in lone.entries.items()} == {"b": None, "b#2": "b", "message#3": None}
    assert lone.repaired == ["Its parent gone is not in the conversation."]


def test_ends_of_replies(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        said("a", error=True, text="No."),
        said("b", "a", unfinished=True),
        said("c", "b", finish_reason="length", feedback={"rating": "thumbsUp"}),
    )
    assert [entry.flags ^ Flag.UNFINISHED for entry in found.entries.values()] == [
        Flag.FAILED,
        Flag.ABORTED,
        Flag.ENDS_TURN | Flag.CUT,
    ]
    assert json.loads(found.entries["c"].details)["feedback"] == {"rating": "thumbsUp"}


def test_a_summary_is_a_compaction(tmp_path: Path) -> None:
    found = one(tmp_path, said("a", user=True, text="x"), said("b", "a", "y", summary="So far."), said("c", "b", "z"))
    summary = found.entries["b#summary"]
    assert (summary.kind, summary.blocks, summary.parent) == (Kind.COMPACTION, (Text("So far."),), "b")
    assert found.entries["c"].parent == "b#summary"


def test_contents(tmp_path: Path) -> None:
    picture = part("image_url", {"url": f"data:image/png;base64,{PIXEL}"})
    content = [
        picture,
        part("image_url", {"url": "/images/a.png"}),
        part("image_file", {"file_id": "f"}),
        None,
        part("error", "No."),
        part("text", ""),
        part("think", ""),
        part("agent_update", {"index": 1}),
        7,
    ]
    found = one(
        tmp_path,
        said("a", user=True, text="Look", files=[{"filename": "tea\n1.txt", "file_id": "f"}, 5]),
        said("b", "a", content=content),
        said("c", "b", ":::thinking\nHm.\n:::\n\nYes."),
        said("d", "c", content="Plain"),
    )
    assert found.entries["a"].blocks == (
        UnknownBlock("file tea 1.txt", '{"filename":"tea\\n1.txt","file_id":"f"}'),
        UnknownBlock("file", "5"),
        Text("Look"),
    )
    assert [type(block) for block in found.entries["b"].blocks] == [
        Image,
        UnknownBlock,
        UnknownBlock,
        Text,
        UnknownBlock,
        UnknownBlock,
    ]
    assert found.entries["c"].blocks == (Thinking("Hm."), Text("Yes."))
    assert found.entries["d"].blocks == (Text("Plain"),)


def test_calls(tmp_path: Path) -> None:
    content = [
        call("", "search", "no JSON", None),
        call("u", args={"x": 1}, output={"n": 1}),
        part(
            "tool_call", {"id": "v", "type": "function", "function": {"name": "f", "arguments": "{}", "output": "o"}}
        ),
        part(
            "tool_call", {"id": "w", "type": "code_interpreter", "code_interpreter": {"input": "1+1", "outputs": [2]}}
        ),
        part("tool_call", {}),
    ]
    found = one(tmp_path, said("a", content=content))
    calls = [block for entry in found.entries.values() for block in entry.blocks if isinstance(block, ToolCall)]
    assert calls == [
        ToolCall("a#call1", "search", '{"input":"no JSON"}'),
        ToolCall("u", "search", '{"x":1}'),
        ToolCall("v", "f", "{}"),
        ToolCall("w", "code_interpreter", '{"input":"1+1"}'),
        ToolCall("a#call5", "", "{}"),
    ]
    results = [(one.call, one.blocks) for one in found.entries.values() if one.role is Role.TOOL_RESULT]
    assert results == [("u", (Text('{"n":1}'),)), ("v", (Text("o"),)), ("w", (Text("[2]"),))]


def test_an_export_without_branches_says_so(tmp_path: Path) -> None:
    path = put(tmp_path, export(tea()[:1], branches=False))
    [_], unused = sessions_of(LibreChat(), path)
    assert unused == [UnusedPart("Tea", "was exported without its other branches", damaged=False)]


def test_what_is_no_conversation(tmp_path: Path) -> None:
    ok = export(tea()[:1])
    listed = (
        b"[" + b",".join((export([], id="d"), export(tea()[:1], id=""), b'{"conversationId":"x"}', b"[1]", ok)) + b"]"
    )
    found, unused = sessions_of(LibreChat(), put(tmp_path, listed))
    assert len(found) == 1
    assert [(part.reason, part.damaged) for part in unused] == [
        ("is empty", False),
        ("has no id", True),
        ("has no messages", True),
        ("not a JSON object", True),
    ]
    [after], unused = sessions_of(LibreChat(), put(tmp_path, b'[{"conversationId":"d","title":"x,' + ok + b"]"))
    assert (after.begin.info.source_id, [part.damaged for part in unused]) == ("c", [True])
    with pytest.raises(BadLineError, match="length limit"):
        LibreChat().parsed(None)
    damaged = export(tea(), tree=True).replace(b'"text":"Cheese."', b'"text":Cheese')
    [rest], _ = sessions_of(LibreChat(), put(tmp_path, damaged))
    assert "e" in rest.entries
    assert "d" not in rest.entries


def test_what_is_recognised(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    for name, data in (
        ("a.json", export(tea())),
        ("b.json", b'[{"conversationId":"c","messages":[{"messageId":"a"}]}]'),
    ):
        assert formats.identify(put(tmp_path, data, name)) == "librechat"
    assert not LibreChat().sniff(b'{"conversationId":"c","messages":[]}', tmp_path)
    assert not LibreChat().sniff(b'{"exportAt":"c"}', tmp_path)


def test_messages_whose_ids_are_taken_are_all_kept(tmp_path: Path) -> None:
    ids = ("a#3", "a", "a")
    found = one(tmp_path, *(said(id, text=str(at)) for at, id in enumerate(ids)))
    assert {id: entry.blocks for id, entry in found.entries.items()} == {
        "a#3": (Text("0"),), "a": (Text("1"),), "a#3~2": (Text("2"),),
    }  # fmt: skip
    reply = said("b", content=[part("text", "x"), call("t"), part("text", "y")])
    found = one(tmp_path, reply, said("b#2", "b"), said("b#3", "b#2"))
    assert {id: entry.parent for id, entry in found.entries.items()} == {
        "b": None, "b#2~2": "b", "b#3~2": "b#2~2", "b#2": "b#3~2", "b#3": "b#2",
    }  # fmt: skip


@pytest.mark.parametrize("tree", [False, True])
def test_a_damaged_message_costs_itself(tmp_path: Path, tree: bool) -> None:
    deep = b"[" * 300 + b"]" * 300
    data = export([said("a"), said("b", "a", extra="@"), said("c", "b")], tree=tree).replace(b'"@"', deep)
    events = list(LibreChat().read(put(tmp_path, data), None))
    skipped = [event.reason for event in events if isinstance(event, Skipped)]
    assert skipped == ["message 2: nested more than 200 levels deep"]
    parents = {event.id: event.parent for event in events if isinstance(event, Entry)}
    assert parents == {"a": None, "c": "a" if tree else None}
    assert not lost(data, events)
    alone = export([said("a", extra="@")]).replace(b'"@"', deep)
    assert sessions_of(LibreChat(), put(tmp_path, alone)) == (
        [], [UnusedPart(f"{NAME}, conversation 1", "message 1: nested more than 200 levels deep")],
    )  # fmt: skip


def test_messages_below_a_field_of_another_name_are_reported(tmp_path: Path) -> None:
    """A damaged byte in the name of the list would lose them without a word."""
    whole = export(tea(), tree=True)
    path = put(tmp_path, whole.replace(b'"children":[{"messageId":"d"', b'"childrmn":[{"messageId":"d"'))
    skipped = [event for event in LibreChat().read(path, None) if isinstance(event, Skipped)]
    assert [one.reason for one in skipped] == ["message c: its field childrmn has messages"]
