"""The rows of hits, which are kept from one step of a search to the next."""

from __future__ import annotations

from stemmata.domain.search.hits import Hit, Match
from stemmata.gui.search.rows import MatchRow
from stemmata.gui.search.words import who_said


class MatchRows:
    """Makes the row of a hit, and makes it again only when its text or its branch became known.

    A search shows its hits again after each of its steps, often a thousand of them.
    """

    def __init__(self) -> None:
        self._rows: dict[int, MatchRow] = {}  # by entry

    def forget(self) -> None:
        """Forget the rows, after another search."""
        self._rows.clear()

    def row(self, match: Match, hit: Hit | None, chip: str, now: int) -> MatchRow:
        """Return the row of a match; `hit` is its text, `chip` names its branch, `now` is the time in ns."""
        known = self._rows.get(match.entry)
        if known is not None and known.match is match and known.hit is hit and known.chip == chip:
            return known
        begun = known.now if known is not None else now
        row = self._rows[match.entry] = MatchRow(match, *who_said(match, hit), begun, chip, hit)
        return row
