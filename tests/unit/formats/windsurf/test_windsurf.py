"""Windsurf's transcripts: prompts, replies, calls with their results, damage, a step that was taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Block, Text, Thinking, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role
from stemmata.domain.sources.reading import Begin, End, Raw, ReadEvent, Skipped
from stemmata.formats.registry import standard_formats
from stemmata.formats.windsurf.reader import Windsurf
from tests.fakes.windsurf import asked, kinds, lines, said, step, talk
from tests.unit.formats.archived import archived


def read(tmp_path: Path, *records: Any) -> list[ReadEvent]:
    path = tmp_path / "5e55.jsonl"
    path.write_bytes(lines(*records))
    assert standard_formats(tmp_path, {}).identify(path) == "windsurf"
    events = list(Windsurf().read(path, None))
    assert b"".join(event.data for event in events if isinstance(event, Raw)) == path.read_bytes()
    assert kinds(path.read_bytes(), events)[1] == []
    return events


def entries(tmp_path: Path, *records: Any) -> list[Entry]:
    return [event for event in read(tmp_path, *records) if isinstance(event, Entry)]


def test_a_transcript_is_one_path(tmp_path: Path) -> None:
    events = read(tmp_path, *talk())
    listed = [event for event in events if isinstance(event, Entry)]
    assert [(one.id, one.role) for one in listed] == [
        ("line 1", Role.USER), ("line 2", Role.ASSISTANT),
        ("line 3", Role.ASSISTANT), ("line 3#2", Role.TOOL_RESULT),
        ("line 4", Role.ASSISTANT), ("line 4#2", Role.TOOL_RESULT),
        ("line 5", Role.ASSISTANT), ("line 5#2", Role.TOOL_RESULT), ("line 6", Role.ASSISTANT),
    ]  # fmt: skip
    assert [one.parent for one in listed] == [None, *(one.id for one in listed[:-1])]
    begin, end = events[0], events[-1]
    assert isinstance(begin, Begin)
    assert isinstance(end, End)
    assert (begin.info.source, begin.info.source_id, begin.info.cwd) == ("windsurf", "5e55", "/w")
    assert (end.leaf, end.leaf_known) == ("line 6", True)


def test_calls_and_results(tmp_path: Path) -> None:
    _, reply, call, result, _, failed, _, broken, _ = entries(tmp_path, *talk())
    assert (reply.blocks, reply.flags) == ((Text("I look for tea."),), Flag.ENDS_TURN)
    assert call.blocks == (
        ToolCall("line 3", "view_file", '{"path":"file:///w/tea.txt","start_line":0,"end_line":1}'),
    )
    assert (result.call, result.tool, result.blocks, result.flags) == (
        "line 3", "view_file", (Text("Sencha\n"),), Flag.NONE,
    )  # fmt: skip
    assert (failed.blocks, failed.flags) == ((Text("no tea"),), Flag.FAILED)
    assert json.loads(failed.details) == {"exit_code": 1, "user_rejected": False}
    assert (broken.blocks, broken.flags) == ((), Flag.FAILED)


@pytest.mark.parametrize(
    ("fields", "flags"),
    [({"exit_code": 0}, Flag.NONE), ({"user_rejected": True}, Flag.FAILED), ({"exit_code": "x"}, Flag.NONE)],
)
def test_whether_a_call_failed(tmp_path: Path, fields: dict[str, Any], flags: Flag) -> None:
    assert entries(tmp_path, step("run_command", **fields))[1].flags == flags


@pytest.mark.parametrize(
    ("record", "blocks", "flags", "details"),
    [
        (step("planner_response", response="a", thinking="b"), [Thinking("b"), Text("a")], Flag.ENDS_TURN, {}),
        (step("planner_response", "error", response=""), [], Flag.FAILED, {"status": "error"}),
        (step("user_input", user_response={"x": 1}, images=[1], files=[]), [Text('{"x":1}')], Flag.NONE,
         {"images": [1]}),
        (asked("a") | {"time": 5, "empty": ""}, [Text("a")], Flag.NONE, {"time": 5}),
    ],
)  # fmt: skip
def test_messages(tmp_path: Path, record: Any, blocks: list[Block], flags: Flag, details: dict[str, Any]) -> None:
    [entry] = entries(tmp_path, record)
    assert (entry.blocks, entry.flags) == (tuple(blocks), flags)
    assert json.loads(entry.details or "{}") == details


def test_what_stands_beside_a_call_is_a_detail_of_it(tmp_path: Path) -> None:
    call, *_ = entries(tmp_path, step("find", "running", pattern="*.md") | {"time": 5}, asked("And?"))
    assert json.loads(call.details) == {"status": "running", "time": 5}


def test_a_session_without_a_command_has_no_folder(tmp_path: Path) -> None:
    begin = read(tmp_path, asked("a"))[0]
    assert isinstance(begin, Begin)
    assert begin.info.cwd == ""


def test_damaged_lines_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "5e55.jsonl"
    path.write_bytes(lines(asked("a")) + b'{"a":1}\n{\n' + lines(said("b")) + b'{"status":"do')
    events = list(Windsurf().read(path, None))
    assert [(event.line, event.reason) for event in events if isinstance(event, Skipped)] == [
        (2, "not a step of Windsurf"), (3, "not valid JSON"), (5, "not valid JSON: the file ends inside this line"),
    ]  # fmt: skip
    assert [event.parent for event in events if isinstance(event, Entry)] == [None, "line 1"]


@pytest.mark.parametrize("record", [{"type": "x", "x": {}}, {"type": "x", "status": "done"}, {"status": "done"}, 5])
def test_other_records_are_no_steps(tmp_path: Path, record: Any) -> None:
    assert not Windsurf().sniff(lines(record), tmp_path)


def test_transcripts_that_grow_shrink_and_change_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "5e55.jsonl"
    with archived(tmp_path / "archive") as archive:
        for records in ((asked("a"),), (asked("a"), said("b"), asked("c")), (asked("a"),), (asked("a"), said("d"))):
            path.write_bytes(lines(*records))
            archive.take(path)
        [session] = archive.sessions()
        assert archive.above(session) == {"a": None, "b": "a", "c": "b", "d": "a"}


def test_a_running_step_is_held_back_with_what_follows_it(tmp_path: Path) -> None:
    running, other = step("find", "running", pattern="*.md"), step("find", pattern="*.txt", output="b.txt")
    events = read(tmp_path, asked("a"), running, other)
    assert [event.id for event in events if isinstance(event, Entry)] == ["line 1"]
    assert [event.line for event in events if isinstance(event, Skipped)] == [2, 3]
    end = events[-1]
    assert isinstance(end, End)
    assert end.leaf == "line 1"


def test_a_step_that_a_prompt_follows_is_read_though_it_never_ended(tmp_path: Path) -> None:
    found = entries(tmp_path, asked("a"), step("find", "running", pattern="*.md"), asked("b"), said("c"))
    assert [one.id for one in found] == ["line 1", "line 2", "line 2#2", "line 3", "line 4"]
    assert [one.parent for one in found] == [None, "line 1", "line 2", "line 2#2", "line 3"]


def test_a_file_that_is_read_while_its_steps_run_is_the_same_in_the_end(tmp_path: Path) -> None:
    calls = step("find", output="a.md"), step("view_file", content="tea")
    ended = [asked("a"), said("b"), *calls, said("c"), asked("d")]
    states = [
        [asked("a"), step("planner_response", "generating", response="")],
        [*ended[:2], step("find", "running")],
        [*ended[:2], step("find", "running"), step("view_file", "running")],
        [*ended[:2], step("find", "running"), *ended[3:4]],
        [*ended[:4], step("planner_response", "generating", response="c, b")],
        ended,
    ]
    shapes = []
    for name, read_at in (("often", states), ("once", states[-1:])):
        path = tmp_path / name / "5e55.jsonl"
        path.parent.mkdir()
        with archived(tmp_path / name / "archive") as archive:
            for records in read_at:
                path.write_bytes(lines(*records))
                archive.take(path)
            [session] = archive.sessions().values()
            shapes.append((archive.above(session.source_id), archive.sent(session.source_id), session.entries))
    assert shapes[0] == shapes[1]
    assert shapes[0][2] == 8


def test_the_sample_is_read_whole(samples: Path) -> None:
    path = samples / "other" / "windsurf-session-simple.jsonl"
    events = list(Windsurf().read(path, None))
    counted, lost = kinds(path.read_bytes(), events)
    assert (counted["entry"], counted["skipped"], lost) == (len(path.read_bytes().splitlines()), 0, [])
    begin = events[0]
    assert isinstance(begin, Begin)
    assert begin.info.cwd.endswith("/testing-gitflows-git-ai")
    listed = [event for event in events if isinstance(event, Entry)]
    calls = {block.id for one in listed for block in one.blocks if isinstance(block, ToolCall)}
    assert calls == {one.call for one in listed if one.role is Role.TOOL_RESULT}
    assert [one.tool for one in listed if one.flags & Flag.FAILED] == ["list_resources"]
