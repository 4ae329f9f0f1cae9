"""The results of a search: its hits, without and with their text, and pages of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from stemmata.domain.entries.entry import PRINTED, Kind, Role
from stemmata.domain.text.plain_text import plain_text


@dataclass(frozen=True, slots=True)
class Hit:
    """A full-text hit. In `snippet` each match is enclosed by U+E000 and U+E001, which no text contains.

    `tool` is the tool of a result, `model` the model of a reply; "" for others.
    """

    session: int
    entry: int
    id: str
    role: Role
    kind: Kind
    time: int
    snippet: str
    tool: str = ""
    model: str = ""

    @property
    def plain_snippet(self) -> str:
        """The snippet without Markdown marks. What a program printed is unchanged: there `# x` is no heading."""
        return self.snippet if self.role in PRINTED else plain_text(self.snippet)


class UnreadHit(NamedTuple):
    """A full-text hit whose text has not been read. The time is in ns, 0 when unknown.

    `tool` is the tool of a result, "" for others.
    """

    session: int
    entry: int
    kind: Kind
    role: Role = Role.NONE
    time: int = 0
    tool: str = ""


@dataclass(frozen=True, slots=True)
class UnreadHits:
    """The hits of a search, newest first. `more` is true when the search stopped at its limit.

    `rest` is the entry before which the same search can go on; None when the search cannot go on or is complete.
    `by_rank`: the most relevant hits come first. `unfinished` are the sessions that may have further hits.
    """

    found: tuple[UnreadHit, ...] = ()
    more: bool = False
    rest: int | None = None
    by_rank: bool = False
    unfinished: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Share:
    """The limit of hits of each session that a search returns: `most`, less those that it has `found` before.

    `found` has their numbers by session. A search whose hits fit into one answer returns all of them.
    """

    most: int
    found: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The first hits of a search. `total` counts all hits; with `more`, the count stopped at its limit."""

    total: int
    hits: tuple[Hit, ...]
    more: bool = False
