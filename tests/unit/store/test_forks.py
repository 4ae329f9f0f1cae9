"""Forks share what they replay, and keep it when the original goes."""

from __future__ import annotations

import hashlib

import pytest

from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.entries.entry import Entry, Kind, Record, Role
from stemmata.domain.entries.tree import ROOT
from stemmata.domain.errors import NotFoundError
from stemmata.domain.sessions.session import SessionInfo
from stemmata.store.writer import Writer
from tests.unit.store.conftest import Filled


def said(id: str, parent: str | None = None, time: int = 0) -> Entry:
    return Entry(id=id, parent=parent, role=Role.USER, blocks=(Text(f"text of {id}"),), time=time)


ORIGINAL = [said("a"), said("b", "a"), said("c", "b"), said("side", "a")]


def shape(filled: Filled, session: int) -> dict[str, str | None]:
    """Return the parent of each entry, by id."""
    ids = filled.archive.read(lambda reader: reader.ids(session)).result()
    tree = filled.archive.read(lambda reader: reader.tree(session)).result()
    return {ids[entry]: None if parent == ROOT else ids[parent] for entry, parent in enumerate(tree.parents)}


def stored(filled: Filled) -> int:
    return filled.archive.read(lambda reader: reader.totals()["entries"]).result()


def forked(filled: Filled, replayed: list[Entry]) -> tuple[int, int]:
    parent = filled.session("parent")
    filled.append(parent, ORIGINAL)
    fork = filled.session("fork", parent="parent")
    filled.append(fork, replayed)
    return parent, fork


def test_a_replayed_prefix_is_stored_once(filled: Filled) -> None:
    parent, fork = forked(filled, [*ORIGINAL[:2], said("new", "b")])
    assert stored(filled) == 5
    assert shape(filled, fork) == {"a": None, "b": "a", "new": "b"}
    assert shape(filled, parent) == {"a": None, "b": "a", "c": "b", "side": "a"}
    assert filled.append(fork, [*ORIGINAL[:2], said("new", "b"), said("newer", "new")]) != []
    assert stored(filled) == 6
    assert filled.archive.read(lambda reader: reader.previews(fork)).result()[0] == "text of a"
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_a_replay_of_all_branches_shares_them_all(filled: Filled) -> None:
    _, fork = forked(filled, ORIGINAL)
    assert stored(filled) == 4
    assert shape(filled, fork) == {"a": None, "b": "a", "c": "b", "side": "a"}


def test_what_the_original_adds_later_is_not_the_forks(filled: Filled) -> None:
    parent, fork = forked(filled, ORIGINAL[:2])
    filled.append(parent, [said("later", "b")])
    assert shape(filled, fork) == {"a": None, "b": "a"}


def test_the_same_id_with_another_parent_or_time_is_another_entry(filled: Filled) -> None:
    _, fork = forked(filled, [said("b"), said("a", time=5), said("c", "b")])
    assert stored(filled) == 7
    assert shape(filled, fork) == {"b": None, "a": None, "c": "b"}


def test_an_entry_may_hang_from_the_lineage_without_a_replay(filled: Filled) -> None:
    _, fork = forked(filled, [said("new", "c"), Entry(id="l", kind=Kind.LABEL, target="a", name="mark")])
    assert shape(filled, fork) == {"a": None, "b": "a", "c": "b", "new": "c", "l": None}
    tree = filled.archive.read(lambda reader: reader.tree(fork)).result()
    assert tree.labels == {0: "mark"}


def test_forks_of_forks_share_through_the_lineage(filled: Filled) -> None:
    _, fork = forked(filled, [*ORIGINAL[:2], said("new", "b")])
    second = filled.session("second", parent="fork")
    filled.append(second, [*ORIGINAL[:2], said("new", "b"), said("deep", "new")])
    assert shape(filled, second) == {"a": None, "b": "a", "new": "b", "deep": "new"}
    assert stored(filled) == 6
    key = filled.archive.read(lambda reader: reader.entry_key(second, "dee")).result()
    path = filled.archive.read(lambda reader: reader.tail(key, 9)).result()
    assert [row.id for row in filled.archive.read(lambda reader: list(reader.rows(path).values())).result()] == [
        "a", "b", "new", "deep",
    ]  # fmt: skip
    assert fork < second


def test_moving_the_leaf_into_the_lineage_shares_the_path(filled: Filled) -> None:
    parent = filled.session("parent")
    _, b, *_ = filled.append(parent, ORIGINAL)
    fork = filled.session("fork", source="stemmata")
    with pytest.raises(NotFoundError):
        filled.archive.write(lambda writer: writer.move_leaf(fork, b, "fork", time=1)).result()

    def job(writer: Writer) -> None:
        writer.update_session(fork, parent=parent)
        writer.move_leaf(fork, b, "fork", time=1)
        writer.append(fork, [said("new", "b")])

    filled.archive.write(job).result()
    session = filled.archive.write(lambda writer: writer.refresh(fork)).result()
    assert shape(filled, fork) == {"a": None, "b": "a", "new": "b"}
    assert (session.entries, session.branches, session.leaf, session.title) == (3, 1, b, "text of a")


def test_ids_of_shared_and_own_entries_are_told_apart(filled: Filled) -> None:
    _, fork = forked(filled, [*ORIGINAL[:2], said("a", time=9)])
    filled.append(fork, [said("abc", "b")])
    assert filled.archive.read(lambda reader: reader.entry_key(fork, "a")).result() == 1
    assert filled.archive.read(lambda reader: reader.entry_key(fork, "abc")).result() == 5


# -- deleting --------------------------------------------------------------------------------------------------------


def delete(filled: Filled, session: int) -> None:
    filled.archive.write(lambda writer: writer.delete_session(session)).result()


def test_forks_keep_what_they_share_with_a_deleted_session(filled: Filled) -> None:
    parent, fork = forked(filled, [*ORIGINAL[:2], said("new", "b")])
    other = filled.session("other", parent="parent")
    filled.append(other, [ORIGINAL[0], said("own", "a")])
    cousin = filled.session("cousin", parent="parent")
    delete(filled, parent)
    assert shape(filled, fork) == {"a": None, "b": "a", "new": "b"}
    assert shape(filled, other) == {"a": None, "own": "a"}
    assert stored(filled) == 4
    sessions = {s.key: s.parent for s in filled.archive.read(lambda reader: reader.sessions()).result()}
    assert sessions == {fork: None, other: fork, cousin: fork}
    assert filled.append(other, [ORIGINAL[0], said("own", "a"), said("more", "a")]) != []
    assert stored(filled) == 5
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_each_fork_goes_on_where_it_was_whoever_holds_its_entries_now(filled: Filled) -> None:
    parent, fork = forked(filled, ORIGINAL[:2])
    other, third = (filled.session(name, parent="parent") for name in ("other", "third"))
    for session in (other, third):
        filled.append(session, [ORIGINAL[0], ORIGINAL[3]])
    delete(filled, parent)
    for session in (fork, other, third):
        filled.append(session, [said("more", "a" if session == fork else "side")])
    assert shape(filled, fork) == {"a": None, "b": "a", "more": "a"}
    assert shape(filled, other) == shape(filled, third) == {"a": None, "side": "a", "more": "side"}
    assert stored(filled) == 6
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_forks_of_others_are_not_concerned(filled: Filled) -> None:
    parent, fork = forked(filled, ORIGINAL[:2])
    alone = filled.session("alone")
    filled.append(alone, ORIGINAL)
    delete(filled, alone)
    assert shape(filled, fork) == {"a": None, "b": "a"}
    assert len(shape(filled, parent)) == 4


def test_an_id_the_fork_has_itself_gets_a_mark(filled: Filled) -> None:
    parent, fork = forked(filled, [said("c", time=7), said("new", "b")])
    filled.append(fork, [said("deep", "new")])
    filled.append(parent, [said("new2", "c")])
    key = filled.archive.read(lambda reader: reader.entry_key(parent, "c")).result()
    filled.archive.write(lambda writer: writer.move_leaf(fork, key, "continue", time=1)).result()
    delete(filled, parent)
    assert f"c~{key}" in shape(filled, fork)
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_deleting_leaves_nothing_behind(filled: Filled) -> None:
    data = b"image"
    digest = hashlib.sha256(data).hexdigest()
    one, two = filled.session("one"), filled.session("two")

    def job(writer: Writer) -> None:
        writer.add_blob(digest, data)
        for session in (one, two):
            writer.add_raw(session, 0, b"raw")
            [key] = writer.append(session, [Entry(id="a", blocks=(Image("image/png", digest),), record=Record(0, 3))])
            writer.move_leaf(session, key, "import", time=1)

    filled.archive.write(job).result()
    delete(filled, one)
    assert filled.archive.read(lambda reader: reader.blob(digest)).result() == data
    delete(filled, two)
    assert filled.archive.read(lambda reader: reader.blob(digest)).result() is None
    tables = ("sessions", "entries", "bodies", "records", "blobs", "blob_uses", "leaf_moves", "entries_fts_docsize")

    def count(writer: Writer) -> list[int]:
        return [writer.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    assert filled.archive.write(count).result() == [0] * len(tables)
    assert filled.archive.read(lambda reader: reader.check()).result() == []


def test_a_job_may_append_delete_and_append_again(filled: Filled) -> None:
    session = filled.session()

    def job(writer: Writer) -> list[int]:
        writer.append(session, ORIGINAL)
        writer.add_raw(session, 0, b"raw")
        writer.delete_session(session)
        again = writer.create_session(SessionInfo(source="pi", source_id="again"))
        return writer.append(again, ORIGINAL)

    assert len(filled.archive.write(job).result()) == 4
    assert filled.archive.read(lambda reader: reader.check()).result() == []
