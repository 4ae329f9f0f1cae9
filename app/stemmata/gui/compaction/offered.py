"""The compaction that the window offers for the open session: what it keeps, its plan and the size of its summary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.compaction.digest_size import DigestSize
from stemmata.gui.compaction.planning import KeptPart, PlannedOffer, Planner
from stemmata.gui.context.compact_block import CompactPreview, Offer, with_summary
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.window_context import WindowContext
from stemmata.services.compaction.request import CompactionRequest

MINIMUM_KEEP = 100  # tokens: the slider offers to keep at least this many


@dataclass(frozen=True, slots=True)
class HeldCut:
    """A cut beside the displayed one: its first kept entry (store key), the size of its written summary in estimated
    tokens, and its offer once it is planned. `is_first` says whether it is cut A."""

    cut: int
    written: int | None
    offer: Offer | None
    is_first: bool = True

    @property
    def name(self) -> str:
        """Return “A” for the first of the two compared cuts, “B” for the second."""
        return "A" if self.is_first else "B"


class OfferedCompaction(QObject):
    """Plans the offered compaction again after each change of the kept part or of the session.

    The displayed offer stays until the new one is planned. The block in the context column shows it, except while
    the workbench does (`in_workbench`). The workbench may hold a second cut, which is planned along (`held`).
    """

    planned = Signal(object)  # PlannedOffer; its offer, if any, is `offer` now
    refused = Signal(str)  # the reason why the chosen part cannot be kept; an earlier one is kept instead
    cut_changed = Signal()  # a new plan has another cut
    changed = Signal()  # the offer has to be displayed again
    digest_computed = Signal(int)  # the number of entries whose texts were read for it

    def __init__(self, shared: WindowContext, block: CompactPreview, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._bridge, self._background = shared.services, shared.bridge, shared.background
        self._opened, self._block = shared.opened, block
        self.offer: Offer | None = None  # the displayed offer; None when nothing can be compacted
        self.kept_part = KeptPart()  # as the user chose it; the displayed offer may have an earlier one
        self.held: HeldCut | None = None  # the cut that is compared with the displayed one
        self.in_workbench = False
        self._shown: tuple[SessionTree, KeptPart] | None = None  # tree and kept part of the displayed offer
        self._written: int | None = None  # estimated tokens of the written summary
        self._digest = DigestSize(shared, self._request_to_measure, self)
        self._digest.measured.connect(self._on_measured)
        self._plan_run = LatestOnly()

    @property
    def cut(self) -> int | None:
        """Store key of the entry below the displayed cut: the first kept one, or the first replaced one of a branch.

        None when nothing is offered, or when nothing is kept.
        """
        session_tree, offer = self._opened.session_tree, self.offer
        if session_tree is None or offer is None:
            return None
        plan = offer.preview.plan
        below = plan.kept[:1] if plan.first_summarised is None else (plan.first_summarised,)
        return session_tree.tree.key(below[0]) if below else None

    @property
    def slider(self) -> int:
        """Position of the slider, in tokens; 0 without an offer."""
        if self.offer is None:
            return 0
        forecast, chosen = self.offer.forecast, self.kept_part
        return forecast.scaled(forecast.kept if chosen.keep is None or chosen.cut is not None else chosen.keep)

    def request(self, focus: str = "", text: str | None = None) -> CompactionRequest | None:
        """Return the offered compaction with this focus and summary; None when nothing is offered."""
        session, offer, session_tree = self._opened.session, self.offer, self._opened.session_tree
        if session is None or session.leaf is None or offer is None or session_tree is None:
            return None
        is_branch = offer.is_branch_summary
        return CompactionRequest(
            session=session.key,
            leaf=session.leaf,
            first_kept=None if is_branch else self.cut,
            from_entry=self.cut if is_branch else None,
            focus=focus,
            text=text,
            operation=uuid4().hex,
            prune=PruneOccasion.BY_HAND if self.kept_part.prune_first and not is_branch else None,
        )

    # -- the kept part -----------------------------------------------------------------------------------------------

    def keep(self, tokens: int) -> None:
        """Keep `tokens` of the newest tokens, the position of the slider, and plan again."""
        wanted = tokens if self.offer is None else self.offer.forecast.estimate(tokens)
        self.kept_part = replace(self.kept_part, keep=max(wanted, MINIMUM_KEEP), cut=None)
        self.plan()

    def keep_from(self, cut: int | None, from_entry: int | None = None) -> None:
        """Choose the first kept entry, or the first one that a branch summary replaces (store keys); None for either.

        The caller plans, perhaps later.
        """
        self.kept_part = replace(self.kept_part, cut=cut, from_entry=from_entry)

    def move_cut(self, key: int) -> None:
        """Cut at an entry (store key): it is the first kept one, or the first replaced one of a branch summary."""
        is_branch = self.kept_part.from_entry is not None
        self.kept_part = replace(self.kept_part, from_entry=key) if is_branch else replace(self.kept_part, cut=key)
        self.plan()

    def prune_first(self, *, on: bool) -> None:
        """Prune tool results before the compaction, or not."""
        self.kept_part = replace(self.kept_part, prune_first=on)
        self.plan()

    def forget_cut(self) -> None:
        """Forget the chosen cut and the written summary: the workbench was left."""
        self.kept_part = replace(self.kept_part, cut=None, from_entry=None)
        self._written = None

    # -- two cuts ----------------------------------------------------------------------------------------------------

    def hold_cut(self) -> None:
        """Keep the displayed cut as cut A, so that the workbench can compare another cut with it."""
        cut = self.cut
        if cut is not None:
            self.held = HeldCut(cut, self._written, self.offer)

    def swap_cuts(self) -> None:
        """Use the held cut, and hold the one that was used."""
        held, cut = self.held, self.cut
        if held is not None and cut is not None:
            self.held = HeldCut(cut, self._written, self.offer, is_first=not held.is_first)
            self.kept_part = replace(self.kept_part, cut=held.cut)
            self._written, self.offer = held.written, held.offer or self.offer
            self.plan()

    # -- planning ----------------------------------------------------------------------------------------------------

    def plan(self) -> None:
        """Plan the compaction again."""
        opened = self._opened
        session_tree, leaf = opened.session_tree, opened.leaf
        if session_tree is None:
            return  # planned when the session is read
        if leaf is None:
            self._plan_run.cancel()
            reason = self.tr("Nothing to compact: the context is empty.")
            self._on_planned(PlannedOffer(KeptPart(), None, reason))
            return
        path_totals = opened.path_totals_to(leaf)
        kept_part = self.kept_part
        held = None if self.held is None else self.held.cut
        planner = Planner(self._services, session_tree, leaf, path_totals)
        planned = self._background.submit(lambda: planner.plan(kept_part, held))
        self._bridge.when_done(planned, self._on_planned, run=self._plan_run)

    def _on_planned(self, planned: PlannedOffer) -> None:
        if planned.offer is None and planned.kept_part.is_manual:
            self.refused.emit(planned.reason)
            self._restore_last_choice()
            return
        before, self.offer = self.cut, self._sized(planned.offer)
        if before != self.cut:
            self.cut_changed.emit()
        if self.held is not None and planned.held is not None:
            offer, written = planned.held, self.held.written
            self.held = replace(self.held, offer=offer if written is None else with_summary(offer, written))
        self._shown = None if self._opened.session_tree is None else (self._opened.session_tree, planned.kept_part)
        if planned.offer is None:
            self._block.show_reason(planned.reason, can_prune=planned.can_prune)
        self.planned.emit(planned)

    def _restore_last_choice(self) -> None:
        """Replace a choice that cannot be planned by the last possible one, else by the amount of the settings."""
        if self.offer is not None and self._shown is not None and self._shown[0] is self._opened.session_tree:
            self.kept_part = replace(self._shown[1], prune_first=self.kept_part.prune_first)
            self.changed.emit()
        else:
            self.kept_part = KeptPart(prune_first=self.kept_part.prune_first)
            self.plan()

    def start_anew(self) -> None:
        """Forget the offer: another session is opened, or none."""
        self.kept_part = KeptPart(prune_first=self.kept_part.prune_first)
        self.offer = None
        self._plan_run.cancel()
        self._digest.forget()
        if self._opened.key is None:
            self._block.show_reason(self.tr("Open a session to see what a compaction would do."))
        else:
            self._block.show_waiting()

    def show_in_block(self) -> None:
        """Show the offer in the block of the context column."""
        if self.offer is not None:
            self._block.show_offer(self.offer, self.slider, prune_first=self.kept_part.prune_first)

    # -- the size of the summary -------------------------------------------------------------------------------------

    def measure_later(self) -> None:
        """Measure the digest when neither the session nor the offer has changed for a while."""
        self._digest.measure_later()

    def stop_measuring(self) -> None:
        """End the measuring, which would delay the draft of the workbench."""
        self._digest.stop()

    def take_size(self, tokens: int) -> None:
        """Use the size of the summary that was written in the workbench, in estimated tokens."""
        self._tell_computed()
        self._written = tokens
        self.offer = self._sized(self.offer)
        self.changed.emit()

    def _request_to_measure(self) -> tuple[CompactionRequest, int] | None:
        """Return the offered compaction and the number of entries that it summarises; None in the workbench."""
        request = None if self.in_workbench else self.request()
        if request is None or request.from_entry is not None or self.offer is None:
            return None
        plan = self.offer.preview.plan
        return request, len(plan.summarised) + len(plan.turn_prefix)

    def _on_measured(self) -> None:
        self._tell_computed()
        if not self.in_workbench:
            self.offer = self._sized(self.offer)
            self.changed.emit()

    def _sized(self, offer: Offer | None) -> Offer | None:
        """Return the offer with the size of the written summary or measured digest in place of the assumed size."""
        size = self._digest.tokens if self._written is None else self._written
        return offer if offer is None or size is None else with_summary(offer, size)

    def _tell_computed(self) -> None:
        if self.offer is not None:
            plan = self.offer.preview.plan
            self.digest_computed.emit(len(plan.summarised) + len(plan.turn_prefix))
