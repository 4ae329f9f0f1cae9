"""The request for a compaction, its preview, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stemmata.domain.compaction.forecast import Forecast
from stemmata.domain.compaction.plan import (
    Plan,
)
from stemmata.domain.compaction.pruning import PruneOccasion, PrunePlan
from stemmata.domain.compaction.summary.signed import SignedSummary
from stemmata.domain.compaction.summary.summary import Summary
from stemmata.domain.context.breakdown import Breakdown
from stemmata.domain.entries.entry import Usage
from stemmata.services.ports.archive import ArchiveReader

AUTOMATIC = "threshold"  # the trigger of automatic compactions after a reply


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRequest:
    """A request to compact. Keys are store keys.

    `leaf` is the leaf that the caller saw; a session whose leaf has moved is not compacted. Give `first_kept` for a
    cut chosen by the user, `text` for a summary that is already written, `operation` to make a repeated request
    harmless. `maker` is the writer of the text ("" for the user), `usage` the cost of writing it; `signed` is the
    block that its provider expects in place of the text. With `of_run`, `leaf` is a run's tip and is compacted
    wherever the session's leaf is; a leaf at the tip moves along. `whole` keeps only pinned entries word for word.
    `most_kept` limits the kept part of the settings, in estimated tokens. `longest_summary` is the most estimated
    tokens of the summary; None for the part of the model's window that `Budget.part_left` gives. `prune` is the
    occasion on which tool output is pruned in the same transaction, when any can be pruned; None for no pruning.
    `notice` returns the text of a note that is stored below the compaction in the same transaction, so that one undo
    takes back everything; it runs on the db thread before anything is stored. `command` is the command that the note
    answers, "" for none. With `from_entry`, everything from this entry on is replaced by a branch summary, and the
    entries above are kept: the leaf moves to the summary, which is stored beside the entry. Pruning and notes do not
    apply.
    """

    session: int
    leaf: int
    first_kept: int | None = None
    from_entry: int | None = None
    keep_recent_tokens: int | None = None
    focus: str = ""
    text: str | None = None
    trigger: str = "manual"
    operation: str = ""
    maker: str = ""
    usage: Usage | None = None
    signed: SignedSummary | None = None
    of_run: bool = False
    whole: bool = False
    most_kept: int | None = None
    longest_summary: int | None = None
    prune: PruneOccasion | None = None
    notice: Callable[[ArchiveReader, CompactionRequest, Compaction], str] | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The forecast of a compaction before its summary is written.

    Both sizes are scaled as the context's figures are.
    """

    plan: Plan
    before: Breakdown
    forecast: Forecast

    @property
    def after(self) -> Breakdown:
        """The forecast breakdown after the compaction."""
        return self.forecast.after


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of a compaction, or of a dry run, for which `entry` is None.

    `session` is the new session that continues the old one; None when the old one continues. `tip` is the key of the
    last stored entry, which is the note when there is one; `notice` is the text of that note. `prune` is the pruning
    before the compaction; None without one. `before` is the context before both. `usage` has the tokens of the model
    for the summary, None when the digest or a person wrote it.
    """

    plan: Plan
    before: Breakdown
    after: Breakdown
    summary: Summary
    entry: int | None = None
    session: int | None = None
    tip: int | None = None
    notice: str = ""
    prune: PrunePlan | None = None
    usage: Usage | None = None
