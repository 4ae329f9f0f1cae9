"""Factory Droid's sessions: messages, tools, pictures, hooks, compactions, the settings beside them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sources.reading import Begin, End
from stemmata.formats.droid.reader import Droid
from stemmata.formats.registry import standard_formats
from tests.fakes.export_source import MemorySource
from tests.fakes.message_logs import droid, droid_call, droid_result, droid_start, droid_talk, lines


def read(folder: Path, *records: Any, settings: Any = None) -> MemorySource:
    path = folder / "5e55.jsonl"
    path.write_bytes(lines(*records))
    if settings is not None:
        path.with_name("5e55.settings.json").write_bytes(json.dumps(settings).encode())
    return MemorySource.read(Droid(), path)


def only(folder: Path, *content: Any, role: str = "user") -> Entry:
    [entry] = read(folder, droid("a", role, *content)).entries
    return entry


def test_a_session(tmp_path: Path) -> None:
    settings = {"model": "claude-opus-4", "tokenUsage": {"inputTokens": 3}, "autonomyLevel": "normal"}
    source = read(tmp_path, *droid_talk(), settings=settings)
    asked, called, todo, output, more, said = source.entries
    assert [entry.parent for entry in source.entries] == [None, "a", "b", "n", "c", "c#2"]
    assert (asked.role, plain_text(asked.blocks), asked.flags) == (Role.USER, "Which tea?", Flag.NONE)
    assert called.blocks == (Thinking("Hm."), ToolCall("t", "Read", '{"path":"tea.md"}'))
    assert (called.model, called.flags) == ("", Flag.NONE)
    assert (todo.kind, todo.name, todo.flags) == (Kind.CUSTOM, "droid:todo_state", Flag.HIDDEN)
    assert json.loads(todo.details)["todos"] == {"todos": "1. Look"}
    assert (output.role, output.tool, output.call, plain_text(output.blocks)) == (
        Role.TOOL_RESULT, "Read", "t", "sencha",
    )  # fmt: skip
    assert (more.id, plain_text(more.blocks)) == ("c#2", "Go on.")
    assert (plain_text(said.blocks), said.flags) == ("Sencha.", Flag.ENDS_TURN)
    assert (source.info.source, source.info.source_id, source.info.title, source.info.cwd) == (
        "droid", "5e55", "", "/w/tea",
    )  # fmt: skip
    assert source.info.created_at == said_at(asked)
    details = {"version": 2, "model": "claude-opus-4", "tokenUsage": {"inputTokens": 3}}
    assert json.loads(source.info.details) == details


def said_at(entry: Entry) -> int:
    assert entry.time > 0
    return entry.time


def test_the_title_is_the_newer_one(tmp_path: Path) -> None:
    start = droid_start(sessionTitle="Tea", title="Which tea?")
    assert read(tmp_path, start, droid("a", "user", "x")).info.title == "Tea"
    older = {"type": "session_start", "session": {"id": "0ld", "title": "Older"}}
    info = read(tmp_path, older, droid("a", "user", "x")).info
    assert (info.source_id, info.title, info.details) == ("0ld", "Older", "")


def test_content_of_every_kind(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
    entry = only(
        tmp_path, picture, {"type": "image", "source": {"type": "url", "url": "u"}}, {"type": "text", "text": ""},
        {"type": "text", "text": "", "cached": True}, {"type": "redacted_thinking", "data": "x"}, {"odd": 1}, 7,
        {"type": "tool_use", "x": 1}, {"type": "tool_result", "x": 1},
    )  # fmt: skip
    size = len(base64.b64decode("eA=="))
    first, *rest = entry.blocks
    assert isinstance(first, Image)
    assert (first.media_type, first.size) == ("image/png", size)
    assert rest == [
        UnknownBlock("image", '{"type":"image","source":{"type":"url","url":"u"}}'),
        UnknownBlock("text", '{"type":"text","text":"","cached":true}'), Thinking("", "x", redacted=True),
        UnknownBlock("content", '{"odd":1}'), UnknownBlock("content", "7"),
        UnknownBlock("tool_use", '{"type":"tool_use","x":1}'),
        UnknownBlock("tool_result", '{"type":"tool_result","x":1}'),
    ]  # fmt: skip
    record = droid("a", "user")
    record["message"]["content"] = ["plain"]
    [entry] = read(tmp_path, record).entries
    assert entry.blocks == (Text("plain"),)


def test_output_of_every_kind(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"media_type": "image/png", "data": "eA=="}}
    output = [{"type": "text", "text": "one"}, "two", picture, {"odd": 1}]
    [entry] = read(tmp_path, droid("a", "user", droid_result(output, is_error=True))).entries
    assert [type(block) for block in entry.blocks] == [Text, Text, Image, Text]
    assert (plain_text(entry.blocks), entry.tool, entry.flags) == ('one\ntwo\n{"odd":1}', "", Flag.FAILED)


def test_a_result_without_output_is_a_result(tmp_path: Path) -> None:
    [entry] = read(tmp_path, droid("a", "user", {"type": "tool_result", "tool_use_id": "t"})).entries
    assert (entry.role, entry.call, entry.blocks) == (Role.TOOL_RESULT, "t", ())


def test_what_droid_adds_is_written_by_the_tool(tmp_path: Path) -> None:
    added = "<system-reminder>Today is Monday.</system-reminder>"
    assert only(tmp_path, added).flags == Flag.INJECTED
    assert only(tmp_path, added, "Which tea?").flags == Flag.NONE
    assert only(tmp_path, "Be brief.", role="system").flags == Flag.HIDDEN


def test_hooks_notes_and_unknown_records(tmp_path: Path) -> None:
    hook = droid("h", "user")
    hook["message"] |= {"hookEventName": "Stop", "hookResults": ["said"]}
    source = read(tmp_path, hook, {"type": "session_end", "reason": "quit"}, {"type": "new", "id": "n"}, {"id": "x"})
    kinds = [(entry.id, entry.kind, entry.name) for entry in source.entries]
    assert kinds == [
        ("h", Kind.CUSTOM, "droid:hook"), ("line 2", Kind.CUSTOM, "droid:session_end"), ("n", Kind.UNKNOWN, "new"),
    ]  # fmt: skip
    assert "said" in source.entries[0].details
    assert [one.reason for one in source.skipped] == ["not a record of Factory Droid"]


def test_a_record_of_any_type_follows_the_one_that_it_names(tmp_path: Path) -> None:
    talk = [droid("a", "user", "x"), droid("b", "assistant", "y")]
    records = [{"type": type, "id": type, "parentId": "a"} for type in ("new", "todo_state", "compaction_state")]
    assert [entry.parent for entry in read(tmp_path, *talk, *records).entries] == [None, "a", "a", "a", "a"]


def test_compactions(tmp_path: Path) -> None:
    newer = {"type": "compaction_state", "id": "k", "summaryText": "Tea was chosen.", "removedCount": 4}
    older = {"type": "compaction_state", "id": "l", "summary": {"title": "Tea", "body": "Chosen."}}
    records = [droid("a", "user", "x"), newer, older, {"type": "compaction_state", "id": "m"}]
    _asked, first, second, third = read(tmp_path, *records).entries
    assert (first.kind, first.blocks, json.loads(first.details)) == (
        Kind.COMPACTION, (Text("Tea was chosen."),), {"removedCount": 4},
    )  # fmt: skip
    assert (plain_text(second.blocks), second.details, third.blocks) == ("Tea\n\nChosen.", "", ())


def test_a_reply_may_name_its_model(tmp_path: Path) -> None:
    record = droid("a", "assistant", droid_call())
    record["message"]["model"] = "gpt-5"
    [entry] = read(tmp_path, record, settings={"model": "other"}).entries
    assert entry.model == "gpt-5"


def test_damaged_settings_are_told(tmp_path: Path) -> None:
    (tmp_path / "5e55.settings.json").write_bytes(b"{")
    source = read(tmp_path, *droid_talk())
    assert [one.reason for one in source.skipped] == ["5e55.settings.json cannot be read: not valid JSON"]


def test_settings_belong_to_the_log(tmp_path: Path) -> None:
    read(tmp_path, *droid_talk(), settings={"model": "x"})
    log, settings = tmp_path / "5e55.jsonl", tmp_path / "5e55.settings.json"
    droid_reader = Droid()
    assert (droid_reader.main_file(settings), droid_reader.main_file(log)) == (log, None)
    [end] = [event for event in droid_reader.read(log, None) if isinstance(event, End)]
    assert end.checkpoint is not None
    assert not droid_reader.companions_changed(log, end.checkpoint)
    settings.write_bytes(b'{"model": "longer"}')
    assert droid_reader.companions_changed(log, end.checkpoint)
    log.unlink()
    assert droid_reader.main_file(settings) is None


def test_recognised(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(*droid_talk()))
    assert formats.identify(path) == "droid"
    inside = tmp_path / ".factory" / "sessions" / "-w" / "s.jsonl"
    inside.parent.mkdir(parents=True)
    inside.write_bytes(lines(*droid_talk()[1:3]))
    assert formats.identify(inside) == "droid"
    (inside.with_name("pi.jsonl")).write_bytes(
        lines({"type": "session", "id": "p", "version": 3}, *droid_talk()[1:3])
    )
    assert formats.identify(inside.with_name("pi.jsonl")) == "pi"
    [begin] = [event for event in formats.read(inside, "droid", None) if isinstance(event, Begin)]
    assert begin.info.source_id == "s"
