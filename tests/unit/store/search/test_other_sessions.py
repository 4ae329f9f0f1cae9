"""Where a search goes on that passes over the entries of some sessions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Role
from stemmata.store.search.other_sessions import LAST_OF_EACH, OtherSessions
from tests.unit.store.conftest import Filled


def said(id: str) -> Entry:
    return Entry(id=id, role=Role.USER, blocks=(Text("word"),))


def test_the_last_entry_of_the_other_sessions(filled: Filled, path: Path) -> None:
    one, _empty, two = filled.session("one"), filled.session("empty"), filled.session("two")
    filled.append(one, [said("a")])
    [second] = filled.append(two, [said("b")])
    [third] = filled.append(one, [said("c")])
    with closing(sqlite3.connect(path)) as connection:
        others = OtherSessions(connection)
        assert others.before(third, {one}) == second + 1
        assert others.before(third, {one, two}) is None


def test_each_session_is_looked_up_once(filled: Filled, path: Path) -> None:
    """SQLite looks the last entry up a second time when the statement also has a condition on it."""
    filled.append(filled.session(), [said("a")])
    with closing(sqlite3.connect(path)) as connection:
        plan = [step for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {LAST_OF_EACH}")]
    assert len([step for step in plan if step.startswith("SEARCH entries")]) == 1
