"""Open WebUI's exports: whole trees, each kind of content in both ways of writing replies, and damage."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sessions.details import changed_in_source
from stemmata.domain.sources.reading import Blob
from stemmata.formats.open_webui.message import moment
from stemmata.formats.open_webui.reader import OpenWebui
from stemmata.formats.registry import standard_formats
from tests.fakes.open_webui import AT, chat, export, message, record, tea
from tests.unit.formats.exports import Read, sessions_of

NS = 1_000_000_000


def read_one(tmp_path: Path, data: object) -> tuple[list[Read], list[str]]:
    path = tmp_path / "chat-export-1.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    found, unused = sessions_of(OpenWebui(), path)
    return found, [part.reason for part in unused]


def said(tmp_path: Path, content: object, role: str = "assistant", **more: Any) -> list[Entry]:
    [found], _ = read_one(tmp_path, chat(message("m", None, role, content, **more)))
    return list(found.entries.values())


# -- the chats of an export ---------------------------------------------------------------------------------------


def test_every_chat_is_a_session_and_its_facts(tmp_path: Path) -> None:
    odd = record(tea(), "c2", pinned=True, folder_id="f")
    found, unused = read_one(tmp_path, export(record(tea()), odd, record({}, "c3"), {"id": "c4", "chat": 5}))
    assert [one.begin.info.source_id for one in found] == ["c1", "c2"]
    assert unused == ["has no messages", "has no messages"]
    info = found[1].begin.info
    assert (info.source, info.title, info.created_at) == ("open-webui", "Tea", AT * NS)
    assert changed_in_source(info.details) == (AT + 60) * NS
    facts = json.loads(info.details)
    assert (facts["pinned"], facts["folder_id"], facts["models"]) == (True, "f", ["m"])


def test_regenerated_and_edited_messages_are_branches(tmp_path: Path) -> None:
    [found], _ = read_one(tmp_path, export(record(tea())))
    assert [(entry.id, entry.parent) for entry in found.entries.values()] == [
        ("u1", None), ("a1", "u1"), ("a2", "u1"), ("a2#2", "a2"), ("a2#3", "a2#2"),
        ("u2", "a2#3"), ("u3", "a2#3"), ("a3", "u3"),
    ]  # fmt: skip
    assert (found.end.leaf, found.end.leaf_known, found.repaired) == ("a3", True, [])


@pytest.mark.parametrize("is_bare", [True, False])
def test_records_lie_in_the_bytes_of_the_session(tmp_path: Path, *, is_bare: bool) -> None:
    given = tea()
    [found], _ = read_one(tmp_path, json.dumps(given if is_bare else [record(given)], indent=1).encode())
    for id, one in given["history"]["messages"].items():
        assert json.loads(found.record(id)) == one
    assert found.entries["a2#3"].record == found.entries["a2"].record


def test_a_chat_by_itself_without_an_id_is_named_by_its_first_message(tmp_path: Path) -> None:
    [found], _ = read_one(tmp_path, tea())
    info = found.begin.info
    assert (info.source_id, info.title, info.created_at) == ("u1", "Tea", AT * NS)


def test_the_current_message_is_the_leaf_and_else_the_latest(tmp_path: Path) -> None:
    rows = [message("a", None, "user", "a"), message("b", "a", "user", "b", timestamp=AT + 9)]
    rows.append(message("c", "a", "user", "c"))
    assert read_one(tmp_path, chat(*rows, current="c"))[0][0].end.leaf == "c"
    assert read_one(tmp_path, chat(*rows, current="gone"))[0][0].end.leaf == "b"


def test_it_is_recognised_by_its_content(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path / "home", {})
    path = tmp_path / "archived-chat-export-1.json"
    for data in (export(record(tea())), json.dumps(tea(), indent=4).encode()):
        path.write_bytes(data)
        assert formats.identify(path) == "open-webui"
        assert formats.expand(tmp_path)[0] == [path]
    reader = OpenWebui()
    assert not reader.sniff(b'[{"id":"a","chat":"history"}]', path)
    assert not reader.sniff(b'{"note":{"history":{"messages":{}}}}', path)
    assert not reader.sniff(b'{"sessionId":"a","history":[{"message":{}}]}', path)
    assert list(reader.folders(tmp_path, {})) == []


# -- kinds of content ---------------------------------------------------------------------------------------------


def test_a_reply_that_is_one_item_in_place_of_a_list(tmp_path: Path) -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Sencha."}]}
    assert [entry.blocks for entry in said(tmp_path, "", output=item)] == [(Text("Sencha."),)]
    assert [entry.blocks for entry in said(tmp_path, "Bancha.", output="")] == [(Text("Bancha."),)]


def test_a_reply_that_is_a_list_of_items(tmp_path: Path) -> None:
    [found], _ = read_one(tmp_path, export(record(tea())))
    first, result, last = (found.entries[id] for id in ("a2", "a2#2", "a2#3"))
    assert first.blocks == (Thinking("Green?"), ToolCall("t1", "shop", '{"what":"tea"}'))
    assert (first.role, first.model, first.usage, first.flags) == (Role.ASSISTANT, "m", None, Flag.NONE)
    assert (result.role, result.tool, result.call) == (Role.TOOL_RESULT, "shop", "t1")
    assert result.blocks == (Text("Sencha, 5"),)
    assert (last.blocks, last.flags) == ((Text("Sencha."),), Flag.ENDS_TURN)
    assert last.usage == Usage(input=100, output=20, total=120)
    assert {first.time, result.time, last.time} == {AT * NS}


def test_items_of_every_type(tmp_path: Path) -> None:
    items: list[object] = [
        {"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}]},
        {"type": "function_call", "name": "n", "arguments": "not json"},
        {"type": "function_call_output", "call_id": "x", "output": "", "status": "failed"},
        {"type": "function_call_output", "call_id": "y", "output": [{"type": "odd"}]},
        {"type": "open_webui:code_interpreter", "code": "1"},
        {"type": "message", "content": []},
        5,
    ]
    first, failed, odd, last = said(tmp_path, "", output=items)
    assert first.blocks == (Thinking("a\nb"), ToolCall("m#call2", "n", '{"input":"not json"}'))
    assert (failed.blocks, failed.flags, failed.call, failed.tool) == ((), Flag.FAILED, "x", "")
    assert (odd.blocks, odd.flags) == ((Text('{"type":"odd"}'),), Flag.NONE)
    code = UnknownBlock("open_webui:code_interpreter", '{"type":"open_webui:code_interpreter","code":"1"}')
    assert last.blocks == (code, UnknownBlock("", "5"))


WRITTEN = """<details type="reasoning" done="true" duration="3">
<summary>Thought for 3 seconds</summary>
&gt; It is cold.
&gt; Or &lt;hot&gt;.
</details>
Let me look.
<details type="tool_calls" done="true" id="t1" name="shop" arguments="&quot;{\\&quot;what\\&quot;: \\&quot;tea\\&quot;}&quot;" result="&quot;Sencha&quot;" files="">
<summary>Tool Executed</summary>
</details>
<details type="tool_calls" done="true" id='t2' name='shop' arguments='{"a": 1}'>
<summary>Tool Executed</summary>
{&quot;b&quot;: 2}
</details>

Use Sencha.
"""  # noqa: E501


def test_a_reply_with_its_parts_written_into_the_text(tmp_path: Path) -> None:
    first, result, second, other, last = said(tmp_path, WRITTEN)
    assert first.blocks == (
        Thinking("It is cold.\nOr <hot>."), Text("Let me look."), ToolCall("t1", "shop", '{"what":"tea"}'),
    )  # fmt: skip
    assert (result.blocks, result.call, result.tool) == ((Text("Sencha"),), "t1", "shop")
    assert second.blocks == (ToolCall("t2", "shop", '{"a":1}'),)
    assert other.blocks == (Text('{"b":2}'),)
    assert (last.id, last.blocks, last.flags) == ("m#5", (Text("Use Sencha."),), Flag.ENDS_TURN)


def test_a_call_that_is_still_running_has_no_result(tmp_path: Path) -> None:
    text = (
        '<details type="tool_calls" done="false" name="n" arguments="">\n<summary>Executing...</summary>\n</details>'
    )
    [entry] = said(tmp_path, text, done=False)
    assert (entry.blocks, entry.flags) == ((ToolCall("m#call1", "n", "{}"),), Flag.ABORTED)


def test_elements_in_the_text_of_a_user_stay_text(tmp_path: Path) -> None:
    [entry] = said(tmp_path, WRITTEN, role="user")
    assert (entry.blocks, entry.flags, entry.model) == ((Text(WRITTEN),), Flag.NONE, "")


PIXEL = base64.b64encode(b"picture").decode()


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("plain\n", [Text("plain\n")]),
        ("", []),
        (None, []),
        (5, [UnknownBlock("", "5")]),
        ([{"type": "text", "text": "a"}, {"type": "text"}], [Text("a"), UnknownBlock("text", '{"type":"text"}')]),
        ([{"type": "image_url", "image_url": {"url": "http://x"}}],
         [UnknownBlock("image_url", '{"type":"image_url","image_url":{"url":"http://x"}}')]),
    ],
)  # fmt: skip
def test_content_of_every_type(tmp_path: Path, content: object, blocks: list[Block]) -> None:
    [entry] = said(tmp_path, content, role="user")
    assert entry.blocks == tuple(blocks)


def test_pictures_are_stored_and_files_are_references(tmp_path: Path) -> None:
    files = [{"type": "image", "url": f"data:image/png;base64,{PIXEL}"}, {"name": "a\nb.pdf"}, 5]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(chat(message("m", None, "user", "Look.", files=files))), encoding="utf-8")
    events = list(OpenWebui().read(path, None))
    [at] = [at for at, event in enumerate(events) if isinstance(event, Blob)]
    blob, entry = events[at : at + 2]
    assert isinstance(blob, Blob)
    assert isinstance(entry, Entry)
    assert entry.blocks == (
        Image("image/png", blob.digest, 7), UnknownBlock("file a b.pdf", '{"name":"a\\nb.pdf"}'),
        UnknownBlock("file", "5"), Text("Look."),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("more", "usage"),
    [
        ({}, None),
        ({"usage": {"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}},
         Usage(input=5, output=2, cache_read=4)),
        ({"info": {"usage": {"prompt_eval_count": 7, "eval_count": 3}}}, Usage(input=7, output=3)),
    ],
)  # fmt: skip
def test_the_usage_of_a_reply(tmp_path: Path, more: dict[str, Any], usage: Usage | None) -> None:
    [entry] = said(tmp_path, "x", **more)
    assert entry.usage == usage


@pytest.mark.parametrize(
    ("error", "content", "blocks"),
    [
        ({"content": "No key."}, "", [Text("No key.")]),
        ({"content": "No key."}, "Hm", [Text("Hm")]),
        (True, "", []),
    ],
)
def test_a_reply_that_failed(tmp_path: Path, error: object, content: str, blocks: list[Block]) -> None:
    [entry] = said(tmp_path, content, error=error)
    assert (entry.blocks, entry.flags, json.loads(entry.details)["error"]) == (tuple(blocks), Flag.FAILED, error)


@pytest.mark.parametrize(
    ("value", "time"),
    [(AT, AT * NS), (AT * 1000 + 5, AT * NS + 5_000_000), (None, 0), (True, 0), (99e9, 0), (-99e9, 0)],
)
def test_times_in_seconds_and_in_milliseconds(value: object, time: int) -> None:
    assert moment(value) == time


# -- damage -------------------------------------------------------------------------------------------------------


def test_a_message_of_an_unknown_kind_is_kept_as_it_is(tmp_path: Path) -> None:
    given = tea()
    given["history"]["messages"]["u3"]["role"] = "robot"
    given["history"]["messages"]["u2"] = 5
    [found], _ = read_one(tmp_path, export(record(given)))
    robot, number = found.entries["u3"], found.entries["u2"]
    assert (robot.kind, robot.flags, json.loads(robot.details)["role"]) == (Kind.UNKNOWN, Flag.HIDDEN, "robot")
    assert (number.kind, number.details, number.record) == (Kind.UNKNOWN, "5", None)
    assert number.parent == "a2#3"
    assert found.entries["a3"].parent == "u3"


def test_a_parent_that_is_missing_is_repaired_and_reported(tmp_path: Path) -> None:
    [found], _ = read_one(tmp_path, chat(message("m", "gone", "user", "x", childrenIds=5)))
    assert (found.entries["m"].parent, found.entries["m"].flags) == (None, Flag.REPAIRED)
    assert found.repaired == ["Its parent gone is not in the conversation."]


def test_an_empty_chat_is_named(tmp_path: Path) -> None:
    found, unused = read_one(tmp_path, export(record({"history": {"messages": {}}}), record(tea(), "c2")))
    assert (len(found), unused) == (1, ["is empty"])


def test_a_chat_behind_a_lost_quotation_mark_is_found(tmp_path: Path) -> None:
    data = export(record(tea()), record(tea(), "c2")).replace(b'"Which tea?"', b'"Which tea?', 1)
    found, unused = read_one(tmp_path, data)
    assert [one.begin.info.source_id for one in found] == ["c2"]
    assert len(unused) == 1


def test_the_samples_are_read_whole(samples: Path) -> None:
    path = samples / "open-webui" / "webui-json.json"
    [found], _ = sessions_of(OpenWebui(), path)
    messages = json.loads(path.read_bytes())["history"]["messages"]
    assert {id: json.loads(found.record(id)) for id in found.entries} == messages
    assert not found.repaired
