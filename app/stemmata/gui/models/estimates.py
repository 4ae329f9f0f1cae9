"""A first guess at the height of a card, from the weights of its entry alone."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.entries import Kind, Role
from stemmata.gui.models.transcript_path import Shape

UNITS_PER_CALL = 160  # mean weight of a call; edits weigh more and are rarer
MOST_UNITS = 6_000  # a longer text shows its first part
SUMMARY_UNITS = 700
LINES_PER_TEXT = 1.15  # paragraphs end before the margin does


@dataclass(frozen=True, slots=True)
class Estimates:
    """Sizes in pixels at the present width and scale."""

    line: int
    row: int  # one folded call with its gap
    small: int  # one folded thought, a note
    heading: int
    gap: int
    characters: int  # of prose in one line

    def height(self, shape: Shape, heading: bool) -> int:  # noqa: FBT001 - called for every entry
        total = self.gap + self.heading if heading else self.gap // 2
        if shape.kind == Kind.COMPACTION:
            return total + self._text(min(shape.text, SUMMARY_UNITS)) + 3 * self.small
        if shape.kind not in (Kind.MESSAGE, Kind.CUSTOM_MESSAGE, Kind.BRANCH_SUMMARY):
            return self.gap + self.small
        if shape.role in (Role.TOOL_RESULT, Role.BASH_EXECUTION):
            return total + self.row
        total += self._text(min(shape.text, MOST_UNITS))
        if shape.calls:
            total += self.row * max(1, round(shape.calls / UNITS_PER_CALL))
        return total + (self.small if shape.thinking else 0)

    def _text(self, units: int) -> int:
        return round(self.line * (units / self.characters * LINES_PER_TEXT + 0.5)) if units else 0
