"""The results of a search in the archive: its hits grouped by session, and how many there are of each role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stemmata.domain.entries.entry import Kind, Role
from stemmata.domain.search.hits import Hit, UnreadHit
from stemmata.domain.search.query import ROLES

SHOWN = 3  # hits of a session that are shown at first


@dataclass(frozen=True, slots=True)
class SessionHits:
    """The hits in one session, in the order of the search."""

    session: int
    hits: tuple[UnreadHit, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The results that a search has found so far. `hits` are in the order of the search.

    `read` are the hits whose text was read, by entry. `counts` has the number of hits by the values of `role:`, as
    if the query did not ask for a role; if the other roles take too long to find, only the numbers of the query's
    roles; `counts_more` is true when there may be more hits than these. `rest` is the entry before which the search
    can go on; `unsorted` are hits that are not yet known to be on an active or an abandoned branch, when a search by
    meaning asks for one of these. `unfinished` are the sessions that may have further hits.
    """

    hits: tuple[UnreadHit, ...] = ()
    read: Mapping[int, Hit] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    rest: int | None = None
    more: bool = False
    by_rank: bool = False
    unsorted: tuple[UnreadHit, ...] = ()
    counts_more: bool = False
    unfinished: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SortedHits:
    """The entries of hits on active and on abandoned branches; `unsorted` are hits that took too long."""

    active: frozenset[int] = frozenset()
    abandoned: frozenset[int] = frozenset()
    unsorted: tuple[UnreadHit, ...] = ()


def grouped(hits: Iterable[UnreadHit]) -> tuple[SessionHits, ...]:
    """Return the hits by session, in the order of each session's first hit."""
    found: dict[int, list[UnreadHit]] = {}
    for hit in hits:
        found.setdefault(hit.session, []).append(hit)
    return tuple(SessionHits(session, tuple(own)) for session, own in found.items())


def first_shown(groups: Iterable[SessionHits], most: int) -> list[int]:
    """Return the entries of the first hits that are shown, at most `most`."""
    return [hit.entry for group in groups for hit in group.hits[:SHOWN]][:most]


def role_counts(hits: Iterable[UnreadHit]) -> dict[str, int]:
    """Return the number of hits by the values of `role:`."""
    names = {text: name for name, texts in ROLES.items() for text in texts}
    out: dict[str, int] = {}
    for hit in hits:
        name = names.get(role_text(hit.role, hit.kind))
        if name is not None:
            out[name] = out.get(name, 0) + 1
    return out


def role_text(role: Role, kind: Kind) -> str:
    """Return the role of an entry, or its kind when it has none, as the archive names it."""
    return role.text or kind.text


def next_hit(hits: Sequence[UnreadHit], current: int | None, by: int) -> UnreadHit | None:
    """Return the hit after (`by` 1) or before (-1) the hit in an entry; the first or last one without it.

    After the last hit comes the first.
    """
    if not hits:
        return None
    at = next((at for at, hit in enumerate(hits) if hit.entry == current), None)
    return hits[(0 if by > 0 else -1) if at is None else (at + by) % len(hits)]
