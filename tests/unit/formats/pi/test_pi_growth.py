"""Going on where the last reading of a pi file ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import RereadError
from stemmata.domain.sources.reading import Begin, Checkpoint, End, Raw
from stemmata.formats.pi.reader import Pi
from stemmata.formats.shared.lines import SourceLines
from tests.fakes.export_source import MemorySource
from tests.unit.formats.pi_files import header, lines, old_said, record, said, shape, write


def grown(path: Path, before: bytes, after: bytes) -> MemorySource:
    """The file read as it was, and again when it had grown."""
    path.write_bytes(before)
    source = MemorySource.read(Pi(), path)
    path.write_bytes(before + after)
    source.go_on(Pi(), path)
    return source


def test_a_grown_file_gives_only_what_is_new(tmp_path: Path) -> None:
    path = write(tmp_path, header(), said("a", None), record("session_info", "n", "a", name="N"))
    first = list(Pi().read(path, None))
    [end] = [event for event in first if isinstance(event, End)]
    added = lines(said("b", "a"), said("c", "n"))
    with path.open("ab") as file:
        file.write(added)
    events = list(Pi().read(path, end.checkpoint))
    assert isinstance(events[0], Begin)
    assert events[0].offset > 0
    source = MemorySource()
    source.source_bytes = b"x" * (end.checkpoint.offset if end.checkpoint else 0)
    source.checkpoint = end.checkpoint
    source.take(iter(events))
    assert shape(source) == {"b": "a", "c": "n"}
    assert not source.repaired
    assert source.title == "N"
    assert source.leaf_id == "c"
    assert sum(len(event.data) for event in events if isinstance(event, Raw)) == len(
        lines(said("b", "a"), said("c", "n"))
    )


def test_an_unchanged_file_gives_nothing_new(tmp_path: Path) -> None:
    path = write(tmp_path, header(), said("a", None))
    source = MemorySource.read(Pi(), path)
    events = list(Pi().read(path, source.checkpoint))
    assert [type(event) for event in events] == [Begin, End]
    assert isinstance(events[1], End)
    assert events[1].leaf == "a"


def test_damage_is_mended_the_same_when_the_file_grows(tmp_path: Path) -> None:
    before = lines(b"bad", header(), said("a", None), said("a", "a"), old_said("no id"), header(), b"bad")
    after = lines(said("a", "a"), said("z", "gone"), old_said("no id"), said("y", "a~2"))
    source = grown(tmp_path / "s.jsonl", before, after)
    whole = MemorySource.read(Pi(), tmp_path / "s.jsonl")
    assert shape(source) == shape(whole)
    assert source.repaired == whole.repaired
    assert source.skipped == whole.skipped
    assert source.source_bytes == whole.source_bytes


def test_a_last_line_cut_in_the_middle_is_read_again(tmp_path: Path) -> None:
    content = lines(header(), said("a", None), said("b", "a"))
    source = grown(tmp_path / "s.jsonl", content[:-20], content[-20:])
    assert shape(source) == {"a": None, "b": "a"}
    assert [skipped.reason for skipped in source.skipped] == ["not valid JSON: the file ends inside this line"]
    assert source.source_bytes == content


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    content = lines(header(), said("a", None), said("b", "a"))
    source = grown(tmp_path / "s.jsonl", content[:-1], b"\n" + lines(said("c", "b")))
    assert shape(source) == {"a": None, "b": "a", "c": "b"}
    assert not source.skipped
    assert not source.repaired


@pytest.mark.parametrize("state", ['{"skipped":"x","title":"","chained":false}', "{}"])
def test_a_checkpoint_of_another_reader_is_not_used(tmp_path: Path, state: str) -> None:
    path = write(tmp_path, header(), said("a", None))
    source = SourceLines(path)
    list(source)
    checkpoint = source.checkpoint(json.loads(state))
    assert isinstance(checkpoint, Checkpoint)
    begin = next(iter(Pi().read(path, checkpoint)))
    assert isinstance(begin, Begin)
    assert not begin.offset


def test_a_sound_file_is_gone_on_with_without_a_look_at_its_beginning(tmp_path: Path) -> None:
    path = write(tmp_path, header(), said("a", None), said("b", "a"))
    known = _checkpoint(path)
    with path.open("ab") as file:
        file.write(lines(said("c", "a"), said("d", "c")))
    begin, *rest = Pi().read(path, known)
    assert isinstance(begin, Begin)
    assert begin.offset == known.offset
    assert [(event.id, event.parent) for event in rest if isinstance(event, Entry)] == [("c", "a"), ("d", "c")]


@pytest.mark.parametrize(
    "odd",
    [
        [said("a", "a")], [header()], [old_said("no id")], [said("b", "gone")],
        [record("label", "l", "a", targetId="gone", label="L")],
    ],
    ids=["an id again", "a second header", "no parent", "an orphan", "a target that has not come"],
)  # fmt: skip
def test_an_odd_file_is_looked_at_whole(tmp_path: Path, odd: list[Any]) -> None:
    path = write(tmp_path, header(), said("a", None), *odd)
    known = _checkpoint(path)
    with path.open("ab") as file:
        file.write(lines(said("c", "a")))
    begin = next(iter(Pi().read(path, known)))
    assert isinstance(begin, Begin)
    assert begin.offset == 0


def test_a_parent_that_comes_behind_its_child_asks_for_the_whole_file(tmp_path: Path) -> None:
    path = write(tmp_path, header(), said("a", None))
    known = _checkpoint(path)
    with path.open("ab") as file:
        file.write(lines(said("c", "b"), said("b", "a")))
    with pytest.raises(RereadError):
        list(Pi().read(path, known))
    entries = [event for event in Pi().read(path, None) if isinstance(event, Entry)]
    assert [entry.id for entry in entries] == ["a", "b", "c"]


def test_until_the_person_says_something_a_file_is_looked_at_whole(tmp_path: Path) -> None:
    path = write(tmp_path, header(), record("session_info", "n", None, name="N"))
    begin = next(iter(Pi().read(path, _checkpoint(path))))
    assert isinstance(begin, Begin)
    assert not begin.offset


def _checkpoint(path: Path) -> Checkpoint:
    (end,) = [event for event in Pi().read(path, None) if isinstance(event, End)]
    assert end.checkpoint is not None
    return end.checkpoint
