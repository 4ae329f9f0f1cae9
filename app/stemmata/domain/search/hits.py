"""The results of a search: matches, hits and pages of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from stemmata.domain.entries.entry import Kind, Role


@dataclass(frozen=True, slots=True)
class Hit:
    """A full-text hit. In `snippet` each match is enclosed by U+E000 and U+E001, which no text contains."""

    session: int
    entry: int
    id: str
    role: Role
    kind: Kind
    time: int
    snippet: str


class Match(NamedTuple):
    """The position of a full-text hit whose text has not been read."""

    session: int
    entry: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches of a search, newest first. `more` is true when the search stopped at its limit."""

    found: tuple[Match, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The first hits of a search. `total` counts all hits; with `more`, the count stopped at its limit."""

    total: int
    hits: tuple[Hit, ...]
    more: bool = False
