"""Plans the compaction that the window offers: the part to keep, the plan for it, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from stemmata.domain.compaction.pruning import PrunePlan
from stemmata.domain.entries.path_totals import PathTotals
from stemmata.domain.errors import NothingToDoError
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.context.compact_block import Offer, offer_of
from stemmata.gui.text.phrases import translate_phrase
from stemmata.services.compaction.request import Preview
from stemmata.services.services import Services


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The part of the context that a compaction keeps.

    It is the part from the entry `cut` on (store key, where the user moved the cut), or the newest `keep` estimated
    tokens (chosen with the slider), or the settings' amount when both are None. With `from_entry` (store key),
    everything above that entry is kept, and a branch summary replaces the rest. `prune_first` says whether tool
    results are pruned before the compaction.
    """

    cut: int | None = None
    keep: int | None = None
    prune_first: bool = False
    from_entry: int | None = None

    @property
    def is_manual(self) -> bool:
        """Whether the user chose the part to keep."""
        return (self.cut, self.keep, self.from_entry) != (None, None, None)


@dataclass(frozen=True, slots=True)
class PlannedOffer:
    """The result of planning: an offer, or the reason why there is none. `held` is the offer of the held cut."""

    kept_part: KeptPart
    offer: Offer | None
    reason: str = ""
    can_prune: bool = False
    held: Offer | None = None


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans compactions at one leaf (index in the tree) of a session, on any thread.

    `path_totals` are the totals of a path that contains the leaf.
    """

    services: Services
    session_tree: SessionTree
    leaf: int
    path_totals: PathTotals

    def plan(self, kept_part: KeptPart, held: int | None = None) -> PlannedOffer:
        """Plan the compaction that keeps `kept_part`.

        For a session that cannot be compacted, this returns a reason and raises no exception. `held` is the first
        kept entry (store key) of another cut, which is planned too, so that the two can be compared.
        """
        prune = None if kept_part.from_entry is not None else self._pruning()
        try:
            other = None if held is None else self._offer(replace(kept_part, cut=held, keep=None), prune)
        except NothingToDoError:
            other = None  # the held cut is above a compaction that was made after the cut was held
        try:
            return PlannedOffer(kept_part, self._offer(kept_part, prune), can_prune=prune is not None, held=other)
        except NothingToDoError as error:
            return PlannedOffer(kept_part, None, translate_phrase(str(error)), prune is not None)

    def _pruning(self) -> PrunePlan | None:
        """Return which tool results can be pruned; None when there are none."""
        try:
            return self.services.pruning.preview(self.session_tree, self.leaf, self.path_totals)
        except NothingToDoError:
            return None

    def _offer(self, kept_part: KeptPart, prune: PrunePlan | None) -> Offer:
        preview = self._preview(kept_part)
        return offer_of(preview, prune, self.path_totals, prune_first=kept_part.prune_first)

    def _preview(self, kept_part: KeptPart) -> Preview:
        """Return the preview of a compaction that keeps this part of the session word for word.

        If the session is shorter than the amount in the settings, half of it is kept.
        """
        tree, compaction = self.session_tree.tree, self.services.compaction
        preview = partial(compaction.preview, self.session_tree, self.leaf, path_totals=self.path_totals)
        if kept_part.from_entry is not None:
            return preview(from_entry=tree.get(kept_part.from_entry))
        cut = tree.get(kept_part.cut)
        # None when the displayed path changed since the cut was chosen
        shown_cut = cut if cut is not None and cut in self.path_totals else None
        try:
            return preview(first_kept=shown_cut, keep_recent_tokens=kept_part.keep)
        except NothingToDoError:
            if kept_part.is_manual:
                raise
        messages = self.services.contexts.at(self.session_tree, self.leaf, self.path_totals).projection.messages
        return preview(keep_recent_tokens=sum(tree.tokens(message.entry) for message in messages) // 2)
