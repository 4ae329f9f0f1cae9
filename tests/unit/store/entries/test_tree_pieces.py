"""The tree of a large session is the same from stored pieces as from rows, whatever happened in between."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast

import orjson
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role, Usage
from stemmata.domain.entries.tree import Tree
from stemmata.store import archive as archive_module
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries import tree_pieces
from stemmata.store.entries.tree_loader import TreeLoader
from stemmata.store.reader import Reader
from stemmata.store.writer import Writer
from tests.strategies import entry_lists
from tests.unit.store.conftest import Filled

MS = 1_000_000


@pytest.fixture(autouse=True)
def small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tree_pieces, "PIECE", 4)
        patched.setattr(tree_pieces, "LEAST", 6)
        yield


def said(at: int, parent: int | None = -1, **more: Any) -> Entry:
    """Return an entry that follows on the one before it, or on another one."""
    above = at - 1 if parent == -1 else parent
    values: dict[str, Any] = {"role": (Role.USER, Role.ASSISTANT)[at % 2], "time": 1_700_000_000_000 * MS + at * MS}
    values["parent"] = f"e{above}" if above is not None and above >= 0 else None
    values["blocks"] = (Text("x" * (at * 7 % 40)),)
    return Entry(id=f"e{at}", **(values | more))


def add(filled: Filled, session: int, entries: Iterable[Entry]) -> None:
    def job(writer: Writer) -> None:
        writer.append(session, entries)
        writer.refresh(session)

    filled.archive.write(job).result()


def read(archive: SqliteArchive, session: int) -> tuple[Tree, int]:
    """Return the tree, and how many entries were read from rows."""
    loaded = archive.read(lambda reader: TreeLoader(reader.connection).loaded(session)).result()
    return loaded.tree, loaded.visited


def assert_as_rows(archive: SqliteArchive, session: int) -> Tree:
    def job(reader: Reader) -> tuple[Tree, Tree]:
        trees = TreeLoader(reader.connection)
        return trees.tree(session), trees.from_rows(session)

    found, expected = archive.read(job).result()
    assert found.columns == expected.columns
    assert found.cut == expected.cut
    assert list(found.breaks(0, len(found))) == list(expected.breaks(0, len(found)))
    computed = Tree(found.columns)
    assert list(found.breaks(0, len(found))) == list(computed.breaks(0, len(found)))
    return found


def stored(path: Path) -> list[tuple[int, int, int]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT session, first, count FROM tree_pieces ORDER BY 1, 2").fetchall()


def run(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, values)


def test_whole_pieces_are_stored_and_only_the_last_entries_are_visited(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(5)])
    assert stored(path) == []
    add(filled, session, [said(at) for at in range(5, 10)])
    assert stored(path) == [(session, 1, 4), (session, 5, 4)]
    assert read(filled.archive, session)[1] == 2
    assert_as_rows(filled.archive, session)
    add(filled, session, [said(10), said(11)])
    assert read(filled.archive, session)[1] == 0


def test_all_columns_come_back(filled: Filled, path: Path) -> None:
    session, other = filled.session(), filled.session("two")
    usage = Usage(input=200_000, output=3)
    odd = [
        said(0, time=5), said(1, time=0), said(2, kind=Kind.LABEL, name="a", target="e1"), said(3, 9),
        said(4, 0, model="m", provider="p", usage=usage), said(5, flags=Flag.FAILED | Flag.REMOVED),
        said(6, 2, kind=Kind.LABEL, name="b", target="gone"), said(7, blocks=(Text("y" * 70_000),)),
    ]  # fmt: skip
    for entry in odd:
        add(filled, session, [entry])
        add(filled, other, [said(int(entry.id[1:]))])
    add(filled, session, [said(at, time=-at) for at in range(8, 17)])
    assert [count for owner, _, count in stored(path) if owner == session] == [4, 4, 4, 4]
    tree = assert_as_rows(filled.archive, session)
    assert list(tree.parents[:7]) == [-1, 0, 1, -1, 0, 4, 2]
    assert tree.columns.reported[4] == 200_003


def test_a_parent_that_was_written_later_and_a_circle(filled: Filled) -> None:
    session = filled.session()
    add(filled, session, [said(0), said(1, 9), said(2, 3), said(3, 2), *(said(at) for at in range(4, 12))])
    assert read(filled.archive, session)[1] == 0
    tree = assert_as_rows(filled.archive, session)
    assert (list(tree.parents[:4]), tree.cut) == ([-1, 9, -1, 2], (2,))


def test_many_labels_in_a_piece(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_pieces, "PIECE", 300)
    session, other = filled.session(), filled.session("two")
    labels = [said(at, kind=Kind.LABEL, name=f"label {at}", target="e0") for at in range(600)]
    add(filled, session, labels)
    assert read(filled.archive, session)[1] == 0
    assert assert_as_rows(filled.archive, session).name(599) == "label 599"
    monkeypatch.setattr(tree_pieces, "PIECE", 4)
    add(filled, other, labels[::-1])
    assert read(filled.archive, other)[1] == 0
    assert_as_rows(filled.archive, other)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET parent = 1 WHERE key = 6", "UPDATE entries SET flags = 1 WHERE key = 6",
        "UPDATE entries SET target = 2 WHERE key = 6", "UPDATE entries SET text = 999 WHERE key = 6",
        "UPDATE entries SET time = 3, role = 3, kind = 4 WHERE key = 6", "DELETE FROM entries WHERE key = 6",
        "UPDATE entries SET label = 0, reported = 7 WHERE key = 6", "UPDATE entries SET calls = 3 WHERE key = 6",
        "UPDATE entries SET thinking = 3, images = 4, system = 5, tools = 6 WHERE key = 6",
    ],
)  # fmt: skip
def test_a_change_drops_the_piece_of_its_entry_alone(filled: Filled, path: Path, change: str) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(12)])
    run(path, change)
    assert stored(path) == [(session, 1, 4), (session, 9, 4)]
    tree = assert_as_rows(filled.archive, session)
    assert read(filled.archive, session)[1] == len(tree) - 8
    filled.archive.write(lambda writer: writer.refresh(session)).result()
    assert stored(path) == [(session, 1, 4), (session, 5, len(tree) - 8), (session, 9, 4)]
    assert_as_rows(filled.archive, session)


def test_columns_that_no_tree_has_drop_nothing(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(8)])
    run(path, "UPDATE entries SET preview = 'x', digest = 1, version = 2")
    assert len(stored(path)) == 2


def test_entries_that_move_to_another_session_drop_the_pieces_of_both(filled: Filled, path: Path) -> None:
    session, fork = filled.session(), filled.session("fork", parent="one")
    add(filled, session, [said(at) for at in range(12)])
    add(filled, fork, [*(said(at) for at in range(5)), *(said(at, 4 if at == 20 else -1) for at in range(20, 30))])
    assert {owner for owner, _, _ in stored(path)} == {session}
    assert_as_rows(filled.archive, fork)
    filled.archive.write(lambda writer: writer.delete_session(session)).result()
    assert stored(path) == []
    filled.archive.write(lambda writer: writer.refresh(fork)).result()
    assert len(assert_as_rows(filled.archive, fork)) == 15
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def damage(path: Path, first: int, data: bytes | None = None) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        [(old,)] = connection.execute("SELECT data FROM tree_pieces WHERE first = ?", (first,)).fetchall()
        new = bytes([*old[:-1], old[-1] ^ 1]) if data is None else data
        connection.execute("UPDATE tree_pieces SET data = ? WHERE first = ?", (new, first))


def test_a_damaged_piece_is_not_used_and_is_stored_again(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(13)])
    damage(path, 5)
    assert read(filled.archive, session)[1] == 5
    assert_as_rows(filled.archive, session)
    [problem] = filled.archive.read(lambda reader: reader.check()).result()
    assert f"stored columns of session {session} are damaged" in problem
    assert filled.archive.write(lambda writer: writer.restore_columns(session, 1)).result()
    assert read(filled.archive, session)[1] == 5, "nobody holds the tree"
    filled.archive.read(lambda reader: reader.tree(session)).result()
    assert filled.archive.write(lambda writer: writer.restore_columns(session, 1)).result()
    assert filled.archive.read(lambda reader: reader.check()).result() == []
    assert read(filled.archive, session)[1] == 1


def test_a_piece_of_another_format_or_of_other_entries_is_not_used(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(12)])
    other = orjson.dumps({"format": 0}) + b"\n"
    damage(path, 5, zstandard.ZstdCompressor(write_checksum=True).compress(other))
    run(path, "UPDATE tree_pieces SET count = 3 WHERE first = 9")
    assert read(filled.archive, session)[1] == 8
    assert_as_rows(filled.archive, session)


def column(at: int, *shape: object) -> Callable[[dict[str, Any]], object]:
    """Return a function that replaces count, base, scale and width of a column in a header."""

    def changed(header: dict[str, Any]) -> object:
        header["columns"][at] = shape
        return header

    return changed


FORM: dict[str, Callable[[dict[str, Any]], object]] = {
    "an array in place of the header": lambda _: [1],
    "no labels": lambda header: header.pop("labels") and header,
    "a column less": lambda header: header | {"columns": header["columns"][1:]},
    "a number that is a text": column(0, "4", 0, 1, 0),
    "a fraction": column(-1, 1, 1.5, 1, 1),
    "a base beyond its column": column(-1, 1, 1 << 70, 1, 1),
    "more numbers than entries": column(-1, 9, 0, 1, 8),
    "fewer bytes than numbers": column(-1, 4, 0, 1, 8),
    "other keys than entries": column(0, 3, 5, 1, 0),
    "a label that is not there": lambda header: header | {"labels": []},
    "a link less": column(-3, 0, 0, 1, 0),
    "a place outside": column(-4, 1, 4, 1, 0),
}


@pytest.mark.parametrize("form", FORM)
def test_a_piece_of_a_wrong_form_with_a_right_checksum_is_not_used(filled: Filled, path: Path, form: str) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(13)])
    with closing(sqlite3.connect(path)) as connection:
        [(data,)] = connection.execute("SELECT data FROM tree_pieces WHERE first = 5").fetchall()
    header, numbers = zstandard.ZstdDecompressor().decompress(data).split(b"\n", 1)
    changed = json.dumps(orjson.loads(header)).encode() + b"\n" + numbers
    damage(path, 5, zstandard.ZstdCompressor(write_checksum=True).compress(changed))
    assert read(filled.archive, session)[1] == 1, "the same content, packed again"
    changed = json.dumps(FORM[form](orjson.loads(header))).encode() + b"\n" + numbers
    damage(path, 5, zstandard.ZstdCompressor(write_checksum=True).compress(changed))
    assert read(filled.archive, session)[1] == 5
    assert_as_rows(filled.archive, session)
    assert filled.archive.read(lambda reader: len(reader.check())).result() == 1


@pytest.mark.parametrize("change", ["first = 2", "first = 2, last = 5", "first = 100, last = 103", "last = 3"])
def test_a_piece_with_other_keys_is_neither_used_nor_left(filled: Filled, path: Path, change: str) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(12)])
    run(path, f"UPDATE tree_pieces SET {change} WHERE first = 1")
    assert read(filled.archive, session)[1] == 4
    assert_as_rows(filled.archive, session)
    filled.archive.write(lambda writer: writer.refresh(session)).result()
    assert_as_rows(filled.archive, session)
    filled.archive.read(lambda reader: reader.tree(session)).result()
    filled.archive.write(lambda writer: writer.restore_columns(session, 9)).result()
    assert read(filled.archive, session)[1] == 0
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_pieces_that_overlap_are_not_both_used(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(12)])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tree_pieces.TreePieces, "_missing", lambda *_: iter(((2, 6),)))
        filled.archive.write(lambda writer: writer.refresh(session)).result()
    assert len(stored(path)) == 4
    assert_as_rows(filled.archive, session)
    filled.archive.write(lambda writer: writer.refresh(session)).result()
    assert stored(path) == [(session, 1, 4), (session, 5, 4), (session, 9, 4)]


def test_a_piece_that_differs_from_its_rows_is_told_and_dropped_by_a_repair(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(8)])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER entries_updated")
        connection.execute("UPDATE entries SET text = 5 WHERE key = 2")
    [problem] = filled.archive.read(lambda reader: reader.check()).result()
    assert "differ from its entries" in problem
    filled.archive.write(lambda writer: writer.repair()).result()
    assert stored(path) == []
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_a_job_that_fails_leaves_the_pieces_as_they_were(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(8)])

    def job(writer: Writer) -> None:
        writer.append(session, [said(at) for at in range(8, 12)])
        writer.connection.execute("UPDATE entries SET text = 1 WHERE key = 2")
        writer.refresh(session)
        raise ZeroDivisionError

    before = stored(path)
    with pytest.raises(ZeroDivisionError):
        filled.archive.write(job).result()
    assert stored(path) == before
    assert_as_rows(filled.archive, session)


def test_a_tree_that_another_process_changed_is_not_stored(filled: Filled, path: Path) -> None:
    session = filled.session()
    add(filled, session, [said(at) for at in range(10)])
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    run(path, "UPDATE entries SET text = 999, parent = 2 WHERE key = 10")
    add(filled, session, [said(10), said(11)])
    assert stored(path) == [(session, 1, 4), (session, 5, 4), (session, 9, 4)]
    assert assert_as_rows(filled.archive, session).columns.text[9] == 999
    assert tree.columns.text[9] != 999


# -- stored later, while the window is idle ------------------------------------------------------------------------


def old_archive(filled: Filled, path: Path, count: int = 13) -> int:
    """Return a large session without pieces, as in an archive of an older format."""
    session = filled.session()
    add(filled, session, [said(at) for at in range(count)])
    run(path, "DELETE FROM tree_pieces")
    return session


def test_an_opened_session_without_pieces_gets_them_step_by_step(
    filled: Filled, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "PIECES_AT_ONCE", 2)
    session, archive = old_archive(filled, path), filled.archive
    archive.changed_elsewhere().result()
    assert stored(path) == []
    tree = archive.read(lambda reader: reader.tree(session)).result()
    archive.changed_elsewhere().result()
    assert stored(path) == [(session, 1, 4), (session, 5, 4)]
    assert not archive.changed_elsewhere().result()
    archive.changed_elsewhere().result()
    assert len(stored(path)) == 3
    assert archive.read(lambda reader: reader.tree(session)).result() is tree
    run(path, "DELETE FROM tree_pieces WHERE first = 1")  # nobody asks again, for the tree is held
    archive.read(lambda reader: reader.tree(session)).result()


def test_a_session_that_shares_entries_gets_no_pieces(filled: Filled, path: Path) -> None:
    session, fork = filled.session(), filled.session("fork", parent="one")
    filled.append(session, [said(at) for at in range(12)])
    filled.append(fork, [*(said(at) for at in range(12)), said(12)])
    filled.archive.read(lambda reader: reader.tree(fork)).result()
    filled.archive.changed_elsewhere().result()
    assert filled.archive.write(lambda writer: writer.restore_columns(fork, 9)).result()
    assert stored(path) == []


def test_no_piece_is_stored_while_a_task_waits(filled: Filled, path: Path) -> None:
    session, archive = old_archive(filled, path), filled.archive
    archive.read(lambda reader: reader.tree(session)).result()
    found: list[object] = []

    def job(_reader: Reader) -> None:
        found.append(archive.changed_elsewhere())
        found.append(archive.read(lambda reader: reader.totals()))

    archive.read(job).result()
    for future in found:
        cast("Any", future).result()
    assert stored(path) == []


def test_a_failure_to_store_pieces_is_no_error(
    filled: Filled, path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, archive = old_archive(filled, path), filled.archive
    archive.read(lambda reader: reader.tree(session)).result()
    caplog.set_level("INFO")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        archive.changed_elsewhere().result()
        other.execute("ROLLBACK")
    assert "could not be stored" in caplog.text
    assert stored(path) == []


# -- any series of operations --------------------------------------------------------------------------------------

_COLUMNS = ("parent", "kind", "role", "time", "flags", "text", "calls", "reported", "target", "label", "system")


class _Archive:
    """An archive that random operations change."""

    def __init__(self, path: Path, entries: list[Entry], seed: int) -> None:
        self.path, self.random = path, Random(seed)
        self.archive = SqliteArchive(path)
        self.filled = Filled(self.archive)
        self.sessions = [
            self.filled.session(name, parent="" if name == "s0" else "s0") for name in ("s0", "s1", "s2")
        ]
        self.waiting = {session: list(entries) for session in self.sessions}

    def append(self) -> None:
        session = self.random.choice(self.sessions)
        waiting = self.waiting[session]
        batch = [waiting.pop(0) for _ in range(min(len(waiting), self.random.randrange(1, 9)))]
        self.filled.append(session, batch)

    def refresh(self) -> None:
        session = self.random.choice(self.sessions)
        self.archive.write(lambda writer: writer.refresh(session)).result()

    def restore(self) -> None:
        session = self.random.choice(self.sessions)
        self.archive.read(lambda reader: reader.tree(session)).result()
        self.archive.write(lambda writer: writer.restore_columns(session, 2)).result()

    def update(self) -> None:
        column, value = self.random.choice(_COLUMNS), self.random.randrange(5)
        key = self.random.randrange(1, 40)
        run(self.path, f"UPDATE entries SET {column} = ? WHERE key = ?", 0 if column == "label" else value, key)

    def delete_entry(self) -> None:
        run(self.path, "DELETE FROM entries WHERE key = ?", self.random.randrange(1, 40))

    def damage(self) -> None:
        run(self.path, "UPDATE tree_pieces SET data = x'00' WHERE first = ?", self.random.randrange(1, 40))

    def delete_session(self) -> None:
        if len(self.sessions) > 1:
            session = self.sessions.pop(0)
            self.archive.write(lambda writer: writer.delete_session(session)).result()

    def read_again(self) -> None:
        """Read the file of a session again, with other facts."""
        session = self.random.choice(self.sessions)

        def job(writer: Writer) -> None:
            writer.begin_source(session, f"{session}.jsonl")
            writer.add_raw(session, 0, b"x" * self.random.randrange(1, 9))
            writer.append(session, [said(at, self.random.randrange(-1, at + 1)) for at in range(7)])
            writer.end_source(session)
            writer.refresh(session)

        self.archive.write(job).result()


@settings(max_examples=25, deadline=None)
@given(
    entry_lists(damaged=True, min_size=12, max_size=24),
    st.lists(st.sampled_from(("append", "append", "refresh", "restore", "update", "delete_entry", "damage",
                              "delete_session", "read_again")), min_size=4, max_size=14),
    st.integers(0, 1 << 30),
)  # fmt: skip
def test_pieces_and_rows_give_the_same_tree_after_any_operations(
    entries: list[Entry], operations: list[str], seed: int
) -> None:
    with TemporaryDirectory() as folder:
        changed = _Archive(Path(folder) / "archive.db", entries, seed)
        try:
            for operation in ("append", "append", "append", "refresh", *operations):
                getattr(changed, operation)()
                for session in changed.sessions:
                    assert_as_rows(changed.archive, session)
        finally:
            changed.archive.close()
