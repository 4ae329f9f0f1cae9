"""A summary that was computed for a preview is not computed again to be stored."""

from __future__ import annotations

import pytest

from stemmata.domain.compaction.digest.digest import DigestSummariser
from stemmata.domain.compaction.summary.summary import Summary, SummaryInput
from stemmata.domain.sessions.session import SessionTree
from tests.unit.services.compacting import request
from tests.unit.services.conftest import Bench


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The focus of each digest that was computed."""
    found: list[str] = []
    summarise = DigestSummariser.summarise

    def counted(self: DigestSummariser, given: SummaryInput) -> Summary:
        found.append(given.focus)
        return summarise(self, given)

    monkeypatch.setattr(DigestSummariser, "summarise", counted)
    return found


def test_the_compaction_stores_the_drafted_summary(bench: Bench, long: SessionTree, computed: list[str]) -> None:
    drafted = bench.services.compaction.draft(request(long)).result()
    again = bench.services.compaction.draft(request(long)).result()
    done = bench.services.compaction.run(request(long)).result()
    assert drafted.summary == again.summary == done.summary
    assert computed == [""]


def test_a_text_by_hand_keeps_the_computed_operations(bench: Bench, long: SessionTree, computed: list[str]) -> None:
    drafted = bench.services.compaction.draft(request(long)).result()
    done = bench.services.compaction.run(request(long, text="By hand.")).result()
    assert (done.summary.text, done.summary.operations) == ("By hand.", drafted.summary.operations)
    assert computed == [""]


def test_another_subject_is_computed(bench: Bench, long: SessionTree, computed: list[str]) -> None:
    compaction, kept = bench.services.compaction, long.tree.key(6)
    first = compaction.draft(request(long)).result()
    assert compaction.draft(request(long, focus="rules")).result().plan == first.plan
    other = compaction.draft(request(long, first_kept=kept)).result()
    assert other.plan != first.plan
    assert compaction.draft(request(long, longest_summary=10)).result().plan == first.plan
    assert computed == ["", "rules", "", ""]


def test_a_session_that_changed_is_computed_again(bench: Bench, long: SessionTree, computed: list[str]) -> None:
    bench.services.compaction.draft(request(long)).result()
    bench.services.branching.pin(long.session.key, long.tree.key(1), on=True).result()
    after = bench.reopened(long)
    drafted = bench.services.compaction.draft(request(after)).result()
    assert drafted.plan.pinned
    assert computed == ["", ""]
