"""What pi has no field for comes back from pi: by a key that pi ignores, which a file may fill with anything."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.blocks import Image, Text, Thinking, ToolCall, UnknownBlock
from stemmata.domain.entries.entry import Entry, Flag, Kind, Record, Role, Usage
from stemmata.domain.sessions.session import SessionInfo
from stemmata.formats.pi import writer
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from tests.fakes.export_source import MemorySource
from tests.unit.formats.pi_files import header, lines, record, said

PDF = b"%PDF-1.7"
NAMED = hashlib.sha256(PDF).hexdigest()


def reread(folder: Path, source: MemorySource) -> MemorySource:
    path = folder / "written.jsonl"
    path.write_bytes(b"".join(PiWriter().export(source)))
    return MemorySource.read(Pi(), path)


def made(*entries: Entry, source: str = "codex") -> MemorySource:
    info = SessionInfo(source=source, source_id="s-1", title="A name")
    session = MemorySource(info=info, title="A name", blobs={NAMED: PDF})
    session.add(*entries)
    return session


def user(**facts: Any) -> Entry:
    return Entry(id="a", role=Role.USER, **facts)


def model(**facts: Any) -> Entry:
    return Entry(id="a", role=Role.ASSISTANT, **facts)


@pytest.mark.parametrize(
    "entry",
    [
        Entry(id="a", role=Role.SYSTEM, name="developer", blocks=(Text("Be brief."),)),
        user(blocks=(Text("a"), Text("b")), flags=Flag.EXCLUDED | Flag.INJECTED),
        model(blocks=(Text("x", "sig"),), usage=None, details='{"b": 1}'),
        model(blocks=(ToolCall("c", "n", "[1]"),), usage=Usage(cache_write_1h=3, cost=4)),
        model(blocks=(ToolCall("c", "n", '{"a":0.0}'), Thinking("t", "s", redacted=True))),
        user(blocks=(UnknownBlock("web", '{"type":"web"}'), Text("b"))),
        user(blocks=(Image("application/pdf", NAMED, len(PDF), "plan.pdf"), Text("read it"))),
        user(blocks=(Image("image/png", "0" * 64, 9, "lost.png"),)),
        user(blocks=(Image("image/png", NAMED, len(PDF), "named.png"),)),
        Entry(id="a", kind=Kind.CUSTOM, name="note", blocks=(Text("said"),), flags=Flag.HIDDEN),
        Entry(id="a", kind=Kind.COMPACTION, blocks=(Text("S"),), model="m", usage=Usage(total=5, cost=2)),
        Entry(id="a", kind=Kind.UNKNOWN, name="later", details='{"x":[1]}', flags=Flag.CUT),
        Entry(id="a", kind=Kind.LABEL, name="of nothing"),
        Entry(id="a", role=Role.BASH_EXECUTION, name="ls", flags=Flag.ABORTED),
        Entry(id="a", role=Role.TOOL_RESULT, tool="t", call="c", details="no JSON", provider="p"),
    ],
)  # fmt: skip
def test_an_entry_of_another_tool_comes_back_as_it_was(tmp_path: Path, entry: Entry) -> None:
    back = reread(tmp_path, made(entry))
    assert [replace(one, record=None) for one in back.entries] == [entry]
    held = {block.blob for block in entry.blocks if isinstance(block, Image)} & {NAMED}
    assert set(back.blobs) == held


def test_a_summary_of_its_parents_branch_keeps_its_target(tmp_path: Path) -> None:
    first = user(blocks=(Text("x"),))
    summary = Entry(id="b", parent="a", kind=Kind.BRANCH_SUMMARY, blocks=(Text("S"),), target="a")
    assert reread(tmp_path, made(first, summary)).entries[1].target == "a"
    cut = replace(summary, target=None)
    assert reread(tmp_path, made(first, cut)).entries[1].target is None


def test_the_order_stays_when_the_leaf_is_not_the_last(tmp_path: Path) -> None:
    entries = [Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(id),)) for id, parent in
               (("a", None), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "c"))]  # fmt: skip
    source = made(*entries)
    source.leaf_id = "b"
    back = reread(tmp_path, source)
    assert [one.id for one in back.entries] == ["a", "b", "c", "d", "e"]
    assert back.leaf_id == "b"
    assert (back.skipped, back.repaired) == ([], [])
    path = tmp_path / "written.jsonl"
    mark = json.loads(path.read_bytes().splitlines()[-1])
    assert (mark["customType"], mark["parentId"]) == ("stemmata.leaf", "b")
    with path.open("ab") as file:  # pi goes on there
        file.write(lines(record("label", "l", mark["id"], targetId=mark["id"], label="x"), said("f", "l")))
    grown = MemorySource.read(Pi(), path)
    assert [(one.id, one.parent, one.target) for one in grown.entries[5:]] == [("l", "b", "b"), ("f", "l", None)]
    assert grown.leaf_id == "f"
    back.go_on(Pi(), path)
    assert [one.id for one in back.entries] == [one.id for one in grown.entries]
    assert b"".join(PiWriter().export(grown)) == path.read_bytes()


def test_a_record_with_the_id_of_an_entry_is_no_mark(tmp_path: Path) -> None:
    mark = {"customType": "stemmata.leaf", "stemmata": {}}
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(header(), said("a", None), record("custom", "a", None, **mark)))
    assert [one.kind for one in MemorySource.read(Pi(), path).entries] == [Kind.MESSAGE, Kind.CUSTOM]


def test_a_mark_at_the_start_leaves_no_leaf(tmp_path: Path) -> None:
    mark = record("custom", "m", None, customType="stemmata.leaf", stemmata={})
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(header(), said("a", None), mark, said("b", "m")))
    assert [one.parent for one in MemorySource.read(Pi(), path).entries] == [None, None]
    path.write_bytes(lines(header(), said("a", None), mark))
    assert MemorySource.read(Pi(), path).leaf_id is None


def test_the_header_carries_title_tags_and_origin(tmp_path: Path) -> None:
    source = made(user(blocks=(Text("x"),)))
    parent = replace(source.session, source_id="s-0")
    source.parent = parent
    back = reread(tmp_path, source)
    assert back.title == "A name"
    assert json.loads(back.info.details)["stemmata"] == {"source": "codex", "id": "s-1", "title": "A name"}
    alone = made(Entry(id="a", role=Role.USER), source="zed")
    assert reread(tmp_path, alone).info.source_id != back.info.source_id  # two tools may use one id
    before = made(Entry(id="a", role=Role.USER))
    before.info = replace(before.info, source_id="s-0")
    assert reread(tmp_path, before).info.source_id == back.info.parent_source_id


def test_tags_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(header() | {"stemmata": {"tags": ["#a b", "", 1, "a-b", "c"]}}, said("a", None)))
    assert MemorySource.read(Pi(), path).info.tags == ("a-b", "c")
    path.write_bytes(lines(header() | {"stemmata": {"tags": {"a": 1}}}, said("a", None)))
    assert MemorySource.read(Pi(), path).info.tags == ()


@pytest.mark.parametrize(
    "facts",
    [
        [], 1, "x", None, {"kind": 1, "role": [], "flags": {}, "usage": [], "target": 4, "blocks": 3, "data": []},
        {"kind": "no such", "role": "no such", "flags": ["own", "removed", 1, "no such"], "name": {}},
        {"blocks": [[], 1, ["z"], ["t"], ["t", 4], ["k"], ["c"], ["i"], ["o"], [[]]], "usage": {"input": "x"}},
        {"blocks": {"0": [1], "x": ["t", "y"]}, "data": {"a": 1, "b": "not base64"}},
    ],
)  # fmt: skip
def test_a_file_may_carry_anything(tmp_path: Path, facts: Any) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        lines(
            header() | {"stemmata": facts},
            said("a", None) | {"stemmata": facts},
            record("custom", "b", "a", customType="stemmata.message", data=facts) | {"stemmata": facts},
        )
    )
    read = MemorySource.read(Pi(), path)
    assert [one.id for one in read.entries] == ["a", "b"]
    assert not any(one.flags & (Flag.OWN | Flag.REMOVED) for one in read.entries)
    path.write_bytes(b"".join(PiWriter().export(replace(read, source_bytes=b"", entries=[
        replace(one, record=None) for one in read.entries]))))  # fmt: skip
    again = MemorySource.read(Pi(), path)
    assert [replace(one, record=None) for one in again.entries] == [replace(one, record=None) for one in read.entries]


def test_an_empty_session_is_a_header(tmp_path: Path) -> None:
    empty = MemorySource(info=SessionInfo(source="codex", source_id="s-1"))
    assert [json.loads(line)["type"] for line in b"".join(PiWriter().export(empty)).splitlines()] == ["session"]


def test_a_leaf_before_the_first_entry_is_a_record_of_its_own(tmp_path: Path) -> None:
    source = made(user(blocks=(Text("x"),)))
    source.leaf_id = None
    *_, last = b"".join(PiWriter().export(source)).splitlines()
    assert (json.loads(last)["customType"], json.loads(last)["parentId"]) == ("stemmata.root", None)


def test_a_record_of_pi_that_says_something_else_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another tool may write records that look like pi's."""
    source = made(user(blocks=(Text("hello"),)))
    source.entries = [replace(source.entries[0], record=Record(0, 1))]
    for written, is_taken in ((said("a", None, "hello"), True), (said("a", None, "other"), False)):
        data = lines(written).rstrip()
        monkeypatch.setattr(source, "records", lambda _entries, data=data: [data])
        exported = b"".join(PiWriter().export(source)).splitlines()[1]
        assert (exported == data) is is_taken
        assert b"hello" in exported


def test_a_header_without_an_id_gets_one(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines({key: value for key, value in header().items() if key != "id"}))
    (line,) = b"".join(PiWriter().export(MemorySource.read(Pi(), path))).splitlines()
    assert json.loads(line)["id"] == "s"


def test_tags_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = made(user(blocks=(Text("x"),)))
    tagged = replace(source.session, tags=("tea", "cups"))
    monkeypatch.setattr(MemorySource, "session", property(lambda _self: tagged))
    exported = b"".join(PiWriter().export(source))
    path = tmp_path / "s.jsonl"
    path.write_bytes(exported)
    assert MemorySource.read(Pi(), path).info.tags == ("tea", "cups")


def test_records_are_read_eight_at_a_time_and_each_is_printed_and_read_back_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = made(*(replace(user(model="m"), id=f"{at}", parent=f"{at - 1}" if at else None) for at in range(150)))
    done = Counter[str]()
    read, names = source.records, ("exact_bytes", "parse_object")

    def counted(name: str) -> Any:
        whole = getattr(writer, name)

        def counting(given: Any) -> Any:
            done[name] += 1
            return whole(given)

        return counting

    def noted(entries: Sequence[int]) -> list[bytes | None]:
        done["reads"] += 1
        return read(entries)

    monkeypatch.setattr(source, "records", noted)
    for name in names:
        monkeypatch.setattr(writer, name, counted(name))
    written = b"".join(PiWriter().export(source)).splitlines()
    assert [json.loads(line)["stemmata"] for line in written[1:]] == [{"model": "m"}] * 150
    assert done["reads"] == 19  # eight records at a time, within pages of 64 entries
    assert done["parse_object"] == 150
    assert done["exact_bytes"] == 2 * 150 + 1  # each record, the facts that pi cannot hold, and the header
