"""Estimates of a card's height from its entry's size, before the card is laid out."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.entries.entry import Kind, Role
from stemmata.gui.core.shown_path import EntryAppearance, PathShape
from stemmata.gui.theme import metrics
from stemmata.gui.theme.theme import Theme

MOST_UNITS = 6_000  # a longer text displays only its first part
SUMMARY_UNITS = 700
LINES_PER_TEXT = 1.15  # factor for the unfilled last line of each paragraph

_FOLDED, _CARD = (
    int(EntryAppearance.FOLDED),
    int(EntryAppearance.CARD),
)  # plain ints, because they are compared for every entry of a path
_COMPACTION = int(Kind.COMPACTION)
_TEXTS = frozenset(map(int, (Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.BRANCH_SUMMARY)))
_ROWS = frozenset(map(int, (Role.TOOL_RESULT, Role.BASH_EXECUTION)))


@dataclass(frozen=True, slots=True)
class Estimates:
    """Sizes in pixels for one width of the transcript and one font scale."""

    line: int
    row: int  # a folded call with its gap
    small: int  # a folded thought or a note
    heading: int
    gap: int
    characters: int  # characters of prose per line

    @classmethod
    def of(cls, theme: Theme, width: int) -> Estimates:
        """Compute the sizes for a viewport of `width` pixels."""
        size = theme.font("ui").pixelSize()
        margins = theme.px(2 * metrics.SPACE[8] + metrics.CARD_INDENT)
        room = min(width - margins, theme.px(metrics.READING_WIDTH))
        return cls(
            line=round(size * metrics.LINE_PERCENT / 100),
            row=theme.px(metrics.TOOL_ROW + metrics.SPACE[3]),
            small=theme.px(metrics.SMALL_LINE),
            heading=theme.px(metrics.HEADER_LINE + metrics.SPACE[1]),
            gap=theme.px(metrics.CARD_GAP),
            characters=max(round(room / (size * metrics.CHARACTER)), 1),
        )

    def height(self, shape: PathShape, place: int) -> int:
        """Return the height of an entry's card in pixels; for a folded result, its share of its call's card."""
        if place == _FOLDED:
            return self.row
        heading = place == _CARD
        total = self.gap + self.heading if heading else self.gap // 2
        if shape.kind == _COMPACTION:
            return total + self._text(min(shape.text, SUMMARY_UNITS)) + 3 * self.small
        if shape.kind not in _TEXTS:
            return self.gap + self.small
        if shape.role in _ROWS:
            return total + self.row
        total += self._text(min(shape.text, MOST_UNITS))
        return total + (self.small if shape.thinking else 0)

    def _text(self, units: int) -> int:
        return round(self.line * (units / self.characters * LINES_PER_TEXT + 0.5)) if units else 0
