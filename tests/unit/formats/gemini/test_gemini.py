"""Gemini CLI's sessions: messages, tools, rewinds, compactions, older documents, damage."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.gemini.reader import Gemini
from stemmata.formats.registry import standard_formats
from tests.fakes.export_source import MemorySource, shape
from tests.fakes.gemini import (
    CONTEXT,
    THANKS,
    answered,
    call,
    checkpoint,
    head,
    lines,
    reply,
    response,
    rewind,
    said,
    stamp,
)  # fmt: skip

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def read(folder: Path, *records: Any, name: str = "session-1.jsonl") -> MemorySource:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*records))
    return MemorySource.read(Gemini(), path)


def test_a_session(tmp_path: Path) -> None:
    context = said("c", CONTEXT)
    update = {"$set": {"lastUpdated": stamp(9), "summary": "Names a tea"}}
    source = read(tmp_path, head(), checkpoint(context), said("a", "Which tea?", 2), reply("b", "Sencha."), update)
    assert shape(source) == [("c", None, CONTEXT), ("a", "c", "Which tea?"), ("b", "a", "Sencha.")]
    assert [entry.role for entry in source.entries] == [Role.USER, Role.USER, Role.ASSISTANT]
    assert [bool(entry.flags & Flag.INJECTED) for entry in source.entries] == [True, False, False]
    assert (source.info.source, source.info.source_id, source.info.cwd) == ("gemini", "5e55", "/w/tea")
    assert json.loads(source.info.details) == {"projectHash": "abc", "kind": "main"}
    assert (source.title, source.leaf_id, source.info.created_at) == ("Names a tea", "b", 1781258400 * 10**9)
    last = source.entries[-1]
    assert last.usage == Usage(input=63, output=12, cache_read=40, total=115)
    assert (last.provider, last.model, last.flags) == ("google", "gemini-3.5-flash", Flag.ENDS_TURN)
    assert source.skipped == []


def test_a_later_version_of_a_message_adds_what_is_new_in_it(tmp_path: Path) -> None:
    thought = {"subject": "Plan", "description": "Look first."}
    source = read(
        tmp_path, head(), said("a", "Look."), reply("b", "", tokens=None),
        reply("b", "I", thoughts=[thought, {"description": "Then."}]),
        reply("b", "I look.", thoughts=[thought], tokens=None, toolCalls=[call("t", "a.py")]),
        answered("r", response("t", "a.py")), reply("d", "One file."), reply("e", ""),
    )  # fmt: skip
    assert shape(source) == [
        ("a", None, "Look."), ("b", "a", "I"), ("b+1", "b", " look."), ("b/0", "b+1", "a.py"),
        ("d", "b/0", "One file."),
    ]  # fmt: skip
    first, second, result = source.entries[1:4]
    assert first.blocks == (Thinking("**Plan**\n\nLook first."), Thinking("Then."), Text("I"))
    assert second.blocks == (Text(" look."), ToolCall("t", "glob", '{"pattern":"*"}'))
    assert (first.flags, second.flags) == (Flag.UNFINISHED, Flag.NONE)
    assert (first.usage, second.usage) == (None, Usage(input=63, output=12, cache_read=40, total=115))
    assert (result.role, result.tool, result.call) == (Role.TOOL_RESULT, "glob", "t")
    assert source.leaf_id == "d"


def test_results_that_only_the_next_message_tells(tmp_path: Path) -> None:
    source = read(
        tmp_path, head(), said("a", "Look."), reply("b", "", toolCalls=[call("t"), call("u"), call("", None)]),
        answered("r", response("t", "1"), response("x", "2"), {"text": "And this."}), answered("e"), said("f", ""),
    )  # fmt: skip
    assert shape(source)[2:] == [("b/0", "b", "1"), ("r/1", "b/0", "2"), ("r", "r/1", "And this.")]
    assert [block.id for block in source.entries[1].blocks if isinstance(block, ToolCall)] == ["t", "u", "b/2"]


@pytest.mark.parametrize(
    ("told", "flags", "text"),
    [
        ({"status": "error", "result": [response("t", "No.")]}, Flag.FAILED, "No."),
        ({"status": "cancelled", "result": [{"text": "Stopped."}]}, Flag.ABORTED, "Stopped."),
        ({"status": "", "result": {"functionResponse": {"response": {"error": "E"}}}}, Flag.FAILED, "E"),
        ({"result": [{"functionResponse": {"response": {"odd": 1}}}]}, Flag.NONE, '{"odd":1}'),
        ({"id": None, "result": "Plain."}, Flag.NONE, "Plain."),
    ],
)
def test_what_became_of_a_call(tmp_path: Path, told: dict[str, Any], flags: Flag, text: str) -> None:
    source = read(tmp_path, head(), reply("b", "", toolCalls=[call("t") | told]))
    assert (source.entries[1].flags, plain_text(source.entries[1].blocks)) == (flags, text)


@pytest.mark.parametrize("is_first", [True, False])
def test_the_id_of_a_message_is_that_of_no_result(tmp_path: Path, *, is_first: bool) -> None:
    messages = [reply("b", "", toolCalls=[call("t", "x")]), said("b/0", "two")]
    source = read(tmp_path, head(), *(reversed(messages) if is_first else messages))
    assert {entry.id: entry.role for entry in source.entries} == {
        "b": Role.ASSISTANT, "b/0~2": Role.TOOL_RESULT, "b/0": Role.USER,
    }  # fmt: skip


def test_a_rewind_leaves_a_branch(tmp_path: Path) -> None:
    said_two = [said("c", "two", 3), reply("d", "Two.", 3)]
    source = read(
        tmp_path, head(), said("a", "one"), reply("b", "One."), *said_two, rewind("c"),
        checkpoint(said("a", "one"), reply("b", "One.")), said("e", "three"), reply("f", "Three."), rewind("gone"),
    )  # fmt: skip
    assert [(id, parent) for id, parent, _ in shape(source)] == [
        ("a", None), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "b"), ("f", "e"),
    ]  # fmt: skip
    assert source.leaf_id == "f"
    assert [skipped.reason for skipped in source.skipped] == ["rewinds to a message that is not in the file"]


def test_a_rewind_to_the_start(tmp_path: Path) -> None:
    source = read(tmp_path, head(), said("a", "one"), reply("b", "One."), rewind("a"))
    assert source.leaf_id is None
    again = read(tmp_path, head(), said("a", "one"), rewind("a"), said("b", "two"))
    assert [(entry.id, entry.parent) for entry in again.entries] == [("a", None), ("b", None)]


def test_a_compaction_keeps_the_messages_that_it_repeats(tmp_path: Path) -> None:
    context = said("c", CONTEXT)
    tool = [reply("d", "", toolCalls=[call("t", "x")]), answered("r", response("t", "x"))]
    copies = [
        said("k1", "kept"), {"id": "k2", "type": "gemini", "content": [{"functionCall": call("t")}]},
        answered("k3", response("t2", "x")), reply("k4", [{"text": "Kept."}]),
    ]  # fmt: skip
    summary = said("s", "<state_snapshot>It went well.</state_snapshot>", 5)
    source = read(
        tmp_path, head(), checkpoint(context), said("a", "old"), reply("b", "Old."), said("k", "kept"), *tool,
        reply("e", "Kept."), {"$set": {"sessionId": "5e55"}},
        checkpoint(context, summary, reply("y", [{"text": THANKS}]), *copies), said("f", "go on", 6), copies[0],
        rewind("k1"),
    )  # fmt: skip
    found = {entry.id: entry for entry in source.entries}
    assert list(found) == ["c", "a", "b", "k", "d", "d/0", "e", "s", "f"]
    assert (found["s"].kind, found["s"].parent, found["s"].target) == (Kind.COMPACTION, "e", "k")
    assert plain_text(found["s"].blocks) == "<state_snapshot>It went well.</state_snapshot>"
    assert found["f"].parent == "s"
    assert source.leaf_id == "b"  # a rewind to the copy of a message is one to the message


def test_a_compaction_that_keeps_nothing_and_adds(tmp_path: Path) -> None:
    source = read(
        tmp_path, head(), said("a", "old"), reply("b", "Old."), checkpoint(said("s", "Summary"), said("n", "new")),
        checkpoint(said("s", "Summary"), said("n", "new")),
    )  # fmt: skip
    assert shape(source) == [("a", None, "old"), ("b", "a", "Old."), ("s", "b", "Summary"), ("n", "s", "new")]
    assert source.entries[2].target is None
    assert source.leaf_id == "n"


def test_a_later_compaction_keeps_only_what_the_one_before_left(tmp_path: Path) -> None:
    source = read(
        tmp_path, head(), said("a", "one"), said("b", "two"), checkpoint(said("s", "First"), said("b1", "two")),
        said("c", "three"), checkpoint(said("t", "Second"), said("b2", "two"), said("c1", "three")),
        checkpoint(said("u", "Third"), said("x", "one")),
    )  # fmt: skip
    found = {entry.id: entry for entry in source.entries}
    assert list(found) == ["a", "b", "s", "c", "t", "u", "x"]
    assert [found[id].target for id in "stu"] == ["b", "b", None]


def test_a_compaction_does_not_look_at_all_messages_before_it(tmp_path: Path) -> None:
    def seconds_for(name: str, *records: Any) -> float:
        begun = time.process_time()
        assert len(read(tmp_path, head(), *records, name=name).entries) == 4_000
        return time.process_time() - begun

    said_once = [said(str(number), str(number)) for number in range(4_000)]
    pairs = zip(said_once[::2], said_once[1::2], strict=True)
    assert seconds_for("c.jsonl", *(checkpoint(*pair) for pair in pairs)) < 4 * seconds_for("m.jsonl", *said_once)


def test_a_checkpoint_that_is_only_shorter_moves_the_leaf(tmp_path: Path) -> None:
    talk = [said("a", "one"), reply("b", "One."), said("c", "two")]
    assert read(tmp_path, head(), *talk, checkpoint(*talk[:2])).leaf_id == "b"
    assert read(tmp_path, head(), *talk, checkpoint()).leaf_id is None


def test_an_older_document(tmp_path: Path) -> None:
    path = tmp_path / "session-1.json"
    messages = [said("a", "Look."), reply("b", "", toolCalls=[call("t", "x")], tokens=None)]
    path.write_text(json.dumps(head(messages=messages), indent=2))
    source = MemorySource.read(Gemini(), path)
    assert [entry.id for entry in source.entries] == ["a", "b", "b/0"]
    assert source.entries[1].usage is None
    assert source.source_bytes == path.read_bytes()
    assert source.skipped == []
    path.write_text(json.dumps({"messages": messages}))  # on one line, without a head
    assert MemorySource.read(Gemini(), path).info.source_id == "session-1"
    path.write_bytes(b'{\n"messages": [')
    with pytest.raises(UnreadableSourceError, match="damaged: not valid JSON"):
        MemorySource.read(Gemini(), path)


def test_messages_of_a_document_without_an_id_are_named_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "session-1.json"
    nameless = {key: value for key, value in said("b", "two").items() if key != "id"}
    path.write_text(json.dumps(head(messages=[said("a", "one"), nameless, 5]), indent=2))
    source = MemorySource.read(Gemini(), path)
    assert [(entry.id, entry.parent) for entry in source.entries] == [("a", None), ("message 2", "a")]
    assert [skipped.reason for skipped in source.skipped] == ["messages in it without an id: 1"]


def test_messages_of_a_checkpoint_without_an_id_are_told(tmp_path: Path) -> None:
    source = read(
        tmp_path, head(), said("a", "one"), checkpoint(said("a", "one"), {"type": "user", "content": "two"})
    )
    assert [(skipped.line, skipped.reason) for skipped in source.skipped] == [(3, "messages in it without an id: 1")]


def test_a_subagent_names_the_session_that_started_it(tmp_path: Path) -> None:
    source = read(tmp_path, head(kind="subagent", sessionId="sub"), said("a", "x"), name="chats/5e55/sub.jsonl")
    assert (source.info.source_id, source.info.parent_source_id) == ("sub", "5e55")


def test_notes_images_and_unknown_parts(tmp_path: Path) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    parts = ["See:", picture, {"fileData": {"fileUri": "x"}}, {"inlineData": {"data": 5}}, 7, {"text": ""}]
    notes = [{"id": "n", "type": "info", "content": "Hello."}, {"id": "h", "type": "error", "content": ""}]
    source = read(tmp_path, head(), {**said("a", ""), "content": parts}, *notes)
    blocks = source.entries[0].blocks
    assert [type(block) for block in blocks] == [Text, Image, UnknownBlock, UnknownBlock, UnknownBlock]
    assert blocks[-1] == UnknownBlock("part", '{"part":7}')
    assert len(source.blobs) == 1
    assert [(entry.kind, entry.name) for entry in source.entries[1:]] == [(Kind.CUSTOM, "gemini:info")]


def test_bad_lines_cost_one_line_each(tmp_path: Path) -> None:
    bad = [
        b"no JSON",
        b"[1]",
        {"type": "gemini", "content": "x"},
        {"id": "z", "type": "odd"},
        {"$set": 5},
        {"$set": ["x"]},
    ]
    source = read(
        tmp_path, head(), bad[0], said("a", "x"), *bad[1:], {**reply("b", "y"), "thoughts": 5, "tokens": []}
    )
    assert [entry.id for entry in source.entries] == ["a", "b"]
    assert source.entries[1].blocks == (UnknownBlock("", "5"), Text("y"))
    assert [skipped.line for skipped in source.skipped] == [2, 4, 5, 6, 7, 8]
    path = tmp_path / "cut.jsonl"
    path.write_bytes(lines(head(), said("a", "x")) + b'{"id": "b", "ty')
    [cut] = MemorySource.read(Gemini(), path).skipped
    assert cut.reason.endswith("the file ends inside this line")


def test_only_its_own_files_are_taken(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    path = tmp_path / "x.jsonl"
    for data, name in (
        (lines(head(), said("a", "x")), "gemini"),
        (lines(b"broken", rewind("a")), "gemini"),
        (lines(reply("a", "x")), "gemini"),
        (json.dumps(head(messages=[]), indent=1).encode(), "gemini"),
        (lines({"type": "session", "id": "s"}), "pi"),
    ):
        path.write_bytes(data)
        assert formats.identify(path) == name
    path.write_bytes(b'{\n "messages": []}')
    with pytest.raises(UnreadableSourceError):
        formats.identify(path)


def test_its_folders(tmp_path: Path) -> None:
    [folder] = Gemini().folders(tmp_path, {})
    assert folder.path == tmp_path / ".gemini" / "tmp"
    [folder] = Gemini().folders(tmp_path, {"GEMINI_CLI_HOME": "/other"})
    assert folder.path == Path("/other/.gemini/tmp")


def test_the_samples(samples: Path, tmp_path: Path) -> None:
    """Each record of each sample is an entry, a part of one, or bookkeeping."""
    formats = standard_formats(tmp_path, {})
    found = {}
    for path in sorted((samples / "gemini").glob("*.json*")):
        assert formats.identify(path) == "gemini"
        source = MemorySource.read(Gemini(), path)
        assert source.skipped == []
        assert source.source_bytes == path.read_bytes()
        found[path.stem] = len(source.entries)
    assert found["rewind"] == 16
    assert found["compaction"] == 6
