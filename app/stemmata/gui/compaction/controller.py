"""The controller of the offered compaction, from the choice of its cut until it is accepted.

The compact preview, the workbench and the cut in the transcript all show the same offer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from stemmata.domain.compaction.pruning import PruneOccasion
from stemmata.domain.entries.tree import Tree
from stemmata.domain.sessions.session import SessionTree
from stemmata.gui.branches.controller import BranchesController
from stemmata.gui.compaction.digest_size import DigestSize
from stemmata.gui.compaction.panel import ComparedCut, WorkbenchPanel
from stemmata.gui.compaction.planning import KeptPart, PlannedOffer, Planner
from stemmata.gui.compaction.reports import CompactionReports
from stemmata.gui.compaction.summary import CompactionSummary
from stemmata.gui.context.compact_block import Offer, with_summary
from stemmata.gui.context.view import ContextColumn
from stemmata.gui.core.actions import State
from stemmata.gui.core.bridge import LatestOnly
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.transcript.view import TranscriptView
from stemmata.services.chat.compaction_notices import noted
from stemmata.services.compaction.request import Compaction, CompactionRequest

MINIMUM_KEEP = 100  # tokens: the slider offers to keep at least this many


@dataclass(frozen=True, slots=True)
class HeldCut:
    """A cut beside the displayed one: its first kept entry (store key), the size of its written summary in estimated
    tokens, and its offer once it is planned. `is_first` says whether it is cut A."""

    cut: int
    written: int | None
    offer: Offer | None
    is_first: bool = True


class CompactionController(QObject):
    """Plans the compaction that the user chose, shows it in the block or the workbench, and stores it on *Accept*."""

    mode_changed = Signal(bool)  # True when the workbench opens
    digest_computed = Signal(int)  # the number of entries whose texts were read for it

    def __init__(
        self,
        shared: WindowContext,
        branches: BranchesController,
        column: ContextColumn,
        panel: WorkbenchPanel,
        transcript: TranscriptView,
        reports: CompactionReports,
    ) -> None:
        super().__init__(panel)
        self._services, self._bridge, self._background = shared.services, shared.bridge, shared.background
        self._actions, self._toast, self._reports = shared.actions, shared.toast, reports
        self._opened, self._branches, self._block, self._panel = shared.opened, branches, column.preview, panel
        self._transcript = transcript
        self._choice = KeptPart()  # as the user chose it; the displayed offer may have an earlier one
        self._open = self._entering = False
        self._opening = TurnSteps(self)
        self._offer: Offer | None = None
        self._shown: tuple[SessionTree, KeptPart] | None = None  # tree and kept part of the displayed offer
        self._written: int | None = None  # estimated tokens of the written summary
        self._digest = DigestSize(shared, self._request_to_measure, self)
        self._held: HeldCut | None = None  # the cut that is compared with the displayed one
        self._plan_run = LatestOnly()
        self._focus = ""  # the focus text to fill in when the workbench opens
        self._is_typed = False  # whether the command /compact opened the workbench
        self._of: int | None = None  # key of the session that the workbench was opened for
        # edited summaries to fill in when the workbench opens, and their drafts; by the key of their session
        self._left: dict[int, tuple[str, str]] = {}
        # scroll position of the transcript when the workbench opened; None for its end
        self._place: tuple[int, int] | None = None
        self.summary = CompactionSummary(shared, panel, self._request)
        self._connect()

    @property
    def offer(self) -> Offer | None:
        """The displayed offer; None when nothing can be compacted."""
        return self._offer

    # -- the preview --------------------------------------------------------------------------------------------

    def open(
        self,
        cut: int | None = None,
        focus: str = "",
        *,
        from_entry: int | None = None,
        is_typed: bool = False,
    ) -> None:
        """Open the workbench, with the cut at entry `cut` when given.

        `focus` tells the summariser which subjects matter. With `from_entry` it previews a branch summary that
        replaces everything from this entry on. The note about a compaction by a command (`is_typed`) is the command's
        answer. While the session is being read, the workbench opens after that.
        """
        if self._opened.key is None:
            return
        if self._open:
            if cut is not None or from_entry is not None:
                self._choice = replace(self._choice, cut=cut, from_entry=from_entry)
                self._end_comparison()
                self._plan()
                self.summary.rest()
            return
        self._choice = replace(self._choice, cut=cut, from_entry=from_entry)
        self._focus, self._is_typed = focus, is_typed
        self._entering = True
        if self._opened.session_tree is None:
            self._opened.resume(None, None)  # at the leaf
            return
        if not self._opened.is_at_leaf:
            self._opened.view_leaf()
        self._plan()

    def _enter(self) -> None:
        """Open the workbench in several turns of the event loop: fill it while it is hidden, then show it."""
        if self._block.reason:
            self._show_offer()  # the block has shown none yet
        self._digest.stop()  # it would delay the draft
        starts_anew = self._services.contexts.settings.strategy == "new-session"
        self._panel.reset(self._focus, starts_anew=starts_anew)
        self._show_in_panel()
        self._fill_in_left()
        self._opening.stop()
        self._opening.start(self._switch_columns, self._show_offer)

    def _switch_columns(self) -> None:
        self._open, self._place, self._of = True, self._transcript.place, self._opened.key
        self.mode_changed.emit(True)
        self._actions.set_state(State.PREVIEW)
        self.summary.start()
        self._panel.editor.focus_page()

    def _fill_in_left(self) -> None:
        """Show the edited summary that was left in this session, unless another one is being edited."""
        key = self._opened.key
        edited, draft = ("", "") if key is None else self._left.pop(key, ("", ""))
        if edited and not self._panel.edited:
            self._panel.show_text(edited, "", draft=draft)

    def leave(self) -> None:
        """Close the workbench without compacting."""
        self._opening.stop()
        if self._open:
            self._open = False
            self._choice = replace(self._choice, cut=None, from_entry=None)
            self._written, self._is_typed = None, False
            self._end_comparison()
            self.summary.stop()
            self._transcript.set_preview(None)
            self._actions.set_state(State.PREVIEW, on=False)
            self.mode_changed.emit(False)
            if self._offer is not None:
                self._plan()

    def open_behind(self, key: int) -> None:
        """Preview a compaction that summarises everything up to an entry of the active branch."""
        found = self._on_active_branch(key)
        if found is None:
            self._toast.tell(self.tr("Only the active branch can be compacted. Continue from there first."))
            return
        tree, entry, leaf = found
        if entry == leaf:
            self._toast.tell(
                self.tr("A compaction must keep at least one entry. Choose an entry above the last one.")
            )
        else:
            self.open(tree.key(tree.path(leaf)[len(tree.path(entry))]))

    def open_from(self, key: int) -> None:
        """Preview a branch summary that replaces everything from an entry of the active branch on."""
        if self._on_active_branch(key) is None:
            self._toast.tell(self.tr("Only the active branch can be summarised. Continue from there first."))
        else:
            self.open(from_entry=key)

    def _on_active_branch(self, key: int) -> tuple[Tree, int, int] | None:
        """Return the tree, an entry by its store key, and the leaf; None when the entry is not above the leaf."""
        session_tree, leaf = self._opened.session_tree, self._opened.leaf
        entry = None if session_tree is None else session_tree.tree.get(key)
        if session_tree is None or leaf is None or entry is None or not session_tree.tree.is_ancestor(entry, leaf):
            return None
        return session_tree.tree, entry, leaf

    def compare_cuts(self) -> None:
        """Hold the displayed cut to compare another one with it; while two cuts are compared, end the comparison."""
        cut = self._key_below_cut()
        if not self._open or cut is None:
            return
        if self._choice.from_entry is not None:
            self._toast.tell(self.tr("Only cuts with the summary above them can be compared."))
            return
        self._held = HeldCut(cut, self._written, self._offer) if self._held is None else None
        self._actions.set_state(State.TWO_CUTS, on=self._held is not None)
        self._show_offer()
        if self._held is not None:
            self._toast.tell(self.tr("Cut A is kept. Move the cut line to set cut B."))

    def use_other_cut(self) -> None:
        """Use the held cut, and hold the cut that was used."""
        held, cut = self._held, self._key_below_cut()
        if held is None or cut is None:
            return
        self._held = HeldCut(cut, self._written, self._offer, is_first=not held.is_first)
        self._choice = replace(self._choice, cut=held.cut)
        self._written, self._offer = held.written, held.offer or self._offer
        self._plan()
        self.summary.rest()

    def _end_comparison(self) -> None:
        self._held = None
        self._actions.set_state(State.TWO_CUTS, on=False)

    def _key_below_cut(self) -> int | None:
        """Return the store key of the entry below the displayed cut: the first kept one.

        Of a branch summary, it is the first replaced entry. None when nothing is offered, or when nothing is kept.
        """
        session_tree, offer = self._opened.session_tree, self._offer
        if session_tree is None or offer is None:
            return None
        plan = offer.preview.plan
        below = plan.kept[:1] if plan.first_summarised is None else (plan.first_summarised,)
        return session_tree.tree.key(below[0]) if below else None

    def toggle_editor(self) -> None:
        """Edit the summary of the preview, or show it as it will look."""
        self._panel.editor.edit(on=not self._panel.editor.is_editing)

    def step_back(self) -> None:
        """Leave the editor of the summary for its preview, or else close the workbench."""
        if self._panel.editor.is_editing:
            self._panel.editor.edit(on=False)
        else:
            self.cancel()

    def cancel(self) -> None:
        """Close the workbench and restore the transcript's scroll position. An edited summary can be had back."""
        if not self._open:
            return
        edited, session = self._panel.text, self._opened.key
        if edited and session is not None:
            back = partial(self._give_back, session, (edited, self._panel.draft), self._choice)
            self._toast.tell(self.tr("Your summary was not used."), self.tr("Edit again"), back, of_open=True)
        with self._transcript.arranged_once():
            self.leave()
            if self._place is None:
                self._transcript.scroll_to_end()
            else:
                self._transcript.show_place(*self._place)

    def _give_back(self, session: int, left: tuple[str, str], choice: KeptPart) -> None:
        """Open the workbench with a summary that the user edited before, or fill it into the open one."""
        self._left[session] = left
        if self._open:
            self._fill_in_left()
        self.open(choice.cut, from_entry=choice.from_entry)

    def _plan(self) -> None:
        """Plan the compaction again; the displayed offer stays until the result arrives."""
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
        choice = self._choice
        held = None if self._held is None else self._held.cut
        planner = Planner(self._services, session_tree, leaf, path_totals)
        planned = self._background.submit(lambda: planner.plan(choice, held))
        self._bridge.when_done(planned, self._on_planned, run=self._plan_run)

    def _on_planned(self, planned: PlannedOffer) -> None:
        entering, self._entering = self._entering, False
        if planned.offer is None and planned.kept_part.is_manual:
            if entering:
                self._toast.tell(planned.reason)
            self._restore_last_choice()
            return
        before, self._offer = self._key_below_cut(), self._measured(planned.offer)
        if self._open and before != self._key_below_cut():
            self.summary.rest()  # the plan may come later than the draft that was asked for with it
        if self._held is not None and planned.held is not None:
            offer, written = planned.held, self._held.written
            self._held = replace(self._held, offer=offer if written is None else with_summary(offer, written))
        self._shown = None if self._opened.session_tree is None else (self._opened.session_tree, planned.kept_part)
        if planned.offer is None:
            self._block.show_reason(planned.reason, can_prune=planned.can_prune)
            self._opening.stop()
            if self._open:
                self.leave()
            if entering:
                self._toast.tell(planned.reason)
            return
        if entering and not self._open:
            self._enter()
        else:
            self._show_offer()
            self._digest.measure_later()

    def _measured(self, offer: Offer | None) -> Offer | None:
        """Return the offer with the size of the written summary, or of the measured digest, for the assumed size."""
        size = self._digest.tokens if self._written is None else self._written
        return offer if offer is None or size is None else with_summary(offer, size)

    def _request_to_measure(self) -> tuple[CompactionRequest, int] | None:
        """Return the offered compaction and the number of entries that it summarises; None in the workbench."""
        request = None if self._open else self._request()
        if request is None or request.from_entry is not None or self._offer is None:
            return None
        plan = self._offer.preview.plan
        return request, len(plan.summarised) + len(plan.turn_prefix)

    def _on_measured(self) -> None:
        self._tell_computed()
        if not self._open:
            self._offer = self._measured(self._offer)
            self._show_offer()

    def _restore_last_choice(self) -> None:
        """Replace a choice that cannot be planned by the last possible one, else by the amount of the settings."""
        if self._offer is not None and self._shown is not None and self._shown[0] is self._opened.session_tree:
            self._choice = replace(self._shown[1], prune_first=self._choice.prune_first)
            self._show_offer()
        else:
            self._choice = KeptPart(prune_first=self._choice.prune_first)
            self._plan()

    def _show_offer(self) -> None:
        if self._offer is None:
            return
        # while the workbench is open, the block is hidden; updating it would lay it out at each move of the cut
        if not self._open:
            self._block.show_offer(self._offer, self._slider(self._offer), prune_first=self._choice.prune_first)
        else:
            self._show_in_panel()
            self.summary.show_effect(self._offer.before.total.value, self._offer.after.total.value)
            self._transcript.set_preview(self._offer.preview.plan, self._offer.replaced.value or 0)
            self._transcript.hold_cut(*self._held_mark())

    def _show_in_panel(self) -> None:
        offer, held = self._offer, self._held
        if offer is not None:
            compared = None if held is None or held.offer is None else ComparedCut(held.offer, held.is_first)
            self._panel.show_offer(offer, self._slider(offer), prune_first=self._choice.prune_first, held=compared)
            self.summary.scaled = offer.forecast.scaled

    def _slider(self, offer: Offer) -> int:
        """Return the position of the slider for an offer, in tokens."""
        forecast, choice = offer.forecast, self._choice
        return forecast.scaled(forecast.kept if choice.keep is None or choice.cut is not None else choice.keep)

    def _held_mark(self) -> tuple[int | None, str]:
        """Return the first kept entry (store key) of the held cut and its name; (None, "") without one."""
        held = self._held
        if held is None:
            return None, ""
        return held.cut, "A" if held.is_first else "B"

    def _tell_computed(self) -> None:
        if self._offer is not None:
            plan = self._offer.preview.plan
            self.digest_computed.emit(len(plan.summarised) + len(plan.turn_prefix))

    def _on_drafted(self, tokens: int) -> None:
        self._tell_computed()
        self._written = tokens
        self._offer = self._measured(self._offer)
        self._show_offer()

    @property
    def is_open(self) -> bool:
        """Whether the workbench is open, with its preview."""
        return self._open and not self._opening.is_active

    # -- requests -------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Compact as previewed, after the pruning when its box is ticked."""
        request = self.summary.ready()
        if request is None or self._offer is None:
            self._panel.writer.write.setFocus()  # the button that writes the missing summary
            return
        self._panel.accept.setEnabled(False)
        self._opened.follow_leaf()
        request = replace(request, command="/compact") if self._is_typed else request
        is_branch = request.from_entry is not None
        if not is_branch and (self._is_typed or self._services.contexts.settings.notify):
            request = replace(request, notice=noted)
        compactions, starts_anew = self._services.compaction, self._panel.new_session.isChecked()
        run = compactions.run_in_new_session if starts_anew and not is_branch else compactions.run

        def done(made: Compaction) -> None:
            if self._opened.key == request.session:  # else the workbench, if it is open, previews another session
                self.leave()
            self._reports.report(made, request)

        def failed(error: Exception) -> None:
            self._panel.accept.setEnabled(True)
            self._bridge.failed.emit(error)

        self._bridge.when_done(run(request), done, failed)

    def _request(self) -> CompactionRequest | None:
        session, offer, session_tree = self._opened.session, self._offer, self._opened.session_tree
        if session is None or session.leaf is None or offer is None or session_tree is None:
            return None
        is_branch = offer.is_branch_summary
        return CompactionRequest(
            session=session.key,
            leaf=session.leaf,
            first_kept=None if is_branch else self._key_below_cut(),
            from_entry=self._key_below_cut() if is_branch else None,
            focus=self._panel.focus.text().strip() if self._open else "",
            text=self._panel.text if self._open else None,
            operation=uuid4().hex,
            prune=PruneOccasion.BY_HAND if self._choice.prune_first and not is_branch else None,
        )

    # -- handlers -------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        block, panel = self._block, self._panel
        for part in (block, panel):
            part.keep_changed.connect(self._on_keep_changed)
            part.prune_first_changed.connect(lambda on: self._set_prune_first(on=on))
        block.compact_requested.connect(self.open)
        panel.accepted.connect(self.accept)
        panel.cuts_compared.connect(self.compare_cuts)
        panel.other_cut_wanted.connect(self.use_other_cut)
        panel.cancelled.connect(self.cancel)
        panel.focus_changed.connect(lambda _text: self.summary.draft())
        self._digest.measured.connect(self._on_measured)
        self.summary.drafted.connect(self._on_drafted)
        self._transcript.cut_moved.connect(self._on_cut_moved)
        self._transcript.held_cut_chosen.connect(self.use_other_cut)
        self._transcript.pin_requested.connect(lambda key: self._branches.pin([key]))
        self._opened.started.connect(self._on_started)
        self._opened.failed.connect(self._on_not_read)
        self._opened.tree_read.connect(self._on_tree_read)

    def _on_started(self) -> None:
        if self._open and self._of is not None and self._panel.text:
            self._left[self._of] = self._panel.text, self._panel.draft
        self.leave()
        self._choice = KeptPart(prune_first=self._choice.prune_first)
        self._offer, self._entering = None, False
        self._plan_run.cancel()
        self._digest.forget()
        if self._opened.key is None:
            self._block.show_reason(self.tr("Open a session to see what a compaction would do."))
        else:
            self._block.show_waiting()

    def _on_not_read(self) -> None:
        self._entering = False  # otherwise a later change would open the workbench

    def _on_tree_read(self) -> None:
        """Plan again: an entry was added, pinned or excluded."""
        self._plan()
        if self._open:
            self.summary.rest()

    def _on_keep_changed(self, tokens: int) -> None:
        wanted = tokens if self._offer is None else self._offer.forecast.estimate(tokens)
        self._choice = replace(self._choice, keep=max(wanted, MINIMUM_KEEP), cut=None)
        self._plan()
        self.summary.rest()

    def _set_prune_first(self, *, on: bool) -> None:
        self._choice = replace(self._choice, prune_first=on)
        self._plan()

    def _on_cut_moved(self, key: int) -> None:
        is_branch = self._choice.from_entry is not None
        self._choice = replace(self._choice, from_entry=key) if is_branch else replace(self._choice, cut=key)
        self._plan()
        self.summary.rest()
