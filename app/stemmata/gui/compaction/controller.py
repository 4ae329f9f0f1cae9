"""The controller of the workbench, from *Compact…* until the offered compaction is accepted or left.

The block in the context column, the workbench and the cut in the transcript all show the same offer.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from stemmata.domain.entries.tree import Tree
from stemmata.gui.branches.controller import BranchesController
from stemmata.gui.compaction.offered import OfferedCompaction
from stemmata.gui.compaction.panel import ComparedCut, WorkbenchPanel
from stemmata.gui.compaction.planning import KeptPart, PlannedOffer
from stemmata.gui.compaction.reports import CompactionReports
from stemmata.gui.compaction.summary import CompactionSummary
from stemmata.gui.context.compact_block import Offer
from stemmata.gui.context.view import ContextColumn
from stemmata.gui.core.actions import State
from stemmata.gui.core.turns import TurnSteps
from stemmata.gui.core.window_context import WindowContext
from stemmata.gui.transcript.view import TranscriptView
from stemmata.services.chat.compaction_notices import noted
from stemmata.services.compaction.request import Compaction, CompactionRequest


class CompactionController(QObject):
    """Opens the workbench for the offered compaction, shows each change of the offer, and stores it on *Accept*.

    `offered` plans the compaction; `summary` writes its summary.
    """

    mode_changed = Signal(bool)  # True when the workbench opens

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
        self._services, self._bridge = shared.services, shared.bridge
        self._actions, self._toast, self._reports = shared.actions, shared.toast, reports
        self._opened, self._branches, self._block, self._panel = shared.opened, branches, column.preview, panel
        self._transcript = transcript
        self.offered = OfferedCompaction(shared, column.preview, self)
        self._open = self._entering = False
        self._opening = TurnSteps(self)
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
        return self.offered.offer

    @property
    def is_open(self) -> bool:
        """Whether the workbench is open, with its preview."""
        return self._open and not self._opening.is_active

    # -- opening -----------------------------------------------------------------------------------------------------

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
        answer. If the session is still being read, the workbench opens when the session is read.
        """
        if self._opened.key is None:
            return
        if self._open:
            if cut is not None or from_entry is not None:
                self._end_comparison()
                self.offered.keep_from(cut, from_entry)
                self.offered.plan()
                self.summary.rest()
            return
        self.offered.keep_from(cut, from_entry)
        self._focus, self._is_typed = focus, is_typed
        self._entering = True
        if self._opened.session_tree is None:
            self._opened.resume(None, None)  # at the leaf
            return
        if not self._opened.is_at_leaf:
            self._opened.view_leaf()
        self.offered.plan()  # then `_on_planned` enters

    def open_up_to(self, key: int) -> None:
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

    def _enter(self) -> None:
        """Open the workbench in several turns of the event loop: fill it while it is hidden, then show it."""
        if self._block.reason:
            self.offered.show_in_block()  # it has shown none yet
        self.offered.stop_measuring()  # it would delay the draft
        starts_anew = self._services.contexts.settings.strategy == "new-session"
        self._panel.reset(self._focus, starts_anew=starts_anew)
        self._show_in_panel()
        self._fill_in_left()
        self._opening.stop()
        self._opening.start(self._switch_columns, self._show_offer)

    def _switch_columns(self) -> None:
        self._open, self._place, self._of = True, self._transcript.place, self._opened.key
        self.offered.in_workbench = True
        self.mode_changed.emit(True)
        self._actions.set_state(State.PREVIEW)
        self.summary.start()
        self._panel.editor.focus_page()

    def _fill_in_left(self) -> None:
        """Show the edited summary with which the user closed the workbench, unless another one is being edited."""
        key = self._opened.key
        if key in self._left and not self._panel.edited:
            edited, draft = self._left.pop(key)
            self._panel.show_text(edited, "", draft=draft)

    # -- showing the offer -------------------------------------------------------------------------------------------

    def _on_planned(self, planned: PlannedOffer) -> None:
        entering, self._entering = self._entering, False
        if planned.offer is None:
            self.leave()
            if entering:
                self._toast.tell(planned.reason)
        elif entering and not self._open:
            self._enter()
        else:
            self._show_offer()
            self.offered.measure_later()

    def _on_refused(self, reason: str) -> None:
        if self._entering:
            self._toast.tell(reason)
        self._entering = False

    def _show_offer(self) -> None:
        # while the workbench is open, the block is hidden; updating it would lay it out at each move of the cut
        offer = self.offer
        if not self._open:
            self.offered.show_in_block()
        elif offer is not None:
            self._show_in_panel()
            self.summary.show_effect(offer.before.total.value, offer.after.total.value)
            self._transcript.set_preview(offer.preview.plan, offer.replaced.value or 0)
            held = self.offered.held
            self._transcript.hold_cut(*((None, "") if held is None else (held.cut, held.name)))

    def _show_in_panel(self) -> None:
        offer, held = self.offer, self.offered.held
        if offer is not None:
            compared = None if held is None or held.offer is None else ComparedCut(held.offer, held.is_first)
            prune_first = self.offered.kept_part.prune_first
            self._panel.show_offer(offer, self.offered.slider, prune_first=prune_first, held=compared)
            self.summary.scaled = offer.forecast.scaled

    def toggle_editor(self) -> None:
        """Edit the summary of the preview, or show it as it will look."""
        self._panel.editor.edit(on=not self._panel.editor.is_editing)

    # -- two cuts ----------------------------------------------------------------------------------------------------

    def compare_cuts(self) -> None:
        """Hold the displayed cut to compare another one with it; while two cuts are compared, end the comparison."""
        if not self._open or self.offered.cut is None:
            return
        if self.offered.kept_part.from_entry is not None:
            self._toast.tell(self.tr("Only cuts with the summary above them can be compared."))
        elif self.offered.held is not None:
            self._end_comparison()
            self._show_offer()
        else:
            self.offered.hold_cut()
            self._actions.set_state(State.TWO_CUTS)
            self._show_offer()
            self._toast.tell(self.tr("Cut A is kept. Move the cut line to set cut B."))

    def use_other_cut(self) -> None:
        """Use the held cut, and hold the cut that was used."""
        if self.offered.held is not None and self.offered.cut is not None:
            self.offered.swap_cuts()
            self.summary.rest()

    def _end_comparison(self) -> None:
        self.offered.held = None
        self._actions.set_state(State.TWO_CUTS, on=False)

    # -- accepting ---------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Store the previewed compaction; first prune tool output if its box is ticked."""
        request = self.summary.ready()
        if request is None:
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
        """Return the compaction that would be done now; None when nothing can be compacted."""
        if not self._open:
            return self.offered.request()
        return self.offered.request(self._panel.focus.text().strip(), self._panel.text)

    # -- leaving -----------------------------------------------------------------------------------------------------

    def step_back(self) -> None:
        """Leave the editor of the summary for its preview, or else close the workbench."""
        if self._panel.editor.is_editing:
            self._panel.editor.edit(on=False)
        else:
            self.cancel()

    def cancel(self) -> None:
        """Close the workbench and restore the transcript's scroll position.

        A notification offers to edit an edited summary again.
        """
        if not self._open:
            return
        edited, session = self._panel.text, self._opened.key
        if edited and session is not None:
            back = partial(self._give_back, session, (edited, self._panel.draft), self.offered.kept_part)
            self._toast.tell(self.tr("Your summary was not used."), self.tr("Edit again"), back, of_open=True)
        with self._transcript.arranged_once():
            self.leave()
            if self._place is None:
                self._transcript.scroll_to_end()
            else:
                self._transcript.show_place(*self._place)

    def _give_back(self, session: int, left: tuple[str, str], choice: KeptPart) -> None:
        """Show a summary that the user edited before; open the workbench if it is closed."""
        self._left[session] = left
        if self._open:
            self._fill_in_left()
        self.open(choice.cut, from_entry=choice.from_entry)

    def leave(self) -> None:
        """Close the workbench without compacting."""
        self._opening.stop()
        if self._open:
            self._open = self.offered.in_workbench = self._is_typed = False
            self.offered.forget_cut()
            self._end_comparison()
            self.summary.stop()
            self._transcript.set_preview(None)
            self._actions.set_state(State.PREVIEW, on=False)
            self.mode_changed.emit(False)
            if self.offer is not None:
                self.offered.plan()

    # -- handlers ----------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        block, panel, offered = self._block, self._panel, self.offered
        for part in (block, panel):
            part.keep_changed.connect(self._on_keep_changed)
            part.prune_first_changed.connect(lambda on: offered.prune_first(on=on))
        block.compact_requested.connect(self.open)
        panel.accepted.connect(self.accept)
        panel.cuts_compared.connect(self.compare_cuts)
        panel.other_cut_wanted.connect(self.use_other_cut)
        panel.cancelled.connect(self.cancel)
        panel.focus_changed.connect(lambda _text: self.summary.draft())
        offered.planned.connect(self._on_planned)
        offered.refused.connect(self._on_refused)
        offered.changed.connect(self._show_offer)
        offered.cut_changed.connect(self._draft_again)  # the plan may come later than the draft asked for with it
        self.summary.drafted.connect(offered.take_size)
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
        self._entering = False
        self.offered.start_anew()

    def _on_not_read(self) -> None:
        self._entering = False  # otherwise a later change would open the workbench

    def _on_tree_read(self) -> None:
        """Plan again: an entry was added, pinned or excluded."""
        self.offered.plan()
        self._draft_again()

    def _draft_again(self) -> None:
        if self._open:
            self.summary.rest()

    def _on_keep_changed(self, tokens: int) -> None:
        self.offered.keep(tokens)
        self.summary.rest()

    def _on_cut_moved(self, key: int) -> None:
        self.offered.move_cut(key)
        self.summary.rest()
