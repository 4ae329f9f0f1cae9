"""Qwen Code's sessions: a tree of records, compactions, subagents, forks, damage, and files of older versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage
from stemmata.domain.sources.reading import Begin, End
from stemmata.formats.qwen.reader import Qwen
from stemmata.formats.registry import standard_formats
from tests.fakes import claude_code, gemini
from tests.fakes.export_source import MemorySource
from tests.fakes.qwen import call, content, event, kinds, lines, record, reply, result, said, talk

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def read(folder: Path, *records: Any, name: str = "s.jsonl") -> MemorySource:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*records))
    return MemorySource.read(Qwen(), path)


def test_a_session(tmp_path: Path) -> None:
    source = read(tmp_path, *talk())
    assert {entry.id: entry.parent for entry in source.entries} == {
        "a": None, "c": "a", "d": "c", "e": "d", "f": "e", "g": "e", "h": "g", "i": "h", "j": "i", "k": "j",
    }  # fmt: skip
    by_id = {entry.id: entry for entry in source.entries}
    assert by_id["c"].blocks == (Thinking("Hm."), Text("I look."), ToolCall("t", "read", '{"x":1}'))
    assert (by_id["c"].model, by_id["c"].flags) == ("m", Flag.NONE)
    assert (by_id["d"].role, by_id["d"].call, plain_text(by_id["d"].blocks)) == (Role.TOOL_RESULT, "t", "tea")
    assert (by_id["e"].usage, by_id["e"].flags) == (Usage(50, 9, 40), Flag.ENDS_TURN)
    summary = by_id["i"]
    assert (summary.kind, summary.target, summary.usage) == (Kind.COMPACTION, "h", Usage(total=900))
    assert plain_text(summary.blocks) == "So far: tea."
    assert (by_id["g"].name, by_id["k"].kind, by_id["k"].name) == ("qwen:rewind", Kind.SESSION_INFO, "Tea")
    info = source.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("qwen", "5e55", "Tea", "/w/tea")
    assert json.loads(info.details) == {"version": "0.9.0"}
    assert (source.leaf_id, source.skipped) == ("k", [])


@pytest.mark.parametrize("ids", [("b", "b#2"), ("b#2", "b")])
def test_the_id_of_a_record_is_that_of_no_part_of_another(tmp_path: Path, ids: tuple[str, str]) -> None:
    answers = [{"functionResponse": {"id": id, "name": "read", "response": {"output": id}}} for id in "tu"]
    records = [said(id, above, *answers) for id, above in zip(ids, (None, ids[0]), strict=True)]
    found = {entry.id: plain_text(entry.blocks) for entry in read(tmp_path, *records).entries}
    assert found == {"b": "t", "b#2~2": "u", "b#2": "t", "b#2#2": "u"}


@pytest.mark.parametrize(
    ("parts", "blocks"),
    [
        ("Hello", (Text("Hello"),)),
        ({"text": "Hello"}, (Text("Hello"),)),
        (["Hello", [1]], (Text("Hello"), UnknownBlock("part", '{"part":[1]}'))),
    ],
)
def test_parts_of_another_form_are_kept(tmp_path: Path, parts: object, blocks: object) -> None:
    odd = record("user", "b", "a", message={"role": "user", "parts": parts})
    assert read(tmp_path, said("a", None, "First"), odd).entries[1].blocks == blocks


def test_a_title_that_the_program_made_is_not_given_by_a_person(tmp_path: Path) -> None:
    def named(**payload: str) -> tuple[str, bool, bool]:
        path, title = tmp_path / "s.jsonl", record("system", "b", "a", subtype="custom_title", systemPayload=payload)
        path.write_bytes(lines(said("a", None, "Look"), title))
        begin, *_, end = Qwen().read(path, None)
        assert isinstance(begin, Begin)
        assert isinstance(end, End)
        assert end.title == begin.info.title
        return end.title, end.named, begin.info.named

    assert named(customTitle="Tea") == ("Tea", True, True)
    assert named(customTitle="Tea", titleSource="manual") == ("Tea", True, True)
    assert named(customTitle="Tea", titleSource="auto") == ("Tea", False, False)
    assert named(customTitle="") == ("", False, False)


def test_contents(tmp_path: Path) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    source = read(
        tmp_path, said("a", None, "Look", picture, {"inlineData": {"data": 5}}, {}, {"text": ""}),
        reply("b", "a", {"functionCall": {"name": "read"}}, usageMetadata=None),
        result("c", "b", "t", error="No"), result("d", "c", "u", "cancelled", n=1), result("e", "d", "v"),
        said("f", "e", "Done", subtype="notification"), reply("g", "f"), record("user", "h", "g"),
    )  # fmt: skip
    a, b, c, d, e, f, g, h = source.entries
    assert [type(block) for block in a.blocks] == [Text, Image, UnknownBlock, UnknownBlock]
    assert (b.blocks, b.usage) == ((ToolCall("b/0", "read", "{}"),), None)
    assert [(one.flags, plain_text(one.blocks)) for one in (c, d, e)] == [
        (Flag.FAILED, "No"), (Flag.FAILED, '{"n":1}'), (Flag.NONE, ""),
    ]  # fmt: skip
    assert (f.flags, g.blocks, h.blocks) == (Flag.INJECTED, (), ())


def test_events(tmp_path: Path) -> None:
    source = read(
        tmp_path, event("slash_command", "a", None, rawCommand="/about"), event("odd", "b", "a", n=1),
        record("system", "c", "b"), event("chat_compression", "d", "c", summary="S"),
        event("chat_compression", "e", "d"),
    )  # fmt: skip
    assert [(entry.name, plain_text(entry.blocks), entry.flags) for entry in source.entries] == [
        ("qwen:slash_command", "/about", Flag.NONE), ("qwen:odd", "", Flag.HIDDEN), ("qwen:system", "", Flag.HIDDEN),
        ("", "S", Flag.NONE), ("", "", Flag.NONE),
    ]  # fmt: skip
    assert source.entries[1].details == '{"n":1}'


def test_what_a_compaction_keeps(tmp_path: Path) -> None:
    history = [content("user", "S"), content("user", "x"), content("user", "c")]
    source = read(
        tmp_path, said("a", None, "a"), said("b", "a", "b"), event("odd", "n", "b"), said("c", "n", "c"),
        event("chat_compression", "d", "c", compressedHistory=history),
    )  # fmt: skip
    assert source.entries[-1].target == "c"
    longer = [*history[:2], content("user", "a")]
    source = read(tmp_path, said("a", None, "a"), event("chat_compression", "d", "a", compressedHistory=longer))
    assert source.entries[-1].target == "a"


def test_subagents_forks_and_sessions_that_another_one_began(tmp_path: Path) -> None:
    source = read(tmp_path, said("a", None, "x", isSidechain=True), name="agent-1.jsonl")
    assert (source.info.source_id, source.info.parent_source_id) == ("5e55/agent-1", "5e55")
    assert source.entries[0].flags == Flag.EXCLUDED
    forked = {"sessionId": "5e54", "messageUuid": "a"}
    assert read(tmp_path, said("a", None, "x", forkedFrom=forked)).info.parent_source_id == "5e54"
    spawned = event("parent_session", "b", "a", parentSessionId="5e53")
    source = read(tmp_path, said("a", None, "x"), spawned)
    assert (source.info.parent_source_id, source.leaf_id) == ("5e53", "a")


def test_damage(tmp_path: Path) -> None:
    source = read(
        tmp_path, said("a", "gone", "x"), b"no JSON", {"uuid": "b"}, said("a", None, "y"), said("c", "d", "x"),
        event("ui_telemetry", "d", "c"),
    )  # fmt: skip
    assert [(one.line, one.reason) for one in source.skipped] == [
        (2, "not valid JSON"), (3, "not a known record of Qwen Code"), (4, "has the id of an earlier record"),
    ]  # fmt: skip
    assert {entry.id: (entry.parent, entry.flags) for entry in source.entries} == {
        "a": (None, Flag.REPAIRED), "c": (None, Flag.REPAIRED),
    }  # fmt: skip
    path, data = tmp_path / "s.jsonl", lines(*talk())
    path.write_bytes(data[:-9])
    source = MemorySource.read(Qwen(), path)
    assert source.skipped[0].reason.endswith("the file ends inside this line")
    path.write_bytes(data)
    source.go_on(Qwen(), path)
    assert (len(source.entries), source.source_bytes) == (10, data)
    only = read(tmp_path, said("a", None, "x"), said("", None, "x"))
    assert len(only.entries) == 1


def test_files_of_older_versions(tmp_path: Path) -> None:
    path = tmp_path / ".qwen" / "tmp" / "1f" / "chats" / "session-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(gemini.lines(gemini.head(), gemini.said("a", "Which tea?")))
    formats = standard_formats(tmp_path, {})
    assert formats.identify(path) == "qwen"
    source = MemorySource.read(Qwen(), path)
    assert (source.info.source, [entry.id for entry in source.entries]) == ("qwen", ["a"])
    other = tmp_path / "session-1.jsonl"
    other.write_bytes(path.read_bytes())
    assert formats.identify(other) == "gemini"


@pytest.mark.parametrize(
    ("made", "is_ours"),
    [
        (said("a", None, "x"), True), (event("rewind", "a", None), True), (claude_code.user("a", None, 0), False),
        ({"type": "user", "message": {"parts": []}}, False), (record("odd", "a", None, systemPayload={}), False),
        ({**said("a", None, "x"), "type": {"user": 1}}, False), ({**said("a", None, "x"), "type": ["user"]}, False),
    ],
)  # fmt: skip
def test_sniffing(made: Any, is_ours: bool) -> None:
    assert Qwen().sniff(lines(made), Path("x.jsonl")) is is_ours


def test_its_folders(tmp_path: Path) -> None:
    read(tmp_path / ".qwen" / "projects" / "w" / "chats", *talk())
    [found] = standard_formats(tmp_path, {}).discover()
    assert (found.source, found.name) == ("qwen", "Qwen Code")
    assert standard_formats(tmp_path, {}).identify(Path(found.files[0])) == "qwen"
    for name in ("QWEN_HOME", "QWEN_RUNTIME_DIR"):
        assert [folder.path for folder in Qwen().folders(tmp_path, {name: "/q"})] == [
            Path("/q/projects"),
            Path("/q/tmp"),
        ]


def test_every_line_is_accounted_for(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(*talk()))
    counts, lost = kinds(path.read_bytes(), Qwen().read(path, None))
    assert (counts, lost) == ({"entry": 10, "bookkeeping": 1, "skipped": 0}, [])


def test_calls(tmp_path: Path) -> None:
    assert read(tmp_path, reply("a", None, call("t"), "After.")).entries[0].flags == Flag.ENDS_TURN


def test_a_session_is_resumed_by_its_id(tmp_path: Path) -> None:
    found = standard_formats(tmp_path, {}).resume_command("qwen", "s", "")
    assert found == ("qwen", "--resume", "s")
    assert standard_formats(tmp_path, {}).resume_command("qwen", "s/agent", "") == ()
