"""Copilot CLI's sessions: messages, tools, subagents, compactions, notes, damage, real recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.tool_calls.outcomes import exit_code
from stemmata.formats.copilot_cli.reader import CopilotCli
from stemmata.formats.registry import standard_formats
from tests.fakes.copilot_cli import began, call, done, event, kinds, lines, reply, said, start
from tests.fakes.export_source import MemorySource, only, shape


def read(folder: Path, *records: Any, name: str = "x/events.jsonl") -> MemorySource:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*records))
    return MemorySource.read(CopilotCli(), path)


def test_a_session(tmp_path: Path) -> None:
    turn = event("assistant.turn_start", "n", turnId="0")
    source = read(tmp_path, start(), said("a", "Which tea?", 2), turn, reply("b", "Sencha.", 3))
    assert shape(source) == [("a", None, "Which tea?"), ("b", "a", "Sencha.")]
    assert (source.info.source, source.info.source_id, source.info.cwd) == ("copilot-cli", "5e55", "/w/tea")
    facts = {"copilotVersion": "1.0.78", "producer": "copilot-agent", "branch": "main"}
    assert json.loads(source.info.details) == facts
    assert (source.leaf_id, source.info.created_at, source.title) == ("b", 1785924000 * 10**9, "")
    last = source.entries[-1]
    assert (last.provider, last.model, last.usage) == ("github-copilot", "gpt-5-mini", Usage(output=7))
    assert last.flags == Flag.ENDS_TURN | Flag.UNFINISHED
    assert source.skipped == []


def test_a_call_and_its_result(tmp_path: Path) -> None:
    ended = "tea.txt\n<shellId: 0 completed with exit code 2>"
    source = read(
        tmp_path, start(), reply("a", "", calls=[call("t"), call("u", "view", '{"path": "a.py"}'), "no call"]),
        began("b", "t"), done("c", "t", ended), done("d", "u", "", success=False, result=None,
        error={"message": "No such file.", "code": "failure"}), done("e", "v", "", result=None),
    )  # fmt: skip
    asked, first, second, third = source.entries
    assert asked.blocks == (ToolCall("t", "bash", '{"command":"ls"}'), ToolCall("u", "view", '{"path": "a.py"}'))
    assert not asked.flags & Flag.ENDS_TURN
    assert (first.role, first.tool, first.call, exit_code(first)) == (Role.TOOL_RESULT, "bash", "t", 2)
    assert (second.tool, plain_text(second.blocks), second.flags) == ("view", "No such file.", Flag.FAILED)
    assert json.loads(second.details) == {"error": {"message": "No such file.", "code": "failure"}}
    assert (third.tool, third.call, third.blocks, third.details) == ("", "v", (), "")


def test_a_call_that_no_reply_asked_for(tmp_path: Path) -> None:
    source = read(tmp_path, start(), began("b", "t"), done("c", "t", "tea.txt"))
    asked, result = source.entries
    assert asked.blocks == (ToolCall("t", "bash", '{"command":"ls"}'),)
    assert (asked.role, result.tool, result.parent) == (Role.ASSISTANT, "bash", "b")


def test_thinking_is_told_once(tmp_path: Path) -> None:
    source = read(
        tmp_path, start(), event("assistant.reasoning", "a", content="Hm."), reply("b", "Yes.", reasoningText="Hm."),
        reply("c", "No.", reasoningText="Hm.", reasoningOpaque="x"),
        reply("d", "", reasoningOpaque="x", outputTokens=0),
    )  # fmt: skip
    assert [entry.blocks for entry in source.entries] == [
        (Thinking("Hm."),), (Text("Yes."),), (Thinking("Hm.", "x"), Text("No.")), (Thinking("", "x", redacted=True),),
    ]  # fmt: skip
    assert source.entries[-1].usage is None


def test_what_the_program_says_in_the_name_of_the_user(tmp_path: Path) -> None:
    source = read(
        tmp_path, start(), said("a", "Go on.", isAutopilotContinuation=True), said("b", "Look.", source="agent-x"),
        event("system.notification", "c", content="The agent has failed."), said("d", "Why?", source="user"),
    )  # fmt: skip
    assert [entry.role for entry in source.entries] == [Role.USER] * 4
    assert [bool(entry.flags & Flag.INJECTED) for entry in source.entries] == [True, True, True, False]


def test_an_attachment_is_kept(tmp_path: Path) -> None:
    file = {"type": "file", "path": "/w/tea/a.py"}
    found = event("user.message", "a", content="", attachments=[file, 7])
    assert only(read(tmp_path, start(), found)).blocks == (
        UnknownBlock("file", '{"type":"file","path":"/w/tea/a.py"}'), UnknownBlock("attachment", "7"),
    )  # fmt: skip
    assert only(read(tmp_path, start(), event("user.message", "a", content="x"))).blocks == (Text("x"),)


def test_the_system_prompt_is_an_entry_when_it_changes(tmp_path: Path) -> None:
    prompts = [event("system.message", str(at), content=what) for at, what in enumerate(("A", "A", "B", "A"))]
    source = read(tmp_path, start(), *prompts)
    assert [(entry.role, plain_text(entry.blocks)) for entry in source.entries] == [
        (Role.SYSTEM, "A"), (Role.SYSTEM, "B"), (Role.SYSTEM, "A"),
    ]  # fmt: skip


def test_a_subagent_is_a_branch_below_its_call(tmp_path: Path) -> None:
    source = read(
        tmp_path, start(), reply("a", "", calls=[call("u"), call("t", "task")]), done("n", "u", "A."),
        began("b", "t"),
        event("subagent.started", "c", agent="t", toolCallId="t"),
        event("user.message", "d", agent="t", content="Look."),
        event("assistant.message", "e", agent="t", content="A."),
        done("f", "t", "A."), event("user.message", "g", agent="lost", content="Who?"),
    )  # fmt: skip
    assert [(entry.id, entry.parent) for entry in source.entries] == [
        ("a", None), ("n", "a"), ("c", "a"), ("d", "c"), ("e", "d"), ("f", "n"), ("g", "f"),
    ]  # fmt: skip
    excluded = [entry.id for entry in source.entries if entry.flags & Flag.EXCLUDED]
    assert (excluded, source.leaf_id) == (["c", "d", "e", "g"], "f")


def test_a_compaction_has_the_tokens_that_the_program_reported(tmp_path: Path) -> None:
    complete: dict[str, Any] = {"summaryContent": "We chose.", "preCompactionTokens": 45, "postCompactionTokens": 9}
    source = read(
        tmp_path, start(), event("session.compaction_complete", "a", requestId="r", **complete),
        event("session.compaction_start", "b", currentTokens=10826),
        event("session.compaction_complete", "c", success=True, **complete),
        event("session.compaction_complete", "d", success=False, error="Too long."),
        event("session.compaction_complete", "e", summaryContent=""),
    )  # fmt: skip
    first, second, failed, empty = source.entries
    assert (first.kind, first.usage, plain_text(first.blocks)) == (Kind.COMPACTION, Usage(total=45), "We chose.")
    assert json.loads(first.details) == {"preCompactionTokens": 45, "postCompactionTokens": 9}
    assert (second.usage, second.target) == (Usage(total=10826), None)
    assert (failed.kind, plain_text(failed.blocks)) == (Kind.CUSTOM, "Too long.")
    assert (empty.kind, empty.blocks) == (Kind.COMPACTION, ())


def test_a_compaction_of_unknown_size(tmp_path: Path) -> None:
    assert only(read(tmp_path, start(), event("session.compaction_complete", "a"))).usage is None


def test_models_notes_and_what_is_unknown(tmp_path: Path) -> None:
    source = read(
        tmp_path, start(), event("session.model_change", "a", newModel="auto"),
        event("session.auto_mode_resolved", "b", chosenModel="gpt-5-mini"),
        event("session.info", "c", infoType="rewind", message="Rewound the conversation."),
        event("session.usage_checkpoint", "d", modelCacheState=[{"modelId": "m"}]),
        event("session.title_changed", "e", title="Tea"), event("tea.poured", "f", cups=2),
    )  # fmt: skip
    assert [entry.model for entry in source.entries[:2]] == ["auto", "gpt-5-mini"]
    told, hidden, titled, unknown = source.entries[2:]
    assert (told.name, plain_text(told.blocks), told.flags) == (
        "copilot:session.info", "Rewound the conversation.", Flag.NONE,
    )  # fmt: skip
    assert (hidden.flags, json.loads(hidden.details)) == (Flag.HIDDEN, {"modelCacheState": [{"modelId": "m"}]})
    assert (source.title, titled.kind) == ("Tea", Kind.CUSTOM)
    assert (unknown.kind, unknown.name, unknown.details) == (Kind.UNKNOWN, "tea.poured", '{"cups":2}')


def test_a_bad_record_costs_one_record(tmp_path: Path) -> None:
    nameless = said("", "Hm?")
    source = read(tmp_path, start(), said("a", "One"), b"no JSON", [1], {"type": "x"}, said("a", "Two"), nameless)
    assert shape(source) == [("a", None, "One"), ("line 7", "a", "Hm?")]
    assert [(one.line, one.reason) for one in source.skipped] == [
        (3, "not valid JSON"), (4, "not a JSON object"), (5, "not an event of Copilot CLI"),
        (6, "has the id of an earlier event"),
    ]  # fmt: skip


def test_a_file_that_ends_inside_a_line_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    data = lines(start(), said("a", "One"), reply("b", "Two"))
    path.write_bytes(data[:-20])
    source = MemorySource.read(CopilotCli(), path)
    assert [one.reason for one in source.skipped] == ["not valid JSON: the file ends inside this line"]
    path.write_bytes(data)
    source.go_on(CopilotCli(), path)
    assert (shape(source), source.source_bytes) == ([("a", None, "One"), ("b", "a", "Two")], data)


def test_a_log_without_its_start_is_named_by_its_folder_or_file(tmp_path: Path) -> None:
    for name, id in (("5e56/events.jsonl", "5e56"), ("5e57.jsonl", "5e57")):
        source = read(tmp_path, said("a", "One"), name=name)
        assert (source.info.source_id, source.info.details, source.info.created_at) == (id, "", 0)


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        (start(), True), (said("a", "x"), True), ({"type": "user", "data": {}, "parentId": None}, False),
        ({"type": "session.start", "data": 1, "parentId": None}, False), ({"type": "session.start"}, False),
    ],
)  # fmt: skip
def test_sniffing(record: Any, is_ours: bool) -> None:
    assert CopilotCli().sniff(lines(b"no JSON", record), Path("x.jsonl")) is is_ours


def test_sessions_are_found(tmp_path: Path) -> None:
    own = tmp_path / "own"
    for home in (tmp_path / ".copilot", own):
        read(home / "session-state", start())
    for environment, home in ({}, tmp_path / ".copilot"), ({"COPILOT_HOME": str(own)}, own):
        [found] = standard_formats(tmp_path, environment).discover()
        assert (found.source, found.name, found.folder) == ("copilot-cli", "Copilot CLI", str(home / "session-state"))


@pytest.mark.parametrize(
    ("name", "entries", "branches"),
    [("compaction_1078", 12, 1), ("long_loop", 36, 1), ("rewind_1078", 11, 1), ("subagent_1078", 22, 3)],
)
def test_every_line_of_a_real_session_is_accounted_for(samples: Path, name: str, entries: int, branches: int) -> None:
    path = samples / "copilot-cli" / f"{name}.jsonl"
    formats = standard_formats(Path("nowhere"), {})
    assert formats.identify(path) == "copilot-cli"
    events = list(formats.read(path, "", None))
    counts, lost = kinds(path.read_bytes(), events)
    assert (lost, counts["entry"], counts["skipped"]) == ([], entries, 0)
    read = [one for one in events if isinstance(one, Entry)]
    assert not any(entry.kind is Kind.UNKNOWN for entry in read)
    assert len({entry.id for entry in read} - {entry.parent for entry in read}) == branches
    calls = {block.id for entry in read for block in entry.blocks if isinstance(block, ToolCall)}
    assert {entry.call for entry in read if entry.role is Role.TOOL_RESULT} == calls


@pytest.mark.parametrize("name", ["copilot_session_event_stream", "copilot_vscode_event_stream"])
def test_the_transcripts_of_copilot_in_vs_code_have_the_same_form(samples: Path, name: str) -> None:
    path = samples / "vscode-chat" / f"{name}.jsonl"
    counts, lost = kinds(path.read_bytes(), standard_formats(Path("nowhere"), {}).read(path, "", None))
    assert (lost, counts["skipped"]) == ([], 0)
    assert counts["entry"] > 3
