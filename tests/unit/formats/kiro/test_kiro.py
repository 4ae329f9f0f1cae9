"""Kiro CLI's sessions: messages, tools, a cleared conversation, the facts beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stemmata.domain.entries.blocks import ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.sources.reading import End
from stemmata.formats.kiro.reader import Kiro
from stemmata.formats.registry import standard_formats
from tests.fakes.export_source import MemorySource
from tests.fakes.message_logs import kiro, kiro_facts, kiro_result, kiro_talk, lines


def read(folder: Path, *records: Any, facts: bytes | None = None) -> MemorySource:
    path = folder / "cli" / "5e55.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lines(*records))
    if facts is not None:
        path.with_suffix(".json").write_bytes(facts)
    return MemorySource.read(Kiro(), path)


def test_a_session(tmp_path: Path) -> None:
    source = read(tmp_path, *kiro_talk(), facts=kiro_facts(parent_session_id="0r1g"))
    asked, called, output, said = source.entries
    assert [(entry.id, entry.parent) for entry in source.entries] == [("a", None), ("b", "a"), ("c", "b"), ("d", "c")]
    assert (asked.role, asked.time) == (Role.USER, 1784126037 * 10**9)
    assert called.blocks == (ToolCall("t", "shell", '{"command":"ls"}'),)
    assert called.flags == Flag.NONE
    assert (output.role, output.tool, plain_text(output.blocks), output.flags) == (
        Role.TOOL_RESULT, "shell", "tea.md\nexit status: 0", Flag.NONE,
    )  # fmt: skip
    assert (plain_text(said.blocks), said.flags) == ("Sencha.", Flag.ENDS_TURN)
    info = source.info
    assert (info.source, info.source_id, info.cwd, info.created_at, info.parent_source_id) == (
        "kiro", "5e55", "/w/tea", 1784126032 * 10**9, "0r1g",
    )  # fmt: skip
    assert json.loads(info.details) == {"updated_at": "2026-07-15T14:34:22Z", "model": "claude-sonnet-4"}
    assert source.title == "Tea"


def test_without_facts(tmp_path: Path) -> None:
    info = read(tmp_path, *kiro_talk()).info
    assert (info.source_id, info.cwd, info.details) == ("5e55", "", "")


def test_after_clear_the_conversation_starts_again(tmp_path: Path) -> None:
    source = read(tmp_path, *kiro_talk(), kiro("k", "Clear"), kiro("e", "Prompt", "Which cup?"))
    *_, mark, asked = source.entries
    assert (mark.kind, mark.name, mark.parent) == (Kind.CUSTOM, "kiro:Clear", "d")
    assert (asked.id, asked.parent, source.leaf_id) == ("e", None, "e")


def test_output_of_another_form_is_kept_as_it_is(tmp_path: Path) -> None:
    told = {"kind": "toolResult", "data": {"toolUseId": "t", "content": {"x": [{"data": "tea.md"}]}}}
    [output] = read(tmp_path, kiro("a", "ToolResults", told)).entries
    assert plain_text(output.blocks) == '{"x":[{"data":"tea.md"}]}'


def test_content_of_every_kind(tmp_path: Path) -> None:
    results = [
        kiro_result("t", "No such file.", "error", "text"), kiro_result("u", {"stdout": "x"}),
        {"kind": "toolResult", "data": {"toolUseId": "v", "content": ["plain"]}},
    ]  # fmt: skip
    odd = [
        {"kind": "image", "data": {"format": "png"}},
        {"kind": "toolUse", "data": "x"},
        {"kind": "toolResult", "data": {"x": 1}},
        "text",
        7,
    ]
    record = kiro("a", "ToolResults", *results)
    record["data"]["content"] += odd
    failed, printed, plain, rest = read(tmp_path, record).entries
    assert (plain_text(failed.blocks), failed.flags) == ("No such file.", Flag.FAILED)
    assert (plain_text(printed.blocks), plain_text(plain.blocks)) == ('{"stdout":"x"}', "plain")
    assert rest.blocks == (
        UnknownBlock("image", '{"kind":"image","data":{"format":"png"}}'),
        UnknownBlock("toolUse", '{"kind":"toolUse","data":"x"}'),
        UnknownBlock("toolResult", '{"kind":"toolResult","data":{"x":1}}'), UnknownBlock("content", '"text"'),
        UnknownBlock("content", "7"),
    )  # fmt: skip


def test_a_result_without_output_is_a_result(tmp_path: Path) -> None:
    [entry] = read(tmp_path, kiro("a", "ToolResults", {"kind": "toolResult", "data": {"toolUseId": "t"}})).entries
    assert (entry.role, entry.call, entry.blocks) == (Role.TOOL_RESULT, "t", ())


def test_unknown_records_and_records_without_ids(tmp_path: Path) -> None:
    source = read(tmp_path, {"version": "v1", "kind": "New", "data": {"x": 1}}, kiro("", "Prompt", "y"))
    assert [(entry.id, entry.kind, entry.name, entry.details) for entry in source.entries] == [
        ("line 1", Kind.UNKNOWN, "New", '{"x":1}'), ("line 2", Kind.MESSAGE, "", ""),
    ]  # fmt: skip


def test_facts_belong_to_the_log(tmp_path: Path) -> None:
    read(tmp_path, *kiro_talk(), facts=kiro_facts())
    log, facts = tmp_path / "cli" / "5e55.jsonl", tmp_path / "cli" / "5e55.json"
    assert (Kiro().main_file(facts), Kiro().main_file(log)) == (log, None)
    [end] = [event for event in Kiro().read(log, None) if isinstance(event, End)]
    assert end.checkpoint is not None
    assert not Kiro().companions_changed(log, end.checkpoint)
    facts.write_bytes(kiro_facts(title="Longer title"))
    assert Kiro().companions_changed(log, end.checkpoint)
    facts.write_bytes(b"{")
    assert [one.reason for one in MemorySource.read(Kiro(), log).skipped] == [
        "5e55.json cannot be read: not valid JSON"
    ]
    log.unlink()
    assert Kiro().main_file(facts) is None


def test_recognised(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(*kiro_talk()))
    assert standard_formats(tmp_path, {}).identify(path) == "kiro"
