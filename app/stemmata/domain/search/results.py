"""The results of a search in the archive: its matches grouped by session, and how many there are of each role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit, Match
from stemmata.domain.search.query import ROLES

SHOWN = 3  # hits of a session that are shown at first


@dataclass(frozen=True, slots=True)
class SessionMatches:
    """The matches in one session, in the order of the search."""

    session: int
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The results that a search has found so far. `matches` are in the order of the search.

    `hits` are the snippets that were read, by entry. `counts` has the number of matches by the values of `role:`, as
    if the query did not ask for a role; if the other roles take too long to find, only the numbers of the query's
    roles. `rest` is the entry before which the search can go on; `unsorted` are matches that are not yet known to be
    on an active or an abandoned branch, when the query asks for one of these.
    """

    matches: tuple[Match, ...] = ()
    hits: Mapping[int, Hit] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    rest: int | None = None
    more: bool = False
    by_rank: bool = False
    unsorted: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class SortedMatches:
    """The entries of matches on active and on abandoned branches; `unsorted` are matches that took too long."""

    active: frozenset[int] = frozenset()
    abandoned: frozenset[int] = frozenset()
    unsorted: tuple[Match, ...] = ()


def grouped(matches: Iterable[Match]) -> tuple[SessionMatches, ...]:
    """Return the matches by session, in the order of each session's first match."""
    found: dict[int, list[Match]] = {}
    for match in matches:
        found.setdefault(match.session, []).append(match)
    return tuple(SessionMatches(session, tuple(own)) for session, own in found.items())


def first_shown(groups: Iterable[SessionMatches], most: int) -> list[int]:
    """Return the entries of the first matches that are shown, at most `most`."""
    return [match.entry for group in groups for match in group.matches[:SHOWN]][:most]


def role_counts(matches: Iterable[Match]) -> dict[str, int]:
    """Return the number of matches by the values of `role:`."""
    names = {text: name for name, texts in ROLES.items() for text in texts}
    out: dict[str, int] = {}
    for match in matches:
        name = names.get(role_text(match.role, match.kind))
        if name is not None:
            out[name] = out.get(name, 0) + 1
    return out


def role_text(role: Role, kind: Kind) -> str:
    """Return the role of an entry, or its kind when it has none, as the archive names it."""
    return role.text or kind.text


def next_match(matches: Sequence[Match], current: int | None, by: int) -> Match | None:
    """Return the match after (`by` 1) or before (-1) the match in an entry; the first or last one without it.

    After the last match comes the first.
    """
    if not matches:
        return None
    at = next((at for at, match in enumerate(matches) if match.entry == current), None)
    return matches[(0 if by > 0 else -1) if at is None else (at + by) % len(matches)]
