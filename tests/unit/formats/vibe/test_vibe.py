"""Mistral Vibe's sessions: messages, tools, pictures, compactions, the facts beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.sources.reading import End
from stemmata.formats.registry import standard_formats
from stemmata.formats.vibe.reader import Vibe
from tests.fakes.export_source import MemorySource
from tests.fakes.message_logs import lines, vibe, vibe_call, vibe_facts, vibe_result, vibe_talk


def read(folder: Path, *records: Any, facts: bytes | None = None, name: str = "messages.jsonl") -> MemorySource:
    path = folder / name
    path.write_bytes(lines(*records))
    if facts is not None:
        path.with_name("meta.json").write_bytes(facts)
    return MemorySource.read(Vibe(), path)


def only(folder: Path, record: Any) -> Entry:
    [entry] = read(folder, record).entries
    return entry


def test_a_session(tmp_path: Path) -> None:
    source = read(tmp_path, *vibe_talk(), facts=vibe_facts())
    asked, called, output, said = source.entries
    assert [(entry.id, entry.parent) for entry in source.entries] == [
        ("a", None), ("b", "a"), ("result t", "b"), ("c", "result t"),
    ]  # fmt: skip
    assert (asked.role, asked.flags) == (Role.USER, Flag.NONE)
    assert called.blocks == (Thinking("Hm."), ToolCall("t", "bash", '{"command":"ls"}'))
    assert called.flags == Flag.NONE
    assert (output.role, output.tool, output.call, plain_text(output.blocks)) == (
        Role.TOOL_RESULT, "bash", "t", "tea.md",
    )  # fmt: skip
    assert (plain_text(said.blocks), said.flags) == ("Sencha.", Flag.ENDS_TURN)
    info = source.info
    assert (info.source, info.source_id, info.cwd, info.created_at, info.parent_source_id) == (
        "vibe", "5e55", "/w/tea", 1781344800 * 10**9, "",
    )  # fmt: skip
    assert json.loads(info.details) == {"git_branch": "main", "stats": {"steps": 2}, "model": "devstral-2"}
    assert source.title == "Tea"


def test_facts_of_a_fork(tmp_path: Path) -> None:
    facts = vibe_facts(parent_session_id="0r1g1234-5678", title="Green", title_source="manual", model="mistral-large")
    source = read(tmp_path, *vibe_talk(), facts=facts)
    assert source.info.parent_source_id == "0r1g1234"
    assert json.loads(source.info.details)["model"] == "mistral-large"
    [end] = [event for event in Vibe().read(tmp_path / "messages.jsonl", None) if isinstance(event, End)]
    assert (end.title, end.named) == ("Green", True)


def test_without_facts(tmp_path: Path) -> None:
    folder = tmp_path / "session_20260613_1"
    folder.mkdir()
    source = read(folder, *vibe_talk())
    assert (source.info.source_id, source.info.details, source.title) == ("session_20260613_1", "", "")
    (folder / "meta.json").write_bytes(vibe_facts())
    assert read(folder, *vibe_talk(), name="copy.jsonl").info.source_id == "copy"
    assert not Vibe().companions_changed(folder / "copy.jsonl", checkpoint(folder / "copy.jsonl"))


def checkpoint(path: Path) -> Any:
    [end] = [event for event in Vibe().read(path, None) if isinstance(event, End)]
    return end.checkpoint


def test_facts_that_change(tmp_path: Path) -> None:
    read(tmp_path, *vibe_talk(), facts=vibe_facts())
    log, facts = tmp_path / "messages.jsonl", tmp_path / "meta.json"
    known = checkpoint(log)
    assert not Vibe().companions_changed(log, known)
    facts.write_bytes(vibe_facts(title="Longer title"))
    assert Vibe().companions_changed(log, known)
    assert (Vibe().main_file(facts), Vibe().main_file(log)) == (log, None)
    facts.write_bytes(b"{")
    assert [one.reason for one in MemorySource.read(Vibe(), log).skipped] == [
        "meta.json cannot be read: not valid JSON"
    ]
    log.unlink()
    assert Vibe().main_file(facts) is None


def test_content_of_every_kind(tmp_path: Path) -> None:
    flat = {"alias": "a.png", "mime_type": "image/png", "data": "eA=="}
    file = {"source": {"kind": "file", "path": "/p.png"}, "alias": "p.png", "mime_type": "image/png"}
    record = vibe("a", "user", ["one", {"text": "two"}, {"odd": 1}], images=[flat, file])
    first, second, third, picture, path = only(tmp_path, record).blocks
    assert (first, second, third) == (Text("one"), Text("two"), UnknownBlock("content", '{"odd":1}'))
    assert isinstance(picture, Image)
    assert isinstance(path, UnknownBlock)
    assert "/p.png" in path.json


def test_calls_and_thinking(tmp_path: Path) -> None:
    calls = [vibe_call("t", "read", {"path": "a"}), vibe_call("u", "read", None), "odd"]
    entry = only(tmp_path, vibe("a", "assistant", reasoning_signature="x", tool_calls=calls))
    assert entry.blocks == (
        Thinking("", "x", redacted=True), ToolCall("t", "read", '{"path":"a"}'), ToolCall("u", "read", "{}"),
        UnknownBlock("tool call", '"odd"'),
    )  # fmt: skip


def test_who_wrote_a_message(tmp_path: Path) -> None:
    assert only(tmp_path, vibe("a", "user", "Go on.", injected=True)).flags == Flag.INJECTED
    assert only(tmp_path, vibe("a", "system", "Be brief.")).flags == Flag.HIDDEN
    summary = "<compaction_summary>\nTea was chosen.\n</compaction_summary>"
    assert only(tmp_path, vibe("a", "user", summary, injected=True)).kind is Kind.COMPACTION
    assert only(tmp_path, vibe("a", "user", summary)).kind is Kind.MESSAGE


def test_messages_without_ids(tmp_path: Path) -> None:
    nameless = {"role": "user", "content": "x", "message_id": ""}
    source = read(tmp_path, nameless, vibe_result("y", ""))
    assert [entry.id for entry in source.entries] == ["line 1", "line 2"]


def test_recognised(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    path = tmp_path / "messages.jsonl"
    path.write_bytes(lines(*vibe_talk()))
    assert formats.identify(path) == "vibe"
    path.write_bytes(lines({**vibe_talk()[0], "type": "message"}))
    assert not Vibe().sniff(path.read_bytes(), path)


def test_the_id_is_the_same_before_the_facts_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "session_20260613_100000_5e55abcd"
    folder.mkdir()
    before = read(folder, *vibe_talk()).info.source_id
    facts = vibe_facts(session_id="5e55abcd-0000-0000-0000-0123456789ab")
    assert before == read(folder, *vibe_talk(), facts=facts).info.source_id == "5e55abcd"


def test_messages_of_versions_before_2(tmp_path: Path) -> None:
    folder = tmp_path / "session_20251213_100000_5e55abcd"
    folder.mkdir()
    asked = {"role": "assistant", "content": "", "tool_calls": [vibe_call("t", "bash", "{}")]}
    talk = [{"role": "user", "content": "Which tea?"}, asked, vibe_result("tea.md", "t"), {"role": "assistant"}]
    source = read(folder, *talk)
    assert [entry.id for entry in source.entries] == ["line 1", "line 2", "result t"]
    assert [one.line for one in source.skipped] == [4]
    assert standard_formats(tmp_path, {}).identify(folder / "messages.jsonl") == "vibe"
    assert not Vibe().sniff(lines(talk[0]), tmp_path / "messages.jsonl")
