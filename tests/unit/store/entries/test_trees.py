"""What is appended comes back as the tree it is, however it was cut into calls and jobs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.tree import ROOT, UNRESOLVED, Tree
from stemmata.domain.errors import NotFoundError
from stemmata.store import reader as reader_module
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries.tree_loader import LoadedTree, TreeLoader
from stemmata.store.entries.tree_pieces import Piece
from stemmata.store.reader import KEPT_TREES, Reader
from stemmata.store.writer import Writer
from tests.strategies import entry_lists
from tests.unit.store.conftest import Filled


def said(id: str, parent: str | None = None, text: str = "hello", time: int = 0) -> Entry:
    return Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(text),), time=time)


def assert_same(found: Tree, expected: Tree) -> None:
    for name in (
        *("parent", "kind", "role", "time", "flags", "text", "thinking", "calls", "images", "reported", "system"),
        *("tools", "target"),
    ):
        assert list(getattr(found.columns, name)) == list(getattr(expected.columns, name)), name
    assert [found.name(entry) for entry in range(len(found))] == [
        expected.name(entry) for entry in range(len(expected))
    ]
    assert found.cut == expected.cut


def distinct(entries: Sequence[Entry]) -> list[Entry]:
    first: dict[str, Entry] = {}
    for entry in entries:
        first.setdefault(entry.id, entry)
    return list(first.values())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """One archive for all examples of the properties: every example makes a session of its own."""
    archive = SqliteArchive(tmp_path_factory.mktemp("shared") / "a.db")
    yield Filled(archive)
    archive.close()


NAMES = count()


@settings(max_examples=100)
@given(entry_lists(damaged=True), st.lists(st.integers(0, 24), max_size=4), st.integers(0, 2**5 - 1))
def test_a_tree_appended_in_pieces_is_the_tree_of_the_whole(
    shared: Filled, entries: list[Entry], cuts: list[int], foreign: int
) -> None:
    ends = sorted(cuts)
    pieces = [entries[start:end] for start, end in zip([0, *ends], [*ends, len(entries)], strict=True)]
    other, session = shared.session(f"other {next(NAMES)}"), shared.session(f"own {next(NAMES)}")

    def job(writer: Writer) -> None:
        for at, piece in enumerate(pieces):
            writer.append(session, piece)
            if foreign >> at & 1:  # so that keys are not contiguous
                writer.append(other, [said(f"foreign {at}")])

    shared.archive.write(job).result()
    expected = Tree.from_entries(distinct(entries))
    assert_same(shared.archive.read(lambda reader: reader.tree(session)).result(), expected)
    assert shared.archive.read(lambda reader: reader.ids(session)).result() == [e.id for e in distinct(entries)]


@settings(max_examples=50)
@given(entry_lists(), st.integers(0, 24))
def test_appending_twice_changes_nothing(shared: Filled, entries: list[Entry], cut: int) -> None:
    session = shared.session(f"twice {next(NAMES)}")
    first = shared.append(session, entries[:cut])
    second = shared.append(session, entries)
    assert len(first) + len(second) == len(entries)
    assert shared.append(session, entries) == []
    found = shared.archive.read(lambda reader: reader.tree(session)).result()
    assert list(found.columns.parent) == list(Tree.from_entries(entries).columns.parent)


def test_all_of_them_pass_the_check(shared: Filled) -> None:
    problems = shared.archive.read(lambda reader: reader.check()).result()
    assert [line for line in problems if "images" not in line] == []


def test_an_empty_session_has_an_empty_tree(filled: Filled) -> None:
    session = filled.session()
    assert len(filled.archive.read(lambda reader: reader.tree(session)).result()) == 0
    assert filled.archive.read(lambda reader: reader.ids(session)).result() == []


def test_an_unknown_session_is_said_so(filled: Filled) -> None:
    with pytest.raises(NotFoundError):
        filled.archive.read(lambda reader: reader.tree(77)).result()
    with pytest.raises(NotFoundError):
        filled.append(77, [said("a")])


def test_a_parent_of_a_later_call_of_the_same_job_is_found(filled: Filled) -> None:
    session = filled.session()

    def job(writer: Writer) -> None:
        writer.append(session, [said("child", "parent"), Entry(id="l", kind=Kind.LABEL, target="parent", name="x")])
        writer.append(session, [said("parent")])

    filled.archive.write(job).result()
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    assert list(tree.columns.parent) == [2, ROOT, ROOT]
    assert tree.labels == {2: "x"}


def test_entries_of_earlier_jobs_are_passed_over_however_often(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [said("a")])
    assert filled.archive.write(lambda writer: [writer.append(session, [said("a")]) for _ in range(2)]).result() == [
        [], [],
    ]  # fmt: skip


def test_parents_of_earlier_jobs_are_found(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [said("a")])
    filled.append(filled.session("between"), [said("z")])
    filled.append(session, [said("b", "a"), Entry(id="c", kind=Kind.COMPACTION, target="a", parent="b")])
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    assert list(tree.columns.parent) == [ROOT, 0, 1]
    assert tree.columns.target[2] == 0


def test_an_unknown_parent_makes_a_root_and_an_unknown_target_is_unresolved(filled: Filled) -> None:
    session = filled.session()
    [key] = filled.append(session, [Entry(id="a", parent="gone", kind=Kind.LABEL, target="gone too", name="x")])
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    assert (tree.columns.parent[0], tree.columns.target[0]) == (ROOT, UNRESOLVED)
    row = filled.archive.read(lambda reader: reader.rows([key])[key]).result()
    assert (row.parent, row.target) == (None, None)


def test_keys_are_never_used_twice(filled: Filled) -> None:
    session = filled.session()
    before = filled.append(session, [said("a"), said("b")])
    filled.archive.write(lambda writer: writer.delete_session(session)).result()
    again = filled.session()
    assert again > session
    assert min(filled.append(again, [said("a")])) > max(before)


@pytest.mark.parametrize(("length", "expected"), [(0, []), (1, [4]), (3, [2, 3, 4]), (99, [1, 2, 3, 4])])
def test_the_tail_is_the_end_of_the_path(filled: Filled, length: int, expected: list[int]) -> None:
    session = filled.session()
    filled.append(session, [said("a"), said("b", "a"), said("c", "b"), said("d", "c"), said("side", "a")])
    assert filled.archive.read(lambda reader: reader.tail(4, length)).result() == expected


def test_the_tail_of_a_circle_ends_where_the_tree_cuts_it(filled: Filled) -> None:
    session = filled.session()
    keys = filled.append(session, [said("a", "c"), said("b", "a"), said("c", "b"), said("d", "c")])
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    path = [tree.key(entry) for entry in tree.path(3)]
    assert filled.archive.read(lambda reader: reader.tail(keys[3], 100)).result() == path
    assert filled.archive.read(lambda reader: reader.tail(999, 5)).result() == []


def test_entries_are_found_by_id_and_prefix(filled: Filled) -> None:
    session = filled.session()
    keys = filled.append(session, [said("abc1"), said("abc2"), said("abc"), said("x%_")])

    def key_of(id: str) -> int:
        return filled.archive.read(lambda reader: reader.entry_key(session, id)).result()

    assert key_of("abc") == keys[2]
    assert key_of("abc1") == keys[0]
    assert key_of("x") == key_of("x%") == keys[3]
    for missing in ("ab", "", "zzz", "%"):
        with pytest.raises(NotFoundError):
            key_of(missing)


def test_previews_stand_in_the_order_of_the_tree(filled: Filled) -> None:
    session = filled.session()
    filled.append(session, [said("a", text="one\ntwo"), said("b", text="x" * 500)])
    first, second = filled.archive.read(lambda reader: reader.previews(session)).result()
    assert first == "one two"
    assert len(second) == 200


# -- trees that are read on ------------------------------------------------------------------------------------------


def tree_of(archive: SqliteArchive, session: int) -> Tree:
    return archive.read(lambda reader: reader.tree(session)).result()


def assert_as_read_anew(archive: SqliteArchive, session: int) -> Tree:
    """Compare a tree that was read in steps with one that a new opening of the archive reads."""
    found = tree_of(archive, session)
    other = SqliteArchive(archive._path)
    try:
        anew = tree_of(other, session)
    finally:
        other.close()
    assert found.columns.key == anew.columns.key
    assert_same(found, anew)
    return found


def statements(archive: SqliteArchive, session: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of entry rows that each query of the tree read."""
    read: list[int] = []
    run, some = TreeLoader._run, TreeLoader._columns

    def of_run(self: TreeLoader, first: int, last: int) -> Piece:
        read.append(last - first + 1)
        return run(self, first, last)

    def columns(self: TreeLoader, session: int, members: str, *after: int) -> list[list[int]]:
        out = some(self, session, members, *after)
        read.append(len(out[0]))
        return out

    with monkeypatch.context() as patched:
        patched.setattr(TreeLoader, "_run", of_run)
        patched.setattr(TreeLoader, "_columns", columns)
        tree_of(archive, session)
    return read


@settings(max_examples=25, deadline=None)
@given(entry_lists(damaged=True, min_size=1), st.integers(1, 6))
def test_a_tree_that_is_read_on_is_the_whole_tree(entries: list[Entry], step: int) -> None:
    with TemporaryDirectory() as folder:
        archive = SqliteArchive(Path(folder) / "archive.db")
        filled = Filled(archive)
        session, other = filled.session(), filled.session("two")
        for start in range(0, len(entries), step):
            filled.append(session, entries[start : start + step])
            if start % 2:
                filled.append(other, [said(f"o{start}")])
            assert_as_read_anew(archive, session)
        archive.close()


@pytest.mark.parametrize("turns", [100, 400])
def test_what_is_appended_is_read_alone(filled: Filled, monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    session = filled.session()
    filled.append(session, [said(f"e{at}", f"e{at - 1}" if at else None) for at in range(turns)])
    assert statements(filled.archive, session, monkeypatch) == [turns]
    assert statements(filled.archive, session, monkeypatch) == []
    filled.append(session, [said("new", f"e{turns - 1}"), said("newer", "new")])
    assert statements(filled.archive, session, monkeypatch) == [2]
    filled.append(filled.session("two"), [said("elsewhere")])
    assert statements(filled.archive, session, monkeypatch) == [0]
    assert statements(filled.archive, session, monkeypatch) == []


class Heard:
    """A connection that notes the texts of its statements."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.texts: list[str] = []

    def execute(self, text: str, *values: Any) -> sqlite3.Cursor:
        self.texts.append(text)
        return self._connection.execute(text, *values)


def test_statements_that_read_on_have_the_same_text_each_time(filled: Filled) -> None:
    """Each text is compiled once; a text with the last key in it would be compiled in each turn."""
    session, archive = filled.session(), filled.archive
    filled.append(session, [said("a")])
    known = archive.read(lambda reader: TreeLoader(reader.connection).loaded(session)).result()

    def job(reader: Reader) -> tuple[LoadedTree, list[str]]:
        heard = Heard(reader.connection)
        return TreeLoader(cast("sqlite3.Connection", heard)).loaded(session, known), heard.texts

    texts = []
    for id in ("b", "c"):
        filled.append(session, [said(id, "a")])
        known, heard = archive.read(job).result()
        texts.append(heard)
    assert len(known.tree) == 3
    assert texts[0] == texts[1]


def test_a_job_that_writes_reads_on_too_and_others_never_see_what_it_takes_back(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    filled.append(session, [said("a")])
    assert len(tree_of(archive, session)) == 1

    def job(writer: Writer) -> None:
        writer.append(session, [said("b", "a")])
        assert list(writer.tree(session).parents) == [ROOT, 0]
        raise NotFoundError("taken back")

    with pytest.raises(NotFoundError):
        archive.write(job).result()
    assert len(tree_of(archive, session)) == 1
    filled.append(session, [said("c", "a")])
    assert_as_read_anew(archive, session)


def test_what_a_job_computed_of_a_tree_is_kept_for_later_jobs(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive

    def job(writer: Writer, *, fails: bool) -> None:
        writer.append(session, [said(f"of a job that fails: {fails}")])
        writer.tree(session).memo["fails"] = fails
        if fails:
            raise NotFoundError("taken back")

    archive.write(lambda writer: job(writer, fails=False)).result()
    with pytest.raises(NotFoundError):
        archive.write(lambda writer: job(writer, fails=True)).result()
    assert tree_of(archive, session).memo["fails"] is False
    filled.append(session, [said("more")])
    assert assert_as_read_anew(archive, session).memo["fails"] is False


def test_an_entry_that_is_linked_later_is_read_anew(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    filled.append(session, [said("a")])
    tree_of(archive, session)

    def job(writer: Writer) -> Tree:
        writer.append(session, [said("b", "late")])
        tree_inside = writer.tree(session)
        writer.append(session, [said("late", "a")])
        assert list(writer.tree(session).parents) == [ROOT, 2, 0]
        return tree_inside

    archive.write(job).result()
    assert list(assert_as_read_anew(archive, session).parents) == [ROOT, 2, 0]


def test_what_another_process_changes_is_read_anew(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    filled.append(session, [said("a"), said("b", "a")])
    tree_of(archive, session)
    other = SqliteArchive(archive._path)
    other.write(lambda writer: writer.connection.execute("UPDATE entries SET parent = NULL").rowcount).result()
    other.close()
    assert list(assert_as_read_anew(archive, session).parents) == [ROOT, ROOT]


def test_a_session_that_is_deleted_has_no_tree(filled: Filled) -> None:
    session, archive = filled.session(), filled.archive
    filled.append(session, [said("a")])
    tree_of(archive, session)
    archive.write(lambda writer: writer.delete_session(session)).result()
    with pytest.raises(NotFoundError):
        tree_of(archive, session)


def test_few_trees_are_kept_and_large_ones_while_they_are_held(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = [filled.session(f"s{at}") for at in range(KEPT_TREES + 1)]
    for at, session in enumerate(sessions):
        filled.append(session, [said(f"{at}")])
        tree_of(filled.archive, session)
    assert statements(filled.archive, sessions[-1], monkeypatch) == []
    assert statements(filled.archive, sessions[0], monkeypatch) == [1]
    monkeypatch.setattr(reader_module, "KEPT_ENTRIES", 0)
    filled.archive.write(lambda writer: writer.repair()).result()
    assert statements(filled.archive, sessions[0], monkeypatch) == [1]
    assert statements(filled.archive, sessions[0], monkeypatch) == [1]
    held = tree_of(filled.archive, sessions[0])
    assert statements(filled.archive, sessions[0], monkeypatch) == []
    filled.append(sessions[0], [said("more")])
    assert len(tree_of(filled.archive, sessions[0])) == len(held) + 1
    del held
    assert statements(filled.archive, sessions[0], monkeypatch) == [2]


def test_the_first_entries_of_a_session_are_read_as_a_whole(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    session = filled.session()
    assert len(tree_of(filled.archive, session)) == 0
    filled.append(session, [said("a")])
    assert len(assert_as_read_anew(filled.archive, session)) == 1


def test_the_ascent_to_an_entry_has_the_keys_of_its_path(filled: Filled) -> None:
    one, two = filled.session("one"), filled.session("two")
    filled.append(one, [said("a"), said("b", "a"), said("c", "b")])
    filled.append(two, [said("x")])
    filled.append(one, [said("d", "c"), said("side", "a"), said("e", "d")])

    def ascents(reader: Reader) -> list[list[range]]:
        return [reader.ascent(key) for key in (3, 4, 6, 7)]

    found = filled.archive.read(ascents).result()
    assert found == [
        [range(1, 4)], [range(4, 5)], [range(6, 7), range(1, 2)], [range(7, 8), range(5, 6), range(1, 4)]
    ]  # fmt: skip
    tails = filled.archive.read(lambda reader: [reader.tail(key, 99) for key in (3, 4, 6, 7)]).result()
    assert [sorted(each for part in ranges for each in part) for ranges in found] == list(map(sorted, tails))


def test_the_ascent_ends_at_a_circle_of_parents(filled: Filled) -> None:
    filled.append(filled.session(), [said("a", "c"), said("b", "a"), said("c", "b"), said("d", "b")])
    assert filled.archive.read(lambda reader: reader.ascent(4)).result() == [range(4, 5), range(1, 3), range(1, 4)]
