"""Threads of Amp: replies, calls, commands, summaries, subagents, edits, replies that are being written, damage."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock, plain_text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.sessions.lineage import Relation, relation_of
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import Begin, Blob, End, ReadEvent, Skipped
from stemmata.formats.amp.format import AMP
from stemmata.formats.amp.reader import ABANDONED, Amp
from stemmata.formats.registry import standard_formats
from tests.fakes import amp as fake
from tests.fakes.amp import AT, ID, OTHER, call, command, result, said, summary, text, thread, usage
from tests.unit.formats.archived import archived

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MS = 1_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"{ID}.json"


def read(path: Path, *messages: Any, reader: Amp | None = None, **more: Any) -> list[ReadEvent]:
    path.write_bytes(thread(*messages, **more))
    return list((reader or Amp()).read(path, None))


def entries(path: Path, *messages: Any) -> list[Entry]:
    return [event for event in read(path, *messages) if isinstance(event, Entry)]


def info(path: Path, **more: Any) -> SessionInfo:
    begin = read(path, **more)[0]
    assert isinstance(begin, Begin)
    return begin.info


def test_a_thread(path: Path) -> None:
    found = read(path, said(0, "user", "Which?"), said(1, "assistant", "Sencha.", usage=usage()))
    first, second = (event for event in found if isinstance(event, Entry))
    assert (first.role, first.parent, first.time) == (Role.USER, None, AT * MS)
    assert (second.role, second.parent, second.flags) == (Role.ASSISTANT, first.id, Flag.ENDS_TURN)
    assert (second.model, second.usage, second.time) == ("claude-opus-4-6", Usage(3, 9), AT * MS + 1000 * MS)
    assert first.id.startswith("0.")
    end = found[-1]
    assert isinstance(end, End)
    assert end.leaf == second.id
    one = info(path)
    assert (one.source, one.source_id, one.title, one.cwd) == ("amp", ID, "Tea", "/w/my tea")
    assert json.loads(one.details) == {"mode": "smart", "repository": "https://x.org/tea"}
    record = second.record
    assert record is not None
    data = thread(said(0, "user", "Which?"), said(1, "assistant", "Sencha.", usage=usage()))
    assert json.loads(data[record.offset : record.offset + record.size])["messageId"] == 1


def test_content_of_every_kind(path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "mediaType": "image/png", "data": PIXEL}}
    prompt, asked = entries(
        path, said(0, "user", "Look", picture, {"type": "image"}, {"type": "odd"}, 5),
        said(1, "assistant", "\n\n", {"type": "thinking", "thinking": "Hm.", "signature": "s", "provider": "p"},
             {"type": "redacted_thinking", "data": "r"}, call("c", x=1)),
    )  # fmt: skip
    assert [type(block) for block in prompt.blocks] == [Text, Image, UnknownBlock, UnknownBlock, UnknownBlock]
    assert asked.blocks == (
        Thinking("Hm.", "s"),
        Thinking("", "r", redacted=True),
        ToolCall("c", "Read", '{"x":1}'),
    )
    assert (asked.provider, asked.flags) == ("p", Flag.NONE)
    assert sum(isinstance(event, Blob) for event in read(path, said(0, "user", picture))) == 1


def test_results(path: Path) -> None:
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    results = [
        result("c", "plain"), result("c", {"output": "out", "exitCode": 0}), result("c", {"content": "file"}),
        result("c", {"diff": "-a"}), result("c", {"content": "", "success": False}),
        result("c", [picture, text("t")]),
        result("c", ["a"]), result("c"), result("c", status="error", error={"message": "bad"}),
        result("c", status="error", error="worse"), result("c", status="cancelled"),
        result("c", status="cancelled", reason="why"), result("x", status="rejected-by-user"),
        result("c", status="rejected-by-user", reason="no"),
    ]  # fmt: skip
    _, *found = entries(path, said(0, "assistant", call("c")), said(1, "user", *results))
    texts = [" ".join(block.text for block in one.blocks if isinstance(block, Text)) for one in found]
    assert texts == [
        "plain", "out", "file", "-a", '{"content":"","success":false}', "t", '["a"]', "", "bad", "worse", "Cancelled",
        "Cancelled: why", "Rejected by the user", "Rejected by the user: no",
    ]  # fmt: skip
    assert [at for at, one in enumerate(found) if one.flags & Flag.FAILED] == [4, 8, 9, 10, 11, 12, 13]
    assert [(one.call, one.tool) for one in found[11:13]] == [("c", "Read"), ("x", "")]
    assert isinstance(found[5].blocks[0], Image)


@pytest.mark.parametrize(
    ("state", "flags"),
    [
        ({"type": "complete", "stopReason": "end_turn"}, Flag.ENDS_TURN), ({"type": "cancelled"}, Flag.ABORTED),
        ({"type": "error", "error": {"message": "x"}}, Flag.FAILED), ({"type": "streaming"}, Flag.ABORTED),
        ({"type": "complete", "stopReason": "max_tokens"}, Flag.CUT), ({}, Flag.ENDS_TURN),
    ],
)  # fmt: skip
def test_how_a_reply_ended(path: Path, state: Any, flags: Flag) -> None:
    message = {**said(0, "assistant", "x"), "state": state}
    found = read(path, message, reader=Amp(lambda: 1 << 62))
    [entry] = (event for event in found if isinstance(event, Entry))
    assert entry.flags == flags
    assert bool(entry.details) == ("error" in state)


def test_tokens(path: Path) -> None:
    parts: Any = {"cacheReadInputTokens": 5, "cacheCreationInputTokens": 7}
    first, second, third = entries(
        path, said(0, "assistant", "a", usage=usage(**parts)),
        said(1, "assistant", "b", usage=usage("gpt-5", **parts)), said(2, "assistant", "c", usage={"model": "m"}),
    )  # fmt: skip
    assert (first.usage, second.usage) == (Usage(3, 9, 5, 7), Usage(10, 9, 5))
    assert (third.usage, third.model, third.time) == (None, "m", second.time)


def test_commands_notes_and_summaries(path: Path) -> None:
    older = {"type": "summary", "summary": {"type": "thread", "thread": OTHER}}
    found = entries(
        path, said(0, "info", command("ls", "tea"), command("rm", "", 1, hidden=True), "Note."),
        said(1, "info", older, summary("S")), said(2, "info"),
    )  # fmt: skip
    assert [(one.kind, one.role, one.name, one.flags) for one in found] == [
        (Kind.MESSAGE, Role.BASH_EXECUTION, "ls", Flag.NONE),
        (Kind.MESSAGE, Role.BASH_EXECUTION, "rm", Flag.EXCLUDED | Flag.FAILED),
        (Kind.MESSAGE, Role.USER, "", Flag.INJECTED),
        (Kind.CUSTOM, Role.NONE, "amp:summary", Flag.HIDDEN),
        (Kind.COMPACTION, Role.NONE, "", Flag.NONE),
        (Kind.CUSTOM, Role.NONE, "amp:note", Flag.HIDDEN),
    ]
    assert (found[0].blocks, found[4].blocks) == ((Text("tea"),), (Text("S"),))
    assert [one.id.partition("#")[2] for one in found] == ["", "2", "3", "", "2", ""]


def test_the_model_sees_the_last_summary_and_what_follows(path: Path, tmp_path: Path) -> None:
    path.write_bytes(thread(*fake.talk()))
    with archived(tmp_path) as archive:
        archive.take(path)
        assert archive.sent(ID) == ["They like Sencha.", "Why?", "It is green."]
        above = archive.above(ID)
        assert (above["Seen."], above["Sencha."]) == ("Look.", "Told.")
        assert archive.sent(ID, "Sencha.")[-1] == "Sencha."
        assert "Look." not in archive.sent(ID, "Sencha.")


def test_what_a_subagent_said_is_a_branch_below_its_call(path: Path) -> None:
    _, _, _, called, prompt, reply, result, *_ = entries(path, *fake.talk())
    assert (prompt.parent, reply.parent, result.parent) == (called.id, prompt.id, called.id)
    [orphan] = entries(path, said(0, "user", "x", parentToolUseId="gone"))
    assert orphan.parent is None


def test_an_edited_prompt_begins_a_branch(path: Path, tmp_path: Path) -> None:
    """Amp gives the numbers of what it cuts off again."""
    before = [said(0, "user", "a"), said(1, "assistant", "A"), said(2, "user", "b"), said(3, "assistant", "B")]
    after = [*before[:2], said(2, "user", "c"), said(3, "assistant", "B")]
    with archived(tmp_path) as archive:
        for messages in (before, after):
            path.write_bytes(thread(*messages))
            archive.take(path)
        assert archive.sent(ID) == ["a", "A", "c", "B"]
        assert archive.sessions()[ID].branches == 2


def test_a_reply_that_is_being_written_is_held_back(path: Path) -> None:
    messages = [
        said(0, "user", "a"), said(1, "assistant", call("c")), said(2, "user", result("c", status="in-progress")),
    ]  # fmt: skip
    for held in (messages, [*messages[:2], said(1, "assistant", "Se", state="streaming")]):
        found = read(path, *held)
        assert sum(isinstance(event, Entry) for event in found) == 2
        end = found[-1]
        assert isinstance(end, End)
        assert end.checkpoint is not None
        due = os.stat(path).st_mtime_ns + ABANDONED
        assert not Amp(lambda due=due: due - 1).companions_changed(path, end.checkpoint)  # type: ignore[misc]
        later = Amp(lambda due=due: due)  # type: ignore[misc]
        assert later.companions_changed(path, end.checkpoint)
        found = list(later.read(path, end.checkpoint))
        assert sum(isinstance(event, Entry) for event in found) == 3
        end = found[-1]
        assert isinstance(end, End)
        assert end.checkpoint is not None
        assert not later.companions_changed(path, end.checkpoint)


def test_a_damaged_state_is_no_change(path: Path) -> None:
    end = read(path, said(0, "user", "a"))[-1]
    assert isinstance(end, End)
    assert end.checkpoint is not None
    assert not Amp().companions_changed(path, replace(end.checkpoint, state="{"))


def test_threads_that_continue_others(path: Path, tmp_path: Path) -> None:
    related = [5, {"type": "mention", "role": "parent", "threadID": "x"}, {"type": "handoff", "role": "child"}]
    parent = {"type": "handoff", "role": "parent", "threadID": OTHER}
    assert info(path, relationships=[*related, parent]).parent_source_id == OTHER
    assert info(path, relationships=related).parent_source_id == ""
    assert info(path, mainThreadID=ID).source_id == ID
    child, other = info(path, mainThreadID=OTHER), tmp_path / f"{OTHER}.json"
    assert (child.source_id, child.parent_source_id) == (f"{OTHER}/{ID}", OTHER)
    other.write_bytes(thread(said(0, "user", "a"), id=OTHER))
    path.write_bytes(thread(said(0, "user", "b"), mainThreadID=OTHER))
    with archived(tmp_path) as archive:
        archive.take(other, path)
        found = archive.sessions()
        assert relation_of(found[f"{OTHER}/{ID}"], found[OTHER]) is Relation.SPAWNED


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("file:///w/tea", "/w/tea"), ("file:///c%3A/tea", "c:/tea"), ("vscode-remote://x/w", ""), ("", ""),
        ("file://[", ""),
    ],
)  # fmt: skip
def test_folders_of_a_project(path: Path, address: str, folder: str) -> None:
    assert info(path, env={"initial": {"trees": [{"uri": address}]}}).cwd == folder


def test_facts_may_be_missing(path: Path) -> None:
    one = info(path, id=None, env=5, title=None, agentMode=None, created="x")
    assert (one.source_id, one.cwd, one.title, one.details, one.created_at) == (path.stem, "", "", "", 0)


def test_damage(path: Path) -> None:
    found = read(path, 5, said(0, "user", "a"), {"role": "robot", "content": []}, {"role": "user"})
    assert [event.line for event in found if isinstance(event, Skipped)] == [1, 3, 4]
    [entry] = (event for event in found if isinstance(event, Entry))
    assert entry.record is not None
    assert b'"a"' in thread(5, said(0, "user", "a"))[entry.record.offset :][: entry.record.size]
    path.write_bytes(json.dumps({"id": ID, "messages": None}).encode())
    assert not any(isinstance(event, Entry) for event in Amp().read(path, None))


def test_a_damaged_document_costs_the_damaged_message(path: Path) -> None:
    whole = thread(said(0, "user", "a"), said(1, "assistant", "b"), said(2, "user", "c"))
    for data, facts, texts in (
        (whole.replace(b'"assistant"', b"assistant"), "Tea", ["a", "c"]), (whole[:-9], "", ["a", "b", "c"]),
        (whole[: whole.index(b'"c"')], "", ["a", "b"]),
    ):  # fmt: skip
        path.write_bytes(data)
        begin, *_ = found = list(Amp().read(path, None))
        assert isinstance(begin, Begin)
        assert (begin.info.title, begin.info.source_id) == (facts, ID)
        assert [plain_text(event.blocks) for event in found if isinstance(event, Entry)] == texts
        first, *_ = (event for event in found if isinstance(event, Skipped))
        assert first.reason.startswith("the document is damaged (not valid JSON)")


def test_a_document_that_is_half_written_is_not_read(path: Path) -> None:
    end = read(path, said(0, "user", "a"))[-1]
    assert isinstance(end, End)
    path.write_bytes(thread(said(0, "user", "a"), said(1, "assistant", "b"))[:-9])
    with pytest.raises(UnreadableSourceError, match="is damaged"):
        list(Amp().read(path, end.checkpoint))
    path.write_bytes(b'{"id": "T-", "messages": [')
    with pytest.raises(UnreadableSourceError, match="is damaged"):
        list(Amp().read(path, None))


def test_sniffing(path: Path) -> None:
    path.write_bytes(thread(said(0, "user", "a")))
    assert standard_formats(path.parent, {}).identify(path) == AMP.name
    for other in (b"[]", b'{"id": "T-1"}', b'{"id": "x", "messages": []}'):
        assert not Amp().sniff(other, path)


@pytest.mark.parametrize(
    ("place", "environment"),
    [
        (".local/share/amp/threads", {}), ("x/amp/threads", {"XDG_DATA_HOME": "{}/x"}),
        (".config/Code/User/globalStorage/sourcegraph.amp/threads3", {}),
        ("Library/Application Support/Cursor/User/globalStorage/sourcegraph.amp/threads3", {}),
        ("r/Code/User/globalStorage/sourcegraph.amp/threads3", {"APPDATA": "{}/r"}),
    ],
)  # fmt: skip
def test_its_folders(tmp_path: Path, place: str, environment: dict[str, str]) -> None:
    moved = {name: value.format(tmp_path) for name, value in environment.items()}
    folder = tmp_path / place
    folder.mkdir(parents=True)
    file = folder / f"{ID}.json"
    file.write_bytes(thread(*fake.talk()))
    (folder / "index.json").write_text("{}")
    formats = standard_formats(tmp_path, moved)
    [found] = formats.discover()
    assert (found.source, found.name, found.folder, found.files) == ("amp", "Amp", str(folder), (str(file),))
    assert formats.session_file(file) == file
    assert formats.resume_command("amp", ID, "") == ("amp", "threads", "continue", ID)


def test_everything_at_once(path: Path) -> None:
    found = read(path, *fake.talk())
    assert sum(isinstance(event, Entry) for event in found) == 12
    assert fake.lost(path.read_bytes(), found) == []


def test_the_sample(samples: Path) -> None:
    [path] = (samples / "amp").glob("T-*.json")
    found = list(Amp().read(path, None))
    made = [event for event in found if isinstance(event, Entry)]
    assert [one.role.text for one in made] == [
        "user", "assistant", "toolResult", "toolResult", "toolResult", "assistant", "toolResult", "assistant",
    ]  # fmt: skip
    assert sum(one.usage.output for one in made if one.usage) == 239 + 71 + 245
    assert fake.lost(path.read_bytes(), found) == []
