"""Cursor's transcripts: messages, calls without ids, subagents, damage, real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Role
from stemmata.formats.cursor_cli.reader import CursorCli
from stemmata.formats.registry import standard_formats
from tests.fakes.cursor_cli import kinds, lines, result, said, talk
from tests.fakes.export_source import MemorySource


def read(folder: Path, *records: Any, name: str = "s.jsonl") -> MemorySource:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*records))
    return MemorySource.read(CursorCli(), path)


def test_a_session(tmp_path: Path) -> None:
    source = read(tmp_path, *talk(), name="projects/w-tea/agent-transcripts/s/s.jsonl")
    prompt, asked, first, second, last = source.entries
    assert [entry.parent for entry in source.entries] == [None, "line 1", "line 2", "line 3", "line 3#2"]
    assert (prompt.role, prompt.blocks) == (Role.USER, (Text("Which tea?"),))
    assert asked.blocks == (
        Text("I look."), Thinking("", redacted=True), ToolCall("line 2/1", "Read", '{"path":"a.py"}'),
        ToolCall("line 2/2", "Bash", '{"command":"ls"}'),
    )  # fmt: skip
    assert (first.call, first.tool, first.flags) == ("line 2/1", "Read", Flag.NONE)
    assert (second.call, second.tool, second.flags) == ("line 2/2", "Bash", Flag.FAILED)
    assert (last.blocks, last.flags) == ((Thinking("Hm."), Text("Sencha.")), Flag.ENDS_TURN)
    assert (source.info.source, source.info.source_id, source.leaf_id) == ("cursor-cli", "s", "line 4")
    assert json.loads(source.info.details) == {"project": "w-tea"}


def test_other_contents(tmp_path: Path) -> None:
    source = read(
        tmp_path, said("user", "<files/>\n<user_query>Hi</user_query>"),
        {"role": "user", "message": {"content": "Plain"}},
        said("assistant", "[REDACTED]", {"type": "odd"}, 7, {"type": "tool_use", "id": "t", "name": "Read"}),
        said("user", result([{"odd": 1}, "x"]), result("y", "lost")), said("assistant", ""),
    )  # fmt: skip
    assert [entry.blocks for entry in source.entries] == [
        (Text("<files/>"), Text("Hi")), (Text("Plain"),),
        (Thinking("", redacted=True), UnknownBlock("odd", '{"type":"odd"}'), UnknownBlock("content", "7"),
         ToolCall("t", "Read", "{}")),
        (UnknownBlock("result", '{"odd":1}'), Text("x")), (Text("y"),), (),
    ]  # fmt: skip
    assert [entry.call for entry in source.entries if entry.role is Role.TOOL_RESULT] == ["t", "lost"]


def test_a_subagent_belongs_to_its_session(tmp_path: Path) -> None:
    source = read(tmp_path, *talk(), name="agent-transcripts/s/subagents/u.jsonl")
    assert (source.info.source_id, source.info.parent_source_id) == ("s/u", "s")


def test_a_bad_line_costs_one_line_and_a_file_grows(tmp_path: Path) -> None:
    source = read(tmp_path, b"no JSON", said("user", "a"), {"role": "system"})
    assert [(one.line, one.reason) for one in source.skipped] == [
        (1, "not valid JSON"),
        (3, "not a message of Cursor"),
    ]
    path, data = tmp_path / "s.jsonl", lines(*talk())
    path.write_bytes(data[:-9])
    source = MemorySource.read(CursorCli(), path)
    assert source.skipped[0].reason.endswith("the file ends inside this line")
    path.write_bytes(data)
    source.go_on(CursorCli(), path)
    assert (len(source.entries), source.skipped, source.source_bytes) == (5, [], data)


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        (said("user", "x"), True), ({"type": "user", **said("user", "x")}, False), (said("system", "x"), False),
        ({"role": "user", "message": "x"}, False), ({"role": "user", "content": "x"}, False),
    ],
)  # fmt: skip
def test_sniffing(record: Any, is_ours: bool) -> None:
    assert CursorCli().sniff(lines(record), Path("x.jsonl")) is is_ours


def test_its_folder(tmp_path: Path) -> None:
    read(tmp_path / ".cursor" / "projects" / "w" / "agent-transcripts", *talk())
    [found] = standard_formats(tmp_path, {}).discover()
    assert (found.source, found.name) == ("cursor-cli", "Cursor CLI")
    [folder] = CursorCli().folders(tmp_path, {"CURSOR_CONFIG_DIR": "/c"})
    assert folder.path == Path("/c/projects")


@pytest.mark.parametrize(("name", "entries"), [("cursor-session-simple", 11), ("large", 10)])
def test_the_samples(samples: Path, tmp_path: Path, name: str, entries: int) -> None:
    path = samples / "cursor" / f"{name}.jsonl"
    assert standard_formats(tmp_path, {}).identify(path) == "cursor-cli"
    counts, lost = kinds(path.read_bytes(), CursorCli().read(path, None))
    assert (counts["entry"], counts["skipped"], lost) == (entries, 0, [])
    source = MemorySource.read(CursorCli(), path)
    assert not [entry for entry in source.entries if not entry.blocks]
    assert "user_query" not in plain_text(source.entries[0].blocks)
