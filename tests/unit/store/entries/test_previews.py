"""The first prompts of a session, which a tree that is extended does not look for from the beginning."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.domain.entries.tree import Tree
from stemmata.services.ports.archive import ArchiveWriter
from stemmata.store.archive import SqliteArchive
from stemmata.store.entries import previews
from stemmata.store.schema.migrations import MIGRATIONS
from tests.indexes import restore_former_views
from tests.strategies import entry_lists
from tests.unit.domain.trees import chain, grown, rest, user
from tests.unit.store.conftest import Filled


@given(entry_lists(min_size=1), st.data())
def test_an_extended_tree_has_the_prompts_of_the_whole(entries: list[Entry], data: st.DataObject) -> None:
    whole = Tree.from_entries(entries)
    known = grown(whole, data.draw(st.integers(0, len(whole))))
    previews.said_by_the_person(known)
    longer = known.extended(rest(whole, len(known)))
    if longer is not None and list(longer.parents) == list(whole.parents):
        assert previews.said_by_the_person(longer) == previews.said_by_the_person(whole)


@pytest.mark.parametrize("turns", [100, 1000])
def test_only_new_entries_are_looked_at(monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    whole = Tree.from_entries(chain(*(user(str(turn), None) for turn in range(turns))))
    known = grown(whole, turns - 3)
    previews.said_by_the_person(known)
    looked: list[int] = []

    def counted(role: int, wanted: int) -> bool:
        looked.append(role)
        return role == wanted

    monkeypatch.setattr(previews, "eq", counted)
    longer = known.extended(rest(whole, turns - 3))
    assert longer is not None
    for _ in range(3):
        assert previews.said_by_the_person(longer) == list(range(previews.PROMPTS))
    assert len(looked) == 3


def _refresh(key: int, writer: ArchiveWriter) -> None:
    writer.refresh(key)


def test_an_archive_of_an_older_format_gets_todays_titles_and_keeps_those_that_were_given(filled: Filled) -> None:
    prompt = Entry(id="p", role=Role.USER, blocks=(Text("Hello there! Please sort the beds by sun and shade."),))
    keys = [filled.session(name) for name in ("taken", "given", "empty")]
    for key in keys[:2]:
        filled.append(key, [prompt])
        filled.archive.write(partial(_refresh, key)).result()
    filled.archive.write(lambda writer: writer.update_session(keys[1], title="Mine " * 20)).result()
    filled.archive.close()
    path = filled.archive._path
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE sessions SET prompt = 'Hello there!' WHERE prompt <> ''")
        restore_former_views(connection)
        at = next(at for at, step in enumerate(MIGRATIONS) if step.__name__ == "_renewed_titles")
        connection.execute(f"PRAGMA user_version = {at}")
    archive = SqliteArchive(path)
    found = archive.read(lambda reader: {session.key: session for session in reader.sessions()}).result()
    archive.close()
    titles = [(found[key].title, found[key].named) for key in keys]
    assert titles == [("Please sort the beds by sun and shade", False), ("Mine " * 20, True), ("", False)]
