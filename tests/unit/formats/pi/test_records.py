"""Each kind of pi record, and each role of its messages, as an entry."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Blob
from stemmata.formats.pi.records import RecordContext, entry_of
from tests.unit.formats.pi_files import TIME, record

PNG = base64.b64encode(b"\x89PNG").decode()


def entry(fields: dict[str, Any], blobs: list[Blob] | None = None) -> Entry:
    place = RecordContext("e1", "e0", None, lambda id: id.upper())
    return entry_of(fields, place, [] if blobs is None else blobs)


def message(role: Any, **fields: Any) -> Entry:
    return entry(record("message", "e1", "e0", message={"role": role, "timestamp": 5000, **fields}))


# -- messages --------------------------------------------------------------------------------------------------------


def test_user() -> None:
    found = message("user", content="hello")
    assert (found.id, found.parent, found.kind, found.role) == ("e1", "e0", Kind.MESSAGE, Role.USER)
    assert found.blocks == (Text("hello"),)
    assert found.time == 1_767_225_601_000_000_000
    assert message("user", content="").blocks == ()
    assert message("user").blocks == ()
    assert message("user", content=5).blocks == (UnknownBlock("", "5"),)


def test_the_message_has_the_time_when_the_record_has_none() -> None:
    fields = {"type": "message", "timestamp": "odd", "message": {"role": "user", "timestamp": 5000}}
    assert entry(fields).time == 5_000_000_000


def test_assistant() -> None:
    usage = {
        "input": 3,
        "output": 91,
        "cacheRead": 7,
        "cacheWrite": 9612,
        "totalTokens": 9713,
        "cost": {"input": 0.000009, "total": 0.037419},
    }
    found = message(
        "assistant",
        content=[
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
            {"type": "thinking", "thinking": "", "thinkingSignature": "opaque", "redacted": True},
            {"type": "text", "text": "done", "textSignature": "m1"},
            {
                "type": "toolCall",
                "id": "c1",
                "name": "read",
                "arguments": {"b": 1.0, "a": "é"},
                "thoughtSignature": "t",
            },
        ],
        api="anthropic-messages",
        provider="anthropic",
        model="claude-opus-4-5",
        usage=usage,
        stopReason="toolUse",
    )
    assert found.role is Role.ASSISTANT
    assert found.blocks == (
        Thinking("hm", "sig"),
        Thinking("", "opaque", redacted=True),
        Text("done", "m1"),
        ToolCall("c1", "read", '{"b":1,"a":"é"}', "t"),
    )
    assert (found.provider, found.model) == ("anthropic", "claude-opus-4-5")
    assert found.usage == Usage(input=3, output=91, cache_read=7, cache_write=9612, total=9713, cost=37419)
    assert found.flags == Flag.NONE
    assert found.details == ""


@pytest.mark.parametrize(
    ("stop", "flags", "details"),
    [
        ("stop", Flag.ENDS_TURN, ""),
        ("length", Flag.ENDS_TURN, ""),
        ("end_turn", Flag.ENDS_TURN, ""),
        ("toolUse", Flag.NONE, ""),
        (None, Flag.NONE, ""),
        (["odd"], Flag.NONE, ""),
        ("error", Flag.FAILED, ""),
        ("aborted", Flag.ABORTED, ""),
        ("pending", Flag.NONE, '{"stopReason":"pending"}'),
    ],
)
def test_how_a_reply_ended(stop: Any, flags: Flag, details: str) -> None:
    found = message("assistant", content=[], stopReason=stop)
    assert (found.flags, found.details) == (flags, details)


def test_why_a_reply_failed() -> None:
    found = message("assistant", content=[], stopReason="error", errorMessage="529 overloaded")
    assert json.loads(found.details) == {"errorMessage": "529 overloaded"}


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ({"input": 0.1, "output": 0.2}, 300_000),
        ({"total": "x"}, None),
        ({}, None),
        (0.5, 500_000),
        (None, None),
    ],
)
def test_what_a_reply_cost(cost: Any, expected: int | None) -> None:
    found = message("assistant", content=[], usage={"input": 1, "cost": cost})
    assert found.usage is not None
    assert found.usage.cost == expected


def test_usage_that_is_none() -> None:
    assert message("assistant", content=[], usage="much").usage is None


def test_calls_in_the_words_of_gateways() -> None:
    calls: list[dict[str, Any]] = [
        {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}},
        {"type": "functionCall", "id": "f", "name": "x", "arguments": "text"},
        {"type": "toolUse", "id": 5, "name": None},
    ]
    assert message("assistant", content=calls).blocks == (
        ToolCall("t", "read", '{"path":"a"}'),
        ToolCall("f", "x", '"text"'),
        ToolCall("5", "", "{}"),
    )


def test_images() -> None:
    blobs: list[Blob] = []
    content = [
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": PNG}},
        {"type": "image", "data": "###", "mimeType": "image/png"},
    ]
    found = entry(record("message", "e1", None, message={"role": "user", "content": content}), blobs)
    one, two, three = found.blocks
    assert isinstance(one, Image)
    assert isinstance(two, Image)
    assert (one.media_type, one.size, two.media_type) == ("image/png", 4, "image/gif")
    assert [blob.digest for blob in blobs] == [one.blob, two.blob]
    assert three == UnknownBlock("image", '{"type":"image","data":"###","mimeType":"image/png"}')


def test_blocks_of_unknown_kinds_are_kept() -> None:
    content = ["plain", 5, {"type": "video", "url": "x"}, {"type": ["odd"]}, {}]
    assert message("user", content=content).blocks == (
        Text("plain"),
        UnknownBlock("", "5"),
        UnknownBlock("video", '{"type":"video","url":"x"}'),
        UnknownBlock('["odd"]', '{"type":["odd"]}'),
        UnknownBlock("", "{}"),
    )


def test_tool_result() -> None:
    content = [{"type": "text", "text": "no such file"}]
    details = {"diff": "+a"}
    found = message("toolResult", toolCallId="c1", toolName="read", content=content, isError=True, details=details)
    assert (found.role, found.tool, found.call, found.flags) == (Role.TOOL_RESULT, "read", "c1", Flag.FAILED)
    assert found.blocks == (Text("no such file"),)
    assert json.loads(found.details) == details
    assert message("toolResult", content=content, isError=False).flags == Flag.NONE


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({"exitCode": 0}, Flag.NONE),
        ({}, Flag.NONE),
        ({"exitCode": None}, Flag.NONE),
        ({"exitCode": 2}, Flag.FAILED),
        ({"cancelled": True}, Flag.ABORTED),
        ({"exitCode": 0, "excludeFromContext": True}, Flag.EXCLUDED),
    ],
)
def test_shell_command(fields: dict[str, Any], flags: Flag) -> None:
    found = message("bashExecution", command="ls", output="a\n", truncated=True, **fields)
    assert (found.role, found.name, found.blocks) == (Role.BASH_EXECUTION, "ls", (Text("a\n"),))
    assert found.flags == flags
    details = json.loads(found.details)
    assert details["truncated"] is True
    assert details.get("exitCode") == fields.get("exitCode")
    assert "excludeFromContext" not in details


def test_a_shell_command_without_output() -> None:
    found = message("bashExecution", command="true")
    assert (found.blocks, found.details) == ((), "")


@pytest.mark.parametrize("display", [True, False, None])
def test_custom_message(display: bool | None) -> None:
    fields: dict[str, Any] = {"customType": "note", "content": "x", "display": display, "details": {"a": 1}}
    one = message("custom", **fields)
    two = entry(record("custom_message", "e1", "e0", **fields))
    for found, kind in ((one, Kind.MESSAGE), (two, Kind.CUSTOM_MESSAGE)):
        assert (found.kind, found.role, found.name, found.blocks) == (kind, Role.CUSTOM, "note", (Text("x"),))
        assert found.flags == (Flag.HIDDEN if display is False else Flag.NONE)
        assert found.details == '{"a":1}'


@pytest.mark.parametrize("role", ["developer", "system"])
def test_roles_that_newer_versions_write(role: str) -> None:
    found = message(role, content="rules")
    assert (found.kind, found.role, found.name, found.blocks) == (Kind.MESSAGE, Role.SYSTEM, role, (Text("rules"),))


@pytest.mark.parametrize("role", ["branchSummary", "narrator", None, 5])
def test_messages_of_unknown_roles_are_kept_whole(role: Any) -> None:
    blobs: list[Blob] = []
    fields = record("message", "e1", "e0", message={"role": role, "content": [{"type": "image", "data": PNG}]})
    found = entry(fields, blobs)
    assert (found.kind, found.role, found.name) == (Kind.UNKNOWN, Role.NONE, "message")
    assert json.loads(found.details) == fields
    assert not blobs


# -- other records ---------------------------------------------------------------------------------------------------


def test_compaction() -> None:
    details = {"readFiles": ["a"], "modifiedFiles": []}
    found = entry(
        record("compaction", "e1", "e0", summary="S", firstKeptEntryId="k", tokensBefore=1234, details=details)
    )
    assert (found.kind, found.role, found.target) == (Kind.COMPACTION, Role.NONE, "K")
    assert found.blocks == (Text("S"),)
    assert found.usage == Usage(total=1234)
    assert json.loads(found.details) == details


def test_compaction_of_newer_versions() -> None:
    tail = [{"role": "user", "content": "x"}]
    found = entry(record("compaction", "e1", "e0", summary="S", retainedTail=tail, details={"a": 1}, fromHook=True))
    assert found.target is None
    assert found.usage is None
    assert json.loads(found.details) == {"a": 1, "fromHook": True, "retainedTail": tail}
    odd = entry(record("compaction", "e1", "e0", details="text", usage={"input": 1}))
    assert json.loads(odd.details) == {"details": "text", "usage": {"input": 1}}
    assert odd.blocks == ()


@pytest.mark.parametrize(("left", "target"), [("x", "X"), ("root", "ROOT"), ("e0", "E0"), (None, None), (5, None)])
def test_branch_summary(left: Any, target: str | None) -> None:
    found = entry(record("branch_summary", "e1", "e0", summary="S", fromId=left))
    assert (found.kind, found.blocks, found.target) == (Kind.BRANCH_SUMMARY, (Text("S"),), target)


@pytest.mark.parametrize("left", ["root", "e0"])
def test_a_branch_summary_that_names_its_parent_names_no_leaf(left: str) -> None:
    place = RecordContext("e1", "e0", None, lambda id: id)
    found = entry_of(record("branch_summary", "e1", "e0", summary="", fromId=left), place, [])
    assert (found.target, found.blocks) == (None, ())


def test_label() -> None:
    found = entry(record("label", "e1", "e0", targetId="t", label="known-good"))
    assert (found.kind, found.target, found.name) == (Kind.LABEL, "T", "known-good")
    assert entry(record("label", "e1", "e0", targetId="t")).name == ""
    assert entry(record("label", "e1", "e0", label="x")).target is None


def test_settings_and_names() -> None:
    model = entry(record("model_change", "e1", "e0", provider="openai", modelId="gpt"))
    assert (model.kind, model.provider, model.model) == (Kind.MODEL_CHANGE, "openai", "gpt")
    level = entry(record("thinking_level_change", "e1", "e0", thinkingLevel="high"))
    assert (level.kind, level.name) == (Kind.THINKING_LEVEL_CHANGE, "high")
    name = entry(record("session_info", "e1", "e0", name=" N "))
    assert (name.kind, name.name) == (Kind.SESSION_INFO, "N")


def test_custom() -> None:
    found = entry(record("custom", "e1", "e0", customType="openclaw.cache-ttl", data={"a": 1}))
    assert (found.kind, found.name, found.details) == (Kind.CUSTOM, "openclaw.cache-ttl", '{"a":1}')
    assert entry(record("custom", "e1", "e0", customType="x")).details == ""


def test_our_own_kinds_come_back() -> None:
    prune = entry(record("custom", "e1", "e0", customType="stemmata.tool_prune", data={"target": "t"}))
    assert (prune.kind, prune.target) == (Kind.TOOL_PRUNE, "T")
    pin = entry(record("custom", "e1", "e0", customType="stemmata.pin", data={"target": "t", "name": "off"}))
    assert (pin.kind, pin.target, pin.name) == (Kind.PIN, "T", "off")
    for name in ("pin", "skill"):
        assert entry(record("custom", "e1", "e0", customType=f"stemmata.{name}", data="x")).kind is Kind.CUSTOM


@pytest.mark.parametrize(
    "fields",
    [
        record("from_the_future", "e1", "e0", x=[1]),
        {"type": 5, "timestamp": TIME.format(1)},
        {"id": "e1"},
        record("message", "e1", "e0", message="text"),
        record("message", "e1", "e0"),
    ],
)
def test_unknown_records_are_kept_whole(fields: dict[str, Any]) -> None:
    found = entry(fields)
    assert found.kind is Kind.UNKNOWN
    assert json.loads(found.details) == fields
