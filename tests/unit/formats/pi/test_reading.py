"""Reading pi files: structure, damage, real sessions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.domain.entries.tokens import weigh
from stemmata.domain.errors import UnreadableSourceError
from stemmata.formats.pi.reader import Pi
from stemmata.formats.pi.writer import PiWriter
from stemmata.formats.shared.lines import SourceLines
from tests.fakes.export_source import MemorySource
from tests.unit.formats.pi_files import header, lines, old_said, read, record, said, shape, write

# -- the header ------------------------------------------------------------------------------------------------------


def test_the_header_becomes_the_session(tmp_path: Path) -> None:
    parent = "/home/a/.pi/agent/sessions/--w--/2026-01-01T00-45-06-481Z_c0cc0c1c-112a.jsonl"
    source = read(tmp_path, header(parentSession=parent, extra=[1]))
    info = source.info
    assert (info.source, info.source_id, info.cwd) == ("pi", "s1", "/w")
    assert info.created_at == 1_767_225_600_000_000_000
    assert info.parent_source_id == "c0cc0c1c-112a"
    assert '"extra":[1]' in info.details
    assert '"version":3' in info.details
    assert source.entries == []
    assert source.leaf_id is None


@pytest.mark.parametrize(
    ("path", "id"),
    [
        (r"C:\Users\a\2026-01-01T00-45-06-481Z_abc.jsonl", "abc"),
        ("/x/5f0c.jsonl", "5f0c"),
        ("some_name", "some_name"),
        (17, ""),
    ],
)
def test_the_parent_is_known_by_its_file_name(tmp_path: Path, path: Any, id: str) -> None:
    assert read(tmp_path, header(None, branchedFrom=path)).info.parent_source_id == id


def test_a_header_without_extras_has_no_details(tmp_path: Path) -> None:
    assert read(tmp_path, {"type": "session", "id": "s"}).info.details == ""
    assert read(tmp_path, {"type": "session", "id": "s"}).info.cwd == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage\n",
        lines({"type": "session", "version": 3}),
        lines({"type": "session", "id": ""}),
        lines({"type": "message", "message": "odd"}),
        b"[1]\n",
    ],
)
def test_a_file_with_nothing_of_pi_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnreadableSourceError, match="contains no entries of a pi session"):
        list(Pi().read(path, None))
    assert path.read_bytes() == content


NAMED = "2026-01-01T00-00-00-000Z_s1.jsonl"
NO_HEADER = "The file has no session header; the file name is used as session id."


@pytest.mark.parametrize(
    "damaged",
    [
        b'{"type":"session","version":3,"id":"s1","timesta',
        b"\0" * 5000,
        lines(header())[:40].replace(b":", b"\0"),
        lines(header())[:-1] + lines(said("lost", None))[:-1],
        b'{"type":"session"}',
        b"[]",
    ],
)
def test_a_damaged_header_costs_its_line(tmp_path: Path, damaged: bytes) -> None:
    content: list[Any] = [damaged, said("a", None), said("b", "a", role="assistant")]
    source = MemorySource.read(Pi(), write(tmp_path, *content, name=NAMED))
    assert (source.info.source_id, shape(source)) == ("s1", {"a": None, "b": "a"})
    assert [skipped.line for skipped in source.skipped] == [1]
    assert [repaired.what for repaired in source.repaired] == [NO_HEADER]
    assert source.source_bytes == lines(*content)
    written = b"".join(PiWriter().export(source))
    again = read(tmp_path, *written.splitlines())
    assert (again.info.source_id, shape(again), again.repaired) == ("s1", shape(source), [])


def test_a_header_without_an_id_is_one_all_the_same(tmp_path: Path) -> None:
    source = MemorySource.read(Pi(), write(tmp_path, header(2, id=7), said("a", None), name=NAMED))  # type: ignore[arg-type]
    assert (source.info.source_id, source.info.cwd, shape(source)) == ("s1", "/w", {"a": None})
    assert [repaired.what for repaired in source.repaired] == [
        "The session header has no id; the file name is used as session id."
    ]
    written = b"".join(PiWriter().export(source)).splitlines()
    assert json.loads(written[0]) == header(3)


def test_what_comes_before_a_header_that_comes_late(tmp_path: Path) -> None:
    source = read(tmp_path, {"odd": 1}, header(), said("a", None))
    assert (source.info.source_id, len(source.entries), source.repaired[1:]) == ("s1", 2, [])
    behind = read(tmp_path, said("a", None), header(), said("b", "a"))
    assert (behind.info.source_id, shape(behind)) == ("s", {"a": None, "b": "a"})
    assert [skipped.line for skipped in behind.skipped] == [2]


def test_a_session_of_version_1_without_its_header(tmp_path: Path) -> None:
    source = read(tmp_path, old_said("one"), old_said("two"))
    assert [entry.parent for entry in source.entries] == [None, source.entries[0].id]
    written = [json.loads(line) for line in b"".join(PiWriter().export(source)).splitlines()]
    assert written[0] == {
        "type": "session",
        "version": 3,
        "id": "s",
        "timestamp": "1970-01-01T00:00:00.000Z",
        "cwd": "",
    }
    assert [record.get("parentId") for record in written[1:]] == [None, written[1]["id"]]


def test_a_session_goes_on_growing_behind_a_run_of_nul(tmp_path: Path) -> None:
    path = write(tmp_path, header(), said("a", None))
    source = MemorySource.read(Pi(), path)
    with path.open("ab") as file:
        file.write(b"\0" * 70_000)
    source.go_on(Pi(), path)
    with path.open("ab") as file:
        file.write(b"\n" + lines(said("b", "a")))
    source.go_on(Pi(), path)
    assert shape(source) == {"a": None, "b": "a"}
    assert {skipped.line for skipped in source.skipped} == {3}
    assert source.source_bytes == path.read_bytes()


def test_bad_lines_before_the_header_cost_themselves_only(tmp_path: Path) -> None:
    source = read(tmp_path, b"garbage", header(), said("a", None))
    assert [(skipped.line, skipped.reason) for skipped in source.skipped] == [(1, "not valid JSON")]
    assert shape(source) == {"a": None}


def test_a_second_header_is_reported(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None), header(id="s2"), said("b", "a"))
    assert [(skipped.line, skipped.reason) for skipped in source.skipped] == [(3, "second session header")]
    assert shape(source) == {"a": None, "b": "a"}


# -- structure, versions 2 and 3 -------------------------------------------------------------------------------------


def test_branches_and_the_leaf(tmp_path: Path) -> None:
    source = read(
        tmp_path, header(), said("1", None), said("2", "1"), said("3", "2"), said("4", "2"), said("5", None)
    )
    assert shape(source) == {"1": None, "2": "1", "3": "2", "4": "2", "5": None}
    assert source.leaf_id == "5"
    assert not source.repaired
    assert not source.skipped


def test_bookkeeping_at_the_end_is_the_leaf(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("1", None), record("label", "2", "1", targetId="1", label="x"))
    assert source.leaf_id == "2"


def test_every_entry_knows_its_record(tmp_path: Path) -> None:
    records = [said("1", None, "ä"), record("later", "2", "1", x=1), said("3", "2")]
    source = read(tmp_path, header(), *records)
    assert source.records(range(3)) == [lines(one).rstrip() for one in records]
    assert source.source_bytes == lines(header(), *records)


def test_children_before_their_parents(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("c", "b"), said("a", None), said("d", "c"), said("b", "a"))
    assert shape(source) == {"a": None, "b": "a", "c": "b", "d": "c"}
    assert [entry.id for entry in source.entries] == ["a", "b", "c", "d"]
    assert source.leaf_id == "b"
    assert not source.repaired


def test_an_orphan_becomes_a_root(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None), said("b", "gone"), said("c", "b"))
    assert shape(source) == {"a": None, "b": None, "c": "b"}
    [note] = source.repaired
    assert note.entry == "b"
    assert "its parent gone is not in the file" in note.what
    flags = {entry.id: entry.flags for entry in source.entries}
    assert flags["b"] & Flag.REPAIRED
    assert not flags["c"] & Flag.REPAIRED


def test_an_entry_that_is_its_own_parent_becomes_a_root(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", "a"), said("b", "a"))
    assert shape(source) == {"a": None, "b": "a"}
    assert "names itself" in source.repaired[0].what


def test_cycles_are_cut_at_the_entry_written_first(tmp_path: Path) -> None:
    source = read(
        tmp_path,
        header(),
        said("x", "b"),
        said("a", "c"),
        said("b", "a"),
        said("c", "b"),
        said("1", "2"),
        said("2", "1"),
    )
    assert shape(source) == {"a": None, "b": "a", "c": "b", "x": "b", "1": None, "2": "1"}
    assert [note.entry for note in source.repaired] == ["a", "1"]
    assert all("form a cycle" in note.what for note in source.repaired)


def test_held_entries_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stemmata.formats.pi.reading.HELD_LIMIT", 3)
    records = [said(str(n), str(n + 1)) for n in range(9)]
    source = read(tmp_path, header(), *records, said("9", None))
    assert sorted(shape(source)) == [str(n) for n in range(10)]
    assert [note.entry for note in source.repaired] == ["3", "7"]
    assert len(source.tree.roots) == 3


def test_an_id_that_occurs_twice_is_made_unique(tmp_path: Path) -> None:
    source = read(
        tmp_path,
        header(),
        said("a", None),
        said("b", "a", "one"),
        said("b", "b", "two"),
        said("c", "b"),
        said("b", "c"),
        record("label", "d", "b", targetId="b", label="x"),
    )
    assert shape(source) == {"a": None, "b": "a", "b~2": "b", "c": "b~2", "b~3": "c", "d": "b~3"}
    assert source.entries[-1].target == "b~3"
    assert [note.entry for note in source.repaired] == ["b~2", "b~3"]


def test_a_unique_id_that_is_taken_is_passed_over(tmp_path: Path) -> None:
    source = read(tmp_path, header(), said("a", None), said("a~2", "a"), said("a", "a~2"))
    assert list(shape(source)) == ["a", "a~2", "a~3"]


def test_entries_without_parents_are_chained_and_reported_once(tmp_path: Path) -> None:
    records = [{key: value for key, value in said(id, None).items() if key != "parentId"} for id in "abc"]
    source = read(tmp_path, header(), *records)
    assert shape(source) == {"a": None, "b": "a", "c": "b"}
    assert len(source.repaired) == 1
    assert "each was linked to the previous entry" in source.repaired[0].what


def test_entries_without_ids_get_lasting_ones(tmp_path: Path) -> None:
    records = [old_said("1"), old_said("2"), said("", None), record("custom", "x", None) | {"id": {"a": 1}}]
    source = read(tmp_path, header(), *records)
    ids = [entry.id for entry in source.entries]
    assert len(set(ids)) == 4
    assert all(len(id) == 8 for id in ids)
    assert ids == [entry.id for entry in read(tmp_path, header(), *records).entries]
    assert source.entries[1].parent == ids[0]


def test_odd_ids_and_parents(tmp_path: Path) -> None:
    one = said("1", None) | {"id": 1}
    two = said("2", None) | {"parentId": 1}
    three = said("3", None) | {"parentId": True}
    assert shape(read(tmp_path, header(), one, two, three)) == {"1": None, "2": "1", "3": None}


def test_bad_lines_are_skipped_with_their_number(tmp_path: Path) -> None:
    deep = b"[" * 300 + b"]" * 300
    source = read(tmp_path, header(), said("a", None), b'{"type":"mess', b"", b"[1]", b"5", deep, said("b", "a"))
    assert [(skipped.line, skipped.reason) for skipped in source.skipped] == [
        (3, "not valid JSON"),
        (5, "not a JSON object"),
        (6, "not a JSON object"),
        (7, "nested more than 200 levels deep"),
    ]
    assert shape(source) == {"a": None, "b": "a"}


def test_a_line_too_long_to_hold_is_skipped_and_kept_raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = {**(SourceLines.__init__.__kwdefaults__ or {}), "limit": 500, "chunk": 64}
    monkeypatch.setattr(SourceLines.__init__, "__kwdefaults__", defaults)
    source = read(tmp_path, header(), said("a", None), said("b", "a", "x" * 1000), said("c", "a"))
    assert [(skipped.line, skipped.reason) for skipped in source.skipped] == [(3, "exceeds the line length limit")]
    assert list(shape(source)) == ["a", "c"]
    assert b"x" * 1000 in source.source_bytes


def test_the_title_is_the_last_name_given(tmp_path: Path) -> None:
    names = [record("session_info", str(n), None, name=name) for n, name in enumerate(["  A  ", "B", "", " "])]
    assert read(tmp_path, header(), *names).title == "B"


# -- real sessions ---------------------------------------------------------------------------------------------------


def test_the_golden_numbers_of_pis_own_fixture(samples: Path) -> None:
    source = MemorySource.read(Pi(), samples / "pi" / "before-compaction.jsonl")
    assert len(source.entries) == 1002
    assert source.source_bytes.count(b"\n") == 1003
    assert Counter(entry.kind for entry in source.entries if entry.kind is not Kind.MESSAGE) == {
        Kind.THINKING_LEVEL_CHANGE: 5,
        Kind.MODEL_CHANGE: 5,
        Kind.COMPACTION: 2,
    }
    messages = [entry for entry in source.entries if entry.kind is Kind.MESSAGE]
    assert Counter(entry.role for entry in messages) == {
        Role.USER: 55,
        Role.ASSISTANT: 484,
        Role.TOOL_RESULT: 448,
        Role.BASH_EXECUTION: 3,
    }
    estimates: Counter[Role] = Counter()
    for entry in messages:
        estimates[entry.role] += weigh(entry).tokens
    assert estimates == {
        Role.USER: 2609,
        Role.ASSISTANT: 143_668,
        Role.TOOL_RESULT: 216_268,
        Role.BASH_EXECUTION: 12_882,
    }
    assert estimates.total() == 375_427
    compactions = [
        (at, source.index(entry.target or ""), entry.usage and entry.usage.context)
        for at, entry in enumerate(source.entries)
        if entry.kind is Kind.COMPACTION
    ]
    assert compactions == [(358, 292, 175_004), (627, 550, 185_014)]
    assert source.info.parent_source_id == "d97339c6-6c10-4827-846b-9ff1d9c3dc37"
    assert not source.repaired
    assert not source.skipped


def test_a_cut_sample_reports_its_bad_line(samples: Path) -> None:
    source = MemorySource.read(Pi(), samples / "pi" / "av_session.jsonl")
    assert [skipped.line for skipped in source.skipped] == [10]
    assert source.info.parent_source_id == "parent-uuid"
    assert [entry.name for entry in source.entries if entry.kind is Kind.UNKNOWN] != []
