"""Working out a compaction's offer: pure, and run away from the GUI thread because long branches take a while."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from stemmata.domain.compaction.prune import PrunePlan
from stemmata.domain.entries.path_totals import Line
from stemmata.domain.entries.session_facts import Skeleton
from stemmata.domain.errors import NothingToDoError
from stemmata.gui.context.compact_offer import Offer, offer_of
from stemmata.gui.text.phrases import told
from stemmata.services.compaction.compaction import Preview
from stemmata.services.services import Services


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be kept: from an entry on (store key), so many tokens, or as the settings say when both are None."""

    cut: int | None = None
    keep: int | None = None
    prune_first: bool = False

    @property
    def by_hand(self) -> bool:
        """Whether a person chose what is kept."""
        return self.cut is not None or self.keep is not None


@dataclass(frozen=True, slots=True)
class Planned:
    """An offer, or the reason why there is none."""

    wish: Wish
    offer: Offer | None
    reason: str = ""
    can_prune: bool = False


def plan(services: Services, skeleton: Skeleton, leaf: int, line: Line, wish: Wish) -> Planned:
    """Never raises for a session that cannot be compacted. `line` holds the leaf."""
    prune = _prune(services, skeleton, leaf, line)
    try:
        preview = _preview(services, skeleton, leaf, line, wish)
    except NothingToDoError as error:
        return Planned(wish, None, told(str(error)), prune is not None)
    return Planned(wish, offer_of(preview, prune, line, prune_first=wish.prune_first), can_prune=prune is not None)


def _preview(services: Services, skeleton: Skeleton, leaf: int, line: Line, wish: Wish) -> Preview:
    """With what the settings keep; where that would be all of a short session, with half of it."""
    tree = skeleton.tree
    cut = tree.get(wish.cut)
    on_line = cut if cut is not None and cut in line else None  # else another path is shown since it was chosen
    preview = partial(services.compaction.preview, skeleton, leaf, line=line)
    try:
        return preview(first_kept=on_line, keep_recent_tokens=wish.keep)
    except NothingToDoError:
        if wish.cut is not None or wish.keep is not None:
            raise
    messages = services.contexts.at(skeleton, leaf, line).projection.messages
    return preview(keep_recent_tokens=sum(tree.tokens(message.entry) for message in messages) // 2)


def _prune(services: Services, skeleton: Skeleton, leaf: int, line: Line) -> PrunePlan | None:
    try:
        return services.pruning.preview(skeleton, leaf, line)
    except NothingToDoError:
        return None
