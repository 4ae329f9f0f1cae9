"""Continue's sessions: items, results, compactions, usage, facts, where they lie, the sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Skipped
from stemmata.formats.continue_dev.format import CONTINUE
from stemmata.formats.continue_dev.reader import Continue
from stemmata.formats.registry import standard_formats
from tests.fakes.continue_dev import NAME, call, lost, said, session, state, talk
from tests.fakes.export_source import MemorySource

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def put(folder: Path, data: bytes, name: str = NAME) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(data)
    return path


def read(folder: Path, *items: Any, **more: Any) -> MemorySource:
    path = put(folder, session(*items, **more))
    source = MemorySource.read(Continue(), path)
    assert source.source_bytes == path.read_bytes()
    return source


def replies(source: MemorySource) -> list[Entry]:
    return [entry for entry in source.entries if entry.role is Role.ASSISTANT]


def test_the_id_of_a_message_is_that_of_no_summary(tmp_path: Path) -> None:
    items = talk()
    items[-1]["message"]["id"] = "c#summary"
    source = read(tmp_path, *items)
    assert [entry.id for entry in source.entries] == ["a", "b", "b#2", "c", "c#summary~2", "c#summary"]


def test_a_session(tmp_path: Path) -> None:
    source = read(tmp_path, *talk())
    prompt, asked, told, answer, summary, more = source.entries
    assert [entry.id for entry in source.entries] == ["a", "b", "b#2", "c", "c#summary", "d"]
    assert [entry.parent for entry in source.entries] == [None, "a", "b", "b#2", "c", "c#summary"]
    assert prompt.blocks == (Text("a.py:\n\nx"), Text("Which tea?"))
    assert asked.blocks == (Text("I look."), ToolCall("t", "Read", '{"path":"a.py"}'))
    assert (asked.provider, asked.model, asked.usage, asked.flags) == (
        "anthropic", "Opus", Usage(9, 5, 3), Flag.NONE,
    )  # fmt: skip
    assert (told.role, told.call, told.tool, told.blocks) == (Role.TOOL_RESULT, "t", "Read", (Text("tea"),))
    assert (answer.blocks, answer.model, answer.flags) == (
        (Thinking("Hm."), Text("Sencha.")), "Sencha", Flag.ENDS_TURN,
    )  # fmt: skip
    assert (summary.kind, summary.blocks, summary.target) == (Kind.COMPACTION, (Text("About tea."),), None)
    assert (source.leaf_id, more.blocks) == ("d", (Text("And cake?"),))
    assert (source.info.source_id, source.info.title, source.info.cwd) == ("s", "Tea", "/w/my tea")
    assert json.loads(source.info.details) == {"mode": "agent"}
    record = source.record(1)
    assert record is not None
    assert json.loads(record)["message"]["id"] == "b"


def test_results(tmp_path: Path) -> None:
    states = [state("t"), state("u", "canceled"), state("v", "errored", "no", ""), state("w", "done", "a", "b")]
    calls = [call("t"), call("u"), call("v"), call("w", arguments={"x": 1}), "odd"]
    source = read(
        tmp_path, said("assistant", "", message={"toolCalls": calls}, toolCallStates=states),
        said("tool", "a\nb", message={"toolCallId": "w"}), said("tool", "late", message={"toolCallId": "t"}),
    )  # fmt: skip
    reply, stopped, failed, both, late = source.entries
    assert reply.blocks[3:] == (ToolCall("w", "Read", '{"x":1}'), ToolCall("", "", "{}"))
    assert (stopped.call, stopped.blocks, stopped.flags) == ("u", (), Flag.FAILED)
    assert (failed.blocks, failed.flags) == ((Text("no"),), Flag.FAILED)
    assert (both.blocks, both.flags) == ((Text("a"), Text("b")), Flag.NONE)
    assert (late.role, late.call, late.tool, late.blocks) == (Role.TOOL_RESULT, "t", "Read", (Text("late"),))


def test_contents(tmp_path: Path) -> None:
    picture = {"type": "imageUrl", "imageUrl": {"url": f"data:image/png;base64,{PIXEL}"}}
    bad = {"type": "imageUrl", "imageUrl": {"url": "data:image/png;base64,?"}}
    linked = {"type": "imageUrl", "imageUrl": {"url": "https://tea/a.png"}}
    source = read(
        tmp_path, said("user", ["Look", picture, bad, linked, {"type": "text"}, 5, None], contextItems=[
            {"name": "", "content": "y"}, {"name": "e", "content": ""}, 7]),
        said("system", "Be brief."), said("thinking", "Hm.", message={"signature": "s"}),
        said("thinking", "", message={"redactedThinking": "r"}), said("assistant", ""), said("assistant", "Yes."),
        said("user", ""),
    )  # fmt: skip
    look, rules, thought, sealed, yes, silent = source.entries
    assert [type(block) for block in look.blocks] == [
        Text, Text, Image, UnknownBlock, UnknownBlock, UnknownBlock,
    ]  # fmt: skip
    assert look.blocks[0] == Text("context:\n\ny")
    assert look.blocks[3:] == (
        UnknownBlock("image", json.dumps(bad, separators=(",", ":"))),
        UnknownBlock("imageUrl", json.dumps(linked, separators=(",", ":"))), UnknownBlock("content", "5"),
    )  # fmt: skip
    assert (rules.role, rules.flags) == (Role.SYSTEM, Flag.HIDDEN)
    assert (thought.blocks, thought.flags) == ((Thinking("Hm.", "s"),), Flag.UNFINISHED)
    assert sealed.blocks == (Thinking("", "r", redacted=True),)
    assert (yes.id, silent.blocks) == ("s/6.", ())
    assert len(source.blobs) == 1


def test_compactions(tmp_path: Path) -> None:
    marked = said("assistant", "[COMPACTED HISTORY]\nAbout tea.")
    told = said("assistant", "About cake.", conversationSummary="About cake.")
    source = read(tmp_path, marked, said("user", "Go on"), told, said("assistant", "", conversationSummary="All"))
    assert [(entry.kind, entry.blocks) for entry in source.entries] == [
        (Kind.COMPACTION, (Text("About tea."),)), (Kind.MESSAGE, (Text("Go on"),)),
        (Kind.COMPACTION, (Text("About cake."),)), (Kind.COMPACTION, (Text("All"),)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "read_", "made", "provider", "expected"),
    [
        (90, 40, 10, "openai", Usage(40, 5, 40, 10)),  # the cached ones are part of the input
        (90, 40, 10, "bedrock", Usage(90, 5, 40, 10)),
        (90, 400, 0, "openai", Usage(90, 5, 400)),
    ],
)
def test_usage(tmp_path: Path, sent: int, read_: int, made: int, provider: str, expected: Usage) -> None:
    details = {"cachedTokens": read_, "cacheWriteTokens": made}
    usage = {"promptTokens": sent, "completionTokens": 5, "promptTokensDetails": details}
    logs = [{"modelProvider": provider}]
    source = read(tmp_path, said("assistant", "Tea.", message={"usage": usage}, promptLogs=logs))
    assert (source.entries[0].usage, source.entries[0].model) == (expected, "Sencha")


def test_items_that_are_none_and_ids_that_repeat(tmp_path: Path) -> None:
    items = [5, said("user", "a", message={"id": "x"}), said("user", "b", message={"id": "x"}), {"message": {}}]
    source = read(tmp_path, *items)
    assert [(one.line, one.reason) for one in source.skipped] == [
        (1, "not an item of a history"), (4, "not an item of a history"),
    ]  # fmt: skip
    assert [entry.id for entry in source.entries] == ["x", "s/3."]
    record = source.record(1)
    assert record is not None
    assert json.loads(record)["message"]["content"] == "b"
    assert read(tmp_path, history={}).entries == []
    with pytest.raises(UnreadableSourceError, match="is damaged"):
        MemorySource.read(Continue(), put(tmp_path, session(*talk())[:90]))


def test_a_name_that_an_item_gets_may_be_taken(tmp_path: Path) -> None:
    items = [said("user", text, message={"id": id}) for text, id in (("a", "s/3."), ("b", "x"), ("c", "x"))]
    assert [entry.id for entry in read(tmp_path, *items).entries] == ["s/3.", "x", "s/3.~2"]


def test_a_damaged_session_costs_its_damaged_items(tmp_path: Path) -> None:
    whole = session(*talk(), 5)
    path = put(tmp_path, whole.replace(b'"Sencha."', b'"Sencha.'))
    assert MemorySource.read(Continue(), path).skipped[0].line == 3
    cut = MemorySource.read(Continue(), put(tmp_path, whole[: whole.index(b"And cake")]))
    assert [entry.id for entry in cut.entries] == ["a", "b", "b#2", "c", "c#summary"]
    assert [(one.line, one.reason) for one in cut.skipped] == [(4, "not valid JSON: the file ends inside it")]
    assert (cut.info.source_id, cut.info.title) == ("s", "Tea")
    bad = MemorySource.read(Continue(), put(tmp_path, whole.replace(b'"I look."', b'\\"I look."')))
    assert [(one.line, one.reason) for one in bad.skipped] == [(2, "not valid JSON")]
    record = bad.record(1)
    assert record is not None
    assert json.loads(record)["message"]["id"] == "c"


@pytest.mark.parametrize(
    ("named", "folder"),
    [
        ("/w/tea", "/w/tea"),
        ("file:///c%3A/tea", "c:/tea"),
        ("C:\\tea", "C:\\tea"),
        ("file://[/x", "file://[/x"),
        ("vscode-remote://ssh/w", "vscode-remote://ssh/w"),
    ],
)
def test_folders_of_workspaces(tmp_path: Path, named: str, folder: str) -> None:
    assert read(tmp_path, workspaceDirectory=named).info.cwd == folder


def test_facts_of_a_session(tmp_path: Path) -> None:
    source = read(tmp_path, said("user", "a"), title="New Session", sessionId=None, mode="", chatModelTitle=None)
    info = source.info
    assert (info.title, info.source_id, info.details, info.created_at) == ("", NAME.removesuffix(".json"), "", 0)
    assert read(tmp_path, title="Untitled Session").info.title == ""
    listed = [7, {"sessionId": "s", "dateCreated": "1767225600000"}]
    put(tmp_path, json.dumps(listed).encode(), "sessions.json")
    assert read(tmp_path).info.created_at == 1_767_225_600_000 * 10**6
    put(tmp_path, b'[{"sessionId":"s","dateCreated":"2026-01-01T00:00:00.000Z"}]', "sessions.json")
    assert read(tmp_path).info.created_at == 1_767_225_600_000 * 10**6
    for damaged in (b"{}", b"no JSON"):
        put(tmp_path, damaged, "sessions.json")
        assert read(tmp_path).info.created_at == 0


@pytest.mark.parametrize(
    ("folder", "environment"), [(".continue", {}), ("moved", {"CONTINUE_GLOBAL_DIR": "{home}/moved"})]
)
def test_where_they_lie_and_what_is_recognised(tmp_path: Path, folder: str, environment: dict[str, str]) -> None:
    path = put(tmp_path / folder / "sessions", session(*talk()))
    put(tmp_path / folder / "sessions", b"[]", "sessions.json")
    told = {name: value.format(home=tmp_path) for name, value in environment.items()}
    formats = standard_formats(tmp_path, told)
    [found] = formats.discover()
    assert (found.source, found.name, found.files) == ("continue", "Continue", (str(path),))
    assert formats.identify(path) == "continue"
    assert formats.session_file(path) == path
    first = json.dumps({"history": talk(), "title": "Tea", "workspaceDirectory": "/w", "sessionId": "s"}).encode()
    assert Continue().sniff(first, path)
    assert not Continue().sniff(b'[{"history":[]}]', path)
    assert not Continue().sniff(b'{"sessionId":"s","history":[]}', path)
    assert formats.resume_command("continue", "s", "") == ("cn", "--fork", "s")
    assert CONTINUE.unique_ids


def test_nothing_is_lost(tmp_path: Path) -> None:
    path = put(tmp_path, session(*talk(), 5, said("assistant", "")))
    assert lost(path.read_bytes(), list(Continue().read(path, None))) == []


def test_the_sample_is_read_whole(samples: Path) -> None:
    path = samples / "continue" / "continue-cli-session-simple.json"
    source = MemorySource.read(Continue(), path)
    roles = [entry.role for entry in source.entries]
    assert roles == [
        Role.USER, Role.ASSISTANT, Role.TOOL_RESULT, Role.ASSISTANT, Role.TOOL_RESULT, Role.ASSISTANT,
    ]  # fmt: skip
    assert [entry.tool for entry in source.entries if entry.tool] == ["Read", "MultiEdit"]
    assert source.info.title == "File Reading and Appending"
    assert json.loads(source.info.details)["usage"]["promptTokens"] == 1813
    assert lost(path.read_bytes(), list(Continue().read(path, None))) == []
    assert source.skipped == []


def test_what_follows_a_damaged_place_is_reported(tmp_path: Path) -> None:
    path = tmp_path / NAME
    last = b', {"message": {"role": "user", "content": "And cake?"'
    path.write_bytes(session(*talk()).replace(last, b', "' + last[1:]))
    reasons = [event.reason for event in Continue().read(path, None) if isinstance(event, Skipped)]
    assert reasons == ["the history is damaged here; what follows was not read"]
