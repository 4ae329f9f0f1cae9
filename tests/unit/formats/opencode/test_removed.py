"""Messages that opencode has deleted come back from its table of events, as branches."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stemmata.domain.entries.entry import Flag
from tests.fakes.opencode import Store, ms, store, text, tool
from tests.unit.formats.opencode.reading import read


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "opencode.db"


def test_a_prompt_after_a_revert_leaves_a_branch(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.prompt("s", "u", "List.", at=4)
        made.reply("s", "a", tool("c", "a.py", at=5), at=5)
        before = read(path).sessions["s"]
        made.revert("s", "u")
        made.remove("s", "u", "a")
        made.turn("s", 3, at=8)
    after = read(path).sessions["s"]
    assert after.parents == {
        "s_u1": None, "s_a1": "s_u1", "u": "s_a1", "a": "u", "a#2": "a", "s_u3": "s_a1", "s_a3": "s_u3",
    }  # fmt: skip
    assert after.end.leaf == "s_a3"
    assert after.raw.startswith(before.raw)
    assert after.entries["a#2"] == replace(before.entries["a#2"], flags=Flag.REMOVED)
    assert [id for id, entry in after.entries.items() if entry.flags & Flag.REMOVED] == ["u", "a", "a#2"]
    assert after.skipped == []


def test_reverts_one_after_the_other(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.remove("s", "s_u2", "s_a2")
        made.turn("s", 3, at=8)
        made.turn("s", 4, at=10)
        made.remove("s", "s_u4", "s_a4")
        made.turn("s", 5, at=12)
        made.remove("s", "s_u3", "s_a3", "s_u5", "s_a5")
        made.turn("s", 6, at=16)
    assert read(path).sessions["s"].parents == {
        "s_u1": None, "s_a1": "s_u1", "s_u2": "s_a1", "s_a2": "s_u2", "s_u3": "s_a1", "s_a3": "s_u3",
        "s_u4": "s_a3", "s_a4": "s_u4", "s_u5": "s_a3", "s_a5": "s_u5", "s_u6": "s_a1", "s_a6": "s_u6",
    }  # fmt: skip


def test_what_goes_on_never_hangs_from_a_deleted_message(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.remove("s", "s_u1")
    one = read(path).sessions["s"]
    assert one.parents == {"s_u1": None, "s_a1": None, "s_u2": "s_a1", "s_a2": "s_u2"}


def test_the_last_state_counts(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.prompt("s", "u", "One", "Two", at=2)
        made.part("s", "u", "u_1", text("Two!"), at=3)
        made.part("s", "u", "u_2", text("Three"), at=3)
        for data in ({"messageID": "u", "partID": "u_2"}, {"messageID": "other", "partID": "u_1"}):
            made.event("s", "message.part.removed.1", data)
        made.event("s", "message.part.updated.1", {"part": {"id": "x", "messageID": "other", "type": "text"}})
        made.remove("s", "u")
        made.prompt("s", "v", "Again", at=5)
        made.remove("s", "v")
        made.prompt("s", "v", "Again!", at=6)
    one = read(path).sessions["s"]
    assert one.parents == {"u": None, "v": None}
    assert (one.said("u"), one.said("v")) == ("One\nTwo!", "Again!")


def test_damaged_events_are_passed_over(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.remove("s", "s_u1", "s_a1", "never there")
        made.event("s", "message.removed.1", {"messageID": 5})
        made.event("s", "message.removed.1", {})
        made.change("event", "evt_s_0", data=b"\xff")
        made.change("event", "evt_s_1", data="[]")
        made.change("event", "evt_s_4", type=b"message.part.updated.1")
        made.connection.execute("UPDATE event SET seq = 'x' WHERE id = 'evt_s_3'")
        made.prompt("s", "u", "New", at=9)
    one = read(path).sessions["s"]
    assert one.parents == {"s_a1": None, "u": None}


def test_a_fork_shares_what_its_origin_has_deleted(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.turn("s", 2, at=4)
        made.fork("s", "f", "", at=20)
        made.remove("s", "s_u2", "s_a2")
        made.turn("s", 3, at=30)
    fork = read(path).sessions["f"]
    assert list(fork.entries) == ["s_u1", "s_a1", "s_u2", "s_a2"]
    with store(path) as made:
        made.remove("s", "s_u1", "s_a1")
    assert read(path).sessions["f"].entries == fork.entries


def test_a_database_without_events(path: Path) -> None:
    with store(path, events=False) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        made.remove("s", "s_u1", "s_a1")
    assert read(path).sessions["s"].entries == {}


def test_a_change_of_events_alone_is_a_change(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        before = read(path)
        made.event("s", "message.updated.1", {"info": {"id": "x"}})
        assert list(read(path, before.checkpoint).sessions) == ["s"]


def test_ids_that_occur_twice(path: Path) -> None:
    """As in a database whose indexes are damaged."""
    with store(path) as made:
        made.session("s")
        made.turn("s", 1, at=2)
        _without_keys(made)
        for table in ("session", "message"):
            made.connection.execute(f"INSERT INTO {table} SELECT * FROM {table}")
    reading = read(path)
    assert [(part.where, part.reason) for part in reading.unused] == [("session s", "has the id of another session")]
    one = reading.sessions["s"]
    assert list(one.entries) == ["s_u1", "s_a1"]
    assert {skip.reason for skip in one.skipped} == {"has the id of an earlier message"}


def _without_keys(made: Store) -> None:
    for table in ("session", "message"):
        made.connection.execute(f"CREATE TABLE new AS SELECT * FROM {table}")
        made.connection.execute(f"DROP TABLE {table}")
        made.connection.execute(f"ALTER TABLE new RENAME TO {table}")


def test_a_message_that_says_nothing(path: Path) -> None:
    with store(path) as made:
        made.session("s")
        made.message("s", "m", {}, {}, at=2)
        made.prompt("s", "u", {}, at=3)
    one = read(path).sessions["s"]
    assert one.parents == {"m": None, "u": "m"}
    assert json.loads(one.record("m")) == {"id": "m", "data": {}, "parts": [{"id": "m_0", "data": {}}]}
    assert one.entries["m"].time == ms(2) * 1_000_000
