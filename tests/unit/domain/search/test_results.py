"""UnreadHits grouped by session, counted by role, and gone through."""

from __future__ import annotations

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import UnreadHit
from stemmata.domain.search.results import SHOWN, first_shown, grouped, next_hit, role_counts


def hit(session: int, entry: int, role: Role = Role.USER, kind: Kind = Kind.MESSAGE) -> UnreadHit:
    return UnreadHit(session, entry, kind, role)


def test_sessions_come_in_the_order_of_their_first_hit() -> None:
    hits = [hit(2, 9), hit(1, 8), *(hit(2, at) for at in range(7, 7 - SHOWN - 1, -1))]
    groups = grouped(hits)
    assert [(group.session, len(group.hits)) for group in groups] == [(2, SHOWN + 2), (1, 1)]
    assert first_shown(groups, 100) == [9, 7, 6, 8]
    assert first_shown(groups, 2) == [9, 7]


def test_roles_are_counted_by_their_filter() -> None:
    hits = [
        hit(1, 1), hit(1, 2, Role.TOOL_RESULT), hit(1, 3, Role.BASH_EXECUTION),
        hit(1, 4, Role.NONE, Kind.COMPACTION), hit(1, 5, Role.NONE, Kind.LABEL),
    ]  # fmt: skip
    assert role_counts(hits) == {"user": 1, "tool": 2, "summary": 1}


def test_after_the_last_match_comes_the_first() -> None:
    hits = [hit(1, 1), hit(1, 2), hit(2, 3)]
    assert next_hit([], None, 1) is None
    assert [each.entry for by in (1, -1) if (each := next_hit(hits, None, by))] == [1, 3]
    assert [each.entry for at, by in ((1, 1), (3, 1), (1, -1)) if (each := next_hit(hits, at, by))] == [2, 1, 3]
