"""A grown Claude Code file read from its end alone is read as it is read whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from stemmata.domain.sources.reading import Checkpoint
from stemmata.formats.claude_code import reading
from stemmata.formats.claude_code.line_index import LineIndex
from stemmata.formats.claude_code.reader import ClaudeCode
from stemmata.formats.shared.lines import Line as SourceLine
from tests.fakes.claude_code import (
    Found,
    Line,
    boundary,
    call,
    collect,
    note,
    reply,
    result,
    summary,
    user,
    written,
)


@st.composite
def talks(draw: st.DrawFn) -> list[Line]:
    """Draw the lines of a session, mostly in sequence, with rewinds, late results, twins and compactions."""
    lines: list[Line] = [user("n0", None, 0)]
    parts = draw(st.integers(1, 3))  # of a message
    for at in range(1, draw(st.integers(4, 24))):
        back = draw(st.sampled_from([1, 1, 1, 1, 1, 2, 3, at]))
        id, parent, minute = f"n{at}", f"n{at - back}", at - draw(st.integers(0, 1))
        message, tool = f"m{at // parts}", f"t{at}"
        kind = draw(st.integers(0, 11))
        if kind < 3:
            lines.append(user(id, parent, minute, draw(st.sampled_from(["", "x"]))))
        elif kind < 5:
            lines.append(reply(id, parent, minute, message, output=at))
        elif kind < 7:
            lines.append(call(id, parent, minute, message, tool))
        elif kind < 9:
            lines.append(result(id, parent, minute, f"t{at - back}"))
        elif kind == 9:
            lines.append(note(id, draw(st.sampled_from([parent, None])), minute))
        else:
            lines.append(draw(st.sampled_from(_odd(lines, id, parent, minute))))
    return lines


def _odd(lines: list[Line], id: str, parent: str, minute: float) -> list[Line]:
    return [
        boundary(id, parent, minute), summary(id, parent, minute), lines[-1], {**lines[-1], "timestamp": None},
        {"type": "custom-title", "customTitle": f"Title {id}"}, {"type": "last-prompt", "leafUuid": parent},
        {"type": "summary", "summary": "Old", "leafUuid": parent}, user(id, None, minute), user(id, "gone", minute),
        reply(id, parent, minute, isSidechain=True), user(id, parent, minute, isMeta=True),
    ]  # fmt: skip


def read(path: Path, since: Checkpoint | None) -> Found:
    return collect(ClaudeCode(min_skipped=1).read(path, since))[0]


def grown(path: Path, lines: list[Line], count: int) -> tuple[Checkpoint, Found, Found]:
    """Read the first lines, then the rest of the file twice: from the end if possible, and from the start."""
    known = read(written(path, lines[:count]), None).end.checkpoint
    assert known is not None
    written(path, lines)
    return known, read(path, known), read(path, None)


def new_entries(found: Found, since: Checkpoint) -> list[object]:
    return [entry for entry in found.entries if entry.record is not None and entry.record.offset >= since.offset]


@given(talks(), st.integers(1, 23))
def test_both_ways_give_the_same(lines: list[Line], count: int) -> None:
    with TemporaryDirectory() as folder:
        known, short, whole = grown(Path(folder, "s.jsonl"), lines, min(count, len(lines)))
        event("short" if len(short.entries) < len(whole.entries) else "whole")
        if len({str(line.get("uuid")) for line in lines if "uuid" in line}) == sum("uuid" in line for line in lines):
            assert new_entries(short, known) == new_entries(whole, known)
            assert short.info == whole.info
            assert (short.end.leaf, short.end.title) == (whole.end.leaf, whole.end.title)
            assert whole.raw.endswith(short.raw)


@given(talks(), st.lists(st.integers(1, 23), min_size=2, max_size=4))
def test_a_file_that_grows_again_and_again(lines: list[Line], cuts: list[int]) -> None:
    if len({line.get("uuid") for line in lines}) < len(lines):
        return
    with TemporaryDirectory() as folder:
        path, known = Path(folder, "s.jsonl"), None
        entries: dict[str, str | None] = {}
        for cut in [*sorted(cuts), len(lines)]:
            found = read(written(path, lines[:cut]), known)
            known = found.end.checkpoint
            entries |= {entry.id: entry.parent for entry in found.entries}
        whole = read(path, None)
        assert entries == whole.parents
        assert (found.end.leaf, found.end.title) == (whole.end.leaf, whole.end.title)


def long_talk(turns: int = 80) -> list[Line]:
    lines: list[Line] = [user("u0", None, 0)]
    for turn in range(1, turns):
        lines += [
            call(f"c{turn}", lines[-1]["uuid"], turn, f"m{turn}", f"t{turn}"),
            result(f"r{turn}", f"c{turn}", turn + 0.2, f"t{turn}"),
            reply(f"a{turn}", f"r{turn}", turn + 0.4, f"n{turn}"),
            user(f"u{turn}", f"a{turn}", turn + 0.6),
        ]
    return lines


def append(path: Path, *lines: Line) -> None:
    with path.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


def test_only_the_end_of_a_long_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "s.jsonl", long_talk())
    known = read(path, None).end.checkpoint
    append(path, reply("new", "u79", 90))
    seen: list[int] = []
    see = LineIndex.add

    def noted(self: LineIndex, line: SourceLine) -> None:
        seen.append(line.number)
        see(self, line)

    monkeypatch.setattr(LineIndex, "add", noted)
    found = read(path, known)
    assert found.parents == {"new": "u79"}
    assert found.end.leaf == "new"
    assert (found.resumed, len(seen) < 80) == (True, True)
    assert seen[-1] == 318


@pytest.mark.parametrize(
    "line",
    [
        user("new", "a3", 90), result("new", "u79", 90, "t2"), boundary("new", "u79", 90), user("new", "nowhere", 90),
        reply("new", "u79", 90, isSidechain=True), {"type": "last-prompt", "leafUuid": "u3"},
        {"type": "summary", "summary": "S", "leafUuid": "u3"}, user("u79", "a79", 79.6, "said again"),
    ],
)  # fmt: skip
def test_what_needs_the_whole_file_reads_it(tmp_path: Path, line: Line) -> None:
    lines = long_talk()
    _, short, whole = grown(tmp_path / "s.jsonl", [*lines, line], len(lines))
    assert short == whole
    assert len(short.entries) >= len(lines)


def test_another_part_of_the_message_that_a_restart_begins_reads_the_whole_file(tmp_path: Path) -> None:
    lines = long_talk()
    heads = []
    for count in range(len(lines) - 3, len(lines) + 1):  # so that the resume point is each kind of line
        path = written(tmp_path / "s.jsonl", lines[:count])
        known = read(path, None).end.checkpoint
        assert known is not None
        offset = json.loads(known.state)["restart"][0]
        head = json.loads(path.read_bytes()[offset:].splitlines()[0])
        if head["type"] == "assistant":
            heads.append(head["uuid"][0])
            append(path, reply("new", lines[count - 1]["uuid"], 90, head["message"]["id"]))
            short, whole = read(path, known), read(path, None)
            assert short == whole
            assert not short.resumed
    assert set(heads) == {"a", "c"}


def test_a_small_file_keeps_no_restart(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", long_talk())
    (found,) = collect(ClaudeCode().read(path, None))
    assert found.end.checkpoint is not None
    assert "restart" not in json.loads(found.end.checkpoint.state)


def test_a_last_line_without_its_end_that_was_taken_is_no_ground_to_begin_from(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", long_talk())
    with path.open("a") as file:
        file.write(json.dumps(reply("last", "u79", 90)))
    known = read(path, None).end.checkpoint
    assert known is not None
    assert "restart" not in json.loads(known.state)


def test_a_half_written_line_waits(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", long_talk())
    known = read(path, None).end.checkpoint
    text = json.dumps(reply("last", "u79", 90)) + "\n"
    with path.open("a") as file:
        file.write(text[:40])
    half = read(path, known)
    assert (half.entries, half.raw, len(half.skipped)) == ([], text[:40].encode(), 1)
    with path.open("a") as file:
        file.write(text[40:])
    whole = read(path, half.end.checkpoint)
    assert (list(whole.parents), whole.raw, whole.skipped) == (["last"], text.encode(), [])


FACTS = {"first": {}, "sessions": [], "forked": "", "titles": ["", "", ""], "others": {}}


@pytest.mark.parametrize(
    "state",
    [
        7, [], [1, 2], ["a", 1, FACTS, [], 0], [10**9, 1, FACTS, [], 0], [5, 1, {}, [], 0], [-1, 1, FACTS, [], 0],
        [5, 1, FACTS, [7], 0], [5, 1, {**FACTS, "others": {"x": "y"}}, [], 0],
    ],
)  # fmt: skip
def test_a_restart_that_somebody_else_wrote(tmp_path: Path, state: object) -> None:
    path = written(tmp_path / "s.jsonl", long_talk())
    known = read(path, None).end.checkpoint
    assert known is not None
    forged = replace(known, state=json.dumps({**json.loads(known.state), "restart": state}))
    append(path, reply("new", "u79", 90))
    assert "new" in read(path, forged).parents


def test_what_was_named_long_before_it_comes_asks_for_the_whole_file(tmp_path: Path) -> None:
    lines = [user("first", "late", -1), *long_talk()]
    known, short, whole = grown(tmp_path / "s.jsonl", [*lines, user("late", "u79", 91)], len(lines))
    assert "restart" in json.loads(known.state)
    assert short == whole
    assert whole.parents["first"] == "late"


def test_what_has_grown_beside_a_session(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [user("u", None, 0)])
    format, known = ClaudeCode(), read(path, None).end.checkpoint
    assert known is not None
    assert not format.companions_changed(path, known)
    agent = written(tmp_path / "s" / "subagents" / "agent-1.jsonl", [user("g", None, 1)])
    assert format.companions_changed(path, known)
    known = read(path, None).end.checkpoint
    assert known is not None
    assert not format.companions_changed(path, known)
    assert format.companions_changed(path, replace(known, state="{"))
    agent.unlink()
    assert not format.companions_changed(path, known)


def test_without_a_better_place_the_next_reading_starts_where_this_one_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [user(f"n{at}", f"n{at - 1}" if at else None, at) for at in range(60)]
    path = tmp_path / "s.jsonl"
    first = read(written(path, lines[:40]), None).end.checkpoint
    monkeypatch.setattr(reading, "find_resume_point", lambda *_: None)
    second = read(written(path, lines[:50]), first).end.checkpoint
    monkeypatch.undo()
    again = read(written(path, lines), second)
    assert 0 < len(again.raw) < path.stat().st_size
    assert again.end.leaf == "n59"
