"""Why compactions are repeated and bring little: the causes that can be seen in the figures of a context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from stemmata.domain.context.breakdown import Breakdown, Budget
from stemmata.domain.entries.categories import Category
from stemmata.domain.settings.settings import CompactionSettings

FEW_REPLIES = 4  # a compaction that lasts for fewer replies is repeated too soon
LITTLE = 4  # a compaction that saves less than 1/4 of the context brings little
SMALL_WINDOW = 32_000  # tokens; an agent's tools fill such a window in a few turns
LARGE_SHARE = 3  # a part that takes more than 1/3 of the trigger, or of the window, is a cause


class Cause(Enum):
    """A cause of repeated compactions."""

    WINDOW = "window"  # the model's window is small
    RESERVE = "reserve"  # the reserve takes a large part of the window, so that the trigger is low
    FIXED = "fixed"  # system prompt and tool definitions, which no compaction leaves out, are large
    TOOLS = "tools"  # tool results fill the context
    GROWTH = "growth"  # single messages or replies are large; used when no other cause fits


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain of an automatic compaction: the sizes in tokens, and the replies since the automatic one before it.

    `replies` counts every message of the model, also those that call tools; None for the first automatic compaction.
    """

    before: int
    after: int
    replies: int | None

    @property
    def is_repeated(self) -> bool:
        """Whether the automatic compaction followed the previous compaction too soon or freed little."""
        if self.replies is None:
            return False
        return self.replies < FEW_REPLIES or (self.before - self.after) * LITTLE < self.before


def causes_of(budget: Budget, settings: CompactionSettings, before: Breakdown) -> tuple[Cause, ...]:
    """Return the causes in a context that was compacted again too soon. At least one is returned."""
    return tuple(_causes(budget, settings, before)) or (Cause.GROWTH,)


def _causes(budget: Budget, settings: CompactionSettings, before: Breakdown) -> Iterator[Cause]:
    if budget.window is not None and budget.trigger is not None:
        if budget.window <= SMALL_WINDOW:
            yield Cause.WINDOW
        is_lowered = budget.trigger < budget.window * settings.threshold_percent // 100
        if is_lowered and budget.reserve * LARGE_SHARE > budget.window:
            yield Cause.RESERVE
        if fixed_tokens(before) * LARGE_SHARE > budget.trigger:
            yield Cause.FIXED
    if tool_tokens(before) * LARGE_SHARE > (before.total.value or 0):
        yield Cause.TOOLS


def fixed_tokens(breakdown: Breakdown) -> int:
    """Return the tokens of the system prompt and the tool definitions."""
    return sum(breakdown.categories[part].value or 0 for part in (Category.SYSTEM, Category.TOOL_DEFINITIONS))


def tool_tokens(breakdown: Breakdown) -> int:
    """Return the tokens of the tool results."""
    return breakdown.categories[Category.TOOL_RESULTS].value or 0
