"""Sessions of VS Code's chat: logs and documents, replies, tools, what is cut off, damage, real files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Record, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.registry import standard_formats
from stemmata.formats.vscode_chat.log import LoggedDocument
from stemmata.formats.vscode_chat.reader import VscodeChat
from stemmata.formats.vscode_chat.turns import ChatRequests
from tests.fakes import copilot_cli
from tests.fakes.export_source import MemorySource, shape
from tests.fakes.vscode_chat import (
    START,
    answered,
    delete,
    kinds,
    lines,
    markdown,
    over,
    push,
    put,
    request,
    result,
    rewound,
    session,
    turn,
    whole,
)

SECOND = 1_000_000_000


def read(folder: Path, *records: Any, name: str = "5e55.jsonl", now: int = 0) -> MemorySource:
    path = folder / "chatSessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(*records))
    return MemorySource.read(VscodeChat(lambda: now), path)


def blocks_of(folder: Path, **more: Any) -> list[Any]:
    """The blocks of a reply."""
    source = read(folder, whole(session(answered("a", "x", "", **more))))
    return [block for entry in source.entries[1:] for block in entry.blocks]


def test_a_session(tmp_path: Path) -> None:
    (tmp_path / "workspace.json").write_text('{"folder": "file:///w/green%20tea"}')
    source = read(tmp_path, whole(session(answered("a", "Which tea?", "Sencha."))))
    assert shape(source) == [("a", None, "Which tea?"), ("a/reply", "a", "Sencha.")]
    info = source.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("vscode-chat", "5e55", "Tea", "/w/green tea")
    assert info.created_at == START * 1_000_000
    assert json.loads(info.details) == {"initialLocation": "panel", "responderUsername": "GitHub Copilot"}
    prompt, reply = source.entries
    assert (prompt.role, prompt.time) == (Role.USER, (START + 1000) * 1_000_000)
    assert (reply.role, reply.provider, reply.model) == (Role.ASSISTANT, "github-copilot", "gpt-5-mini")
    assert (reply.flags, reply.time, reply.usage) == (Flag.ENDS_TURN, (START + 1500) * 1_000_000, None)
    assert (source.leaf_id, source.title, source.skipped) == ("a/reply", "Tea", [])


class Counted(list[Any]):
    """Requests that count how often one of them is looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        self.looks += 1
        return super().__getitem__(at)


def test_a_change_costs_only_the_requests_that_it_concerns() -> None:
    document, turns = LoggedDocument(), ChatRequests()
    requests = Counted([answered("0", "Which tea?", "Sencha.")])
    changes = [{"kind": 0, "v": {"requests": requests}}]
    changes += [push([answered(str(at), "Why?", "So.")], "requests") for at in range(1, 200)]
    changes += [push([{"value": "More."}], "requests", at, "response") for at in range(200)]
    changes += [put(str(at), "customTitle") for at in range(200)]
    found = []
    for change in changes:
        assert document.take(change) == ""
        found += list(turns.settle(document.requests, (Record(0, 1),), document.changed))
    assert requests.looks < 1500
    assert len(found) == 600


def test_a_log_with_everything(tmp_path: Path) -> None:
    source = read(tmp_path, *rewound())
    assert shape(source) == [
        ("a", None, "Which tea?"), ("a/reply", "a", "I look."), ("a/reply#2", "a/reply", "tea"),
        ("a/reply#3", "a/reply#2", "Sencha."), ("b", "a/reply#3", "Why?"), ("b/reply", "b", "Because it"),
        ("b/reply+2", "b/reply", " is green."), ("c", "a/reply#3", "Why not?"), ("c/reply", "c", ""),
    ]  # fmt: skip
    assert source.leaf_id == "c/reply"
    last = source.entries[-1]
    assert (last.flags, json.loads(last.details)) == (Flag.FAILED, {"errorMessage": "Too long."})
    assert source.entries[5].usage == Usage(input=90, output=9)
    assert source.title == "Tea"  # although the name was deleted


def test_rounds_have_thoughts_calls_and_results(tmp_path: Path) -> None:
    node = {
        "type": 1, "children": [
            {"type": 2, "text": "one\n", "lineBreakBefore": True},
            {"type": 2, "text": "two", "lineBreakBefore": True},
            {"type": 1, "props": {"src": "data:x"}}, {"type": 1},
        ],
    }  # fmt: skip
    content = [{"value": {"node": node}}, {"value": "plain"}, {"mimeType": "image/png", "value": {"data": 1}}, 7]
    rounds = [
        turn("", "t", "u", "v", thinking={"text": ["Hm", "."], "encrypted": "s"}),
        turn("", thinking={"encrypted": "s"}), turn("", thinking={"text": "Hm."}),
        {"toolCalls": [{"name": "x"}], "id": "z"}, {"toolCalls": 5},
    ]  # fmt: skip
    results = {
        "t": {"content": content},
        "u": {"content": 5, "hasError": True},
        "v": {"content": [{"value": {"node": {}}}]},
    }
    told = result(*rounds, results=results, resolvedModel="gpt-5-mini-2026")
    source = read(tmp_path, whole(session(answered("a", "x", "", result=told))))
    first, one, two, _, last = source.entries[1:]
    call = '{"path":"a.py"}'
    assert first.blocks == (
        Thinking("Hm.", "s"), ToolCall("t", "read_file", call), ToolCall("u", "read_file", call),
        ToolCall("v", "read_file", call),
    )  # fmt: skip
    assert one.blocks == (
        UnknownBlock("image", '{"src":"data:x"}'), Text("one\ntwo"), Text("plain"),
        UnknownBlock("image/png", '{"mimeType":"image/png","value":{"data":1}}'), UnknownBlock("result", "7"),
    )  # fmt: skip
    assert (two.flags, two.blocks, two.tool) == (Flag.FAILED, (), "read_file")
    assert last.blocks == (Thinking("", "s", redacted=True), Thinking("Hm."), ToolCall("call 3.0", "x", "{}"))
    assert (last.model, last.flags) == ("gpt-5-mini-2026", Flag.NONE)


def test_a_text_that_only_the_window_shows_is_kept(tmp_path: Path) -> None:
    shown = [markdown("It is in "), {"kind": "inlineReference", "name": "a.py"}, markdown(" now. "), markdown("Bye.")]
    told = result(turn("It is in `a.py` now."))
    assert blocks_of(tmp_path, response=shown, result=told) == [Text("It is in `a.py` now."), Text("Bye.")]


def test_what_the_window_shows_without_rounds(tmp_path: Path) -> None:
    uri = {"path": "/w/a.py", "external": "file:///w/a.py"}
    shown = [
        {"kind": "thinking", "value": ["H", "m"]}, {"kind": "thinking", "value": ""}, markdown("See "),
        {"kind": "inlineReference", "inlineReference": uri}, {"kind": "undoStop", "id": "u"},
        {"kind": "inlineReference", "inlineReference": {"name": "f", "location": {"uri": uri}}},
        {"kind": "markdownContent", "content": {"value": "!"}}, {"kind": "markdownVuln", "content": {"value": "?"}},
        {"kind": "toolInvocationSerialized", "toolCallId": "t", "toolId": "run", "isComplete": False,
         "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "ls"}}},
        {"kind": "toolInvocationSerialized", "toolCallId": "u", "toolId": "mcp",
         "resultDetails": {"input": '{"x":1}', "output": [{"value": "one"}, {"value": "two"}], "isError": True}},
        {"kind": "toolInvocationSerialized", "toolCallId": "v", "toolId": "ask", "pastTenseMessage": {"value": "Did"},
         "toolSpecificData": {"rawInput": {"y": 2}}, "resultDetails": {"input": "no JSON"}},
        {"kind": "toolInvocationSerialized", "toolCallId": "w", "pastTenseMessage": ""},
        {"kind": "warning", "content": {"value": "Careful."}}, {"kind": "textEditGroup", "edits": []},
        markdown("\n```\n"), {"odd": 1}, 7,
    ]  # fmt: skip
    source = read(tmp_path, whole(session(answered("a", "x", "", response=shown, result={"timings": {}}))))
    assert [entry.blocks for entry in source.entries[1:]] == [
        (Thinking("Hm"), Text("See `a.py``f`!?"), ToolCall("t", "run", '{"command":"ls"}'),
         ToolCall("u", "mcp", '{"x":1}')),
        (Text("one\ntwo"),), (ToolCall("v", "ask", '{"y":2}'),), (Text("Did"),), (ToolCall("w", ""),), (),
        (Text("Careful."), UnknownBlock("textEditGroup", '{"kind":"textEditGroup","edits":[]}'),
         UnknownBlock("response", '{"odd":1}'), UnknownBlock("response", "7")),
    ]  # fmt: skip
    assert [entry.flags for entry in source.entries if entry.role is Role.TOOL_RESULT] == [
        Flag.FAILED, Flag.NONE, Flag.NONE,
    ]  # fmt: skip


def test_attachments_are_kept(tmp_path: Path) -> None:
    attached = {"variables": [{"kind": "file", "id": "f"}, {"id": "g"}]}
    one = request("a", "", variableData=attached, message="Plain", result={})
    assert read(tmp_path, whole(session(one))).entries[0].blocks == (
        UnknownBlock("file", '{"kind":"file","id":"f"}'), UnknownBlock("attachment", '{"id":"g"}'), Text("Plain"),
    )  # fmt: skip
    assert read(tmp_path, whole(session(request("a", "", variableData={})))).entries[0].blocks == ()


def test_a_summary_is_a_compaction(tmp_path: Path) -> None:
    told = result(
        turn("One", "t"), turn("Two", summary="Up to two."), turn("Three"), results={"t": {"content": []}},
        summaries=[{"toolCallRoundId": "round One", "text": "Up to one."}, {"toolCallRoundId": "x"}],
    )  # fmt: skip
    source = read(tmp_path, whole(session(answered("a", "x", "", result=told, modelState=over()))))
    assert [(entry.kind, plain_text(entry.blocks), entry.target) for entry in source.entries[1:]] == [
        (Kind.MESSAGE, "One", None), (Kind.MESSAGE, "", None), (Kind.COMPACTION, "Up to one.", None),
        (Kind.MESSAGE, "Two", None), (Kind.COMPACTION, "Up to two.", None), (Kind.MESSAGE, "Three", None),
    ]  # fmt: skip
    assert [bool(entry.flags & Flag.ENDS_TURN) for entry in source.entries if entry.role is Role.ASSISTANT] == [
        False, False, True,
    ]  # fmt: skip


def test_a_summary_of_earlier_requests_comes_before_the_reply(tmp_path: Path) -> None:
    told = result(turn("Two"), summary={"toolCallRoundId": "of another request", "text": "Before."})
    source = read(tmp_path, whole(session(answered("a", "x", "", result=told))))
    assert [(entry.kind, entry.target) for entry in source.entries[1:]] == [
        (Kind.COMPACTION, "a"), (Kind.MESSAGE, None),
    ]  # fmt: skip
    told = result(turn("", summary="All."))
    source = read(tmp_path, whole(session(answered("a", "x", "", result=told))))
    assert [entry.kind for entry in source.entries[1:]] == [Kind.COMPACTION]


def test_requests_that_are_cut_become_a_branch(tmp_path: Path) -> None:
    one, two, three = (answered(id, id, id.upper()) for id in "abc")
    cut = [push(None, "requests", cut=1), push([answered("d", "d", "D")], "requests")]
    source = read(tmp_path, whole(session(one, two, three)), *cut)
    parents = {entry.id: entry.parent for entry in source.entries}
    assert parents == {
        "a": None, "a/reply": "a", "b": "a/reply", "b/reply": "b", "c": "b/reply", "c/reply": "c", "d": "a/reply",
        "d/reply": "d",
    }  # fmt: skip
    assert source.leaf_id == "d/reply"
    removed = {"requestId": "c"}
    source = read(tmp_path, whole(session(one, two)), put(removed, "requests", 1, "shouldBeRemovedOnSend"))
    assert (source.leaf_id, len(source.entries)) == ("a/reply", 4)  # the checkpoint is restored, nothing sent yet


def test_a_reply_is_an_entry_when_it_is_over(tmp_path: Path) -> None:
    growing = [whole(session(request("a", "x"))), push([markdown("One")], "requests", 0, "response")]
    source = read(tmp_path, *growing)
    assert (shape(source), source.leaf_id) == ([("a", None, "x")], "a")
    source = read(tmp_path, *growing, push([request("b", "y")], "requests"))  # another one overtakes it
    assert shape(source) == [("a", None, "x"), ("a/reply", "a", "One"), ("b", "a/reply", "y")]
    assert source.entries[1].flags == Flag.ABORTED
    source = read(tmp_path, *growing, push(None, "requests", cut=0))
    assert (shape(source), source.leaf_id) == ([("a", None, "x"), ("a/reply", "a", "One")], None)
    source = read(tmp_path, *growing, put(True, "requests", 0, "isCanceled"))
    assert source.entries[1].flags == Flag.ABORTED


def test_a_reply_that_is_not_continued_counts_as_abandoned(tmp_path: Path) -> None:
    records = [whole(session(request("a", "x", response=[markdown("One")])))]
    source = read(tmp_path, *records)
    path = tmp_path / "chatSessions" / "5e55.jsonl"
    os.utime(path, ns=(SECOND, SECOND))
    assert source.checkpoint is not None
    written = source.checkpoint.mtime
    assert VscodeChat(lambda: written + 601 * SECOND).companions_changed(path, source.checkpoint)
    assert not VscodeChat(lambda: written).companions_changed(path, source.checkpoint)
    late = MemorySource.read(VscodeChat(lambda: 602 * SECOND), path)
    assert shape(late) == [("a", None, "x"), ("a/reply", "a", "One")]
    assert late.checkpoint is not None
    assert not VscodeChat(lambda: written * 2).companions_changed(path, late.checkpoint)
    for state in ("", "no JSON", '{"due":"x"}'):
        damaged = type(source.checkpoint)("", 0, 0, 0, 0, "", state)
        assert not VscodeChat().companions_changed(path, damaged)


def test_a_prompt_that_changes_is_another_prompt(tmp_path: Path) -> None:
    source = read(tmp_path, whole(session(request("a", "x"))), put("y", "requests", 0, "message", "text"))
    assert shape(source) == [("a", None, "x"), ("a/2", None, "y")]


def test_a_second_whole_document_adds_what_is_new(tmp_path: Path) -> None:
    one, two = answered("a", "x", "X"), answered("b", "y", "Y")
    source = read(tmp_path, whole(session(one)), whole(session(one, two)), whole({"sessionId": "5e55"}))
    assert [entry.id for entry in source.entries] == ["a", "a/reply", "b", "b/reply"]
    assert source.leaf_id is None


def test_requests_without_an_id_or_with_that_of_another(tmp_path: Path) -> None:
    source = read(tmp_path, whole(session(answered("a", "x", "X"), answered("a", "y", "Y"), {"message": 5})))
    assert [entry.id for entry in source.entries] == ["a", "a/reply", "a (2)", "a (2)/reply", " (3)"]


def test_a_bad_record_costs_one_record(tmp_path: Path) -> None:
    bad = [
        b"no JSON", [1], {"kind": 9}, {"kind": 0, "v": 1}, {"kind": 1, "k": 5}, put(1), put(1, "x", "y"),
        put(1, "requests", 5), push([1], "requests", True, "response"), push(5, "requests"), push([], "version"),  # type: ignore[arg-type]
        delete("requests", 0, "message", "parts", "x"),
    ]  # fmt: skip
    source = read(
        tmp_path, whole(session(answered("a", "x", "X"))), *bad, push([answered("b", "y", "Y")], "requests")
    )
    assert [entry.id for entry in source.entries] == ["a", "a/reply", "b", "b/reply"]
    assert [one.line for one in source.skipped] == list(range(2, 14))
    assert {one.reason for one in source.skipped} == {
        "not valid JSON", "not a JSON object", "not a change of a chat session",
        "changes a value that does not exist",
    }  # fmt: skip
    lost = read(tmp_path, b"{damaged", push([answered("b", "y", "Y")], "requests"), put([7], "requests"))
    assert [entry.id for entry in lost.entries] == ["b", "b/reply", " (1)"]
    assert lost.info.source_id == "5e55"


def test_requests_with_the_ids_of_other_entries(tmp_path: Path) -> None:
    ids = ("a", "a/reply", "b (5)", "b", "b", "c/reply", "c")
    source = read(tmp_path, whole(session(*(answered(id, id, "x", at) for at, id in enumerate(ids)))))
    found = [entry.id for entry in source.entries]
    assert len(found) == len(set(found)) == 2 * len(ids)
    assert [plain_text(entry.blocks) for entry in source.entries if entry.role is Role.USER] == list(ids)


def test_requests_that_are_no_list_are_reported(tmp_path: Path) -> None:
    source = read(tmp_path, whole(session(requests={"x": [answered("a", "x", "y")]})))
    assert [one.reason for one in source.skipped] == ["its requests are not a list"]


def test_a_file_that_ends_inside_a_line_and_grows(tmp_path: Path) -> None:
    path, data = tmp_path / "s.jsonl", lines(*rewound())
    for size in (len(data) - 5, len(data)):
        path.write_bytes(data[:size])
        source = MemorySource.read(VscodeChat(), path)
        assert source.source_bytes == data[:size]
        assert len(source.skipped) == (size < len(data))


def test_the_document_itself(tmp_path: Path) -> None:
    path = tmp_path / "5e56.json"
    made = {
        "requesterUsername": "ann",
        **session(answered("a", "x", "X", isCanceled=True, modelState=None), request("b", "y")),
    }
    for indent in (None, 2):
        path.write_text(json.dumps(made, indent=indent))
        assert standard_formats(tmp_path, {}).identify(path) == "vscode-chat"
        source = MemorySource.read(VscodeChat(), path)
        assert shape(source) == [("a", None, "x"), ("a/reply", "a", "X"), ("b", "a/reply", "y")]
        record = source.record(0)
        assert record is not None
        assert json.loads(record)["requestId"] == "a"
        assert source.source_bytes == path.read_bytes()
    path.write_text(json.dumps(session()))
    assert MemorySource.read(VscodeChat(), path).entries == []
    path.write_text('{"requests": [')
    with pytest.raises(UnreadableSourceError, match="is damaged"):
        MemorySource.read(VscodeChat(), path)


@pytest.mark.parametrize(
    ("workspace", "folder"),
    [
        ('{"folder": "file:///c%3A/tea"}', "c:/tea"),
        ('{"workspace": "file:///w/t.code-workspace"}', "/w/t.code-workspace"),
        ('{"folder": "vscode-remote://host/w"}', "vscode-remote://host/w"), ('{"folder": "file://[/w"}', "file://[/w"),
        ("no JSON", ""), ("{}", ""),
    ],
)  # fmt: skip
def test_the_folder_of_a_session(tmp_path: Path, workspace: str, folder: str) -> None:
    (tmp_path / "workspace.json").write_text(workspace)
    assert read(tmp_path, whole(session())).info.cwd == folder


@pytest.mark.parametrize(
    ("data", "is_ours"),
    [
        (lines(whole(session())), True), (lines(b"{damaged", push([], "requests")), True),
        (b'{"kind":0,"v":{"version":3,' + b" " * 99, True), (lines({"kind": True, "k": 1}), False),
        (json.dumps(session()).encode(), True), (b'{"requests": []}', False),
        (b'["requests", "initialLocation": ', False),
        (lines({"kind": False, "v": {}}), False),
    ],
)  # fmt: skip
def test_sniffing(data: bytes, is_ours: bool) -> None:
    assert VscodeChat().sniff(data, Path("x.jsonl")) is is_ours


@pytest.mark.parametrize(
    ("user", "environment"),
    [
        (".config/Code/User", {}), ("Library/Application Support/VSCodium/User", {}),
        ("AppData/Roaming/Code - Insiders/User", {}), ("c/Positron/User", {"XDG_CONFIG_HOME": "{}/c"}),
        ("r/Code/User", {"APPDATA": "{}/r"}), ("m/Code/User", {"VSCODE_APPDATA": "{}/m"}),
        ("p/user-data/User", {"VSCODE_PORTABLE": "{}/p"}),
    ],
)  # fmt: skip
def test_sessions_are_found(tmp_path: Path, user: str, environment: dict[str, str]) -> None:
    moved = {name: value.format(tmp_path) for name, value in environment.items()}
    workspace = tmp_path / user / "workspaceStorage" / "1f"
    one, two = "5e550000-0000-4000-8000-000000000001.json", "5e55.jsonl"
    for folder, name in (
        (workspace / "chatSessions", one), (workspace / "GitHub.copilot-chat" / "transcripts", two),
        (tmp_path / user / "globalStorage" / "emptyWindowChatSessions", two),
    ):  # fmt: skip
        folder.mkdir(parents=True)
        (folder / name).write_bytes(lines(whole(session())))
    formats = standard_formats(tmp_path, moved)
    found = formats.discover()
    assert [(each.source, [Path(file).name for file in each.files]) for each in found] == [
        ("vscode-chat", [one]), ("vscode-chat", [two]),
    ]  # fmt: skip
    assert formats.session_file(workspace / "GitHub.copilot-chat" / "transcripts" / two) is None
    assert formats.session_file(workspace / "chatSessions" / two) == workspace / "chatSessions" / two


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_folder_of_copilots_transcripts(tmp_path: Path, ending: str) -> None:
    workspace = tmp_path / "User" / "workspaceStorage" / "1f"
    transcripts = workspace / "GitHub.copilot-chat" / "transcripts"
    transcripts.mkdir(parents=True)
    for name in ("a.jsonl", "gone.jsonl"):
        (transcripts / name).write_bytes(copilot_cli.lines(copilot_cli.start(), copilot_cli.said("a", "Which tea?")))
    formats = standard_formats(tmp_path, {})
    assert formats.expand(transcripts)[0] == [transcripts / "a.jsonl", transcripts / "gone.jsonl"]
    assert formats.identify(transcripts / "gone.jsonl") == "copilot-cli"
    chat = workspace / "chatSessions" / f"a{ending}"
    chat.parent.mkdir()
    chat.write_bytes(lines(whole(session())))
    assert formats.expand(transcripts)[0] == sorted([transcripts / "gone.jsonl", chat])
    assert formats.session_file(transcripts / "a.jsonl") == chat
    assert VscodeChat().main_file(tmp_path / "transcripts" / "a.jsonl") is None


@pytest.mark.parametrize(
    ("name", "entries"), [("copilot_session_simple.json", 10), ("copilot_session_multiline.jsonl", 8)]
)
def test_the_samples(samples: Path, tmp_path: Path, name: str, entries: int) -> None:
    path = samples / "vscode-chat" / name
    assert standard_formats(tmp_path, {}).identify(path) == "vscode-chat"
    source = MemorySource.read(VscodeChat(), path)
    assert (len(source.entries), source.skipped, source.source_bytes) == (entries, [], path.read_bytes())
    calls = {block.id for entry in source.entries for block in entry.blocks if isinstance(block, ToolCall)}
    assert {entry.call for entry in source.entries if entry.role is Role.TOOL_RESULT} == calls
    if path.suffix == ".jsonl":
        counts, lost = kinds(path.read_bytes(), VscodeChat().read(path, None))
        assert (counts["change"], lost) == (6, [])
