"""A draft reads in short jobs, and ends when nobody waits for it any more."""

from __future__ import annotations

import gc
from concurrent.futures import CancelledError

import pytest

from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.entry_rows import Body
from stemmata.domain.sessions.session import SessionTree
from stemmata.services import whole_entries
from stemmata.services.compaction import read_in_parts
from stemmata.services.compaction.read_in_parts import AT_ONCE, MOST, ReadInParts
from tests.fakes.waiting import PATIENCE
from tests.unit.services.compacting import request
from tests.unit.services.conftest import Bench, Records


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


@pytest.mark.parametrize("percent", [50, 70], ids=["while turns are made", "between two reads"])
def test_a_draft_ends_between_two_entries(bench: Bench, long: SessionTree, percent: int) -> None:
    told: list[int] = []
    with pytest.raises(CancelledError):
        bench.services.compaction.draft(request(long), lambda: not told or told[-1] < percent, told.append).result(
            PATIENCE
        )
    assert percent <= told[-1] < percent + 10


def test_a_draft_holds_few_entries_at_a_time(
    bench: Bench, long: SessionTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All entries of a session of 14,179 took 60 MB, and 13 MB stayed taken afterwards."""
    monkeypatch.setattr(whole_entries, "READ", 2)

    def entries() -> int:
        return sum(isinstance(found, (Entry, Body)) for found in gc.get_objects())

    held, before = list[int](), entries()

    def is_wanted() -> bool:
        held.append(entries() - before)
        return True

    made = bench.services.compaction.draft(request(long), is_wanted).result(PATIENCE)
    assert len(made.plan.summarised) > 6
    assert max(held) <= 5  # the bodies of two reads, and an entry
