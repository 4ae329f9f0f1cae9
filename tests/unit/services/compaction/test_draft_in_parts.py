"""A draft reads in short jobs, and ends when nobody waits for it any more."""

from __future__ import annotations

import gc
from concurrent.futures import CancelledError

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sessions.session import SessionTree
from stemmata.services import whole_entries
from stemmata.services.compaction import drafting, read_in_parts
from stemmata.services.compaction.read_in_parts import AT_ONCE, MOST, ReadInParts
from tests.fakes.waiting import PATIENCE
from tests.unit.services.compacting import request
from tests.unit.services.conftest import Bench, Records

Freed = list[tuple[int, list[type]]]  # how many entries, and the types of what else refers to the first


def test_long_sessions_are_read_in_parts(bench: Bench, talk: Records) -> None:
    count = 2 * AT_ONCE + 5
    rows = [
        (str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Words.") for at in range(1, count)
    ]
    session_tree = bench.imported(talk("s", *rows))
    source = ReadInParts(bench.archive, lambda: True)
    keys = [session_tree.tree.key(at) for at in range(len(session_tree.tree))]
    assert list(source.rows(keys)) == keys
    assert set(source.bodies(keys)) == set(keys)
    assert source.session(session_tree.session.key) == session_tree.session
    assert len(source.tree(session_tree.session.key)) == len(keys)


def test_a_draft_that_nobody_wants_ends(bench: Bench, talk: Records) -> None:
    rows = [
        (str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Words. " * 600)
        for at in range(1, 13)
    ]
    session_tree = bench.imported(talk("s", *rows))
    asked = request(session_tree)
    assert bench.services.compaction.draft(asked).result(PATIENCE).summary.text
    with pytest.raises(CancelledError):
        bench.services.compaction.draft(asked, lambda: False).result(PATIENCE)


def test_how_much_is_written_is_told(bench: Bench, talk: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_in_parts, "AT_ONCE", 5)
    rows = [
        (str(at), str(at - 1) if at > 1 else None, ("assistant", "user")[at % 2], "Words. " * 600)
        for at in range(1, 13)
    ]
    session_tree = bench.imported(talk("s", *rows))
    told: list[int] = []
    made = bench.services.compaction.draft(request(session_tree), lambda: True, told.append).result(PATIENCE)
    assert len(made.plan.summarised) + len(made.plan.turn_prefix) == 11
    assert told[:2] == [15, 30]
    assert told == sorted(set(told))
    assert told[-1] == MOST


def test_a_draft_ends_between_two_entries(bench: Bench, long: SessionTree) -> None:
    told: list[int] = []
    with pytest.raises(CancelledError):
        bench.services.compaction.draft(request(long), lambda: not told or told[-1] < 70, told.append).result(
            PATIENCE
        )
    assert 70 <= told[-1] < 80


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> Freed:
    """How many entries were freed in parts, and which other objects referred to the first of them."""
    out: Freed = []

    def free(entries: list[Entry]) -> None:
        holders = [type(holder) for holder in gc.get_referrers(entries[0]) if holder is not entries]
        out.append((len(entries), holders))

    monkeypatch.setattr(drafting, "free_in_parts", free)
    monkeypatch.setattr(whole_entries, "free_in_parts", free)
    return out


def test_the_entries_of_a_summary_are_freed_in_parts(bench: Bench, long: SessionTree, freed: Freed) -> None:
    """To free a million at once kept the window waiting for 350 ms."""
    made = bench.services.compaction.draft(request(long)).result(PATIENCE)
    assert freed == [(len(made.plan.summarised), [])]


@pytest.mark.parametrize("percent", [30, 70], ids=["while they are read", "while they are summarised"])
def test_the_entries_of_a_summary_that_nobody_wants_are_freed_in_parts(
    bench: Bench,
    long: SessionTree,
    freed: Freed,
    monkeypatch: pytest.MonkeyPatch,
    percent: int,
) -> None:
    told = list[int]()
    monkeypatch.setattr(whole_entries, "HELD", 2)
    with pytest.raises(CancelledError):
        bench.services.compaction.draft(request(long), lambda: not told or told[-1] < percent, told.append).result(
            PATIENCE
        )
    [(count, holders)] = freed
    assert count > 1
    assert holders == []


def test_other_threads_go_on_between_two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    entries, left = [Entry(id=str(at)) for at in range(5)], list[int]()
    monkeypatch.setattr(whole_entries, "HELD", 2)
    monkeypatch.setattr(whole_entries, "sleep", lambda _seconds: left.append(len(entries)))
    whole_entries.free_in_parts(entries)
    assert left == [3, 1, 0]
