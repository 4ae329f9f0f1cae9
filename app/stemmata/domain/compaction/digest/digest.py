"""The digest: a summary made without a model, from the entries themselves, the same for the same entries.

Requests are kept in the person's own words, as are sentences that set limits (told by English words such as never,
always, don't, must, only, prefer); files, commands, errors and the plan are computed. An earlier summary is merged
in section by section; one in a form we do not know is kept as a quote, never nested twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from stemmata.domain.compaction.digest.layout import lay_out
from stemmata.domain.compaction.digest.operations_part import commands, errors, files
from stemmata.domain.compaction.digest.story import (
    Story,
    blocked,
    constraints,
    context,
    decisions,
    done,
    goal,
    in_progress,
    steps,
)
from stemmata.domain.compaction.digest.turns import turns_of
from stemmata.domain.compaction.focus import Focus
from stemmata.domain.compaction.operations import operations_of
from stemmata.domain.compaction.summary.sections import sections_of
from stemmata.domain.compaction.summary.summary import Summary, SummaryInput
from stemmata.domain.entries.entry import Entry
from stemmata.domain.entries.tokens import UNITS_PER_TOKEN, units

MAX_TOKENS = 9830  # three quarters of what pi lets a model write (0.8 × 16,384)


class DigestSummariser:
    """Always available. `max_tokens` bounds the summary by our own estimate; below 300 nothing useful fits."""

    name = "digest"

    def __init__(self, max_tokens: int = MAX_TOKENS) -> None:
        self._longest = max(300, max_tokens) * UNITS_PER_TOKEN

    def summarise(self, given: SummaryInput) -> Summary:
        entries = (*given.entries, *given.turn_prefix)
        operations = operations_of(entries, given.previous_operations)
        story = _story(given, entries)
        parts = [
            goal(story),
            constraints(story),
            done(story),
            in_progress(story),
            blocked(story, operations),
            decisions(story),
            *files(operations, story),
            *commands(operations, story),
            errors(operations, story),
            steps(story, operations),
            *context(story),
        ]
        text = lay_out(parts, self._longest)
        while units(text) > self._longest:  # many characters outside the BMP count twice
            text = lay_out(parts, len(text) * self._longest // units(text) - 1)
        return Summary(text, operations, self.name)


def digest(given: SummaryInput) -> Summary:
    """The digest at its usual size."""
    return DigestSummariser().summarise(given)


def _story(given: SummaryInput, entries: Sequence[Entry]) -> Story:
    sections, rest = sections_of(given.previous)
    return Story(
        turns=turns_of(given.entries),
        prefix=turns_of(given.turn_prefix),
        entries=entries,
        earlier=sections,
        foreign=rest,
        focus=Focus(given.focus),
    )
