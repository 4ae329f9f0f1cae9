"""What a store does with the versions of a source: compared, extended, told anew, and never cut."""

from __future__ import annotations

import gc
import sqlite3
import tracemalloc
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Record, Role, Usage
from stemmata.domain.errors import RereadError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.domain.sources.reading import SourceRead
from stemmata.store.entries import appending
from stemmata.store.entries.appending import KeySet
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled


def said(id: str, parent: str | None, at: int, text: str = "", flags: Flag = Flag.NONE) -> Entry:
    blocks = (Text(text or id),)
    return Entry(id=id, parent=parent, role=Role.USER, blocks=blocks, flags=flags, record=Record(at, 1))


LINES = [said("a", None, 0), said("b", "a", 1), said("c", "b", 2)]


def read(filled: Filled, session: int, entries: Sequence[Entry], data: bytes = b"abc", path: str = "f") -> SourceRead:
    def job(writer: Writer) -> SourceRead:
        writer.begin_source(session, path)
        writer.add_raw(session, 0, data)
        for entry in entries:
            writer.append(session, [entry])
        return writer.end_source(session)

    return filled.archive.write(job).result()


def ids(filled: Filled, session: int) -> list[str]:
    return filled.archive.read(lambda reader: reader.ids(session)).result()


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def stand_at(filled: Filled, session: int, id: str, reason: str) -> None:
    def job(writer: Writer) -> None:
        writer.move_leaf(session, writer.entry_key(session, id), reason, time=1)

    filled.archive.write(job).result()


def leaf(filled: Filled, session: int) -> int | None:
    return filled.archive.read(lambda reader: reader.session(session).leaf).result()


def test_whether_the_open_file_has_an_entry(filled: Filled) -> None:
    session = filled.session()
    read(filled, session, LINES)

    def job(writer: Writer) -> list[bool]:
        a, b, c = (writer.entry_key(session, id) for id in "abc")
        writer.begin_source(session, "copy")
        found = [writer.is_in_source(session, a)]
        writer.append(session, LINES[:2])
        found += [writer.is_in_source(session, key) for key in (a, b, c)]
        [new] = writer.append(session, [said("d", "b", 2)])
        found.append(writer.is_in_source(session, new))
        return found

    assert filled.archive.write(job).result() == [False, True, True, False, True]


def test_what_is_told_no_more_goes_and_the_leaf_with_it(filled: Filled) -> None:
    session = filled.session()
    read(filled, session, LINES)
    stand_at(filled, session, "c", "import")
    assert read(filled, session, LINES[:1], b"abcd").changed_earlier
    assert ids(filled, session) == ["a"]
    assert leaf(filled, session) == 1
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_what_something_hangs_from_stays(filled: Filled) -> None:
    session = filled.session()
    read(filled, session, LINES)
    filled.append(session, [Entry(id="own", parent="b", role=Role.USER, flags=Flag.OWN)])
    assert read(filled, session, LINES[:1], b"abcd").changed_earlier
    assert ids(filled, session) == ["a", "b", "own"]


def test_where_the_person_stood_stays(filled: Filled) -> None:
    session = filled.session()
    read(filled, session, LINES)
    stand_at(filled, session, "c", "continue")
    assert not read(filled, session, LINES[:1], b"abcd").changed_earlier
    assert ids(filled, session) == ["a", "b", "c"]


def test_the_latest_reading_says_what_a_reply_used(filled: Filled) -> None:
    session = filled.session()
    reply = replace(said("b", "a", 1), role=Role.ASSISTANT, usage=Usage(input=9, output=2))
    read(filled, session, [LINES[0], reply])
    for told in (Usage(input=10, output=3), None, Usage(input=11, output=4)):
        assert read(filled, session, [LINES[0], replace(reply, usage=told)]).changed_earlier
        stored = filled.archive.read(lambda reader: reader.rows([2])[2].usage).result()
        assert stored == told


def test_the_tree_of_a_reading_that_is_taken_back_is_not_held(filled: Filled) -> None:
    """The entries that are added afterwards get the keys of those that were taken back."""
    session = filled.session()
    read(filled, session, LINES)

    def job(writer: Writer) -> list[int]:
        writer.begin_source(session, "f")
        writer.add_raw(session, 0, b"ab")
        writer.append(session, [*LINES[:2], said("d", "b", 1)])
        assert len(writer.tree(session)) == 4
        assert writer.end_source(session).older
        return [len(writer.tree(session)), *writer.append(session, [said("e", "a", 1)]), len(writer.tree(session))]

    assert filled.archive.write(job).result() == [3, 4, 4]
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    assert tree.columns.parent[3] == 0


def test_another_version_takes_nothing_back(filled: Filled) -> None:
    session = filled.session()
    read(filled, session, LINES)
    assert read(filled, session, LINES[:1], b"axc") == SourceRead()
    assert ids(filled, session) == ["a", "b", "c"]


def test_versions_that_differ_late_share_nothing_and_lose_nothing(filled: Filled) -> None:
    session = filled.session()
    for data in (b"abc", b"abd", b"abcd", b"abdx", b"ab"):
        read(filled, session, [], data)
    raw = filled.archive.read(lambda reader: b"".join(reader.raw(session))).result()
    assert raw == b"abdx"  # of the largest the last


def test_a_file_that_nobody_knows_is_not_gone_on_with(filled: Filled) -> None:
    session = filled.session()
    with pytest.raises(RereadError):
        filled.archive.write(partial(Writer.begin_source, session=session, path="f", offset=3)).result()


def test_a_damaged_version_is_left_and_another_made(filled: Filled, path: Path) -> None:
    session = filled.session()
    read(filled, session, LINES)
    change(path, "UPDATE records SET data = x'00'")
    read(filled, session, LINES)
    assert filled.archive.read(lambda reader: b"".join(reader.raw(session))).result() == b"abc"


def test_the_same_bytes_are_the_same_entry_however_they_were_understood(filled: Filled, path: Path) -> None:
    session = filled.session()
    read(filled, session, LINES)
    change(path, "UPDATE entries SET digest = 1")
    assert read(filled, session, LINES).conflicts == ()


def test_an_entry_that_is_named_before_it_comes_is_compared(filled: Filled, path: Path) -> None:
    session = filled.session()
    read(filled, session, LINES)
    change(path, "UPDATE entries SET digest = NULL")
    assert read(filled, session, [LINES[1], LINES[0]]).conflicts == ()
    assert [id for id, _ in read(filled, session, [said("a", None, 0, "x")], b"xbc").conflicts] == ["a"]


def test_what_was_made_here_is_told_by_no_file(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [Entry(id="a", role=Role.USER, blocks=(Text("a"),), flags=Flag.OWN)])
    assert not read(filled, session, [said("a", None, 0, flags=Flag.HIDDEN)]).changed_earlier
    assert filled.archive.read(lambda reader: reader.rows([1])[1].flags).result() == Flag.OWN


def test_a_session_is_stated_anew(filled: Filled) -> None:
    session = filled.session("one", parent="gone")
    info = SessionInfo(source="pi", source_id="one", cwd="/w", created_at=5, parent_source_id="elsewhere")
    filled.archive.write(partial(Writer.restate, session=session, info=info)).result()
    filled.archive.write(
        partial(Writer.restate, session=session, info=SessionInfo(source="pi", source_id="one"))
    ).result()
    other = filled.session("elsewhere")
    filled.archive.write(partial(Writer.restate, session=session, info=info)).result()
    found = filled.archive.read(lambda reader: reader.session(session)).result()
    assert (found.cwd, found.created_at, found.parent) == ("/w", 5, other)


# -- long files ------------------------------------------------------------------------------------------------------


def test_an_id_that_was_let_go_of_is_looked_up_again(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "HELD", 2)
    session = filled.session()
    many = [said(f"e{at}", "e0" if at else None, at) for at in range(12)]
    again = said("e1", None, 1, "said otherwise, in one file: the first holds")
    late = replace(said("last", "e3", 12), target="e2")
    assert read(filled, session, [*many, again, late], b"x" * 13) == SourceRead()
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    assert list(tree.columns.parent) == [-1, *[0] * 11, 3]
    assert tree.columns.target[-1] == 2


@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
@pytest.mark.no_cover
def test_ids_of_a_long_file_take_no_memory(filled: Filled, monkeypatch: pytest.MonkeyPatch, known: bool) -> None:
    """The bytes held per entry in one job are as few for stored entries as for new ones."""
    monkeypatch.setattr(appending, "HELD", 200)
    session, count = filled.session(), 1000

    def job(writer: Writer) -> float:
        held = []
        tracemalloc.start()
        for start in (0, count, 2 * count):
            entries = (said(f"entry number {at}", f"entry number {at - 1}", at) for at in range(start, start + count))
            writer.append(session, entries)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        return (held[2] - held[1]) / count

    if known:
        filled.archive.write(job).result()
    assert filled.archive.write(job).result() < 80  # about 100 where nothing is let go of; other tests shift it


def test_a_rewritten_file_takes_as_little_memory_as_a_new_one(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a stored entry that the file repeats, only its key and one bit are held."""
    monkeypatch.setattr(appending, "HELD", 500)
    session, count = filled.session(), 3000
    held: list[int] = []

    def job(writer: Writer) -> None:
        writer.begin_source(session, "f")
        writer.add_raw(session, 0, b"x" * count)
        for start in range(0, count, 500):
            entries = [said(f"e{at}", f"e{at - 1}" if at else None, at) for at in range(start, start + 500)]
            writer.append(session, entries)
            target = writer._appender._targets[session]
            held.append(len(target.ids._late_known) + len(target.ids._later_known))
            assert isinstance(target.seen, KeySet)
        writer.end_source(session)

    filled.archive.write(job).result()
    filled.archive.write(job).result()
    assert held == [0] * 12
