"""The summaries that were written while the workbench is open, to choose from.

A summary that is written again with another focus, by another writer or for another cut replaces none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stemmata.domain.entries.tokens import to_tokens, units
from stemmata.gui.compaction.panel import DIGEST
from stemmata.services.compaction.request import CompactionRequest

MOST = 20  # summaries that are kept; the oldest are dropped

SummaryPlace = tuple[int, int, int | None, int | None]  # session, leaf, first kept and first replaced entry


def place_of(request: CompactionRequest) -> SummaryPlace:
    """Return the store keys that determine which entries a compaction summarises."""
    return request.session, request.leaf, request.first_kept, request.from_entry


def subject_of(request: CompactionRequest) -> tuple[SummaryPlace, str]:
    """Return the entries that a compaction summarises and the focus of the summary."""
    return place_of(request), request.focus


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A written summary. `note` names its writer, duration and cost; `edited` is the user's version of the text, None
    if unchanged.

    `way` is its writer: MODEL, DIGEST or PROVIDER. `number` identifies it among the summaries of this workbench.
    """

    number: int
    way: int
    request: CompactionRequest
    note: str
    edited: str | None = None

    @property
    def written(self) -> str:
        """The text before any edit of the user."""
        return self.request.text or ""

    @property
    def text(self) -> str:
        """The user's version of the text if there is one, else the written text."""
        return self.written if self.edited is None else self.edited

    @property
    def tokens(self) -> int:
        """The estimated tokens of the text."""
        return to_tokens(units(self.text))


class Alternatives:
    """The written summaries, oldest first. The summary that was added or chosen last is the first choice."""

    def __init__(self) -> None:
        self._all: list[SummaryText] = []
        self._order: list[int] = []  # numbers, the first choice last
        self._next = 1

    def add(self, way: int, request: CompactionRequest, note: str) -> SummaryText:
        """Add a summary (`request.text`). A digest of the same subject replaces the previous digest."""
        same = next((one for one in self._all if one.way == way == DIGEST and _same(one.request, request)), None)
        if same is not None:
            added = replace(same, request=request, note=note)
            self._all[self._all.index(same)] = added
        else:
            added = SummaryText(self._next, way, request, note)
            self._all.append(added)
            self._next += 1
        self.choose(added.number)
        self._all = self._all[-MOST:]
        return added

    def choose(self, number: int) -> None:
        """Make a summary the one that `best` prefers."""
        self._order = [other for other in self._order if other != number] + [number]

    def edit(self, number: int, text: str | None) -> None:
        """Store the user's version of a summary; None discards it."""
        self._all = [replace(one, edited=text) if one.number == number else one for one in self._all]

    def remove(self, number: int) -> None:
        """Remove one summary."""
        self._all = [one for one in self._all if one.number != number]

    def drop(self, way: int) -> None:
        """Drop the summaries of one writer, because they can no longer be used."""
        self._all = [one for one in self._all if one.way != way]

    def get(self, number: int) -> SummaryText | None:
        """Return a summary by its number; None when it was dropped."""
        return next((one for one in self._all if one.number == number), None)

    def of(self, request: CompactionRequest) -> Sequence[SummaryText]:
        """Return the summaries of the entries that `request` summarises, oldest first."""
        return [one for one in self._all if place_of(one.request) == place_of(request)]

    def best(self, way: int, request: CompactionRequest) -> SummaryText | None:
        """Return the first choice of a writer, one of the same subject if there is any; None without any."""
        found = sorted((one for one in self._all if one.way == way), key=lambda one: self._order.index(one.number))
        fitting = [one for one in found if _same(one.request, request)]
        return next(reversed(fitting or found), None)


def _same(one: CompactionRequest, other: CompactionRequest) -> bool:
    return subject_of(one) == subject_of(other)
