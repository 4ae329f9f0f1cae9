"""Tasks of Cline, Roo Code and Kilo Code, and sessions of Cline's program: messages, facts, compactions, samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Flag, Kind, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sources.reading import Checkpoint
from stemmata.formats.cline import task_files
from stemmata.formats.cline.format import KILO_CODE, ROO_CODE
from stemmata.formats.cline.reader import Cline
from stemmata.formats.registry import standard_formats
from stemmata.formats.shared import facts_beside
from tests.fakes.cline import (
    START,
    call,
    compaction,
    files_of_session,
    files_of_task,
    lost,
    result,
    said,
    session,
    talk,
    task,
)
from tests.fakes.export_source import MemorySource

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files and return the first."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / next(iter(files), "")


def of_session(folder: Path, *messages: Any, **files: bytes) -> MemorySource:
    path = write(folder, {"s/s.messages.json": session(*messages)})
    write(folder, {f"s/{name.replace('_', '.')}": data for name, data in files.items()})
    return MemorySource.read(Cline(), path)


def of_task(folder: Path, messages: Any, **files: Any) -> MemorySource:
    path = write(folder, {"tasks/17/api_conversation_history.json": json.dumps(messages).encode()})
    write(folder, {f"tasks/17/{name}.json": json.dumps(data).encode() for name, data in files.items()})
    return MemorySource.read(Cline(), path)


def test_a_session(tmp_path: Path) -> None:
    source = MemorySource.read(Cline(), write(tmp_path, files_of_session()))
    assert [(entry.id, entry.parent) for entry in source.entries[:4]] == [("a", None), ("b", "a"), ("c", "b"), (
        source.entries[3].id, "c")]  # fmt: skip
    prompt, asked, told, summary, last = source.entries
    assert prompt.blocks == (Text("a.py:\n\nx"), Text("Which tea?"))
    assert (asked.blocks[1], asked.model, asked.provider) == (ToolCall("t", "read", '{"x":1}'), "m", "p")
    assert (asked.usage, asked.flags) == (Usage(50, 9, 40, cost=10_000), Flag.NONE)
    assert (told.role, told.call, told.tool) == (Role.TOOL_RESULT, "t", "read")
    assert (summary.kind, plain_text(summary.blocks), last.parent) == (
        Kind.COMPACTION, "Context summary: tea", summary.id,
    )  # fmt: skip
    assert (last.blocks, last.flags) == ((Thinking("Hm."), Text("Sencha.")), Flag.ENDS_TURN)
    info = source.info
    assert (info.source, info.source_id, info.title, info.cwd) == ("cline", "s", "Tea", "/w/tea")
    assert (source.leaf_id, source.skipped) == ("d", [])


def test_a_session_whose_id_is_damaged_has_that_of_its_file(tmp_path: Path) -> None:
    files = files_of_session()
    files["s/s.messages.json"] = files["s/s.messages.json"].replace(b'"sessionId": "s"', b'"sessionId": ["s"]')
    source = MemorySource.read(Cline(), write(tmp_path, files))
    assert source.info.source_id == "s"
    assert [plain_text(one.blocks) for one in source.entries if one.kind is Kind.COMPACTION] == [
        "Context summary: tea"
    ]  # fmt: skip


def test_a_name_that_a_message_gets_may_be_taken(tmp_path: Path) -> None:
    told = [{"id": id, "role": "user", "content": text} for id, text in (("s/3.", "a"), ("x", "b"), ("x", "c"))]
    assert [entry.id for entry in of_session(tmp_path, *told).entries] == ["s/3.", "x", "s/3.~2"]


def test_a_fork_of_a_session_names_its_origin(tmp_path: Path) -> None:
    facts = {
        "started_at": "2026-07-15T05:42:04Z",
        "status": "completed",
        "metadata": {"fork": {"forkedFromSessionId": "r"}},
    }
    source = of_session(tmp_path, *talk(), s_json=json.dumps(facts).encode())
    assert (source.info.parent_source_id, source.info.created_at > 0) == ("r", True)
    assert json.loads(source.info.details) == {"status": "completed"}


def test_a_compaction_that_keeps_nothing_known_stands_at_the_end(tmp_path: Path) -> None:
    source = of_session(
        tmp_path, *talk(), s_compaction_json=compaction("All", said("user", "x", id="gone")),
        t_compaction_json=compaction("Other", id="t"), u_compaction_json=compaction(""),
        v_compaction_json=session(said("user", "x", id="a")), w_compaction_json=b"no JSON",
    )  # fmt: skip
    assert [plain_text(entry.blocks) for entry in source.entries if entry.kind is Kind.COMPACTION] == ["All"]
    assert source.leaf_id == source.entries[-1].id
    assert [one.reason for one in source.skipped] == [
        "u.compaction.json has no summary that can be read", "w.compaction.json cannot be read: not valid JSON",
    ]  # fmt: skip
    only = of_session(tmp_path / "x", *talk(), s_compaction_json=compaction("Only"))
    assert plain_text(only.entries[-1].blocks) == "Only"


@pytest.mark.parametrize("order", [1, -1])
def test_a_message_with_the_id_of_another_entry(tmp_path: Path, order: int) -> None:
    several = said("user", "x", result("t", "r"), "y", id="c")
    source = of_session(tmp_path, *[several, said("user", "z", id="c#2")][::order])
    ids = [entry.id for entry in source.entries]
    assert len(ids) == len(set(ids)) == 3
    assert source.leaf_id == ids[-1]


def test_an_item_that_is_no_object_is_reported(tmp_path: Path) -> None:
    source = of_task(tmp_path, [said("user", "a"), json.dumps(said("assistant", "b")), said("user", "c")])
    assert [plain_text(entry.blocks) for entry in source.entries] == ["a", "c"]
    assert [(one.line, one.reason) for one in source.skipped] == [(2, "not a message of Cline")]


def test_contents(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    source = of_session(
        tmp_path, {"role": "user", "content": "<task>\nPlain\n</task>"},
        said("assistant", {"type": "redacted_thinking", "data": "r"}, {"type": "reasoning", "text": "Hm."}, "",
             {"type": "odd"}, 7),
        said("user", picture, {"type": "image", "data": 5}, {"type": "file", "path": "a.py"}, "Look"),
        said("user", result("t", ["one", {"type": "text", "text": "two"}, picture, {}, {"n": 1}], is_error=True)),
        said("user", result("u", None)), said("user", "[ERROR] You did not use a tool"),
        {"role": "user", "content": ""},
    )  # fmt: skip
    plain, reply, look, first, second, error, empty = source.entries
    assert plain.blocks == (Text("Plain"),)
    assert reply.blocks == (
        Thinking("", "r", redacted=True), Thinking("Hm."), UnknownBlock("odd", '{"type":"odd"}'),
        UnknownBlock("content", "7"),
    )  # fmt: skip
    assert [type(block) for block in look.blocks] == [Image, UnknownBlock, UnknownBlock, Text]
    assert [type(block) for block in first.blocks] == [Text, Text, Image, Text]
    assert (first.flags, second.blocks, error.flags, empty.blocks) == (Flag.FAILED, (), Flag.INJECTED, ())


def test_a_task(tmp_path: Path) -> None:
    path = write(tmp_path, files_of_task())
    source = MemorySource.read(Cline(), path)
    assert [entry.id for entry in source.entries] == [f"1767225600000/{at}." for at in (1, 2, 3, 4)]
    prompt, _, by_tool, last = source.entries
    assert prompt.blocks[0] == Text("Which tea?")
    assert [bool(entry.flags & Flag.INJECTED) for entry in (prompt, by_tool)] == [False, False]
    assert last.usage == Usage(9, cost=100_000)
    info = source.info
    assert (info.source_id, info.title, info.cwd) == ("1767225600000", "Which tea?", "/w/tea")
    assert info.created_at == START * 1_000_000
    record = source.record(0)
    assert record is not None
    assert json.loads(record)["role"] == "user"
    assert source.source_bytes == path.read_bytes()


def test_messages_that_the_tool_leaves_out(tmp_path: Path) -> None:
    messages = [said("user", "a"), said("assistant", "b"), said("user", "c"), said("assistant", "d")]
    source = of_task(tmp_path, messages, history_item={"conversationHistoryDeletedRange": [1, 2]})
    assert [bool(entry.flags & Flag.EXCLUDED) for entry in source.entries] == [False, True, True, False]
    source = of_task(tmp_path, messages, history_item={"conversationHistoryDeletedRange": [1]})
    assert not any(entry.flags & Flag.EXCLUDED for entry in source.entries)
    marks = [
        said("user", "a", truncationParent="x"), said("assistant", "b", truncationParent="gone"),
        said("user", "cut", truncationId="x", isTruncationMarker=True),
        said("user", "Summary", isSummary=True, condenseId="y"), said("assistant", "", isSummary=True),
    ]  # fmt: skip
    source = of_task(tmp_path, marks)
    assert [bool(entry.flags & Flag.EXCLUDED) for entry in source.entries] == [True, False, False, False, False]
    assert [(entry.kind, entry.blocks) for entry in source.entries[3:]] == [
        (Kind.COMPACTION, (Text("Summary"),)), (Kind.COMPACTION, ()),
    ]  # fmt: skip


def test_the_tokens_of_a_task_stand_beside_it(tmp_path: Path) -> None:
    def asked(at: int, **tokens: int) -> dict[str, Any]:
        return {"ts": START + at * 1000, "say": "api_req_started", "text": json.dumps(tokens)}

    shown = [
        asked(1, tokensIn=1),
        asked(3, tokensIn=3, cacheReads=2),
        asked(5),
        {"say": "text"},
        {"say": "api_req_started"},
    ]
    messages = [said("assistant", "a", at=2), said("assistant", "b", at=4), said("assistant", "c", at=2)]
    source = of_task(tmp_path, messages, ui_messages=shown)
    assert [entry.usage for entry in source.entries] == [Usage(1), Usage(3, cache_read=2), Usage(1)]
    assert [entry.id for entry in source.entries] == [f"17/{START + 2000}", f"17/{START + 4000}", "17/3."]
    source = of_task(tmp_path, [said("assistant", "a")], ui_messages=shown)
    assert source.entries[0].usage is None  # two requests, one reply
    assert task_files.usage_at([], 1, 0, 1) == {}
    source = of_task(tmp_path, [said("assistant", "a", metrics={"tokens": {"prompt": 9, "cached": 4}})])
    assert source.entries[0].usage == Usage(5, cache_read=4)


def test_the_list_of_tasks_has_the_facts_of_older_ones(tmp_path: Path) -> None:
    listed = [
        {"id": "other"},
        {"id": "17", "task": "Tea\nplease", "cwdOnTaskInitialization": "/w", "modelId": "m", "ts": START},
    ]
    write(tmp_path, {"state/taskHistory.json": json.dumps(listed).encode()})
    source = of_task(tmp_path, [said("assistant", "a")])
    assert (source.info.title, source.info.cwd, source.entries[0].model) == ("Tea", "/w", "m")
    write(tmp_path, {"state/taskHistory.json": b"{}"})
    assert of_task(tmp_path, [said("assistant", "a")]).info.title == ""


@pytest.mark.parametrize(
    ("facts", "id", "parent"),
    [
        ({}, "17", ""), ({"rootTaskId": "r"}, "17", ""), ({"parentTaskId": "p"}, "p/17", "p"),
        ({"parentTaskId": "p", "rootTaskId": "r"}, "r/17", "r/p"),
        ({"parentTaskId": "r", "rootTaskId": "r"}, "r/17", "r"),
    ],
)  # fmt: skip
def test_a_task_that_another_one_began(tmp_path: Path, facts: Any, id: str, parent: str) -> None:
    info = of_task(tmp_path, [said("user", "a")], history_item={"mode": "code", **facts}).info
    assert (info.source_id, info.parent_source_id) == (id, parent)


def test_damage(tmp_path: Path) -> None:
    path = write(tmp_path, {"tasks/x/api_conversation_history.json": task()[:-30]})
    source = MemorySource.read(Cline(), path)
    assert (len(source.entries), source.info.created_at) == (3, 0)
    assert source.skipped[0].reason.endswith("the file ends inside it")
    path.write_bytes(
        b'[{"role": "user", "content": "a"}, {"x": 1}, {"role": }, {"role": "assistant", "content": "b"}]'
    )
    source = MemorySource.read(Cline(), path)
    assert [(one.line, one.reason) for one in source.skipped] == [
        (2, "not a message of Cline"),
        (3, "not valid JSON"),
    ]
    path.write_bytes(
        b'[{"role": "user", "content": "a"}\0\0\0ser", "content": "b"}, {"role": "user", "content": "c"}]\n'
    )
    source = MemorySource.read(Cline(), path)
    assert len(source.entries) == 1
    assert [(one.line, one.reason) for one in source.skipped] == [
        (2, "the list is damaged here; what follows was not read")
    ]
    source = of_session(tmp_path, *talk()[:1], 7, {"role": "robot"})
    assert [one.line for one in source.skipped] == [2, 3]
    assert of_session(tmp_path).entries == []
    path = write(tmp_path, {"s.messages.json": b'{"sessionId": "s", "messages": ['})
    with pytest.raises(UnreadableSourceError, match="is damaged"):
        MemorySource.read(Cline(), path)
    path.write_bytes(b'{"sessionId": "s", "messages": 5}')
    assert MemorySource.read(Cline(), path).entries == []


def test_files_beside_it_belong_to_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, files_of_task())
    checkpoint = MemorySource.read(Cline(), path).checkpoint
    assert checkpoint is not None
    formats = standard_formats(tmp_path, {})
    assert formats.session_file(path.with_name("ui_messages.json")) == path
    assert formats.session_file(tmp_path / "ui_messages.json") == tmp_path / "ui_messages.json"
    assert not Cline().companions_changed(path, checkpoint)
    path.with_name("ui_messages.json").write_text("[]")
    assert Cline().companions_changed(path, checkpoint)
    assert not Cline().companions_changed(path, Checkpoint("", 0, 0, 0, 0, "", "no JSON"))
    monkeypatch.setattr(facts_beside, "_LARGEST", 1)
    source = MemorySource.read(Cline(), path)
    assert source.info.title == ""
    assert [one.reason for one in source.skipped] == [
        f"{name}.json is too large, nothing of it was read" for name in ("history_item", "ui_messages")
    ]
    other = write(tmp_path, files_of_session())
    monkeypatch.setattr(Path, "glob", lambda *_: (_ for _ in ()).throw(OSError))
    assert facts_beside.fingerprint(task_files.files_beside(other)).startswith("s.json:")


def test_which_files_are_whose(tmp_path: Path) -> None:
    formats = standard_formats(tmp_path, {})
    for folder, name in (
        ("rooveterinaryinc.roo-cline", ROO_CODE.name), ("kilocode.kilo-code", KILO_CODE.name), ("x", "cline"),
    ):  # fmt: skip
        path = write(tmp_path, {f"{folder}/tasks/1/api_conversation_history.json": task()})
        assert formats.identify(path) == name
    assert formats.identify(write(tmp_path, {"s.messages.json": session(*talk())})) == "cline"
    assert Cline().sniff(task(), Path("renamed.json"))
    for data in (b'[{"role": "user", "content": "x"}]', b'{"messages": []}', b"", b"[1]"):
        assert not Cline().sniff(data, Path("x.json"))


@pytest.mark.parametrize(
    ("place", "environment"),
    [
        (".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks", {}), (".cline/data/sessions", {}),
        ("Library/Application Support/Cursor/User/globalStorage/saoudrizwan.claude-dev/tasks", {}),
        ("d/tasks", {"CLINE_DATA_DIR": "{}/d"}), ("c/data/sessions", {"CLINE_DIR": "{}/c"}),
    ],
)  # fmt: skip
def test_its_folders(tmp_path: Path, place: str, environment: dict[str, str]) -> None:
    moved = {name: value.format(tmp_path) for name, value in environment.items()}
    write(tmp_path / place, {"1/api_conversation_history.json": task(), "1/ui_messages.json": b"[]"})
    [found] = standard_formats(tmp_path, moved).discover()
    assert (found.source, len(found.files)) == ("cline", 1)


def test_the_samples(samples: Path, tmp_path: Path) -> None:
    folder, formats = samples / "cline", standard_formats(tmp_path, {})
    found = {}
    for path in formats.expand(folder)[0]:
        assert formats.identify(path) == "cline"
        source = MemorySource.read(Cline(), path)
        assert (source.skipped, source.source_bytes) == ([], path.read_bytes())
        assert lost(path.read_bytes(), Cline().read(path, None)) == []
        found[source.info.source_id] = source
    assert {id: len(source.entries) for id, source in found.items()} == {
        "1784094124598_rruoq": 33, "1767225600000": 2, "session_synthetic_01": 2,
    }  # fmt: skip
    real = found["1784094124598_rruoq"]
    assert sum(entry.usage is not None for entry in real.entries) == 16
    [summary] = [entry for entry in real.entries if entry.kind is Kind.COMPACTION]
    assert [entry.id for entry in real.entries if entry.parent == summary.id] == ["msg_mrb7vknq_4n"]
    assert real.info.parent_source_id == "1784094053271_p8pzo"


def test_calls_and_their_results_pair(tmp_path: Path) -> None:
    source = of_session(tmp_path, said("assistant", call("t")), said("user", result("t", "x"), "And?"))
    asked, told, also = source.entries
    assert (asked.flags, told.call, also.blocks) == (Flag.NONE, "t", (Text("And?"),))
