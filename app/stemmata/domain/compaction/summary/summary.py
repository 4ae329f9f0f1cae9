"""Summaries: what a summariser gets and gives, and how a summary is put before the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stemmata.domain.compaction.operations import Operations
from stemmata.domain.entries.entry import Entry

COMPACTION_INTRO = "Everything said before this point has been replaced by this summary of it:"
BRANCH_INTRO = "Another branch of this conversation was left; this is a summary of what happened on it:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryInput:
    """What is to be summarised: whole entries in the order of the path, pinned ones left out.

    `turn_prefix` is the first part of a turn whose rest is kept word for word. `previous` is the text of the
    summary these entries follow on, to be merged in; it counts also when there is nothing but a turn prefix.
    `focus` is what the person asked to keep most of.
    """

    entries: Sequence[Entry] = ()
    turn_prefix: Sequence[Entry] = ()
    previous: str = ""
    previous_operations: Operations = field(default_factory=Operations)
    focus: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """`operations` are computed from the entries and those carried, never taken from the text."""

    text: str
    operations: Operations
    summariser: str


class Summariser(Protocol):
    """Makes summaries; `name` is what the archive records as their maker."""

    name: str

    def summarise(self, given: SummaryInput) -> Summary: ...


def compaction_message(summary: str) -> str:
    """The user message that stands for a compaction."""
    return f"{COMPACTION_INTRO}\n\n<summary>\n{_closed(summary)}\n</summary>"


def branch_message(summary: str) -> str:
    """The user message that stands for a branch summary (no newline before the closing tag, as pi sends it)."""
    return f"{BRANCH_INTRO}\n\n<summary>\n{_closed(summary)}</summary>"


def _closed(summary: str) -> str:
    """A closing tag inside the summary would end it early, so it is broken up."""
    return summary.replace("</summary>", "</ summary>")
