"""Matches grouped by session, counted by role, and gone through."""

from __future__ import annotations

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Match
from stemmata.domain.search.results import SHOWN, first_shown, grouped, next_match, role_counts


def match(session: int, entry: int, role: Role = Role.USER, kind: Kind = Kind.MESSAGE) -> Match:
    return Match(session, entry, kind, role)


def test_sessions_come_in_the_order_of_their_first_match() -> None:
    matches = [match(2, 9), match(1, 8), *(match(2, at) for at in range(7, 7 - SHOWN - 1, -1))]
    groups = grouped(matches)
    assert [(group.session, len(group.matches)) for group in groups] == [(2, SHOWN + 2), (1, 1)]
    assert first_shown(groups, 100) == [9, 7, 6, 8]
    assert first_shown(groups, 2) == [9, 7]


def test_roles_are_counted_by_their_filter() -> None:
    matches = [
        match(1, 1), match(1, 2, Role.TOOL_RESULT), match(1, 3, Role.BASH_EXECUTION),
        match(1, 4, Role.NONE, Kind.COMPACTION), match(1, 5, Role.NONE, Kind.LABEL),
    ]  # fmt: skip
    assert role_counts(matches) == {"user": 1, "tool": 2, "summary": 1}


def test_after_the_last_match_comes_the_first() -> None:
    matches = [match(1, 1), match(1, 2), match(2, 3)]
    assert next_match([], None, 1) is None
    assert [m.entry for by in (1, -1) if (m := next_match(matches, None, by))] == [1, 3]
    assert [m.entry for at, by in ((1, 1), (3, 1), (1, -1)) if (m := next_match(matches, at, by))] == [2, 1, 3]
